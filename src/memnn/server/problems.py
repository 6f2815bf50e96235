"""What can go wrong with a request: one status, code and shape for each kind of problem."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.routing import Match
from typing_extensions import TypedDict

from memnn.errors import MemnnError, MemoryStoreError
from memnn.server.memories import NAME_RULE
from memnn.server.schema import meant
from memnn.server.session import Missing, NameTaken, TooLong
from memnn.text.printable import printable
from memnn.text.tokens import LONGEST_TEXT

log = logging.getLogger("memnn.server")
request_id: ContextVar[str] = ContextVar("request_id", default="")
"""Of the request that is being answered."""

# Status, code, and what it means in the description of the API.
PROBLEMS = {
    400: ("bad_request", "The body is not JSON."),
    401: ("unauthorized", "The token is missing or wrong."),
    403: ("forbidden", "The token may only read, or is for other memories."),
    404: ("not_found", "There is nothing of that name or id."),
    405: ("method_not_allowed", "This method does nothing here."),
    408: ("too_slow", "The body did not arrive in time."),
    409: ("taken", "There is a memory of that name already."),
    413: ("too_large", f"The text is over {LONGEST_TEXT:,} characters, or the body too large."),
    415: ("unsupported_media_type", "The body is not declared as JSON."),
    421: ("wrong_host", "The Host header names another machine."),
    422: ("invalid", "Cannot be used; the message says why."),
    500: ("internal", "The server failed."),
    503: ("unavailable", "The store cannot be used, or there is no room."),
    505: ("unsupported_version", "This is not HTTP/1.1."),
}


class Problem(TypedDict):
    """What went wrong: a code for programs, one line for people."""

    code: str
    message: str
    request_id: str
    """As in the header X-Request-Id and in the server's log."""


class Error(TypedDict):
    """The shape of every error."""

    error: Problem


# The first that fits counts.
STATUS = {Missing: 404, NameTaken: 409, TooLong: 413, MemoryStoreError: 503, MemnnError: 422}


def described(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems that an operation may have, for OpenAPI."""
    return {s: {"model": Error, "description": PROBLEMS[s][1]} for s in statuses}


def error_body(status: int, message: str) -> bytes:
    code = PROBLEMS[status][0] if status in PROBLEMS else "error"
    line = printable(" ".join(message.split()))
    error = {"code": code, "message": line, "request_id": request_id.get()}
    if not error["request_id"]:  # what was sent is not even a request
        del error["request_id"]
    return json.dumps({"error": error}).encode()


def problem(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    return Response(error_body(status, message), status, headers, "application/json")


def problem_of(error: MemnnError) -> Response:
    status = next(status for kind, status in STATUS.items() if isinstance(error, kind))
    if status == 503:  # what it says of files and addresses is for those who run the server
        log.error("%s: %s", request_id.get(), error)
        return problem(503, "the store cannot be used now; the server's log says why")
    return problem(status, str(error))


def add_problems(app: FastAPI) -> None:
    """Answer with a problem, whatever was raised."""

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        status, headers = error.status_code, dict(error.headers or {})
        if status == 404:
            return problem(404, "there is nothing at this path; /docs lists what is")
        if status == 405:
            headers["Allow"] = ", ".join(_allowed(app, request))
            return problem(405, f"{request.method} does nothing here; see /docs", headers)
        if status == 400:
            return problem(400, "the body is not JSON that can be read")
        return problem(status, str(error.detail), headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        found = error.errors()
        # that a field is missing says more than that another one is unknown
        first = min(found, key=lambda each: each["type"] == "extra_forbidden")
        if first["type"] == "json_invalid":
            return problem(400, f"the body is not JSON: {first['ctx']['error']}")
        where = ".".join(str(part) for part in first["loc"][1:]) or "the body"
        if where == "name":
            return problem(422, NAME_RULE)
        if first["type"] == "extra_forbidden":
            return problem(422, f"{where}: there is no such field{meant(str(first['loc'][-1]))}")
        return problem(422, f"{where}: {first['msg'].lower()}")

    @app.exception_handler(MemnnError)
    async def ours(request: Request, error: MemnnError) -> Response:
        return problem_of(error)


def _allowed(app: FastAPI, request: Request) -> list[str]:
    """The methods of all routes on this path; a router knows only the first it met."""
    return sorted(
        method
        for route in app.routes
        if route.matches(request.scope)[0] is not Match.NONE
        for method in getattr(route, "methods", None) or ()
    )
