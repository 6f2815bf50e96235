"""The loop with tool calls runs against a server in this process, with a script as its LLM."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp import Client

from memnn.server.mcp import make_server
from memnn.server.memories import Memories
from tests.adapters.simple import simple_network

FILE = Path(__file__).parent.parent.parent / "examples" / "assistant.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("assistant_example", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(example, complete, lines):
    memories = Memories(simple_network())

    async def talk():
        async with Client(make_server(memories, "alice.diary")) as client:
            return await example.chat(client, complete, lines)

    try:
        return asyncio.run(talk())
    finally:
        memories.close()


def test_it_remembers_and_finds(example):
    assert run(example, example.Scripted(), example.LINES) == [
        "I will remember that.",
        "I will remember that.",
        "You said: I moved to Oslo last week.",
    ]


def test_what_goes_wrong_is_told_to_the_llm(example):
    seen = []

    def complete(messages, tools):
        seen.append(messages[-1]["content"])
        if messages[-1]["role"] == "user":
            call = {"id": "1", "name": "forget", "arguments": {"ids": [9]}}
            return {"content": "", "tool_calls": [call]}
        return {"content": "done"}

    assert run(example, complete, ["Forget it."]) == ["done"]
    assert "there is no memory with id 9" in seen[-1]


def test_it_ends(example):
    call = {"id": "1", "name": "recall", "arguments": {}}
    said = run(example, lambda messages, tools: {"content": "", "tool_calls": [call]}, ["Hm."])
    assert said == ["I called tools again and again; ask me in another way."]
