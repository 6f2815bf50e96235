"""Connections, and how long a client may let one wait.

Whoever opens connections and sends nothing, or a byte now and then, must not keep others out. So a
connection that waits for its client has a deadline, and when there are too many, the one that has
waited longest makes room. What the server itself is working on is never closed.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from memnn.server.one_write import OneWrite
from memnn.server.problems import error_body

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

MOST_CONNECTIONS = 1_000
FOR_HEALTH = 16
"""Connections beyond the most, on which only health checks are answered."""
OTHER_FILES = 512
"""What a process keeps open besides: a store has up to three files for each of its threads."""
IDLE_SECONDS = 75.0  # longer than clients' pools keep a connection
HEAD_SECONDS = 10.0
BODY_SECONDS = 40.0  # what is late by less is told so (`middleware`)
SEND_SECONDS = 30.0
SEND_BYTES = 16_384
"""So much of an answer must be taken in these seconds."""
CLOSE = (b"connection", b"close")
LAST = 2.0
"""Seconds for a request to begin on a connection that was opened while the server ends."""


def most_connections() -> int:
    """As many as there may be open files, once the limit is as high as it need be."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY:
        wanted = MOST_CONNECTIONS + OTHER_FILES
        wanted = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        return min(MOST_CONNECTIONS, max(soft - OTHER_FILES, soft // 4))
    return MOST_CONNECTIONS


class Watch:
    """Which connections are open, and which of them wait for their client until when."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.ending = False
        self._open: set[HttpConnection] = set()
        self._waiting: dict[HttpConnection, float] = {}  # the one that has waited longest is first

    def enter(self, connection: HttpConnection) -> None:
        """A new connection finds room, or is for health checks only, or is closed."""
        self._open.add(connection)
        if len(self._open) <= self.most:
            return
        oldest = next(iter(self._waiting))
        if oldest is not connection:
            oldest.give_up()
        elif len(self._open) > self.most + FOR_HEALTH:
            connection.give_up()
        else:
            connection.only_health()

    def leave(self, connection: HttpConnection) -> None:
        self._open.discard(connection)
        self._waiting.pop(connection, None)

    def wait(self, connection: HttpConnection, seconds: float) -> None:
        """It is the client's turn from now on."""
        self._waiting.pop(connection, None)
        self._waiting[connection] = monotonic() + seconds

    def hurry(self, connection: HttpConnection, seconds: float) -> None:
        """It is still the client's turn, but no longer for so long."""
        self._waiting[connection] = min(
            self._waiting.get(connection, float("inf")), monotonic() + seconds
        )

    def work(self, connection: HttpConnection) -> None:
        """It is the server's turn."""
        self._waiting.pop(connection, None)

    def look(self) -> None:
        """Close what is late."""
        now = monotonic()
        for connection in [c for c, until in self._waiting.items() if until < now]:
            connection.late()

    async def keep_looking(self) -> None:
        while True:
            await asyncio.sleep(1)
            self.look()


class HttpConnection(H11Protocol):
    """uvicorn's, watched: an idle one, and one with a head, a body or an answer under way."""

    def __init__(self, watch: Watch, **given: Any) -> None:
        super().__init__(**given)
        self._watch = watch
        self._turn = ""
        self._unsent = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._one_write = OneWrite(transport)
        self._is_clients_turn("first", LAST if self._watch.ending else HEAD_SECONDS)
        self._watch.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._watch.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.conn.their_state is h11.DONE:  # a whole request, as nearly always
            self._turn = ""
            self._watch.work(self)
        elif self.conn.their_state is h11.IDLE and self._turn != "head":
            self._turn = "head"  # it has begun, and the rest may not take for ever
            self._watch.hurry(self, HEAD_SECONDS)
        else:
            self._whose_turn()

    def handle_events(self) -> None:
        super().handle_events()
        if self.cycle is not None:
            self.cycle.transport = self._one_write

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._whose_turn()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._whose_turn()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._whose_turn()

    def send_400_response(self, msg: str) -> None:
        """In the shape of every error; nothing that follows on this connection is trusted."""
        self._end_with(400, "this is not an HTTP request that can be read")

    def only_health(self) -> None:
        """Answer health checks and nothing else: there is no room left."""
        self.app = _only_health(self.app)

    def answers_are_last(self) -> None:
        """The server ends: who gets an answer now sends nothing more here."""
        if self.cycle is not None and not self.cycle.response_started:
            self.cycle.default_headers = [*self.cycle.default_headers, CLOSE]

    def shutdown(self) -> None:
        """The end: what has come whole is answered, the rest is refused."""
        if self._turn in ("head", "body"):
            self._end_with(503, "the server is ending; send this again")
        elif self._turn == "rest":
            self.give_up()
        else:
            super().shutdown()

    def late(self) -> None:
        """The deadline has passed."""
        if self._turn == "sending":
            unsent = self.transport.get_write_buffer_size()
            if not unsent or unsent <= self._unsent - SEND_BYTES:  # slow, but on its way
                self._turn = ""
                self._whose_turn()
                return
        if self._turn == "head":
            self._end_with(408, f"the head did not arrive within {HEAD_SECONDS:.0f} seconds")
        self.give_up()

    def give_up(self) -> None:
        """Close it, whatever was under way."""
        self._watch.leave(self)
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _whose_turn(self) -> None:
        answered = self.cycle is None or self.cycle.response_complete
        if self.transport.get_write_buffer_size():
            self._is_clients_turn("sending", SEND_SECONDS)
        elif self.transport.is_closing():
            self._watch.work(self)
        elif self.conn.their_state is h11.IDLE:
            if self._turn != "head":
                self._is_clients_turn("idle", IDLE_SECONDS)
        elif self.conn.their_state is h11.SEND_BODY:
            self._is_clients_turn(*(("rest", HEAD_SECONDS) if answered else ("body", BODY_SECONDS)))
        else:
            self._turn = ""
            self._watch.work(self)

    def _is_clients_turn(self, what: str, seconds: float) -> None:
        if what != self._turn:
            self._turn, self._unsent = what, self.transport.get_write_buffer_size()
            self._watch.wait(self, seconds)

    def _end_with(self, status: int, message: str) -> None:
        """One last answer, unless another was begun."""
        if self.cycle is not None and not self.cycle.response_complete:
            if self.cycle.response_started:
                self.transport.abort()
                return
            self.cycle.disconnected = True  # who works on the request need not answer it
            self.cycle.message_event.set()
        body = error_body(status, message)
        reason = HTTPStatus(status).phrase.encode()
        self.transport.write(
            b"HTTP/1.1 %d %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n"
            b"connection: close\r\n\r\n%s" % (status, reason, len(body), body)
        )
        self.transport.close()


def _only_health(app: ASGIApp) -> ASGIApp:
    body = error_body(503, "there are too many connections; try again in a moment")

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/healthz":
            await app(scope, receive, send)
            return
        headers = [
            (b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)),
            (b"retry-after", b"1"), CLOSE,
        ]  # fmt: skip
        await send({"type": "http.response.start", "status": 503, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return answer
