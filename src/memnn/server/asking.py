"""Questions go to their handler directly: a framework's way there takes longer than the answer.

The framework still describes them, and says what is wrong with one that is not as it should be.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING

from fastapi.responses import Response
from pydantic import ValidationError

from memnn.errors import MemnnError
from memnn.server.memories import NAME
from memnn.server.middleware import replay
from memnn.server.problems import problem_of
from memnn.server.schema import AskBody

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

QUESTIONS = "/v1/memories/{name}/questions"
PATH = re.compile(QUESTIONS.replace("{name}", f"({NAME[1:-1]})"))
ROUTE = SimpleNamespace(path=QUESTIONS)
"""By this questions are counted, whichever way they went."""


class Asking:
    """ASGI middleware behind the gate, which has read the body."""

    def __init__(self, app: ASGIApp, ask: Callable[[str, AskBody], Awaitable[Response]]) -> None:
        self.app = app
        self.ask = ask

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = PATH.fullmatch(scope["path"]) if scope.get("method") == "POST" else None
        if path is None:
            await self.app(scope, receive, send)
            return
        body = (await receive())["body"]
        try:
            asked = AskBody.model_validate_json(body)
        except ValidationError:
            await self.app(scope, replay(body, receive), send)
            return
        scope["route"] = ROUTE
        try:
            response = await self.ask(path[1], asked)
        except MemnnError as error:
            response = problem_of(error)
        await response(scope, receive, send)
