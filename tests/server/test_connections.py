"""Clients that keep a connection waiting, and the end of a server: nobody else notices."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from unittest.mock import Mock

import pytest
import uvicorn
from benchmarks.http_client import Process, request, running
from uvicorn.server import ServerState

from memnn.server import connection as connections
from memnn.server.connection import FOR_HEALTH, most_connections

pytestmark = pytest.mark.usefixtures("compiled")

QUESTION = request("POST", "/v1/memories/main/questions", {"text": "Where is Joe?"})
HEALTH = request("GET", "/healthz")


@contextmanager
def serving(model: Path, before: str, *more: str) -> Iterator[Process]:
    """A server in a process that does something else before."""
    code = f"{before}\nfrom memnn.cli import main\nmain()"
    with running("-c", code, "serve", "--model", str(model), "--port", "0", *more) as server:
        yield server


FEW_FILES = "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, ({0}, {0}))"


def connect(server: Process) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), 300)


def answer(connection: socket.socket) -> tuple[int, bytes, bytes]:
    """Status, head and body of one answer; an end before that is an error."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += (part := connection.recv(65536))
        if not part:
            raise ConnectionError(f"cut after {data!r}")
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        int(line.partition(b":")[2])
        for line in head.lower().split(b"\r\n")
        if line.startswith(b"content-length:")
    )
    while len(body) < length:
        body += connection.recv(65536)
    return int(head[9:12]), head.lower(), body


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize(
    ("idle", "files"), [(600, 500), pytest.param(2_000, 1024, marks=pytest.mark.soak)]
)
def test_connections_that_never_finish_their_request(model, idle, files):
    """They stop nobody: the one that has waited longest makes room."""
    sent = [b"", b"GET /healthz HTTP/1.1\r\nHost: loc", QUESTION[:-3]]
    with serving(model, FEW_FILES.format(files)) as server, ExitStack() as stack:
        for n in range(idle):
            connection = stack.enter_context(connect(server))
            connection.sendall(sent[n % 3])
            if n % 100 == 99:
                with connect(server) as other:
                    other.sendall(QUESTION)
                    assert answer(other)[0] == 200
        slowest = 0.0
        for _ in range(20):
            start = time.perf_counter()
            with connect(server) as other:
                other.sendall(HEALTH)
                assert answer(other)[0] == 200
            slowest = max(slowest, time.perf_counter() - start)
        print(f"{idle} connections: the slowest health check took {slowest * 1e3:.0f} ms")
        assert server.end() == 0
        assert server.said.count("\n") == 2, server.said  # where it listens, and what it keeps


def test_a_head_must_come_in_time(model):
    """Byte by byte is not in time; the answer says so, and the connection is closed."""
    soon = "import memnn.server.connection as c\nc.HEAD_SECONDS = 1.0"
    with (
        serving(model, soon) as server,
        connect(server) as slow, connect(server) as silent, connect(server) as second,
    ):  # fmt: skip
        second.sendall(HEALTH)
        assert answer(second)[0] == 200
        begin, said = time.monotonic(), None
        slow.settimeout(0.1)
        while said is None:  # were each byte given its time, the head would grow too long: a 400
            slow.sendall(b"G")
            with suppress(TimeoutError):
                said = answer(slow)
        assert time.monotonic() - begin > 0.9
        assert said[0] == 408
        assert is_closed(silent)
        second.sendall(HEALTH)
        assert answer(second)[0] == 200, "one that was used may stay longer"


def test_busy_connections_leave_room_for_health_checks():
    """Nothing makes room where the server itself is at work."""

    class Busy:
        def give_up(self) -> None:
            self.closed = True

        def only_health(self) -> None:
            self.healthy = True

    watch = connections.Watch(3)
    for _ in range(3):
        busy = Busy()
        watch.wait(busy, 10)  # type: ignore[arg-type]
        watch.enter(busy)  # type: ignore[arg-type]
        watch.work(busy)  # type: ignore[arg-type]
        assert not vars(busy)
    guests = [Busy() for _ in range(FOR_HEALTH + 1)]
    for guest in guests:
        watch.wait(guest, 10)  # type: ignore[arg-type]
        watch.enter(guest)  # type: ignore[arg-type]
        watch.work(guest)  # type: ignore[arg-type]
    assert [vars(guest) for guest in guests] == [{"healthy": True}] * FOR_HEALTH + [
        {"closed": True}
    ]


def test_only_health_is_answered_where_there_is_no_room():
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def status(path: str) -> tuple[int, bytes]:
        sent = []

        async def send(message):
            sent.append(message)

        await connections._only_health(app)({"path": path}, None, send)
        return sent[0]["status"], b"".join(one.get("body", b"") for one in sent)

    assert asyncio.run(status("/healthz"))[0] == 200
    refused, body = asyncio.run(status("/v1/memories"))
    assert refused == 503
    assert json.loads(body)["error"]["code"] == "unavailable"


@pytest.mark.parametrize(("soft", "most"), [(256, 64), (700, 188), (1024, 512), (4096, 1000)])
def test_as_many_connections_as_files(soft, most, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda what: (soft, soft))
    assert most_connections() == most


def test_a_client_that_does_not_read_is_left():
    """Answers that nobody takes are not kept for ever; one that is taken slowly is."""
    late = []

    class Transport:
        unsent = 100_000

        def get_write_buffer_size(self):
            return self.unsent

        def is_closing(self):
            return False

        def abort(self):
            late.append("aborted")

    watch = connections.Watch(3)
    config = uvicorn.Config(lambda: None)
    one = connections.HttpConnection(
        watch, config=config, server_state=ServerState(), app_state={}, _loop=Mock()
    )
    one.transport = Transport()
    one._whose_turn()
    assert one._turn == "sending"
    one.transport.unsent = 50_000
    one.late()
    assert not late, "half of it was taken"
    one.late()
    assert late == ["aborted"]


GRACE = "import memnn.server.run as run\nrun.GRACE = 60.0"
"""Seconds for those who do not know yet; nobody waits for them who need not."""


def test_what_was_sent_before_the_end_is_answered(model, tmp_path):
    """SIGTERM: a request on an open connection is answered, and told that it is the last."""
    tell = request("POST", "/v1/memories/main/statements", {"text": "Joe went to the kitchen."})
    with serving(model, GRACE, "--store", str(tmp_path / "end.db")) as server, ExitStack() as stack:
        idle = [stack.enter_context(connect(server)) for _ in range(20)]
        for connection in idle:
            connection.sendall(HEALTH)
            assert answer(connection)[0] == 200
        new = [stack.enter_context(connect(server)) for _ in range(5)]
        server.process.send_signal(signal.SIGTERM)
        wait_for_the_end(server)  # the server knows, its clients do not
        for connection in (*idle, *new):
            connection.sendall(tell)
        for connection in (*idle, *new):
            status, head, _ = answer(connection)
            assert status == 200
            assert b"connection: close" in head
            assert is_closed(connection)
        assert server.wait() == 0
        assert "Traceback" not in server.said


def wait_for_the_end(server: Process) -> None:
    """Until an answer says that it is the last: the server has heard of its end."""
    head = b""
    while b"connection: close" not in head:
        with connect(server) as other:
            other.sendall(HEALTH)
            _, head, _ = answer(other)


NEVER_LATE = """
import memnn.server.connection as connection, memnn.server.middleware as middleware
import memnn.server.run as run
connection.HEAD_SECONDS = connection.BODY_SECONDS = middleware.BODY_SECONDS = 600.0
run.PATIENCE = 600
"""


def test_an_end_waits_for_nobody_who_sends_nothing(model):
    """Half a request is refused, an idle connection closed."""
    with serving(model, NEVER_LATE) as server, ExitStack() as stack:
        idle, head, body, fresh = (stack.enter_context(connect(server)) for _ in range(4))
        idle.sendall(HEALTH)
        assert answer(idle)[0] == 200
        head.sendall(HEALTH[:20])
        body.sendall(QUESTION[:-3])
        assert server.end() == 0
        assert is_closed(idle)
        assert is_closed(fresh)
        for refused in (head, body):
            assert answer(refused)[0] == 503
    assert server.said.count("\n") == 2, server.said  # where it listens, and what it keeps
