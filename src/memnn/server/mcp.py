"""The memory for assistants: an MCP server on stdio with remember, ask, forget and recall."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.types import ToolAnnotations
from pydantic import Field, ValidationError
from typing_extensions import TypedDict

from memnn.as_json import AnswerJson, ToldJson, answer_json, told_json
from memnn.errors import MemnnError
from memnn.memory.protocol import MOST_ID
from memnn.server.memories import Memories
from memnn.server.schema import Id
from memnn.text.printable import printable
from memnn.version import __version__

INSTRUCTIONS = """A long-term memory that shows its evidence. Remember what happened, one short
sentence a fact ("Joe went to the kitchen."). Ask short questions ("Where is Joe?"); the newest fact
wins, and the answer names the facts it rests on. When it does not know it says so: then do not
guess. Forget by id. Memories with different names know nothing of each other."""

Name = Annotated[str, Field(description="Which memory; each name is a memory of its own.")]
AsOf = Annotated[
    int | str | None,
    Field(description="Ask about the past: the id or RFC 3339 time of the last fact to consider."),
]


class Forgotten(TypedDict):
    """The ids that are gone."""

    forgotten: list[int]


class OneLineServer(MCPServer):
    """The package's, but what is wrong with a call is said in one line."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError:
            raise
        except ToolError as error:
            said = str(error)
            if isinstance(error.__cause__, ValidationError):
                first = error.__cause__.errors()[0]
                said = f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
            raise ToolError(printable(" ".join(said.split()))) from None


def make_server(memories: Memories) -> MCPServer:
    """The four tools on these memories."""
    server = OneLineServer(
        "memnn",
        title="Memory",
        instructions=INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
        subscriptions=False,
    )
    _add_questions(server, memories)
    _add_changes(server, memories)
    return server


def _add_questions(server: MCPServer, memories: Memories) -> None:
    """The tools that only read: ask and recall."""
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)

    @server.tool(
        title="Ask",
        description="Answer one question from what was remembered, with the supporting facts in "
        "the order they were found. `probability` says how likely the answer is right, where that "
        "is known. `abstained` is true when nothing supports an answer. `source` is `world` when "
        "it rests on a general fact that nobody remembered: that has no id here.",
        annotations=reads,
    )
    async def ask(
        question: Annotated[str, Field(description="One question, as a short sentence.")],
        as_of: AsOf = None,
        memory: Name = "main",
    ) -> AnswerJson:
        with plain_words():
            return answer_json(await memories.ask(memory, question, as_of))

    @server.tool(
        title="Recall",
        description="List what was remembered, oldest first, from after an id on.",
        annotations=reads,
    )
    async def recall(
        after: Annotated[int, Field(ge=0, le=MOST_ID, description="Only greater ids.")] = 0,
        limit: Annotated[int, Field(ge=1, le=1000)] = 100,
        memory: Name = "main",
    ) -> ToldJson:
        with plain_words():
            return told_json(await memories.page(memory, after, limit))


def _add_changes(server: MCPServer, memories: Memories) -> None:
    """The tools that write: remember and forget."""

    @server.tool(
        title="Remember",
        description="Store one or more facts, as plain sentences in the order they happened. "
        "Returns the id and time of each. Questions are refused.",
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False,
            open_world_hint=False,
        ),
    )  # fmt: skip
    async def remember(
        text: Annotated[str, Field(description="Facts, one sentence each.")], memory: Name = "main"
    ) -> ToldJson:
        with plain_words():
            return told_json(await memories.tell(memory, text))

    @server.tool(
        title="Forget",
        description="Delete facts by id, for good. `recall` lists ids.",
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=True, idempotent_hint=False,
            open_world_hint=False,
        ),
    )  # fmt: skip
    async def forget(
        ids: Annotated[list[Id], Field(min_length=1, max_length=1000)],
        memory: Name = "main",
    ) -> Forgotten:
        with plain_words():
            await memories.forget(memory, *ids)
        return {"forgotten": ids}


@contextmanager
def plain_words() -> Iterator[None]:
    """What went wrong, as one line to the assistant."""
    try:
        yield
    except MemnnError as error:
        raise ToolError(str(error)) from None
