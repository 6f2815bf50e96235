"""Running the service, to an end that loses nothing."""

from __future__ import annotations

import asyncio
import gc
import selectors
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from types import FrameType

import uvicorn

from memnn.server.connection import CLOSE, IDLE_SECONDS, HttpConnection, Watch, most_connections
from memnn.server.http import make_app
from memnn.server.listening import BACKLOG, is_loopback
from memnn.server.memories import Memories
from memnn.server.tokens import Right

PATIENCE = 30  # seconds for requests under way when the server is told to end
GRACE = 1.0  # seconds for requests that were sent before their clients could know
AT_ONCE = 64  # connections accepted before the first of them is looked at


def serve(
    memories: Memories,
    sock: socket.socket,
    token: str | Sequence[Right] | None = None,
    *,
    started: Callable[[], None] = lambda: None,
) -> int | None:
    """Serve until a signal comes; returns it, once what was under way is answered."""
    local = is_loopback(sock.getsockname()[0])
    watch = Watch(most_connections())
    config = uvicorn.Config(
        make_app(memories, token, local=local),
        http=lambda **given: HttpConnection(watch, **given),  # type: ignore[arg-type]
        log_level="error",  # what clients do wrong is told to them
        access_log=False,
        server_header=False,
        proxy_headers=False,  # nothing here depends on who a client says it is
        ws="none",
        lifespan="on",
        backlog=AT_ONCE,
        timeout_keep_alive=int(IDLE_SECONDS),
        timeout_graceful_shutdown=PATIENCE,
    )
    server = Server(config, watch, started)
    gc.collect()
    gc.freeze()  # the model stays: nobody has to look through it again and again
    asyncio.run(server.serve(sockets=[sock]))
    return server.ended_by


class Server(uvicorn.Server):
    """uvicorn's server, but a signal ends it in order and is not raised again afterwards."""

    def __init__(self, config: uvicorn.Config, watch: Watch, started_: Callable[[], None]) -> None:
        super().__init__(config)
        self._watch = watch
        self._say_started = started_
        self.ended_by: int | None = None
        self._ended_at = 0.0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for sock in sockets or ():
            sock.listen(BACKLOG)  # uvicorn takes the number to accept at once for this one
        self._looking = asyncio.create_task(self._watch.keep_looking())
        if self.started:
            self._say_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what was sent before anybody could know that this is the end, then close.

        Each of these answers says that it is the last on its connection.
        """
        self._watch.ending = True
        state = self.server_state
        state.default_headers = [*state.default_headers, CLOSE]
        for connection in list(state.connections):
            connection.answers_are_last()  # type: ignore[union-attr]
        end = monotonic() + GRACE
        while not self.force_exit and (
            (state.connections and monotonic() < end)
            or (_somebody_waits(sockets or []) and monotonic() < end + GRACE)
        ):
            await asyncio.sleep(0.02)
        await super().shutdown(sockets)
        self._looking.cancel()

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


def _somebody_waits(sockets: list[socket.socket]) -> bool:
    """Whether a connection was made that is not accepted yet."""
    with selectors.DefaultSelector() as selector:
        for sock in sockets:
            selector.register(sock, selectors.EVENT_READ)
        return bool(selector.select(0))
