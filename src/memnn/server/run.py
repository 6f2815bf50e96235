"""Running the service, to an end that loses nothing."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType

import uvicorn

from memnn.server.http import make_app
from memnn.server.listening import is_loopback
from memnn.server.memories import Memories

PATIENCE = 30  # seconds for requests under way when the server is told to end


def serve(
    memories: Memories,
    sock: socket.socket,
    token: str | None = None,
    *,
    started: Callable[[], None] = lambda: None,
) -> int | None:
    """Serve until a signal comes; returns it, once what was under way is answered."""
    local = is_loopback(sock.getsockname()[0])
    config = uvicorn.Config(
        make_app(memories, token, local=local),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_keep_alive=75,  # longer than clients' pools keep a connection
        timeout_graceful_shutdown=PATIENCE,
    )
    server = Server(config, started)
    gc.collect()
    gc.freeze()  # the model stays: nobody has to look through it again and again
    asyncio.run(server.serve(sockets=[sock]))
    return server.ended_by


class Server(uvicorn.Server):
    """uvicorn's server, but a signal ends it in order and is not raised again afterwards."""

    def __init__(self, config: uvicorn.Config, started_: Callable[[], None]) -> None:
        super().__init__(config)
        self._say_started = started_
        self.ended_by: int | None = None
        self._ended_at = 0.0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._say_started()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        def end(number: int, frame: FrameType | None) -> None:
            # A second Ctrl-C does not wait, unless it is the echo of the first.
            self.force_exit = number == signal.SIGINT and 0 < self._ended_at < monotonic() - 1
            self.should_exit = True
            self.ended_by = self.ended_by or number
            self._ended_at = self._ended_at or monotonic()

        before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
