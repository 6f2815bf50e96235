"""What stands between a client and its server, and can fall silent or lose answers."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Self


class Line:
    """Forwards connections to a port of this machine from a port of its own."""

    def __init__(self, port: int) -> None:
        self.target = port
        """May change: the next connection is made there."""
        self.silent = threading.Event()
        """While it is set nothing passes, and connections stay as they are."""
        self.deaf = threading.Event()
        """While it is set what clients send arrives, and no answer does."""
        self._ends: list[socket.socket] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def cut(self) -> None:
        """End every connection; new ones may be made."""
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)  # to close it alone would not wake who accepts
        self._accepting.join()
        self._server.close()
        self.cut()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", self.target))
                except OSError:  # it may come later
                    client.close()
                    continue
                self._ends += [client, server]
                for ends in ((client, server, False), (server, client, True)):
                    threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, answers: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                while self.silent.is_set():
                    time.sleep(0.05)
                if not (answers and self.deaf.is_set()):
                    sink.sendall(data)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
