"""The named memories of a store in Milvus, each a collection."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from memnn.errors import UnreadableMemory
from memnn.memory.milvus.address import parse_address
from memnn.memory.milvus.claims import Writer
from memnn.memory.milvus.connection import Connection
from memnn.memory.milvus.memory import MilvusMemory
from memnn.memory.milvus.opened import Opened
from memnn.memory.milvus.table import Table
from memnn.memory.protocol import check_name
from memnn.memory.stores import Info, Store, no_such

COUNTERS = 8
"""Memories that are counted at once: each waits for a tick of the server."""


class MilvusStore(Store):
    """Threads may share it; who opens the same memory shares a connection, and one writer."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._connection = Connection(parse_address(where, "main"))
        self._lock = threading.Lock()
        self._open: dict[str, Opened] = {}

    def memory(self, name: str = "main") -> MilvusMemory:
        while True:
            with self._lock:
                opened = self._open.get(check_name(name))
            if opened is None:
                self._connection.client  # noqa: B018 a closed store says so
                opened = Opened(self.where, name, self._forget)
                with self._lock:
                    first = self._open.setdefault(name, opened)
                if first is not opened:
                    opened.close()
                    opened = first
            memory = MilvusMemory(self.where, name, opened=opened)
            if not memory.closed:
                return memory
            self._forget(opened)

    def _forget(self, closed: Opened) -> None:
        with self._lock:
            if self._open.get(closed.name) is closed:
                del self._open[closed.name]

    def single(self, name: str = "main") -> MilvusMemory:
        self.close()  # a memory has a connection of its own, and it alone is to be closed
        return MilvusMemory(self.where, name)

    def names(self, after: str = "", limit: int | None = None) -> list[str]:
        return [name for name in self._connection.memories() if name > after][:limit]

    def sizes(self, after: str = "", limit: int | None = None) -> dict[str, int | None]:
        aliases = self._connection.memories()
        page = [name for name in aliases if name > after][:limit]
        with ThreadPoolExecutor(COUNTERS) as pool:
            return dict(zip(page, pool.map(self._count, page), strict=True))

    def _count(self, name: str) -> int | None:
        try:
            table = Table(parse_address(self.where, name), self._connection)
            Writer(table).look()
            return table.count("id > 0")
        except UnreadableMemory:
            return None

    def __contains__(self, name: object) -> bool:
        return self._connection.has(parse_address(self.where, str(name)).collection)

    def drop(self, name: str) -> None:
        if check_name(name) not in self:
            raise no_such(name, self.where)
        with closing(self.memory(name)) as memory:
            memory.drop()

    def compact(self) -> None:
        """All that can be read; what cannot is named once the others are done."""
        unread = []
        for name in self.names():
            try:
                with closing(self.memory(name)) as memory:
                    memory.compact()
            except UnreadableMemory as error:
                unread.append(f"'{name}' was not compacted: {error}")
        if unread:
            raise UnreadableMemory("; ".join(unread))

    def info(self, name: str = "main") -> Info:
        with closing(self.memory(name)) as memory:
            model, vectors = memory.embedded()
            return Info(len(memory), None, model, vectors, self.names())

    def close(self) -> None:
        with self._lock:
            still_open = list(self._open.values())
        for opened in still_open:
            opened.close()
        self._connection.close()
