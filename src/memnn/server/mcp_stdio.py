"""MCP on stdio: a line that is no message gets an error, where the package says nothing."""

from __future__ import annotations

from contextvars import Context
from types import TracebackType
from typing import Any, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError


class AnsweringReader:
    """What comes in, as the package reads it; what cannot be read is answered and passed over."""

    def __init__(self, read: Any, write: Any) -> None:
        self._read, self._write = read, write

    @property
    def last_context(self) -> Context | None:
        """The package runs a request in the context that it came in."""
        context: Context | None = self._read.last_context
        return context

    async def receive(self) -> SessionMessage:
        while isinstance(item := await self._read.receive(), Exception):
            await self._write.send(SessionMessage(refusal(item)))
        message: SessionMessage = item
        return message

    async def aclose(self) -> None:
        await self._read.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        await self.aclose()
        return None


def refusal(error: Exception) -> JSONRPCError:
    """What JSON-RPC says to a line that is no JSON, or no message."""
    kinds = [each["type"] for each in error.errors()] if isinstance(error, ValidationError) else []
    if "json_invalid" in kinds:
        about = ErrorData(code=PARSE_ERROR, message="Parse error: send one JSON-RPC message a line")
    else:
        about = ErrorData(
            code=INVALID_REQUEST, message="Invalid request: this is no JSON-RPC message"
        )
    return JSONRPCError(jsonrpc="2.0", id=None, error=about)
