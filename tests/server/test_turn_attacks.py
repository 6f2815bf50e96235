# ruff: noqa: E501 (tables)
"""Conversations made to do harm: over HTTP each is refused in one line, and nothing breaks."""

from __future__ import annotations

import json

import pytest

from memnn.server.http import make_app
from memnn.server.memories import Memories
from tests.server.test_bad_input import JSON, call

PLACE = "/v1/memories/talk"
INJECTED = ("' OR 1=1 --", '"; DROP TABLE slots; --', '" or id > 0 or "" == "', "%", "a\\", "$ne")


def nested(depth: int) -> object:
    return json.loads("[" * depth + "]" * depth)


@pytest.fixture(params=[":memory:", "store"])
def app(trained, request, tmp_path):
    where = ":memory:" if request.param == ":memory:" else str(tmp_path / "a.db")
    app = make_app(Memories(trained, where))
    send(app, "POST", "/statements", {"text": "Ann left.", "speaker": "Ann", "meta": {"a": "b"}})
    return app


def send(app, method, path, body=None, query=b"", status=200):
    sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    code, content = call(app, method, f"{PLACE}{path}", sent, JSON, query)
    assert code == status, (code, content[:300])
    answer = json.loads(content) if content else None
    if code >= 400:
        assert set(answer["error"]) == {"code", "message", "request_id"}
        assert answer["error"]["message"].isprintable()
    return answer


TURN = {"text": "Ann left.", "speaker": "Ann"}
WRONG_TURNS = [
    *({"said": x} for x in ("10000-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "0000-01-01",
      "0001-01-01T00:00:00+23:59", "1969-12-31", "", "now", "2023-05-08T13:56:00", "\u0661", 5, 1e9,
      True, [], {}, "2023-02-30T00:00:00Z", "2023-05-08T13:56:00Z\0", "a" * 10_000)),
    *({"speaker": x} for x in ("", " ", "a\nb", "\x1b[31m", "\u202e\x07", "x" * 201, 1, [], {}, True,
      "\ud800", "\x9b", "\u2028", "\0")),
    *({"session": x} for x in ("", "a\r", "\x1b]0;x\x07", "x" * 201, 7, ["a"], "\x7f")),
    *({"meta": x} for x in (1, [], "a", True, {"a": "b" * 4_096}, {"a": 2**63}, {"a": -(2**63) - 1},
      {"a": 10**400}, {"a": nested(200)}, {"a" * 5_000: 1}, {"a": "\ud800"})),
    *({"text": x} for x in ("", " ", "\0", "\ud800", None, 5, ["a"])),
    {"supersedes": 1}, {"id": 7}, {"time": "2023-05-08T13:56:00Z"}, {"source": "a"},
    {"__class__": "a"}, {"about": {}},
]  # fmt: skip


def test_turns_that_cannot_be(app):
    for wrong in WRONG_TURNS:
        send(app, "POST", "/statements", TURN | wrong, status=422)
        send(app, "POST", "/statements", {"statements": [TURN, TURN | wrong]}, status=422)
        if "text" not in wrong:
            send(app, "PUT", "/statements/1", TURN | wrong, status=422)
    raw = (b'{"text": "a", "meta": {"a": NaN}}', b'{"text": "a", "meta": {"a": Infinity}}',
           b'{"text": "a", "meta": {"a": 1e999}}', b'{"text": "a", "meta": {"a": %s}}' % (b"9" * 5_000),
           b'{"text": "a", "meta": {"a": ' + b"[" * 990 + b"]" * 990 + b"}}",
           b'{"text": "a", "meta": {"a": ' + b'{"b":' * 600 + b"1" + b"}" * 600 + b"}}",
           b'{"statements": ' + b"[" * 5_000 + b"]" * 5_000 + b"}")  # fmt: skip
    for body in raw:
        code, content = call(app, "POST", f"{PLACE}/statements", body, JSON)
        assert code in (400, 413, 422), (body[:60], content[:200])
        assert "\n" not in json.loads(content)["error"]["message"]
    assert len(send(app, "GET", "/statements")["statements"]) == 1


def test_too_much_at_once(app):
    send(app, "POST", "/statements", TURN | {"meta": {"a": "b" * 10**6}}, status=413)
    send(app, "POST", "/statements", TURN | {"text": "a" * 100_000}, status=413)
    send(app, "PUT", "/statements/1", {"text": "a" * 100_000}, status=413)
    send(app, "POST", "/search", {"text": "a" * 100_000}, status=413)
    send(app, "POST", "/search", {"text": "Ann", "meta": {"a": "b" * 10**6}}, status=413)
    send(app, "POST", "/lessons", {"question": "a" * 100_000, "ids": [1]}, status=413)
    send(app, "POST", "/statements", {"statements": [{"text": "a"}] * 1_001}, status=422)
    send(app, "POST", "/lessons", {"question": "Who?", "ids": list(range(1, 1_002))}, status=422)
    send(app, "POST", "/search", {"text": "Ann", "k": 1_000, "neighbours": 10}, status=422)
    assert len(send(app, "GET", "/statements")["statements"]) == 1


def test_times_at_the_ends_of_the_calendar(app):
    for said in ("0001-01-01T00:00:00Z", "1066-10-14T09:00:00Z", "1969-12-31T23:59:59.999999Z",
                 "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59+00:00"):  # fmt: skip
        (told,) = send(app, "POST", "/statements", TURN | {"said": said})["statements"]
        assert told["said"][:4] == said[:4]
    found = send(app, "POST", "/search", {"text": "Ann", "until": "1970-01-01"})["found"]
    assert len(found) == 3
    for since in ("0001-01-01", "0001-01-01T00:00:00Z"):
        assert len(send(app, "POST", "/search", {"text": "Ann", "since": since})["found"]) == 6
    for until in ("9999-12-31", "9999-12-31T23:59:59Z"):
        assert send(app, "POST", "/search", {"text": "Ann", "until": until})["found"]
    for wrong in ("0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-10:00", "10000-01-01", "x", "",
                  "2023-13-01", "2023-05-08T25:00:00Z", "' OR 1=1 --", "\u0662\u0660-01-01"):  # fmt: skip
        for key in ("since", "until"):
            send(app, "POST", "/search", {"text": "Ann", key: wrong}, status=422)


def test_searches_that_cannot_be(app):
    for wrong in ({"k": 10**9}, {"k": 0}, {"k": -1}, {"k": 1.5}, {"k": "10 "}, {"k": None},
                  {"k": True}, {"k": 10**400}, {"neighbours": -1}, {"neighbours": 11},
                  {"neighbours": 2**63}, {"as_of": -1}, {"as_of": "1 or 1"}, {"as_of": [1]},
                  {"as_of": 1.5}, {"as_of": "9" * 30}, {"speaker": ""}, {"speaker": ["Ann"]},
                  {"speaker": {"$ne": ""}}, {"meta": []}, {"meta": "a"}, {"meta": {"a": 10**30}},
                  {"meta": {"a": nested(200)}}, {"history": "maybe"}, {"filter": "id > 0"},
                  {"where": "1"}, {"text": ""}, {"text": "\0"}, {"text": None}):  # fmt: skip
        send(app, "POST", "/search", {"text": "Ann"} | wrong, status=422)
    assert send(app, "POST", "/search", {"text": "Ann", "as_of": 2**70})["found"]
    for query in (b"limit=1000000000", b"after=-1", b"before=0", b"before=" + b"9" * 30,
                  b"newest=perhaps", b"history=2", b"before=1%27", b"limit=1%20or%201"):  # fmt: skip
        send(app, "GET", "/statements", query=query, status=422)
    for query in (b"deletions=-1", b"deletions=x", b"after=" + b"9" * 30, b"limit=0", b"limit=1e9"):
        send(app, "GET", "/changes", query=query, status=422)
    send(app, "GET", "/changes", query=b"deletions=" + b"9" * 400)


def test_filters_are_values_and_no_language(app):
    send(app, "POST", "/statements", {"text": "Bob left.", "speaker": "Bob", "meta": {"a": "c"}})
    for text in INJECTED:
        for which in ({"speaker": text}, {"meta": {"a": text}}, {"meta": {text: "b"}}):
            found = send(app, "POST", "/search", {"text": "Who left?", **which})["found"]
            assert found == [], which
        about = {"text": f"{text} left", "speaker": text, "session": text, "meta": {text: text}}
        (told,) = send(app, "POST", "/statements", about)["statements"]
        assert (told["text"], told["speaker"]) == (f"{text} left", text)
        for which in ({"speaker": text}, {"meta": {text: text}}):
            found = send(app, "POST", "/search", {"text": "Who left?", **which})["found"]
            assert [each["id"] for each in found] == [told["id"]], which
    listed = send(app, "GET", "/statements")["statements"]
    assert [slot["speaker"] for slot in listed] == ["Ann", "Bob", *INJECTED]


def test_lessons_and_updates_that_cannot_be(app):
    for wrong in ({"ids": [0]}, {"ids": ["1"]}, {"ids": [1, 1]}, {"ids": [1.5]}, {"ids": 1},
                  {"ids": [-1]}, {"ids": None}, {"ids": [True]}, {"as_of": -1}, {"as_of": 10**30},
                  {"as_of": "now"}, {"question": ""}, {"question": "\0"}, {"question": 5},
                  {"question": "\ud800"}, {"x": 1}):  # fmt: skip
        send(app, "POST", "/lessons", {"question": "Who left?", "ids": [1]} | wrong, status=422)
    send(app, "POST", "/lessons", {"question": "Who?", "ids": [10**30]}, status=422)
    send(app, "POST", "/lessons", {"question": "Who?", "ids": [2**62 - 1]}, status=404)
    assert send(app, "GET", "/lessons")["lessons"] == []
    for id in ("0", "-1", "1%0a", "x", "9" * 30, "1e0", "%D9%A1"):
        send(app, "PUT", f"/statements/{id}".replace("%0a", "\n"), {"text": "a"}, status=422)


def test_json_that_is_nested_is_the_same_from_every_depth(app):
    """What was taken is given back, however deep the caller of the one who reads it is."""
    about = TURN | {"meta": {"a": nested(30)}}
    (told,) = send(app, "POST", "/statements", about)["statements"]
    assert told["meta"] == about["meta"]
    found = send(app, "POST", "/search", {"text": "Ann", "meta": about["meta"]})["found"]
    assert [each["id"] for each in found] == [told["id"]]


def test_a_long_reply_gives_way(app, monkeypatch):
    """Found turns are written down in parts, so that others are served meanwhile."""
    from memnn.server import http

    parts = []
    monkeypatch.setattr(http, "PART", 10)
    sleep = http.asyncio.sleep

    async def counted(seconds):
        parts.append(seconds)
        await sleep(seconds)

    monkeypatch.setattr(http.asyncio, "sleep", counted)
    send(app, "POST", "/statements", {"statements": [TURN] * 100})
    assert len(send(app, "POST", "/search", {"text": "Ann", "k": 100})["found"]) == 100
    assert len(parts) >= 9


WRONG_CALLS = [
    *(("remember", {"text": "Ann left.", **wrong}) for wrong in WRONG_TURNS if wrong.keys() <= {"said", "speaker", "session"}),
    *(("remember", {"text": "Ann left.", "meta": x}) for x in (5, [], {"a": nested(200)}, {"a": "b" * 10**6}, {"a": 10**400})),
    ("remember", {"text": "a" * 100_000, "speaker": "Ann"}), ("remember", {"statements": [{"text": "a"}] * 1_001}),
    ("remember", {"statements": [{"speaker": "Ann"}]}), ("remember", {}),
    ("search", {"question": "Ann", "k": 10**9}), ("search", {"question": "Ann", "k": 0}),
    ("search", {"question": "Ann", "k": 1_000, "neighbours": 10}), ("search", {"question": "Ann", "neighbours": -1}),
    ("search", {"question": "Ann", "since": "10000-01-01"}), ("search", {"question": "Ann", "meta": {"a": nested(200)}}),
    ("search", {"question": "a" * 100_000}), ("search", {"question": ""}), ("search", {"question": "Ann", "as_of": "\x1b[31m"}),
    ("update", {"id": 10**30, "text": "a"}), ("update", {"id": 1, "text": "a" * 100_000}), ("update", {"id": 1, "text": "\0"}),
    ("teach", {"question": "Who?", "ids": [10**30]}), ("teach", {"question": "\0", "ids": [1]}), ("teach", {"question": "Who?", "ids": [1, 1]}),
    ("changes", {"limit": 10**9}), ("changes", {"deletions": -1}), ("recall", {"ids": [0]}), ("recall", {"before": 0}),
]  # fmt: skip


def test_assistants_are_told_in_one_line(trained):
    pytest.importorskip("mcp")
    import asyncio

    from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError

    from memnn.server.mcp import make_server

    server = make_server(Memories(trained, ":memory:"))

    async def attacked():
        await server.call_tool("remember", {"text": "Ann left.", "speaker": "Ann"})
        for tool, arguments in WRONG_CALLS:
            with pytest.raises(ToolError) as caught:
                await server.call_tool(tool, arguments)
            case = f"{tool} {str(arguments)[:80]}: {caught.value}"[:400]
            assert not isinstance(caught.value, UnexpectedToolError), case
            assert str(caught.value).isprintable(), case
            assert len(str(caught.value)) < 400, case

    asyncio.run(attacked())
