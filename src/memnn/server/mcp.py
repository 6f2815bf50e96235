"""The memory for assistants: an MCP server; one tool for each thing it can do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any, NotRequired

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.stdio import stdio_server
from mcp.types import Tool, ToolAnnotations
from pydantic import Field, ValidationError
from typing_extensions import TypedDict

from memnn.as_json import (
    AnswerJson,
    ChangesJson,
    LessonJson,
    SaidJson,
    SearchJson,
    SlotJson,
    ToldJson,
    answer_json,
    lesson_json,
    said_json,
    search_json,
    slot_json,
    told_json,
)
from memnn.errors import InputError, MemnnError
from memnn.memory.protocol import MOST_ID
from memnn.server.mcp_stdio import AnsweringReader
from memnn.server.memories import Memories, check_name
from memnn.server.schema import MOST_TOLD, Id
from memnn.server.session import changes_json
from memnn.text.printable import printable
from memnn.version import __version__

INSTRUCTIONS = """A long-term memory that shows its evidence. Remember what happened, one short
sentence a fact ("Joe went to the kitchen."). Ask short questions ("Where is Joe?"); the newest fact
wins, and the answer names the facts it rests on. When it does not know it says so: then do not
guess. Conversations are remembered turn by turn, with `speaker` and `said`, whatever their form,
and found with `search`, which takes any question and returns what was said. When something changes,
`update` it instead of forgetting it. Forget by id. Memories with different names know nothing of
each other."""

ONLY: ContextVar[str | None] = ContextVar("ONLY", default=None)
"""The one memory that a request may use; None where a call may name any."""

Name = Annotated[
    str | None,
    Field(description="Which memory; each name is a memory of its own. `main`, unless given."),
]
AsOf = Annotated[
    int | str | None,
    Field(description="Ask about the past: the id or RFC 3339 time of the last fact to consider."),
]


Speaker = Annotated[str | None, Field(description="Who said it.")]
Said = Annotated[str | None, Field(description="When it was said: RFC 3339, any date.")]
Session = Annotated[str | None, Field(description="The conversation it belongs to.")]
Meta = Annotated[dict[str, Any] | None, Field(description="JSON of your own, up to 4,096 bytes.")]
Moment = Annotated[str | None, Field(description="A date (2023-05-08) or RFC 3339 time.")]


class ToldItem(TypedDict):
    """One of many things to remember."""

    text: str
    speaker: NotRequired[str]
    said: NotRequired[str]
    session: NotRequired[str]
    meta: NotRequired[dict[str, Any]]


class Forgotten(TypedDict):
    """The ids that are gone."""

    forgotten: list[int]


class OneLineServer(MCPServer):
    """The package's, but what is wrong with a call or a line is said in one line."""

    only: str | None = None
    """The one memory that all calls use."""

    def which(self, memory: str | None) -> str:
        """The memory that a call means."""
        only = ONLY.get() or self.only
        if only is None:
            return memory or "main"
        if memory not in (None, only):
            raise InputError(f"these tools keep to the memory '{only}'; leave `memory` out")
        return only

    async def list_tools(self) -> list[Tool]:
        """Where there is one memory alone, no tool asks for its name."""
        tools = await super().list_tools()
        if ONLY.get() or self.only:
            for tool in tools:
                schema = dict(tool.input_schema)
                known = schema.get("properties", {})
                schema["properties"] = {k: v for k, v in known.items() if k != "memory"}
                tool.input_schema = schema
        return tools

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

    async def run_stdio_async(self) -> None:
        """As the package's, but a line that is no message is answered."""
        server = self._lowlevel_server
        async with stdio_server() as (read, write):
            reader = AnsweringReader(read, write)
            await server.run(reader, write, server.create_initialization_options())


def make_server(memories: Memories, only: str | None = None) -> OneLineServer:
    """The tools on these memories, or on one of them alone."""
    server = OneLineServer(
        "memnn",
        title="Memory",
        instructions=INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
        subscriptions=False,
    )
    server.only = None if only is None else check_name(only)
    _add_questions(server, memories)
    _add_search(server, memories)
    _add_remember(server, memories)
    _add_conversation(server, memories)
    _add_changes(server, memories)
    return server


def _add_questions(server: OneLineServer, memories: Memories) -> None:
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
        memory: Name = None,
    ) -> AnswerJson:
        with plain_words():
            return answer_json(await memories.ask(server.which(memory), question, as_of))

    @server.tool(
        title="Recall",
        description="List what was remembered, oldest first unless `newest_first`, from after an "
        "id on, or these `ids`. What was updated is listed only with `history`.",
        annotations=reads,
    )
    async def recall(
        after: Annotated[int, Field(ge=0, le=MOST_ID, description="Only greater ids.")] = 0,
        limit: Annotated[int, Field(ge=1, le=MOST_TOLD)] = 100,
        before: Annotated[
            int | None, Field(ge=1, le=MOST_ID, description="Only smaller ids.")
        ] = None,
        newest_first: bool = False,
        history: bool = False,
        ids: Annotated[list[Id] | None, Field(max_length=MOST_TOLD)] = None,
        memory: Name = None,
    ) -> ToldJson:
        with plain_words():
            if ids is not None:
                found = await memories.use(server.which(memory), lambda session: session.some(ids))
            else:
                found = await memories.listed(
                    server.which(memory), after=after, limit=limit, before=before,
                    newest=newest_first, history=history,
                )  # fmt: skip
            slots, superseded = found
            return told_json(slots, superseded=superseded)


def _add_search(server: OneLineServer, memories: Memories) -> None:
    """More tools that only read: search and changes."""
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)

    @server.tool(
        title="Search",
        description="Find what was remembered about something: any question or words. Returns the "
        "statements that fit best, each with its score, and with `neighbours` what was said "
        "before and after it.",
        annotations=reads,
    )
    async def search(
        question: Annotated[str, Field(description="What is looked for.")],
        k: Annotated[int, Field(ge=1, le=MOST_TOLD)] = 10,
        since: Moment = None,
        until: Moment = None,
        speaker: Speaker = None,
        meta: Meta = None,
        as_of: AsOf = None,
        history: bool = False,
        neighbours: Annotated[int, Field(ge=0, le=10)] = 0,
        memory: Name = None,
    ) -> SearchJson:
        with plain_words():
            found = await memories.search(
                server.which(memory), question, k=k, since=since, until=until, speaker=speaker,
                meta=meta, as_of=as_of, history=history, neighbours=neighbours,
            )  # fmt: skip
            return search_json(*found)

    @server.tool(
        title="Changes",
        description="What was remembered after an id, and which earlier ids are still there "
        "(`kept`, ranges) if anything was forgotten since `deletions`. For keeping a copy.",
        annotations=reads,
    )
    async def changes(
        after: Annotated[int, Field(ge=0, le=MOST_ID, description="The last id seen.")] = 0,
        deletions: Annotated[int | None, Field(ge=0, description="As last answered.")] = None,
        limit: Annotated[int, Field(ge=1, le=MOST_TOLD)] = 100,
        memory: Name = None,
    ) -> ChangesJson:
        with plain_words():
            news = await memories.use(
                server.which(memory), lambda s: s.changed(after, deletions, limit)
            )
            return changes_json(news)


WRITES = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)


DELETES = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)


def _add_remember(server: OneLineServer, memories: Memories) -> None:
    @server.tool(
        title="Remember",
        description="Store one or more facts, as plain sentences in the order they happened; "
        "questions are refused. With `speaker`, `said`, `session` or `meta` the text is one turn "
        "of a conversation, kept whole. `statements` stores many at once, all or none. Returns "
        "the id and time of each; `duplicate_of` names an earlier one that says the same.",
        annotations=WRITES,
    )
    async def remember(
        text: Annotated[
            str | None, Field(description="Facts, one sentence each; or a turn.")
        ] = None,
        speaker: Speaker = None,
        said: Said = None,
        session: Session = None,
        meta: Meta = None,
        statements: Annotated[list[ToldItem] | None, Field(max_length=MOST_TOLD)] = None,
        memory: Name = None,
    ) -> ToldJson:
        with plain_words():
            if (text is None) == (not statements):
                raise InputError("give either text or statements")
            about = {"speaker": speaker, "said": said, "session": session, "meta": meta}
            told = list(map(dict, statements or ())) if text is None else text
            slots, same = await memories.remember(server.which(memory), told, about)
            return told_json(slots, duplicates=same)


def _add_conversation(server: OneLineServer, memories: Memories) -> None:
    @server.tool(
        title="Say",
        description="Pass on what a user said to the memory, as it was said: statements are "
        "remembered, questions answered, and small talk does what it asks for: `thanks` gets a "
        "reply, `what have I told you about Anna?` lists facts, `forget that` deletes the last "
        "one and `forget my locker code` the one it names (or asks which), `undo` tells it again, "
        "`why?` lists what the last answer rests on, and `no, it's Bristol` puts right what was "
        "just answered or told. Nothing else of it is remembered as a fact.",
        annotations=DELETES,
    )
    async def say(
        text: Annotated[str, Field(description="The user's words.")],
        memory: Name = None,
    ) -> SaidJson:
        with plain_words():
            slots, answers, replies = await memories.converse(server.which(memory), text)
            return said_json(slots, answers, (reply.to_json() for reply in replies))


def _add_changes(server: OneLineServer, memories: Memories) -> None:
    """The tools that change what is there: update, teach and forget."""

    @server.tool(
        title="Update",
        description="Correct a fact by id: the new text supersedes it. The old one stays in the "
        "history, and `as_of` still sees it. Returns the new fact.",
        annotations=WRITES,
    )
    async def update(
        id: Id,
        text: Annotated[str, Field(description="What holds now.")],
        said: Said = None,
        memory: Name = None,
    ) -> SlotJson:
        with plain_words():
            slot = await memories.use(
                server.which(memory), lambda s: s.update(id, text, {"said": said})
            )
            return slot_json(slot)

    @server.tool(
        title="Teach",
        description="Say which facts answer a question (none of them, if `ids` is empty), so that "
        "search can learn from it.",
        annotations=WRITES,
    )
    async def teach(
        question: str,
        ids: Annotated[list[Id], Field(max_length=MOST_TOLD)],
        memory: Name = None,
    ) -> LessonJson:
        with plain_words():
            return lesson_json(
                await memories.use(server.which(memory), lambda s: s.teach(question, ids, None))
            )

    @server.tool(
        title="Forget",
        description="Delete facts by id, for good, and with a fact that was updated its earlier "
        "versions. `recall` lists ids. Returns all ids that are gone.",
        annotations=DELETES,
    )
    async def forget(
        ids: Annotated[list[Id], Field(min_length=1, max_length=1000)],
        memory: Name = None,
    ) -> Forgotten:
        with plain_words():
            return {"forgotten": await memories.forget(server.which(memory), *ids)}


@contextmanager
def plain_words() -> Iterator[None]:
    """What went wrong, as one line to the assistant."""
    try:
        yield
    except MemnnError as error:
        raise ToolError(str(error)) from None
