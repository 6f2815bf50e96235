"""Running the service: where it may listen, and an end that loses nothing."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from types import FrameType

import uvicorn

from memnn.errors import InputError
from memnn.server.http import make_app
from memnn.server.memories import Memories

SHORTEST_TOKEN = 16
PATIENCE = 30  # seconds for requests under way when the server is told to end


def read_token(file: Path) -> str:
    """The token is the first line of a file, so that it is in no process list."""
    try:
        lines = file.read_text(encoding="ascii").splitlines()
    except OSError as error:
        raise InputError(f"cannot read the token file {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"the token in {file} must be printable ASCII") from None
    token = lines[0].strip() if lines else ""
    if len(token) < SHORTEST_TOKEN or not token.isprintable() or " " in token:
        raise InputError(
            f"{file} must start with a line of {SHORTEST_TOKEN} or more characters without "
            "spaces; make one with: openssl rand -hex 32"
        )
    return token


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_host(host: str, token: str | None, force: bool) -> None:
    """Nobody opens their memory to the network by accident."""
    if token is None and not force and not is_loopback(host):
        raise InputError(
            f"{host} can be reached by others: give --token-file FILE, or --force to let "
            "anybody read and write"
        )


def listen(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.create_server(address[:2], family=family, backlog=2048)
        # Head and body are two writes, and without this the second waits 40 ms for the client.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock
    except OSError as error:
        raise InputError(
            f"cannot listen on {host} port {port}: {error.strerror}; "
            "choose others with --host and --port"
        ) from None


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
    """uvicorn's, but a signal ends it in order and not once more afterwards."""

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
