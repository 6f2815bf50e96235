"""The HTTP service: named memories under /v1, the page at /, errors in one shape."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Request
from fastapi.responses import Response

from memnn.as_json import (
    AnswerJson,
    ChangesJson,
    LessonJson,
    LessonsJson,
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
from memnn.memory.protocol import MOST_ID
from memnn.server.asking import QUESTIONS, Asking
from memnn.server.mcp_http import add_mcp
from memnn.server.memories import NAME, Memories
from memnn.server.metrics import Metrics
from memnn.server.middleware import Gate
from memnn.server.page import add_page
from memnn.server.problems import PROBLEMS, add_problems, described
from memnn.server.schema import (
    MOST_TOLD,
    AskBody,
    CopyBody,
    Digits,
    Health,
    LessonBody,
    MemoryInfo,
    MemoryList,
    SayBody,
    SearchBody,
    TellBody,
    TurnBody,
)
from memnn.server.session import TooLong, changes_json
from memnn.server.tokens import Right
from memnn.text.tokens import LONGEST_TEXT
from memnn.version import __version__

PART = 50  # statements or names that are written down at once
ABOUT = """Tell it what happens, ask, and it answers with the facts it used.

A memory begins with the first statement told to it; one that was told nothing is empty. Its name
has up to 64 letters, digits, `_`, `-` and `.`, and no `.` in front.
Ids grow within a memory and are never used again. Every error has the shape
`{"error": {"code", "message", "request_id"}}`.
"""

Name = Annotated[str, Path(pattern=NAME)]
IdPath = Annotated[int, Path(ge=1, le=MOST_ID), Digits]
Limit = Annotated[int, Query(ge=1, le=MOST_TOLD), Digits]


def make_app(
    memories: Memories, token: str | Sequence[Right] | None = None, *, local: bool = False
) -> FastAPI:
    """The service on these memories; `local` lets only loopback names in the Host header pass.

    `token` opens everything; several with rights of their own come from `tokens.read_tokens`.
    """
    rights = [Right(token.encode())] if isinstance(token, str) else token or ()
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await assistants.close()
        memories.close()

    app = FastAPI(
        title="memnn",
        version=__version__,
        description=ABOUT,
        lifespan=lifespan,
        docs_url=None,  # its page comes from elsewhere; ours is in page/
        redoc_url=None,
    )
    add_problems(app)
    _add_conversation(app, memories, metrics)
    _add_search(app, memories)
    _add_statements(app, memories)
    _add_memories(app, memories)
    _add_health(app, memories, metrics)
    assistants = add_mcp(app, memories)
    add_page(app)
    app.add_middleware(Gate, metrics=metrics, rights=rights, local=local)  # last: the outermost
    if rights:
        _declare_token(app)
    return app


def _add_conversation(app: FastAPI, memories: Memories, metrics: Metrics) -> None:
    """Tell, ask, and both in one text."""
    about = _body_about()

    @app.post(QUESTIONS, response_model=AnswerJson, **about)
    async def ask(name: Name, asked: AskBody) -> Response:
        """Answer a question, with the supporting facts in the order they were found."""
        _check_length(asked.text)
        found = await memories.ask(name, asked.text, asked.as_of)
        metrics.questions += 1
        return _respond(answer_json(found))

    app.add_middleware(Asking, ask=ask)

    @app.post("/v1/memories/{name}/statements", response_model=ToldJson, **about)
    async def tell(name: Name, told: TellBody) -> Response:
        """Remember what happened. It is answered once it is as durable as the store is."""
        _check_length(told.text)
        for turn in told.statements:
            _check_length(turn.text)
        many = [{"text": turn.text, **turn.about()} for turn in told.statements]
        slots, same = await memories.remember(name, many or told.text, told.about())
        metrics.statements += len(slots)
        return _respond(told_json(slots, duplicates=same))

    @app.post("/v1/memories/{name}/messages", response_model=SaidJson, **about)
    async def say(name: Name, said: SayBody) -> Response:
        """Tell the statements and ask the questions of a text, as they come.

        Small talk is not told: "thanks" gets a reply, "what have I told you about Anna?" lists
        statements, and "forget that" deletes what was told last.
        """
        _check_length(said.text)
        slots, answers, replies = await memories.converse(name, said.text, said.as_of)
        metrics.statements += len(slots)
        metrics.questions += len(answers)
        return _respond(said_json(slots, answers, (reply.to_json() for reply in replies)))


def _add_search(app: FastAPI, memories: Memories) -> None:
    """Find what was told, and teach what should be found."""
    about = _body_about()

    @app.post("/v1/memories/{name}/search", response_model=SearchJson, **about)
    async def search(name: Name, wanted: SearchBody) -> Response:
        """The statements that fit a question best, with what their scores are the sums of."""
        _check_length(wanted.text)
        found = await memories.search(name, wanted.text, **wanted.how())
        return await _respond_in_parts(search_json(*found))

    @app.post("/v1/memories/{name}/lessons", response_model=LessonJson, **about)
    async def teach(name: Name, lesson: LessonBody) -> Response:
        """Keep which statements answer a question; it goes when one of them is forgotten."""
        _check_length(lesson.question)
        taught = await memories.use(
            name, lambda session: session.teach(lesson.question, lesson.ids, lesson.as_of)
        )
        return _respond(lesson_json(taught))

    @app.get("/v1/memories/{name}/lessons", response_model=LessonsJson, **about)
    async def lessons(name: Name) -> Response:
        """What was taught."""
        taught = await memories.use(name, lambda session: session.lessons())
        return await _respond_in_parts({"lessons": [lesson_json(lesson) for lesson in taught]})

    @app.put("/v1/memories/{name}/statements/{id}", response_model=SlotJson, **about)
    async def update(name: Name, id: IdPath, told: TurnBody) -> Response:
        """Write a statement that supersedes another; what is not given stays as it was."""
        _check_length(told.text)
        slot = await memories.use(name, lambda session: session.update(id, told.text, told.about()))
        return _respond(slot_json(slot))


def _add_statements(app: FastAPI, memories: Memories) -> None:
    """What was told: a page of it, one, what is new."""
    about = _about()

    @app.get("/v1/memories/{name}/statements", response_model=ToldJson, **about)
    async def statements(
        name: Name,
        after: Annotated[int, Query(ge=0, le=MOST_ID, description="Only greater ids."), Digits] = 0,
        limit: Limit = 100,
        before: Annotated[
            int | None, Query(ge=1, le=MOST_ID, description="Only smaller ids."), Digits
        ] = None,
        newest: Annotated[bool, Query(description="The newest first.")] = False,
        history: Annotated[bool, Query(description="With what was superseded.")] = False,
    ) -> Response:
        """What was told, by id."""
        slots, superseded = await memories.listed(
            name, after=after, limit=limit, before=before, newest=newest, history=history
        )
        return await _respond_in_parts(told_json(slots, superseded=superseded))

    @app.get("/v1/memories/{name}/statements/{id}", response_model=SlotJson, **about)
    async def statement(name: Name, id: IdPath) -> Response:
        """One statement; if another superseded it, it says which."""
        slot, superseded = await memories.use(name, lambda session: session.one(id))
        return _respond(slot_json(slot, superseded_by=superseded.get(id)))

    @app.get("/v1/memories/{name}/changes", response_model=ChangesJson, **about)
    async def changes(
        name: Name,
        after: Annotated[int, Query(ge=0, le=MOST_ID, description="The last id seen."), Digits] = 0,
        deletions: Annotated[
            int | None, Query(ge=0, description="As the last answer had it."), Digits
        ] = None,
        limit: Limit = 100,
    ) -> Response:
        """What is new after an id, and what is left of what was there before, to keep a copy."""
        news = await memories.use(name, lambda s: s.changed(after, deletions, limit))
        return await _respond_in_parts(changes_json(news))


def _add_memories(app: FastAPI, memories: Memories) -> None:
    """Which memories there are; forget one, or something in it."""
    about = _about()

    @app.get("/v1/memories", response_model=MemoryList, **about)
    async def list_memories(
        request: Request,
        after: Annotated[str, Query(max_length=64, description="Only later names.")] = "",
        limit: Annotated[
            int | None, Query(ge=1, le=MOST_TOLD, description="All, unless given."), Digits
        ] = None,
    ) -> Response:
        """The named memories, and how many statements each holds, by name."""
        names = getattr(request.scope.get("right"), "names", None)
        sizes = await memories.sizes(after, limit if names is None else None)
        listed = [
            MemoryInfo(name=name, statements=n)
            for name, n in sizes.items()
            if names is None or name in names
        ]
        return await _respond_in_parts({"memories": listed[:limit]})

    @app.post("/v1/memories/{name}/copies", response_model=MemoryInfo, **_body_about(409))
    async def copy(name: Name, wanted: CopyBody) -> Response:
        """Copy a memory to a new name, or move it there; ids, times and lessons are kept."""
        written = await memories.copy(name, wanted.to, wanted.move)
        return _respond(MemoryInfo(name=wanted.to, statements=written))

    @app.delete("/v1/memories/{name}/statements/{id}", status_code=204, **about)
    async def forget(name: Name, id: IdPath) -> Response:
        """Forget one statement, and what it replaced."""
        await memories.forget(name, id)
        return Response(status_code=204)

    @app.delete("/v1/memories/{name}", status_code=204, **about)
    async def delete(name: Name) -> Response:
        """Forget a memory with all that was told to it."""
        await memories.delete(name)
        return Response(status_code=204)


def _add_health(app: FastAPI, memories: Memories, metrics: Metrics) -> None:
    @app.get("/healthz", response_model=Health, tags=["server"], responses=described(413, 421))
    async def health() -> Response:
        """That the server answers, and which version it is."""
        return _respond(Health(status="ok", version=__version__))

    @app.get(
        "/metrics",
        tags=["server"],
        response_class=Response,
        responses=described(401, 413, 421, 503)
        | {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    )
    async def prometheus() -> Response:
        """Counters in Prometheus' text format."""
        text = metrics.text(await memories.count())
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


def _about(*more: int) -> dict[str, Any]:
    """What is said of every call under /v1; `more` are problems of its own."""
    return {
        "tags": ["memories"],
        "responses": described(*sorted({401, 404, 413, 421, 422, 503, *more})),
    }


def _body_about(*more: int) -> dict[str, Any]:
    """The same, of a call with a body."""
    return _about(400, 408, 415, *more)


def _declare_token(app: FastAPI) -> None:
    """In OpenAPI, everything that answers 401 wants the token, and may refuse one with 403."""
    api = app.openapi()
    api["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for operations in api["paths"].values():
        for operation in operations.values():
            if "401" in operation["responses"]:
                operation["security"] = [{"token": []}]
                refused = operation["responses"]["401"] | {"description": PROBLEMS[403][1]}
                operation["responses"]["403"] = refused


def _check_length(text: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise TooLong(
            f"the text has {len(text):,} characters, and {LONGEST_TEXT:,} are taken at once; "
            "send it in parts"
        )


async def _respond_in_parts(value: Mapping[str, Any]) -> Response:
    """Long lists are written down in parts, so that others are served meanwhile."""
    written = []
    for key, item in value.items():
        whole = item if isinstance(item, list) else [item]
        parts = []
        for start in range(0, len(whole), PART):
            if start:
                await asyncio.sleep(0)
            parts.append(json.dumps(whole[start : start + PART])[1:-1])
        text = ", ".join(parts)
        written.append(f'"{key}": [{text}]' if whole is item else f'"{key}": {text}')
    return Response(f"{{{', '.join(written)}}}", media_type="application/json")


def _respond(value: object) -> Response:
    # Escapes, not UTF-8: what was told may hold anything, and anything can be escaped.
    return Response(json.dumps(value), media_type="application/json")
