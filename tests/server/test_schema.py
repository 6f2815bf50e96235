"""What is sent is what is described, key by key: HTTP, MCP and `--json` have one shape."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from memnn.as_json import answer_json
from memnn.cli import chat
from memnn.dialogue.model import EnsembleModel
from memnn.dialogue.network import Ensemble
from memnn.server.http import make_app
from memnn.server.memories import Memories
from memnn.types import Answer, Comparison, Hop, Slot
from tests.server.test_bad_input import JSON, call

TOLD = (
    "Joe went to the kitchen. Joe picked up the milk. Joe travelled to the office. "
    "The ladder hangs in the shed. The ladder hangs behind the garage door."
)
SOMETIMES = {
    "speaker", "said", "session", "meta", "supersedes", "superseded_by", "duplicate_of",
}  # fmt: skip
"""Keys that are sent only where there is something to say."""
QUESTIONS = {
    "story": "Where is the milk?",
    "told": "Where does the ladder hang?",
    "world": "Where does milk come from?",
    "nothing": "What is the shoe size of Zebulon?",
}


@pytest.fixture(scope="module")
def app(small: EnsembleModel):
    return make_app(Memories(Ensemble(small)))


def ask(app, path: str, text: str) -> dict[str, Any]:
    status, content = call(app, "POST", path, json.dumps({"text": text}).encode(), JSON)
    assert status == 200, content
    return json.loads(content)


@pytest.fixture(scope="module")
def answers(app) -> dict[str, dict[str, Any]]:
    """One answer of each kind, as HTTP sends it."""
    ask(app, "/v1/memories/a/statements", TOLD)
    found = {kind: ask(app, "/v1/memories/a/questions", q) for kind, q in QUESTIONS.items()}
    found["empty"] = ask(app, "/v1/memories/nobody/questions", "Where is Joe?")
    ask(app, "/v1/memories/one/statements", "Joe went to the kitchen.")
    found["alone"] = ask(app, "/v1/memories/one/questions", "Where is Joe?")
    return found


def described(schema: dict[str, Any], root: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas that a value may have, references followed."""
    if "$ref" in schema:
        place: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            place = place[part]
        return described(place, root)
    return [one for any_of in schema.get("anyOf", ()) for one in described(any_of, root)] or [
        schema
    ]


def same_keys(value: Any, schema: dict[str, Any], root: dict[str, Any], where: str = "$") -> None:
    """Every key that is sent is described, and every key that is described is sent."""
    choices = described(schema, root)
    if isinstance(value, list):
        (listed,) = (one for one in choices if one.get("type") == "array")
        for item in value:
            same_keys(item, listed["items"], root, f"{where}[]")
    elif isinstance(value, dict):
        (one,) = (one for one in choices if one.get("type") == "object")
        if "properties" not in one:  # names that nobody knows before, such as terms
            kind = "string" if where.endswith(".read_as") else "number"
            assert one["additionalProperties"] == {"type": kind}, where
            return
        assert set(one["required"]) <= set(value) <= set(one["properties"]), where
        assert set(one["properties"]) - set(one["required"]) <= SOMETIMES, where
        for key, inner in value.items():
            same_keys(inner, one["properties"][key], root, f"{where}.{key}")


def fits(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> None:
    same_keys(value, schema, root)
    Draft202012Validator({**root, **schema}).validate(value)


def response_schema(app, method: str, path: str, status: str = "200") -> dict[str, Any]:
    response = app.openapi()["paths"][path][method]["responses"][status]
    return response["content"]["application/json"]["schema"]


def test_each_kind_of_answer_is_there(answers):
    """Otherwise the other tests would show nothing."""
    assert {kind: answers[kind]["source"] for kind in ("story", "told", "world")} == {
        "story": "story", "told": "told", "world": "world",
    }  # fmt: skip
    for kind in ("story", "told", "world"):
        assert 0 <= answers[kind]["probability"] <= 1
        assert answers[kind]["evidence"][0]["decisive"]["terms"]
    assert len(answers["story"]["evidence"]) == 2
    assert [hop["source"] for hop in answers["world"]["evidence"]] == ["world"]
    assert any(answer["others"] for answer in answers.values())
    assert answers["nothing"]["abstained"]
    assert answers["nothing"]["evidence"]
    assert answers["nothing"]["probability"] is None
    assert answers["empty"]["evidence"] == []
    assert answers["alone"]["evidence"][0]["decisive"] is None


@pytest.mark.parametrize("kind", [*QUESTIONS, "empty", "alone"])
def test_an_answer_over_http(app, answers, kind):
    path = "/v1/memories/{name}/questions"
    fits(answers[kind], response_schema(app, "post", path), app.openapi())


@pytest.mark.parametrize("kind", ["story", "told", "world"])
def test_terms_add_up_to_the_margin(answers, kind):
    for hop in answers[kind]["evidence"]:
        terms, d = hop["decisive"]["terms"], hop["decisive"]
        assert sum(terms.values()) == pytest.approx(d["margin"])
        assert d["margin"] == pytest.approx(d["content"] + d["write_time"])


def test_everything_else_over_http(app, answers):
    def get(path: str, method: str = "GET", body: bytes = b"") -> Any:
        return json.loads(call(app, method, path, body, JSON)[1])

    at = "/v1/memories/{name}"
    sent = [
        (get("/v1/memories"), response_schema(app, "get", "/v1/memories")),
        (get("/healthz"), response_schema(app, "get", "/healthz")),
        (get("/v1/memories/a/statements"), response_schema(app, "get", f"{at}/statements")),
        (
            ask(app, "/v1/memories/b/statements", TOLD),
            response_schema(app, "post", f"{at}/statements"),
        ),
        (
            get("/v1/memories/a/questions", "POST", b"{"),
            response_schema(app, "post", f"{at}/questions", "400"),
        ),
        (get("/v1/memories/nobody", "DELETE"), response_schema(app, "delete", at, "404")),
    ]
    for value, schema in sent:
        fits(value, schema, app.openapi())


def test_a_message_over_http(app):
    said = ask(app, "/v1/memories/c/messages", f"{TOLD} {' '.join(QUESTIONS.values())}")
    assert len(said["answers"]) == len(QUESTIONS)
    fits(said, response_schema(app, "post", "/v1/memories/{name}/messages"), app.openapi())


def test_an_assistant_gets_the_same(small, answers):
    pytest.importorskip("mcp")
    from mcp import Client

    from memnn.server.mcp import make_server

    async def talk():
        async with Client(make_server(Memories(Ensemble(small)))) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            sent = []
            for tool, arguments in (
                ("remember", {"text": TOLD}),
                *(("ask", {"question": question}) for question in QUESTIONS.values()),
                ("recall", {}),
                ("forget", {"ids": [1]}),
            ):
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result.content
                sent.append((tools[tool].output_schema, result.structured_content))
            return sent

    sent = asyncio.run(talk())
    for schema, value in sent:
        fits(value, schema, schema)
    asked = [value for _, value in sent if "answer" in value]
    for kind, value in zip(QUESTIONS, asked, strict=True):
        assert value["probability"] == answers[kind]["probability"]
        assert list(value) == list(answers[kind])


def test_a_command_prints_the_same(small, answers, capsys):
    talk = chat.Talk(Ensemble(small), json=True)
    talk.hear(TOLD)
    for kind, question in QUESTIONS.items():
        capsys.readouterr()
        talk.hear(question)
        printed = json.loads(capsys.readouterr().out)
        assert list(printed) == list(answers[kind])
        assert printed["probability"] == answers[kind]["probability"]


def test_a_network_of_another_kind_fits_too(app):
    """No probability, a rival of the world, terms of its own."""
    fact, rival = Slot(7, "milk comes from cows", ""), Slot(9, "milk is white", "")
    terms = {"words": 0.5, "taste": -0.25, "write time": 0.125}
    hop = Hop(1, fact, 2.0, Comparison(rival, 1.5, 0.25, 0.125, terms), source="world")
    sent = answer_json(Answer("cows", 2.0, evidence=(hop,), others=(Answer("shop", 1.0),)))
    assert sent["probability"] is None
    assert sent["evidence"][0]["id"] is None
    assert sent["evidence"][0]["decisive"]["against"]["id"] is None
    assert sent["evidence"][0]["decisive"]["terms"] == terms
    path = "/v1/memories/{name}/questions"
    fits(json.loads(json.dumps(sent)), response_schema(app, "post", path), app.openapi())


def test_a_shape_costs_no_pydantic():
    """`memnn ask`, `chat` and `--help` do without the libraries of a server."""
    code = (
        "import sys, memnn, memnn.cli.app, memnn.loading, memnn.dialogue.network, memnn.as_json\n"
        "print(sorted({'pydantic', 'fastapi', 'starlette', 'uvicorn'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
