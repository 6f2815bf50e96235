"""MCP over streamable HTTP, as a part of the service: POST /mcp, or /mcp/NAME for one memory alone.

Host, token, size and type of a request are checked where every other request's are (`middleware`).
No session is kept: each call is a request and its answer, so that a client may come back after
anything. The package is imported with the first call, since most services are never asked for it.
"""

from __future__ import annotations

import asyncio
import importlib.util
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from memnn.errors import InputError
from memnn.server.memories import Memories, check_name
from memnn.server.problems import error_body

if TYPE_CHECKING:
    from fastapi import FastAPI
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.types import Receive, Scope, Send

MISSING = "this server has no MCP; install it with: pip install 'memnn[mcp]'"


class McpService:
    """An ASGI app that serves the tools; it lives until it is closed."""

    def __init__(self, memories: Memories) -> None:
        self.memories = memories
        self._manager: StreamableHTTPSessionManager | None = None
        self._running: asyncio.Task[None] | None = None
        self._end = asyncio.Event()
        self._starting = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = Request(scope).path_params.get("name")
        refused = None
        try:
            if name is not None:
                check_name(name)
        except InputError as error:
            refused = 422, str(error)
        if importlib.util.find_spec("mcp") is None:
            refused = 501, MISSING
        if refused:
            body = error_body(*refused)
            await Response(body, refused[0], media_type="application/json")(scope, receive, send)
            return
        manager = await self._started()
        from memnn.server.mcp import ONLY

        token = ONLY.set(name)
        try:
            await manager.handle_request(scope, receive, send)
        finally:
            ONLY.reset(token)

    async def _started(self) -> StreamableHTTPSessionManager:
        async with self._starting:
            if self._manager is None:
                made = await asyncio.to_thread(_manager, self.memories)
                ready = asyncio.Event()
                self._running = asyncio.create_task(self._run(made, ready))
                await ready.wait()
                self._manager = made
        return self._manager

    async def _run(self, manager: StreamableHTTPSessionManager, ready: asyncio.Event) -> None:
        """Whoever begins it must end it, so it is a task of its own."""
        async with manager.run():
            ready.set()
            await self._end.wait()

    async def close(self) -> None:
        self._end.set()
        if self._running is not None:
            await self._running


def _manager(memories: Memories) -> StreamableHTTPSessionManager:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from memnn.server.mcp import make_server

    server = make_server(memories)._lowlevel_server
    return StreamableHTTPSessionManager(server, json_response=True, stateless=True)


def add_mcp(app: FastAPI, memories: Memories) -> McpService:
    """Streams that a server opens by itself (GET) are not offered: it says nothing unasked."""
    service = McpService(memories)
    for path in ("/mcp", "/mcp/{name}"):
        app.router.routes.append(Route(path, service, methods=["POST"]))
    return service
