"""Tokens that may only read, or only some memories; ids of requests in answers, errors and logs."""

from __future__ import annotations

import httpx
import pytest

from memnn.errors import InputError
from memnn.server.tokens import Right, borne, read_tokens

FULL, READS, DIARY, SEES = ("full" * 5, "reads" * 4, "diary" * 4, "sees-diary" * 2)
FILE = f"{FULL}\n\n# dashboard\n{READS} read\n{DIARY} write diary notes\n{SEES} read diary\n"


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "tokens"
    file.write_text(FILE)
    file.chmod(0o600)
    return file


def test_what_a_file_of_tokens_says(file):
    assert read_tokens(file) == [
        Right(FULL.encode()),
        Right(READS.encode(), writes=False),
        Right(DIARY.encode(), True, frozenset({"diary", "notes"})),
        Right(SEES.encode(), False, frozenset({"diary"})),
    ]


@pytest.mark.parametrize("line", ["short read", f"{READS} may read", f"{READS} READ", "x" * 15])
def test_a_line_that_is_no_token(file, line):
    file.write_text(f"{FILE}{line}\n")
    with pytest.raises(InputError, match=r"tokens(:| needs in line )7"):
        read_tokens(file)


CALLS = {
    ("GET", "/v1/memories"): "frds",
    ("GET", "/v1/memories/diary/statements"): "frds",
    ("POST", "/v1/memories/diary/questions"): "frds",
    ("POST", "/v1/memories/diary/search"): "frds",
    ("POST", "/v1/memories/diary/statements"): "fd",
    ("POST", "/v1/memories/diary/messages"): "fd",
    ("POST", "/v1/memories/diary/lessons"): "fd",
    ("PUT", "/v1/memories/diary/statements/1"): "fd",
    ("DELETE", "/v1/memories/diary"): "fd",
    ("DELETE", "/v1/memories/other"): "f",
    ("GET", "/v1/memories/other/statements"): "fr",
    ("GET", "/v1/memories/%64iary/statements"): "frds",
    ("POST", "/v1/memories/other/questions"): "fr",
    ("POST", "/v1/memories/diary/copies"): "f",
    ("POST", "/v1/memories/diary/statements/questions"): "fd",
    ("GET", "/metrics"): "fr",
    ("POST", "/mcp/diary"): "f",
}


@pytest.mark.parametrize(("call", "open_to"), CALLS.items())
def test_rights(file, call, open_to):
    rights = dict(zip("frds", read_tokens(file), strict=True))
    assert "".join(name for name, right in rights.items() if not right.refuses(*call)) == open_to


def test_bearing(file):
    rights = read_tokens(file)
    assert borne(f"Bearer {READS}".encode(), rights) is rights[1]
    for wrong in ("", f"Basic {READS}", f"Bearer {READS}x", "Bearer", f"Bearer {READS[:-1]}"):
        assert borne(wrong.encode(), rights) is None


def test_on_a_server(start, file):
    server = start("--token-file", str(file), "--verbose")
    base = f"http://127.0.0.1:{server.port}"

    def call(token, method, path, json=None, **more):
        headers = {"authorization": f"Bearer {token}"} | more
        return httpx.request(method, f"{base}/v1/memories{path}", json=json, headers=headers)

    told = {"text": "Joe went to the kitchen."}
    for name in ("diary", "other"):
        assert call(FULL, "POST", f"/{name}/statements", told).status_code == 200
    refused = call(READS, "POST", "/diary/statements", told, **{"x-request-id": "my-7"})
    assert refused.status_code == 403
    assert refused.headers["x-request-id"] == "my-7"
    assert refused.json()["error"] == {
        "code": "forbidden", "message": "this token may only read", "request_id": "my-7",
    }  # fmt: skip
    asked = {"text": "Where is Joe?"}
    assert call(READS, "POST", "/other/questions", asked).json()["answer"] == "kitchen"
    assert call(SEES, "POST", "/diary/questions", asked).json()["answer"] == "kitchen"
    assert call(SEES, "POST", "/other/questions", asked).status_code == 403
    listed = call(DIARY, "GET", "?limit=1").json()["memories"]
    assert [memory["name"] for memory in listed] == ["diary"]
    assert call("wrong" * 4, "GET", "").status_code == 401


def test_request_ids(http, memory):
    one, other = (http.get(f"{memory}-none/statements/7") for _ in range(2))
    ids = [each.json()["error"]["request_id"] for each in (one, other)]
    assert ids == [each.headers["x-request-id"] for each in (one, other)]
    assert ids[0] != ids[1]
    for given in ("with space", "x" * 65, "", "a\tb"):
        kept = http.get("/healthz", headers={"x-request-id": given}).headers["x-request-id"]
        assert kept != given
        assert len(kept) == 16


def client_of(described, http):
    """A client made from the description alone: a function for every operation."""

    def make(method, path, operation):
        in_path = [p["name"] for p in operation.get("parameters", ()) if p["in"] == "path"]
        in_query = [p["name"] for p in operation.get("parameters", ()) if p["in"] == "query"]

        def call(**given):
            url = path.format(**{name: given.pop(name) for name in in_path})
            query = {name: given.pop(name) for name in in_query if name in given}
            body = given if "requestBody" in operation else None
            answer = http.request(method, url, params=query, json=body)
            assert str(answer.status_code) in operation["responses"], answer.text
            return answer.json() if answer.content else None

        return call

    return {
        operation["operationId"].partition("_v1_")[0]: make(method, path, operation)
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
    }


def test_a_client_made_from_the_description(http, memory):
    client = client_of(http.get("/openapi.json").json(), http)
    name = memory.rpartition("/")[2]
    told = client["tell"](name=name, text="Joe went to the kitchen.")
    assert told["statements"][0]["id"] == 1
    assert client["ask"](name=name, text="Where is Joe?")["answer"] == "kitchen"
    client["update"](name=name, id=1, text="Joe went to the garden.")
    said = client["say"](name=name, text="Fred left. Where is Joe?", as_of=1)
    assert said["answers"][0]["answer"] == "kitchen"
    assert len(said["statements"]) == 1
    assert client["search"](name=name, text="Fred", k=1)["found"][0]["id"] == 3
    assert client["copy"](name=name, to=f"{name}-copy")["statements"] == 3
    client["forget"](name=f"{name}-copy", id=3)
    left = client["statements"](name=f"{name}-copy", history=True)["statements"]
    assert [slot["id"] for slot in left] == [1, 2]
    client["delete"](name=name)
    assert client["ask"](name=name, text="Where is Joe?")["error"]["code"] == "not_found"
