"""The head of an answer is sent with its body: one call of the system, and one packet, for both."""

from __future__ import annotations

import asyncio

LENGTH = b"\r\ncontent-length: "
"""A head with this has its body right behind it; what comes piece by piece waits for nothing."""


class OneWrite(asyncio.Transport):
    """What an answer is written to."""

    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__()
        self._transport = transport
        self._head = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._head:
            data, self._head = self._head + data, b""
        elif isinstance(data, bytes) and data.startswith(b"HTTP/1.1 ") and LENGTH in data:
            self._head = data
            return
        self._transport.write(data)

    def close(self) -> None:
        self.write(b"")
        self._transport.close()

    def is_closing(self) -> bool:
        return self._transport.is_closing()
