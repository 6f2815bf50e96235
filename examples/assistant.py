"""A loop with tool calls: any LLM gets a memory, over MCP.

memnn serve --store diary.db & python examples/assistant.py http://127.0.0.1:8080/mcp/alice.diary

The loop needs one function: `complete(messages, tools)`, which asks an LLM and returns its message,
either `{"content": "…"}` or `{"tool_calls": [{"id", "name", "arguments"}, …]}`. Providers differ in
little more than the names of these keys. Here a script stands in for the LLM, so that the example
runs without one: replace `Scripted` with a call to yours.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

from mcp import Client

Message = dict[str, Any]
Complete = Callable[[list[Message], list[dict[str, Any]]], Message]
SYSTEM = """You have a long-term memory. Before you answer a question about the user, search it. If
the user says something worth keeping, remember it as a short sentence, and update what has changed.
Say so when the memory has nothing."""
MOST_STEPS = 8


class Scripted:
    """In place of an LLM: it remembers statements, and searches before it answers questions."""

    def __call__(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        assert {"remember", "search"} <= {tool["name"] for tool in tools}
        last = messages[-1]
        if last["role"] == "user":
            if last["content"].endswith("?"):
                return _call("search", {"question": last["content"], "k": 1})
            return _call("remember", {"text": last["content"], "speaker": "user"})
        result = json.loads(last["content"])
        if "statements" in result:
            return {"content": "I will remember that."}
        found = result.get("found")
        return {"content": f"You said: {found[0]['text']}" if found else "I don't know."}


def _call(name: str, arguments: dict[str, Any]) -> Message:
    return {"content": "", "tool_calls": [{"id": "1", "name": name, "arguments": arguments}]}


async def answer(client: Client, complete: Complete, messages: list[Message]) -> str:
    """Let the LLM call tools until it has something to say."""
    listed = (await client.list_tools()).tools
    tools = [
        {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
        for tool in listed
    ]
    for _ in range(MOST_STEPS):
        message = complete(messages, tools)
        messages.append({"role": "assistant", **message})
        if not message.get("tool_calls"):
            return str(message["content"])
        for call in message["tool_calls"]:
            result = await client.call_tool(call["name"], call["arguments"])
            if result.is_error:  # one line, which tells the LLM what to do instead
                said = json.dumps({"error": " ".join(part.text for part in result.content)})
            else:
                said = json.dumps(result.structured_content)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": said})
    return "I called tools again and again; ask me in another way."


async def chat(client: Client, complete: Complete, lines: list[str]) -> list[str]:
    """What the assistant says to each line."""
    messages: list[Message] = [{"role": "system", "content": SYSTEM}]
    said = []
    for line in lines:
        messages.append({"role": "user", "content": line})
        said.append(await answer(client, complete, messages))
    return said


LINES = ["I moved to Oslo last week.", "My sister plays the oboe.", "Where did I move?"]


async def main(url: str) -> None:
    async with Client(url) as client:
        for line, reply in zip(LINES, await chat(client, Scripted(), LINES), strict=True):
            print(f"> {line}\n{reply}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080/mcp"))
