"""What is open of a memory, shared by all in this process who opened it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memnn.memory.milvus.address import parse_address
from memnn.memory.milvus.claims import Writer
from memnn.memory.milvus.table import Table


class Opened:
    """A connection to a memory, and its writer, for all in this process who use them."""

    def __init__(
        self, address: str, name: str, on_close: Callable[[Opened], None] = lambda opened: None
    ) -> None:
        self.name = name
        self.lock = threading.RLock()
        self.table = Table(parse_address(address, name))
        self.writer = Writer(self.table)
        try:
            self.writer.look()
        except BaseException:
            self.table.close()
            raise
        self._on_close = on_close
        self._users, self._counting = 0, threading.Lock()

    def enter(self) -> bool:
        """Use it as well, unless the last one has left."""
        with self._counting:
            if self.table.connection.closed or self._users < 0:
                return False
            self._users += 1
        return True

    def leave(self) -> None:
        with self._counting:
            self._users -= 1
            last = self._users == 0
            if last:
                self._users = -1
        if last:
            self.close()

    def close(self) -> None:
        """Let the next writer in, and end the connection."""
        with self.lock:
            if not self.table.connection.closed:
                self.writer.release()
                self.table.close()
        self._on_close(self)
