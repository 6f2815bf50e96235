"""The HTTP service: named memories under /v1, the page at /, errors in one shape."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.routing import Match

from memnn.as_json import answer_json, slot_json
from memnn.errors import InputError, MemnnError, MemoryStoreError
from memnn.memory.protocol import MOST_ID
from memnn.server import schema
from memnn.server.memories import NAME, NAME_RULE, Memories, Missing
from memnn.server.metrics import Metrics
from memnn.server.middleware import Gate, error_body
from memnn.server.page import add_page
from memnn.text.tokens import LONGEST_TEXT
from memnn.version import __version__

MOST_STATEMENTS = 1000
ABOUT = """Tell it what happens, ask, and it answers with the facts it used.

A memory comes to be with the first statement told to it; one that was told nothing is empty.
Ids grow within a memory and are never used again. Every error has the shape
`{"error": {"code", "message"}}`.
"""

Name = Annotated[
    str,
    Path(
        pattern=NAME,
        description="The name of a memory: letters, digits, `_`, `-`, `.`; no `.` in front.",
    ),
]
_PROBLEMS = {
    400: "The body is not JSON.",
    401: "The token is missing or wrong.",
    404: "There is nothing of that name or id.",
    408: "The body did not arrive in time.",
    413: f"The text is over {LONGEST_TEXT:,} characters, or the body too large.",
    415: "The body is not declared as JSON.",
    421: "The Host header names another machine.",
    422: "The request is JSON, but cannot be used; the message says why.",
    503: "The store cannot be read or written.",
}


def make_app(memories: Memories, token: str | None = None, *, local: bool = False) -> FastAPI:
    """The service on these memories; `local` lets only loopback names in the Host header pass."""
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        memories.close()

    app = FastAPI(
        title="memnn",
        version=__version__,
        description=ABOUT,
        lifespan=lifespan,
        docs_url=None,  # its page comes from elsewhere; ours is in page/
        redoc_url=None,
    )
    app.add_middleware(Gate, metrics=metrics, token=token, local=local)
    _add_errors(app)
    _add_memories(app, memories, metrics)
    _add_health(app, memories, metrics)
    add_page(app)
    if token is not None:
        _declare_token(app)
    return app


def _add_memories(app: FastAPI, memories: Memories, metrics: Metrics) -> None:
    body = _problems(400, 401, 404, 408, 413, 415, 421, 422, 503)
    simple = _problems(401, 404, 413, 421, 422, 503)
    gone = _problems(401, 404, 413, 421, 422, 503)

    @app.post(
        "/v1/memories/{name}/questions",
        response_model=schema.Answer,
        tags=["memories"],
        responses=body,
    )
    async def ask(name: Name, asked: schema.Question) -> Response:
        """Answer a question, with the supporting facts in the order they were found."""
        check_length(asked.text)
        found = await (await memories.to_read(name)).ask(asked.text, asked.as_of)
        metrics.questions += 1
        return answer(answer_json(found))

    @app.post(
        "/v1/memories/{name}/statements",
        response_model=schema.Told,
        tags=["memories"],
        responses=body,
    )
    async def tell(name: Name, told: schema.Statements) -> Response:
        """Remember what happened. It is answered once it is as durable as the store is."""
        check_length(told.text)
        slots = await (await memories.to_write(name)).tell(told.text)
        metrics.statements += len(slots)
        return answer({"statements": [slot_json(slot) for slot in slots]})

    @app.post(
        "/v1/memories/{name}/messages",
        response_model=schema.Said,
        tags=["memories"],
        responses=body,
    )
    async def say(name: Name, said: schema.Message) -> Response:
        """Tell the statements and ask the questions of a text, as they come."""
        check_length(said.text)
        slots, answers = await (await memories.to_write(name)).say(said.text)
        metrics.statements += len(slots)
        metrics.questions += len(answers)
        return answer(
            {
                "statements": [slot_json(slot) for slot in slots],
                "answers": [{"question": text, **answer_json(found)} for text, found in answers],
            }
        )

    @app.get(
        "/v1/memories/{name}/statements",
        response_model=schema.Told,
        tags=["memories"],
        responses=simple,
    )
    async def statements(
        name: Name,
        after: Annotated[int, Query(ge=0, le=MOST_ID, description="Only greater ids.")] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_STATEMENTS)] = 100,
    ) -> Response:
        """What was told, by id."""
        slots = await (await memories.to_read(name)).page(after, limit)
        return answer({"statements": [slot_json(slot) for slot in slots]})

    @app.get("/v1/memories", response_model=schema.MemoryList, tags=["memories"], responses=simple)
    async def list_memories() -> Response:
        """The named memories, and how many statements each holds."""
        sizes = await memories.sizes()
        listed = [{"name": name, "statements": n} for name, n in sizes.items()]
        return answer({"memories": listed})

    @app.delete(
        "/v1/memories/{name}/statements/{id}", status_code=204, tags=["memories"], responses=gone
    )
    async def forget(name: Name, id: Annotated[int, Path(ge=1, le=MOST_ID)]) -> Response:
        """Forget one statement."""
        await (await memories.to_read(name)).forget(id)
        return Response(status_code=204)

    @app.delete("/v1/memories/{name}", status_code=204, tags=["memories"], responses=gone)
    async def delete(name: Name) -> Response:
        """Forget a memory with all that was told to it."""
        await memories.delete(name)
        return Response(status_code=204)


def _add_health(app: FastAPI, memories: Memories, metrics: Metrics) -> None:
    @app.get(
        "/healthz", response_model=schema.Health, tags=["server"], responses=_problems(413, 421)
    )
    async def health() -> Response:
        """That the server answers, and which version it is."""
        return answer({"status": "ok", "version": __version__})

    @app.get(
        "/metrics",
        tags=["server"],
        response_class=Response,
        responses=_problems(401, 413, 421, 503)
        | {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    )
    async def prometheus() -> Response:
        """Counters in Prometheus' text format."""
        text = metrics.text(len(await memories.names()))
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        status, headers = error.status_code, dict(error.headers or {})
        if status == 404:
            return problem(404, f"there is nothing at {request.scope['path']}; /docs lists what is")
        if status == 405:
            headers["Allow"] = ", ".join(_allowed(app, request))
            return problem(405, f"{request.method} does nothing here; see /docs", headers)
        if status == 400:
            return problem(400, "the body is not JSON that can be read")
        return problem(status, str(error.detail), headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return problem(400, f"the body is not JSON: {first['ctx']['error']}")
        where = ".".join(str(part) for part in first["loc"][1:]) or "the body"
        if where == "name":
            return problem(422, NAME_RULE)
        return problem(422, f"{where}: {first['msg'].lower()}")

    @app.exception_handler(MemnnError)
    async def ours(request: Request, error: MemnnError) -> Response:
        if isinstance(error, Missing):
            return problem(404, str(error))
        if isinstance(error, TooLong):
            return problem(413, str(error))
        if isinstance(error, MemoryStoreError):
            return problem(503, str(error))
        return problem(422, str(error))


def _allowed(app: FastAPI, request: Request) -> list[str]:
    """The methods of all routes on this path; a router knows only the first it met."""
    return sorted(
        method
        for route in app.routes
        if route.matches(request.scope)[0] is not Match.NONE
        for method in getattr(route, "methods", None) or ()
    )


def _declare_token(app: FastAPI) -> None:
    """In OpenAPI, everything that answers 401 wants the token."""
    described = app.openapi()
    described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for operations in described["paths"].values():
        for operation in operations.values():
            if "401" in operation["responses"]:
                operation["security"] = [{"token": []}]


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {s: {"model": schema.Error, "description": _PROBLEMS[s]} for s in statuses}


class TooLong(InputError):
    """More text than a memory takes at once."""


def check_length(text: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise TooLong(
            f"the text has {len(text):,} characters, and {LONGEST_TEXT:,} are taken at once; "
            "send it in parts"
        )


def answer(value: dict[str, Any]) -> Response:
    # Escapes, not UTF-8: what was told may hold anything, and anything can be escaped.
    return Response(json.dumps(value), media_type="application/json")


def problem(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return Response(error_body(status, message), status, headers, "application/json")
