"""The MCP server, talked to by the real client over stdio."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from memnn.server.mcp import make_server
from memnn.server.memories import Memories
from tests.adapters.simple import simple_network

SAID = "2023-05-08T13:56:00Z"


def talk(model, store, conversation, *options):
    """Start `memnn mcp`, and have a conversation with it."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memnn", "mcp", "--model", str(model), "--store", str(store), *options],
        env=environment(),
    )

    async def run():
        async with asyncio.timeout(300), Client(stdio_client(server)) as client:
            return await conversation(client)

    return asyncio.run(run())


def environment():
    import os

    return dict(os.environ)


async def said(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def refused(client, tool, **arguments):
    """Whatever is wrong is one line, and nothing in it moves a cursor."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    (content,) = result.content
    assert content.text.isprintable(), content.text
    assert len(content.text) < 300
    return content.text


def test_tools_describe_themselves(model):
    async def conversation(client):
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in talk(model, ":memory:", conversation)}
    assert set(tools) == {
        "remember", "ask", "search", "update", "forget", "recall", "teach", "changes",
        "say",
    }  # fmt: skip
    for tool in tools.values():
        assert tool.description
        assert tool.output_schema
        assert tool.annotations
    assert tools["ask"].annotations.read_only_hint
    assert tools["forget"].annotations.destructive_hint
    assert not tools["remember"].annotations.destructive_hint


def test_a_memory_for_an_assistant(model, tmp_path):
    store = tmp_path / "assistant.db"

    async def first(client):
        told = await said(
            client, "remember", text="Joe went to the kitchen. Joe took the milk. Joe left."
        )
        assert [slot["id"] for slot in told["statements"]] == [1, 2, 3]
        answer = await said(client, "ask", question="Where is the milk?")
        assert answer["answer"] == "kitchen"
        assert [hop["id"] for hop in answer["evidence"]] == [2, 1]
        assert "question" in await refused(client, "remember", text="Where is Joe?")
        assert "there is no memory with id 9" in await refused(client, "forget", ids=[1, 9])
        assert await said(client, "forget", ids=[3]) == {"forgotten": [3]}
        other = await said(client, "ask", question="Where is Joe?", memory="other")
        assert other["abstained"]
        await refused(client, "ask", question="Where is Joe?", memory="../etc")
        assert "limit" in await refused(client, "recall", limit=5000)
        for tool, arguments in (
            ("ask", {}),
            ("ask", {"question": 5}),
            ("ask", {"question": "Where is\nJoe?", "as_of": "\x1b[31m\n"}),
            ("remember", {"text": "Where is\n\x1b]0;x\x07Joe?"}),
            ("remember", {"text": "a" * 10_001}),
            ("forget", {"ids": []}),
            ("forget", {"ids": ["a", "b\n"]}),
            ("recall", {"after": -1, "limit": "x\ny"}),
        ):
            await refused(client, tool, **arguments)

    async def later(client):
        await said(client, "remember", text="Joe went to the garden.")
        recalled = await said(client, "recall", after=1)
        past = await said(client, "ask", question="Where is Joe?", as_of=2)
        return [slot["id"] for slot in recalled["statements"]], past["answer"]

    talk(model, store, first)
    assert talk(model, store, later) == ([2, 4], "kitchen")


async def forgetting(client):
    """By what it is about, on a memory that is empty."""
    await said(client, "say", text="My locker code is 7719. My bike is red.")
    (reply,) = (await said(client, "say", text="Forget my locker code."))["replies"]
    assert reply["statements"][0]["text"] == "My locker code is 7719."
    left = await said(client, "recall")
    assert [slot["text"] for slot in left["statements"]] == ["My bike is red."]
    (reply,) = (await said(client, "say", text="qwlkj asd"))["replies"]
    assert reply["reply"].startswith("I did not understand")


async def correction(client):
    """In one's own words, on a memory that is empty."""
    told = await said(client, "say", text="Fred went to the garden. where is Fred")
    assert [answer["answer"] for answer in told["answers"]] == ["garden"]
    (reply,) = (await said(client, "say", text="No, it's the kitchen."))["replies"]
    assert reply["statements"][0]["text"] == "Fred went to the kitchen."


async def conversation(client):
    """All tools, on a memory that is empty."""
    turns = [
        {"text": "Where do you live? Rome?", "speaker": "Ann", "said": "2023-05-08T13:56:00Z"},
        {"text": "I live in Oslo.", "speaker": "Bob", "session": "one"},
    ]
    told = await said(client, "remember", statements=turns)
    assert [slot["id"] for slot in told["statements"]] == [1, 2]
    again = await said(client, "remember", text="I live in Oslo.", speaker="Bob")
    assert again["statements"][0]["duplicate_of"] == 2
    found = await said(client, "search", question="Who lives in Oslo?", speaker="Bob", k=1)
    assert found["found"][0]["text"] == "I live in Oslo."
    assert (await said(client, "search", question="live", until="2023-06-01"))["found"]
    new = await said(client, "update", id=3, text="I live in Bern.")
    assert (new["supersedes"], new["speaker"]) == (3, "Bob")
    newest = await said(client, "recall", newest_first=True, limit=2)
    assert [slot["id"] for slot in newest["statements"]] == [4, 2]
    one = await said(client, "recall", ids=[3])
    assert one["statements"][0]["superseded_by"] == 4
    lesson = await said(client, "teach", question="Where does Bob live?", ids=[4])
    assert lesson["as_of"] == 4
    assert (await said(client, "forget", ids=[2]))["forgotten"] == [2]
    news = await said(client, "changes", after=3, deletions=0)
    assert [slot["id"] for slot in news["statements"]] == [4]
    assert news["kept"] == [[1, 1], [3, 3]]
    assert (await said(client, "forget", ids=[4]))["forgotten"] == [4, 3], "with what it replaced"
    assert "either" in await refused(client, "remember", session="one")
    assert "id 9" in await refused(client, "update", id=9, text="x")
    assert "2023-05-08" in await refused(client, "search", question="x", since="soon")


def test_what_a_user_wants_forgotten(model, tmp_path):
    talk(model, tmp_path / "c.db", forgetting)


def test_conversations_are_remembered_and_found(model, tmp_path):
    talk(model, tmp_path / "a.db", conversation)


def test_a_server_for_one_memory_alone(model, tmp_path):
    store = tmp_path / "b.db"

    async def alone(client):
        tools = (await client.list_tools()).tools
        assert not any("memory" in tool.input_schema["properties"] for tool in tools)
        await said(client, "remember", text="Joe went to the kitchen.")
        assert (await said(client, "ask", question="Where is Joe?"))["answer"] == "kitchen"
        assert "'alice.travel'" in await refused(client, "recall", memory="main")
        assert (await said(client, "recall", memory="alice.travel"))["statements"]

    async def another(client):
        assert (await said(client, "recall"))["statements"] == []
        assert len((await said(client, "recall", memory="alice.travel"))["statements"]) == 1

    talk(model, store, alone, "--name", "alice.travel")
    talk(model, store, another)


def test_times_are_answers():
    memories = Memories(simple_network())

    async def ask():
        async with Client(make_server(memories)) as client:
            turn = {"text": "I saw the vet yesterday.", "speaker": "Ann", "said": SAID}
            await said(client, "remember", statements=[turn])
            return await said(client, "ask", question="When did Ann see the vet?")

    answer = asyncio.run(ask())
    memories.close()
    assert answer["answer"] == "7 May 2023"
    assert (answer["when"]["words"], answer["when"]["unit"]) == ("yesterday", "day")
    assert answer["evidence"][0]["speaker"] == "Ann"


def test_bad_turns_are_one_line_and_nothing_is_lost():
    memories = Memories(simple_network())
    good = {"text": "Hello?", "speaker": "Ann"}

    async def attack():
        async with Client(make_server(memories)) as client:
            for bad, word in (
                ({"text": "x" * 100_000, "speaker": "Ann"}, "100,000 characters"),
                ({"text": "a", "meta": {"m": "x" * 1_000_000}}, "bytes"),
                ({"text": "a", "said": "12023-01-01T00:00:00Z"}, "year 1 to 9999"),
                ({"text": "a", "speaker": "x" * 1_000}, "speaker"),
                ({"text": "a", "speaker": "\x1b[31m"}, "unprintable"),
                ({"speaker": "Ann"}, "text"),
            ):
                assert word in await refused(client, "remember", statements=[good, bad])
            assert "1000" in await refused(client, "remember", statements=[good] * 1_001)
            for moment in ("9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "1969-07-20T20:17:00Z"):
                await said(client, "remember", statements=[{**good, "said": moment}])
            told = await said(client, "remember", text="Joe left.")
            return told["statements"], (await said(client, "recall"))["statements"]

    (last,), everything = asyncio.run(attack())
    memories.close()
    assert [slot["id"] for slot in everything] == [1, 2, 3, 4]
    assert last["time"] < "2999", "when something was said does not move the clock of writing"


def test_a_line_that_is_no_message_is_answered(model):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    lines = [
        "hello there",
        {"jsonrpc": "2.0", "id": 1, "method": "initialize",
         "params": {**hello, "clientInfo": {"name": "x", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        "{broken",
        {"no": "message"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]  # fmt: skip
    stdin = "".join(f"{x if isinstance(x, str) else json.dumps(x)}\n" for x in lines)
    command = [sys.executable, "-m", "memnn", "mcp", "--model", str(model)]
    said = subprocess.run(
        command, input=stdin, capture_output=True, encoding="utf-8", env=environment(), timeout=300
    )
    replies = [json.loads(line) for line in said.stdout.splitlines()]
    errors = [(reply["id"], reply["error"]["code"]) for reply in replies if "error" in reply]
    assert errors == [(None, -32700), (None, -32700), (None, -32600)]
    assert {reply["id"] for reply in replies if "result" in reply} >= {1}
    assert "What is told now is gone when this ends" in said.stderr
