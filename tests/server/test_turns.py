"""Turns, search, updates, lessons and changes over HTTP; the same over MCP in test_mcp.py."""

from __future__ import annotations

import json

import pytest

from memnn.server.http import make_app
from memnn.server.memories import Memories
from tests.server.test_bad_input import JSON, call

PLACE = "/v1/memories/talk"


@pytest.fixture(params=[":memory:", "store"])
def app(trained, request, tmp_path):
    where = ":memory:" if request.param == ":memory:" else str(tmp_path / "a.db")
    return make_app(Memories(trained, where))


def send(app, method, path, body=None, query=b"", status=200):
    sent = b"" if body is None else json.dumps(body).encode()
    code, content = call(app, method, f"{PLACE}{path}", sent, JSON, query)
    assert code == status, content
    return json.loads(content) if content else None


TALK = [
    {"text": "Where do you live? In Rome?", "speaker": "Ann", "said": "2023-05-08T13:56:00Z"},
    {"text": "I live in Oslo!", "speaker": "Bob", "session": "one", "meta": {"n": 1}},
]


def test_turns_are_told_and_found(app):
    told = send(app, "POST", "/statements", {"statements": TALK})["statements"]
    assert [slot["text"] for slot in told] == [turn["text"] for turn in TALK]
    assert told[0]["said"] == "2023-05-08T13:56:00.000000Z"
    assert told[1]["meta"] == {"n": 1}
    (plain,) = send(app, "POST", "/statements", {"text": "Joe went to the kitchen."})["statements"]
    assert plain.keys() == {"id", "text", "time"}
    whole = send(app, "POST", "/statements", {"text": "Who? Me. Why?", "speaker": "Eve"})
    assert [slot["id"] for slot in whole["statements"]] == [4]
    found = send(app, "POST", "/search", {"text": "Who lives in Oslo?", "k": 2, "neighbours": 1})
    first = found["found"][0]
    assert (first["id"], first["speaker"], first["said"]) == (2, "Bob", None)
    assert first["score"] == pytest.approx(sum(first["terms"].values()))
    assert "neighbours" not in first, "nothing else is of its session"
    for which, ids in (
        ({"speaker": "Ann"}, [1]), ({"meta": {"n": 1}}, [2]), ({"until": "2023-06-01"}, [1]),
        ({"since": "2023-06-01"}, [2]), ({"as_of": 1}, [1]), ({"speaker": "Eve"}, []),
    ):  # fmt: skip
        found = send(app, "POST", "/search", {"text": "live", **which})["found"]
        assert [each["id"] for each in found] == ids, which
    answer = send(app, "POST", "/questions", {"text": "Where is Joe?"})
    assert answer["answer"] == "kitchen"
    assert "speaker" not in answer["evidence"][0]
    send(app, "POST", "/statements", {"text": "Joe went to the office.", "speaker": "Ann"})
    (hop,) = send(app, "POST", "/questions", {"text": "Where is Joe?"})["evidence"]
    assert (hop["id"], hop["speaker"]) == (5, "Ann")


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"statements": [{"text": "Fine."}, {"text": "Who?"}]}, "item 2"),
        ({"statements": []}, "statements"), ({}, "text"), ({"speaker": "Ann"}, "text"),
        ({"text": "a", "statements": TALK}, "either"), ({"text": "a", "said": "noon"}, "RFC 3339"),
        ({"text": "a", "meta": {"x": "y" * 5_000}}, "4,096"), ({"text": "a", "name": "b"}, "name"),
        ({"statements": ["a"]}, "statements"), ({"text": "a", "speaker": "x" * 300}, "speaker"),
        ({"text": "a", "speaker": "a\nb"}, "unprintable"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused_as_a_whole(app, body, word):
    error = send(app, "POST", "/statements", body, status=422)["error"]
    assert word in error["message"]
    assert send(app, "GET", "/statements")["statements"] == []


def test_too_much_is_refused(app):
    long = {"statements": [{"text": "x" * 10_001, "speaker": "Ann"}]}
    assert send(app, "POST", "/statements", long, status=413)
    much = {"text": "a", "meta": {"x": "y" * 1_000_000}}
    assert send(app, "POST", "/statements", much, status=413)


def test_updates_and_history(app):
    send(app, "POST", "/statements", {"statements": TALK})
    new = send(app, "PUT", "/statements/2", {"text": "I live in Bern."})
    assert (new["id"], new["supersedes"], new["speaker"], new["meta"]) == (3, 2, "Bob", {"n": 1})
    assert send(app, "GET", "/statements/2")["superseded_by"] == 3
    assert "superseded_by" not in send(app, "GET", "/statements/3")
    assert [s["id"] for s in send(app, "GET", "/statements")["statements"]] == [1, 3]
    both = send(app, "GET", "/statements", query=b"history=true")["statements"]
    assert [s["id"] for s in both] == [1, 2, 3]
    newest = send(app, "GET", "/statements", query=b"newest=true&limit=1")["statements"]
    assert [s["id"] for s in newest] == [3]
    before = send(app, "GET", "/statements", query=b"newest=true&before=3")["statements"]
    assert [s["id"] for s in before] == [1]
    assert [s["id"] for s in send(app, "POST", "/search", {"text": "live"})["found"]] == [3, 1]
    old = send(app, "POST", "/search", {"text": "live", "history": True})["found"]
    assert {each["id"]: each.get("superseded_by") for each in old} == {1: None, 2: 3, 3: None}
    assert send(app, "PUT", "/statements/9", {"text": "a"}, status=404)
    assert send(app, "GET", "/statements/9", status=404)
    assert "update that one" in send(app, "PUT", "/statements/2", {"text": "a"}, status=422)[
        "error"
    ]["message"]  # fmt: skip
    send(app, "DELETE", "/statements/3", status=204)
    left = send(app, "GET", "/statements", query=b"history=true")["statements"]
    assert [s["id"] for s in left] == [1], "what it replaced does not come back"


def test_duplicates_are_pointed_out(app):
    send(app, "POST", "/statements", {"text": "Ann likes tea. Joe left."})
    again = send(app, "POST", "/statements", {"text": "Joe left. Ann likes coffee."})
    assert [s.get("duplicate_of") for s in again["statements"]] == [2, None]
    spoken = send(app, "POST", "/statements", {"text": "Joe left.", "speaker": "Bob"})
    assert "duplicate_of" not in spoken["statements"][0], "somebody else says so"


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/search"), ("POST", "/lessons"), ("PUT", "/statements/1")]
)
def test_only_json_is_read(app, method, path):
    """Other types can be sent by any web page without asking first."""
    body = b'{"text": "live", "question": "Who?", "ids": []}'
    for headers in ([], [(b"content-type", b"text/plain")]):
        assert call(app, method, f"{PLACE}{path}", body, headers)[0] == 415
    assert call(app, method, f"{PLACE}{path}", b"x" * 300_000, JSON)[0] == 413


def test_lessons(app):
    assert send(app, "POST", "/lessons", {"question": "Who?", "ids": []}, status=404)
    send(app, "POST", "/statements", {"statements": TALK})
    lesson = send(app, "POST", "/lessons", {"question": "Where does Bob live?", "ids": [2]})
    assert lesson == {"question": "Where does Bob live?", "ids": [2], "as_of": 2}
    send(app, "POST", "/lessons", {"question": "Who left?", "ids": []})
    assert len(send(app, "GET", "/lessons")["lessons"]) == 2
    assert send(app, "POST", "/lessons", {"question": "Who?", "ids": [7]}, status=404)
    assert send(app, "POST", "/lessons", {"question": " ", "ids": [1]}, status=422)
    send(app, "DELETE", "/statements/2", status=204)
    assert [lesson["ids"] for lesson in send(app, "GET", "/lessons")["lessons"]] == [[]]


def test_a_copy_can_be_kept(app):
    """Someone who asks what changed has, each time, what there is."""
    copy, after, deletions = {}, 0, None

    def follow():
        nonlocal after, deletions
        while True:
            query = f"after={after}&limit=2"
            query += "" if deletions is None else f"&deletions={deletions}"
            news = send(app, "GET", "/changes", query=query.encode())
            if news["kept"] is not None:
                ranges = news["kept"]
                for id in [id for id in copy if not any(a <= id <= b for a, b in ranges)]:
                    del copy[id]
            copy.update({slot["id"]: slot["text"] for slot in news["statements"]})
            after, deletions = news["last_id"], news["deletions"]
            if not news["more"]:
                return

    def there():
        listed = send(app, "GET", "/statements", query=b"history=true")["statements"]
        return {slot["id"]: slot["text"] for slot in listed}

    send(app, "POST", "/statements", {"text": "Joe left. Ann came. Eve sat. Bob ran. Joe sat."})
    follow()
    assert copy == there()
    send(app, "DELETE", "/statements/2", status=204)
    send(app, "DELETE", "/statements/5", status=204)
    send(app, "PUT", "/statements/3", {"text": "Eve stood."})
    follow()
    assert copy == there()
    assert copy.keys() == {1, 3, 4, 6}
