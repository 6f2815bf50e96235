"""The least HTTP client that keeps a connection, so that the server is measured and not it."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from benchmarks.processes import ROOT, environment


class Connection:
    """One keep-alive connection to a server on loopback."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def __aenter__(self) -> Connection:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()
        with suppress(OSError):
            await self.writer.wait_closed()

    async def __call__(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        status, content = await self.raw(request(method, path, body))
        return status, json.loads(content) if content else None

    async def raw(self, message: bytes) -> tuple[int, bytes]:
        self.writer.write(message)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        content = await self.reader.readexactly(int(length[1])) if length else b""
        return int(head[9:12]), content


def request(method: str, path: str, body: object = None) -> bytes:
    content = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
    if body is not None:
        head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
    return head.encode() + b"\r\n" + content


class Process:
    """A server in a process of its own; it says on which port it listens."""

    def __init__(self, *command: str, root: Path = ROOT) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stderr=subprocess.PIPE,
            text=True,
            env=environment(root),
        )
        self.said = ""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said += line
            if found := re.search(r"Listening on http://[^:]+:(\d+)", line):
                self.port = int(found[1])
                return
        raise RuntimeError(f"the server did not start: {self.said}")

    def cpu_seconds(self) -> float:
        return time.clock_gettime((~self.process.pid << 3) | 2)  # Linux: its processor clock

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        _, rest = self.process.communicate(timeout=300)
        self.said += rest
        return self.process.returncode


@contextmanager
def running(*command: str, root: Path = ROOT) -> Iterator[Process]:
    server = Process(*command, root=root)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.end()
        elif server.process.stderr is not None:
            server.process.stderr.close()
