"""The service over a real connection: what is promised, and what is refused."""

from __future__ import annotations

import json
import re
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from benchmarks.http_client import Process

from memnn.server.middleware import LARGEST_BODY

STORY = "Joe went to the kitchen. Joe took the milk. Joe travelled to the office."


def texts(response: httpx.Response) -> list[str]:
    return [slot["text"] for slot in response.json()["statements"]]


def is_problem(response: httpx.Response, status: int) -> str:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    (only,) = response.json().items()
    assert only[0] == "error"
    assert set(only[1]) == {"code", "message", "request_id"}
    assert only[1]["request_id"] == response.headers["x-request-id"]
    assert "\n" not in only[1]["message"]
    return only[1]["message"]


def test_tell_and_ask(http, memory):
    told = http.post(f"{memory}/statements", json={"text": STORY})
    assert told.status_code == 200
    assert [slot["id"] for slot in told.json()["statements"]] == [1, 2, 3]
    assert all(set(slot) == {"id", "text", "time"} for slot in told.json()["statements"])
    answer = http.post(f"{memory}/questions", json={"text": "Where is the milk?"}).json()
    assert list(answer) == [
        "answer", "score", "probability", "abstained", "reason", "evidence", "source", "others",
        "when", "read_as",
    ]  # fmt: skip
    assert answer["answer"] == "office"
    assert [hop["id"] for hop in answer["evidence"]] == [2, 3]
    assert [hop["hop"] for hop in answer["evidence"]] == [1, 2]
    decisive = answer["evidence"][0]["decisive"]
    assert decisive["margin"] == pytest.approx(decisive["content"] + decisive["write_time"])
    assert decisive["margin"] == pytest.approx(sum(decisive["terms"].values()))


def test_a_question_is_answered_alike_whichever_way_it_goes(http, memory):
    """Questions go to their handler directly; those in UTF-16 go the framework's way."""
    http.post(f"{memory}/statements", json={"text": STORY})
    json_ = {"content-type": "application/json"}
    for asked in (
        {"text": "Where is the milk?"},
        {"text": "Where is Joe?", "as_of": 1},
        {"text": 3},
    ):
        either, other = (
            http.post(f"{memory}/questions", content=json.dumps(asked).encode(form), headers=json_)
            for form in ("utf-8", "utf-16")
        )
        assert either.status_code == other.status_code
        if either.status_code == 200:
            assert either.json() == other.json()
        else:
            assert is_problem(either, 422) == is_problem(other, 422)


def test_the_past(http, memory):
    told = http.post(f"{memory}/statements", json={"text": STORY}).json()["statements"]
    for as_of in (2, "2"):
        past = http.post(f"{memory}/questions", json={"text": "Where is Joe?", "as_of": as_of})
        assert past.json()["answer"] == "kitchen"
    now = {"text": "Where is Joe?", "as_of": told[-1]["time"]}
    assert http.post(f"{memory}/questions", json=now).json()["answer"] == "office"
    now["as_of"] = "yesterday"
    is_problem(http.post(f"{memory}/questions", json=now), 422)


def test_a_message_is_told_or_asked(http, memory):
    said = http.post(f"{memory}/messages", json={"text": f"{STORY} Where is Joe? Joe left."})
    assert texts(said) == [*STORY.replace(". ", ".|").split("|"), "Joe left."]
    (answer,) = said.json()["answers"]
    assert (answer["question"], answer["answer"]) == ("Where is Joe?", "office")


def test_small_talk_is_not_told(http, memory):
    def say(text):
        said = http.post(f"{memory}/messages", json={"text": text})
        assert said.status_code == 200
        return said.json()

    assert [reply["intent"] for reply in say("Hello!")["replies"]] == ["reply"]
    there = [each["name"] for each in http.get("/v1/memories").json()["memories"]]
    assert memory.split("/")[-1] not in there  # no memory begins with a greeting
    told = say("Thanks for asking, Anna is in hospital. Ben left. Thanks!")
    assert [slot["text"] for slot in told["statements"]] == [
        "Thanks for asking, Anna is in hospital.", "Ben left.",
    ]  # fmt: skip
    assert [reply["said"] for reply in told["replies"]] == ["Thanks!"]
    (listed,) = say("What have I told you about Anna?")["replies"]
    assert (listed["intent"], [slot["id"] for slot in listed["statements"]]) == ("recall", [1])
    (gone,) = say("Forget that.")["replies"]
    assert (gone["intent"], "Ben left." in gone["reply"]) == ("forget", True)
    assert len(http.get(f"{memory}/statements").json()["statements"]) == 1
    (again,) = say("undo")["replies"]
    assert again["statements"][0]["text"] == "Ben left."
    said = say("Ben is here. Forget that. Where is Ben?")
    assert (said["statements"], len(said["answers"])) == ([], 1)
    http.post(f"{memory}/statements", json={"text": "Thanks!"})
    assert http.get(f"{memory}/statements").json()["statements"][-1]["text"] == "Thanks!"


def test_a_correction_in_ones_own_words(http, memory):
    def say(text, **more):
        return http.post(f"{memory}/messages", json={"text": text, **more}).json()

    assert say("Joe went to the kitchen. where is Joe")["answers"][0]["answer"] == "kitchen"
    (reply,) = say("No, it's the garden")["replies"]
    assert (reply["intent"], reply["statements"][0]["supersedes"]) == ("correct", 1)
    assert texts(http.get(f"{memory}/statements")) == ["Joe went to the garden."]
    assert say("Where is Joe?")["answers"][0]["answer"] == "garden"
    say("Where is Joe?", as_of=1)
    assert not say("No, it's the office.")["replies"], "the past was right"


def test_forgetting_by_name_why_and_nonsense(http, memory):
    def say(text):
        return http.post(f"{memory}/messages", json={"text": text}).json()

    say("My locker code is 7719. Joe went to the kitchen. My bike is red.")
    assert say("Where is Joe?")["answers"][0]["answer"] == "kitchen"
    (why,) = say("Why?")["replies"]
    assert (why["intent"], [slot["id"] for slot in why["statements"]]) == ("why", [2])
    (gone,) = say("Forget my locker code.")["replies"]
    assert (gone["intent"], [slot["id"] for slot in gone["statements"]]) == ("forget", [1])
    (which,) = say("Forget what I said about Joe and my bike.")["replies"]
    assert (which["intent"], [s["id"] for s in which["statements"]]) == ("forget other", [2, 3])
    (gone,) = say("2")["replies"]
    assert [slot["id"] for slot in gone["statements"]] == [2]
    (reply,) = say("asdkjh qwe")["replies"]
    assert reply["reply"].startswith("I did not understand")
    assert texts(http.get(f"{memory}/statements")) == ["My bike is red."]
    assert say("Where is Joe?")["answers"][0]["abstained"]
    http.delete(f"{memory}/statements/3")
    (why,) = say("Why?")["replies"]
    assert "nothing to explain" in why["reply"], "it may rest on what is gone"


def test_pages_by_id(http, memory):
    sentences = [f"Joe moved to place {n}." for n in range(25)]
    http.post(f"{memory}/statements", json={"text": "\n".join(sentences)})
    found, after = [], 0
    while page := http.get(f"{memory}/statements", params={"after": after, "limit": 10}).json()[
        "statements"
    ]:
        assert len(page) <= 10
        found += [slot["text"] for slot in page]
        after = page[-1]["id"]
    assert found == sentences
    for wrong in ({"limit": 1001}, {"limit": 0}, {"after": -1}, {"after": "x"}):
        is_problem(http.get(f"{memory}/statements", params=wrong), 422)


def test_what_is_deleted_is_gone(http, memory):
    http.post(f"{memory}/statements", json={"text": STORY})
    assert http.delete(f"{memory}/statements/3").status_code == 204
    assert "3" in is_problem(http.delete(f"{memory}/statements/3"), 404)
    answer = http.post(f"{memory}/questions", json={"text": "Where is the milk?"}).json()
    assert answer["answer"] == "kitchen"
    assert (
        http.post(f"{memory}/statements", json={"text": "Joe left."}).json()["statements"][0]["id"]
        == 4
    ), "an id is never used again"
    assert http.delete(memory).status_code == 204
    is_problem(http.delete(memory), 404)
    is_problem(http.get(f"{memory}/statements"), 404)
    http.post(f"{memory}/statements", json={"text": "Joe left."})
    assert texts(http.get(f"{memory}/statements")) == ["Joe left."]


def test_reading_makes_no_memory(http):
    assert texts(http.get("/v1/memories/nobody/statements")) == []
    asked = http.post("/v1/memories/nobody/questions", json={"text": "Where is Joe?"}).json()
    assert asked["abstained"]
    assert asked["reason"]
    is_problem(http.delete("/v1/memories/nobody/statements/1"), 404)
    assert "nobody" not in [one["name"] for one in http.get("/v1/memories").json()["memories"]]


def test_memories_in_pages(http, memory):
    names = [f"{memory.rpartition('/')[2]}-{n}" for n in range(5)]
    for name in names:
        http.post(f"/v1/memories/{name}/statements", json={"text": STORY})

    def page(**params) -> list[str]:
        return [one["name"] for one in http.get("/v1/memories", params=params).json()["memories"]]

    before = memory.rpartition("/")[2]
    assert page(after=before, limit=3) == names[:3]
    assert page(after=names[2], limit=2) == names[3:]
    assert names == [name for name in page() if name in names], "all, unless a page is wanted"
    for wrong in ({"limit": 0}, {"limit": 1001}, {"limit": "x"}, {"after": "a" * 65}):
        is_problem(http.get("/v1/memories", params=wrong), 422)


def test_memories_are_listed_with_their_sizes(http, memory):
    http.post(f"{memory}/statements", json={"text": STORY})
    name = memory.rpartition("/")[2]
    assert {"name": name, "statements": 3} in http.get("/v1/memories").json()["memories"]


def test_a_misspelt_field_is_named_with_the_one_that_is_meant(http):
    told = http.post("/v1/memories/misspelt/statements", json={"txt": "Joe left."})
    assert is_problem(told, 422) == "txt: there is no such field; did you mean text?"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422), (b"{", 400), (b"[]", 422), (b'"a"', 422), (b"{}", 422), (b"\xff", 400),
        (b'{"text": 5}', 422), (b'{"text": null}', 422), (b'{"text": ""}', 422),
        (b'{"text": "..."}', 422), (b'{"text": "a\\u0000b"}', 422), (b'{"text": "\\ud800"}', 422),
        (b'{"text": "Where is Joe?"}', 422), (b'{"text": "Joe left. Where is he?"}', 422),
        (b'{"text": "Joe left.", "as_of": 1}', 422), (b"[" * 100_000, 400),
        (json.dumps({"text": "a" * 10_001}).encode(), 413),
        (b'{"text": "' + b"9" * 300_000 + b'"}', 413),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused_whole(http, memory, body, status):
    headers = {"content-type": "application/json"}
    is_problem(http.post(f"{memory}/statements", content=body, headers=headers), status)
    assert texts(http.get(f"{memory}/statements")) == []


def test_the_longest_text_is_taken(http, memory):
    assert http.post(f"{memory}/statements", json={"text": "é" * 10_000}).status_code == 200


def test_a_question_is_not_told(http, memory):
    told = http.post(f"{memory}/statements", json={"text": "Where is Joe?"})
    assert "is a question" in is_problem(told, 422)


@pytest.mark.parametrize("name", [".hidden", "a b", "a" * 65, "é", "a%00", "..", "a%0A"])
def test_names_are_plain(http, name):
    assert http.get(f"/v1/memories/{name}/statements").status_code in (404, 422)
    if name not in ("..",):
        is_problem(http.get(f"/v1/memories/{name}/statements"), 422)


def test_unknown_places_and_methods(http, memory):
    is_problem(http.get("/nowhere"), 404)
    is_problem(http.get("/page/../http.py"), 404)
    is_problem(http.get("/page/__init__.py"), 404)
    wrong = http.put(f"{memory}/statements", json={})
    is_problem(wrong, 405)
    assert set(wrong.headers["allow"].split(", ")) == {"GET", "POST"}


def test_a_method_that_does_nothing_is_refused_as_such(http, memory):
    for path in ("/v1/memories", memory, f"{memory}/statements/1", "/healthz", "/metrics"):
        is_problem(http.post(path), 405)


def test_only_json_is_read(http, memory):
    """A web page may send other types anywhere without asking first."""
    body = json.dumps({"text": "Joe left."})
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        headers = {"content-type": kind} if kind else {}
        is_problem(http.post(f"{memory}/statements", content=body, headers=headers), 415)
    assert texts(http.get(f"{memory}/statements")) == []


def test_other_hosts_are_refused(http, server):
    """DNS rebinding: a name of somebody else's that leads to this machine."""
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1.evil.example", ""):
        is_problem(http.get("/v1/memories", headers={"host": host}), 421)
    for host in ("localhost", f"LOCALHOST:{server.port}", "[::1]:80"):
        assert http.get("/v1/memories", headers={"host": host}).status_code == 200


def test_health_and_headers(http):
    response = http.get("/healthz")
    assert response.json()["status"] == "ok"
    assert "default-src 'self'" in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in response.headers


def test_metrics_count(http, memory):
    def count(name: str) -> float:
        found = re.search(rf"^{re.escape(name)} (\S+)$", http.get("/metrics").text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    route = 'method="POST",route="/v1/memories/{name}/statements"'
    counters = [
        "memnn_statements_total",
        f'memnn_requests_total{{{route},status="200"}}',
        'memnn_request_seconds_count{route="/v1/memories/{name}/statements"}',
    ]
    before = [count(name) for name in counters]
    http.post(f"{memory}/statements", json={"text": STORY})
    assert [count(name) - b for name, b in zip(counters, before, strict=True)] == [3, 1, 1]
    for line in http.get("/metrics").text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) \w+ .+|\w+(\{[^}]+\}.*)? [\d.e+-]+", line), line


def test_a_large_body_is_refused_before_it_is_read(server: Process, memory):
    head = f"POST {memory}/statements HTTP/1.1\r\nHost: localhost\r\n"
    head += "Content-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", server.port), 300) as connection:
        connection.sendall(f"{head}Content-Length: 100000000\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")
    with socket.create_connection(("127.0.0.1", server.port), 300) as connection:
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        connection.settimeout(0.0)
        sent, answer, chunk = 0, b"", b"10000\r\n" + b" " * 65536 + b"\r\n"
        connection.setblocking(True)
        while not answer and sent < 100_000_000:
            connection.sendall(chunk)
            sent += 65536
            connection.settimeout(0.02)
            try:
                answer = connection.recv(100)
            except TimeoutError:
                answer = b""
            connection.settimeout(300)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert sent < 10 * LARGEST_BODY


@pytest.mark.parametrize("path", ["statements", "questions", "messages"])
def test_the_largest_body(http, memory, path):
    """256 KiB and no byte more; the refusal says so, and what to do."""
    text = "Joe left." if path == "statements" else "Where is Joe?"
    body = json.dumps({"text": text}).encode().ljust(LARGEST_BODY)
    headers = {"content-type": "application/json"}
    taken = http.post(f"{memory}/{path}", content=body, headers=headers)
    assert taken.status_code == 200
    for more in (body + b" ", iter([body, b" "])):
        said = is_problem(http.post(f"{memory}/{path}", content=more, headers=headers), 413)
        assert "262,144 bytes" in said
        assert "memnn memory import" in said


def test_a_client_that_sends_it_all_sees_the_refusal(http, memory):
    refused = http.post(
        f"{memory}/statements",
        content=b" " * 20_000_000,
        headers={"content-type": "application/json"},
    )
    is_problem(refused, 413)


def test_many_at_once(http, memory):
    """Writers and readers of one memory: every id once, everything there, nothing in between."""

    def work(number: int) -> list[int]:
        ids = []
        for turn in range(10):
            told = http.post(
                f"{memory}/statements", json={"text": f"Joe went to the kitchen {number} {turn}."}
            )
            ids += [slot["id"] for slot in told.json()["statements"]]
            asked = http.post(f"{memory}/questions", json={"text": "Where is Joe?"})
            assert asked.status_code == 200
        return ids

    with ThreadPoolExecutor(8) as pool:
        ids = [id for part in pool.map(work, range(8)) for id in part]
    assert sorted(ids) == list(range(1, 81))
    assert len(texts(http.get(f"{memory}/statements", params={"limit": 1000}))) == 80


def test_the_api_is_described(http):
    described = http.get("/openapi.json").json()
    for path, operations in described["paths"].items():
        for operation in operations.values():
            assert operation["description"], path
            assert "421" in operation["responses"]
    assert http.get("/docs").headers["content-type"].startswith("text/html")
