"""Whatever is sent, the answer is one of the documented ones: no 5xx, no hang.

A few hundred cases, the same ones every time; `make soak` makes 100,000 new ones.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import CHECKS, load_all_checks

from memnn.conversations.search import moment_of
from memnn.conversations.telling import ABOUT, read_items, statements_of, turn_about
from memnn.errors import InputError
from memnn.memory.protocol import check_text, resolve_as_of
from memnn.network import asked
from memnn.server.http import make_app
from memnn.server.memories import Memories
from memnn.server.session import check_shown
from memnn.text.sentences import Sentences

load_all_checks()
positive_data_acceptance = CHECKS.get_one("positive_data_acceptance")

FEW = 100


def cases(n: int) -> settings:
    return settings(
        max_examples=n,
        deadline=None,
        derandomize=n <= FEW,
        suppress_health_check=list(HealthCheck),
    )


def soaked(test, n: int, **made):
    """The same test with many more cases."""
    return pytest.mark.soak(cases(n)(given(**made)(test)))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
bodies = st.one_of(
    st.binary(),
    anything.map(lambda value: json.dumps(value).encode()),
    st.fixed_dictionaries({"text": anything}, optional={"as_of": anything}).map(
        lambda value: json.dumps(value).encode()
    ),
    st.text().map(lambda text: json.dumps({"text": f"Joe {text}"}, ensure_ascii=True).encode()),
)
segments = st.one_of(
    st.sampled_from(["v1", "memories", "statements", "questions", "messages", "main", "1", "page"]),
    st.text(min_size=1).map(lambda text: text.replace("/", "")),
)
names = st.binary(min_size=1, max_size=20)


@pytest.fixture(scope="module")
def app(trained):
    return make_app(Memories(trained))


def call(app, method, path, body=b"", headers=(), query=b""):
    """One request straight to the application; a hang is a failure."""
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
        "method": method, "path": path, "raw_path": b"", "root_path": "", "query_string": query,
        "headers": [(b"host", b"localhost"), *headers], "server": ("localhost", 80),
        "client": ("127.0.0.1", 1),
    }  # fmt: skip
    parts = [{"type": "http.request", "body": body, "more_body": False}]
    sent = []

    async def receive():
        return parts.pop(0) if parts else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    asyncio.run(asyncio.wait_for(app(scope, receive, send), 30))
    content = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], content


def is_answer(status: int, content: bytes) -> None:
    assert status < 500, content
    if status >= 400:
        assert set(json.loads(content)["error"]) == {"code", "message", "request_id"}


JSON = [(b"content-type", b"application/json")]


ANY_BODY = {
    "body": bodies,
    "what": st.sampled_from(
        ["statements", "statements/1", "questions", "messages", "search", "lessons", "changes"]
    ),
    "method": st.sampled_from(["POST"] * 8 + ["GET", "PUT", "DELETE", "BREW"]),
}


def any_body(app, body, what, method):
    is_answer(*call(app, method, f"/v1/memories/any/{what}", body, JSON))


test_any_body = cases(FEW)(given(**ANY_BODY)(any_body))
test_very_many_bodies = soaked(any_body, 35_000, **ANY_BODY)

ANY_PATH = {
    "path": st.lists(segments, max_size=6).map(lambda parts: "/" + "/".join(parts)),
    "method": st.sampled_from(["GET", "POST", "DELETE", "PATCH"]),
    "query": st.binary(max_size=30),
    "headers": st.lists(st.tuples(names, st.binary(max_size=40)), max_size=3),
}


def any_path(app, path, method, query, headers):
    lower = [(name.lower(), value) for name, value in headers]
    is_answer(*call(app, method, path, b"{}", [*JSON, *lower], query))


test_any_path = cases(FEW)(given(**ANY_PATH)(any_path))
test_very_many_paths = soaked(any_path, 35_000, **ANY_PATH)


@pytest.fixture(scope="module")
def locked(trained):
    return make_app(Memories(trained), token="a-token-of-some-length")


def any_token(locked, token):
    status, content = call(
        locked, "POST", "/v1/memories/main/statements", b'{"text": "Joe left."}',
        [*JSON, (b"authorization", token)],
    )  # fmt: skip
    assert status == 401, content


test_any_token = cases(FEW)(given(token=st.binary(max_size=60))(any_token))
test_very_many_tokens = soaked(any_token, 5_000, token=st.binary(max_size=60))


@pytest.mark.parametrize("path", ["/v1/memories/main/questions", "/v1/nowhere", "/v1", "/metrics"])
@pytest.mark.parametrize("body", [b"{", b"{}", b'{"text": "Where is Joe?"}'])
def test_a_stranger_learns_nothing(locked, path, body):
    """Without the token the body is not looked at, and paths look alike."""
    status, content = call(locked, "POST", path, body, JSON)
    assert status == 401, content


def some_sentence(text: str) -> None:
    if not any(True for _ in Sentences()(text)):
        raise InputError("there is nothing to read")


def turns(body: dict[str, object]) -> None:
    """What `tell` would read; a plain text is told sentence by sentence."""
    shared = {key: body.get(key) for key in ABOUT}
    items = body["statements"] if "statements" in body else [{"text": body["text"]}]
    for text, turn in read_items(items, **shared):
        statements_of(Sentences(), text, turn)


def wanted(body: dict[str, object]) -> None:
    check_text(body["text"])
    for key in ("since", "until"):
        if body.get(key) is not None:
            moment_of(body[key])
    turn_about(meta=body.get("meta"))
    check_shown(body.get("k", 10), body.get("neighbours", 0))
    as_of = body.get("as_of")
    whole = isinstance(as_of, float) and as_of.is_integer()  # 5.0 is an integer in JSON
    resolve_as_of(int(as_of) if whole else as_of)


def taught(body: dict[str, object]) -> None:
    """Each id once, and none after the moment that the lesson is of."""
    check_text(body["question"])
    ids, as_of = body["ids"], body.get("as_of")
    if len(set(ids)) < len(ids) or (as_of is not None and max(ids, default=0) > as_of):
        raise InputError("no memory would take this lesson")


def new_turn(body: dict[str, object]) -> None:
    session = body.get("session")
    turns({**body, "session": "s" if session is None else session})


READ = {
    "statements": turns,
    "{id}": new_turn,
    "search": wanted,
    "lessons": taught,
    "questions": lambda body: asked(Sentences(), " ".join(body["text"].split())),
    "messages": lambda body: some_sentence(body["text"]),
}


def is_readable(case) -> bool:
    """Whether the texts are what the operation is for; that is no matter of types."""
    if not isinstance(case.body, dict):
        return True
    try:
        READ[case.path.rpartition("/")[2]](case.body)
    except InputError:
        return False
    except (TypeError, KeyError, AttributeError, ValueError):  # wrong by its types, too
        return True
    return True


@pytest.mark.parametrize("few", [20, pytest.param(2_800, marks=pytest.mark.soak)])
def test_the_description_holds(app, few):
    """Schemathesis makes requests from the description, right ones and wrong ones.

    What the types allow is accepted; sentences that no memory would take are refused with 422, and
    only they are.
    """
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    failures = []
    for result in schema.get_all_operations():
        operation = result.ok()

        @cases(few)
        @given(case=operation.as_strategy())
        def check(case):
            response = case.call(headers={"host": "localhost"})
            # Only the newest wording of a statement is changed: that is no matter of types, either.
            readable = is_readable(case) and "was superseded by" not in response.text
            case.validate_response(
                response, excluded_checks=[] if readable else [positive_data_acceptance]
            )
            named = "{id}" in case.path or case.path.endswith("lessons")
            refused = (404, 413, 422) if named else (413, 422)
            assert readable or response.status_code in refused, (case.body, response.text)

        try:
            check()
        except Exception as error:  # all of them, with their operation
            failures.append(f"{operation.label}: {error}")
    assert not failures, "\n".join(failures)


def test_a_store_that_fails_names_no_file(trained, tmp_path, caplog):
    """Where the store is, is told to those who run the server."""
    memories = Memories(trained, str(tmp_path / "secret-place.db"))
    app = make_app(memories)
    told = b'{"text": "Joe left."}'
    assert call(app, "POST", "/v1/memories/a/statements", told, JSON)[0] == 200
    memories.store.close()
    for method, path in (
        ("POST", "/v1/memories/a/statements"),
        ("POST", "/v1/memories/b/statements"),
        ("GET", "/v1/memories/a/statements"),
        ("GET", "/v1/memories"),
        ("DELETE", "/v1/memories/a"),
    ):
        status, content = call(app, method, path, told, JSON)
        assert status == 503
        assert b"secret" not in content
        assert str(tmp_path).encode() not in content
        assert "log" in json.loads(content)["error"]["message"]
    assert "secret-place.db" in caplog.text


def test_a_memory_that_cannot_be_read_is_listed(trained, tmp_path):
    memories = Memories(trained, str(tmp_path / "store.db"))
    app = make_app(memories)
    for name in ("a", "b"):
        call(app, "POST", f"/v1/memories/{name}/statements", b'{"text": "Joe left."}', JSON)
    with sqlite3.connect(tmp_path / "store.db") as connection:
        connection.execute("UPDATE memories SET count = 7 WHERE name = 'a'")
    connection.close()
    status, content = call(app, "GET", "/v1/memories")
    listed = [{"name": "a", "statements": None}, {"name": "b", "statements": 1}]
    assert (status, json.loads(content)) == (200, {"memories": listed})
    assert call(app, "GET", "/v1/memories/a/statements")[0] == 503
    assert call(app, "GET", "/v1/memories/b/statements")[0] == 200


def test_the_description_is_short(app):
    """A pattern that lists the letters of all scripts says nothing to anybody."""
    described = app.openapi()
    text = json.dumps(described, ensure_ascii=False)
    assert text.isascii()
    assert len(text) < 50_000
    for body in ("AskBody", "SayBody", "TellBody"):
        text = described["components"]["schemas"][body]["properties"]["text"]
        assert len(text["pattern"]) < 40


def test_a_length_that_is_no_text_is_refused(app):
    status, content = call(
        app,
        "POST",
        "/v1/memories/main/questions",
        b"{}",
        [(b"content-length", b"9" * 12 + b"\x80")],
    )
    is_answer(status, content)
    assert status == 413
