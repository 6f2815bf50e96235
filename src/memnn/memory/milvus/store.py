"""The named memories of a store in Milvus, each a collection."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from memnn.memory.milvus.address import parse_address
from memnn.memory.milvus.connection import Connection
from memnn.memory.milvus.memory import MilvusMemory
from memnn.memory.protocol import check_name
from memnn.memory.stores import Info, Store, no_such

COUNTERS = 8
"""Memories that are counted at once: each waits for a tick of the server."""


class MilvusStore(Store):
    """Threads may share it; a memory is opened once, so that it is one writer."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._connection = Connection(parse_address(where, "main"))
        self._lock = threading.Lock()
        self._open: dict[str, MilvusMemory] = {}

    def memory(self, name: str = "main") -> MilvusMemory:
        with self._lock:
            memory = self._open.get(check_name(name))
            if memory is None or memory.closed:
                memory = self._open[name] = MilvusMemory(self.where, name)
            return memory

    def single(self, name: str = "main") -> MilvusMemory:
        self.close()  # a memory has a connection of its own, and it alone is to be closed
        return MilvusMemory(self.where, name)

    def names(self, after: str = "", limit: int | None = None) -> list[str]:
        return [name for name in self._connection.memories() if name > after][:limit]

    def sizes(self, after: str = "", limit: int | None = None) -> dict[str, int]:
        aliases = self._connection.memories()
        page = [name for name in aliases if name > after][:limit]
        with ThreadPoolExecutor(COUNTERS) as pool:
            return dict(zip(page, pool.map(self._count, [aliases[n] for n in page]), strict=True))

    def _count(self, alias: str) -> int:
        self._connection.load(alias)
        return self._connection.count(alias, "id > 0")

    def __contains__(self, name: object) -> bool:
        return self._connection.has(parse_address(self.where, str(name)).collection)

    def drop(self, name: str) -> None:
        if check_name(name) not in self:
            raise no_such(name, self.where)
        self.memory(name).drop()

    def compact(self) -> None:
        for name in self.names():
            self.memory(name).compact()

    def info(self, name: str = "main") -> Info:
        memory = self.memory(name)
        model, vectors = memory.embedded()
        return Info(len(memory), None, model, vectors, self.names())

    def close(self) -> None:
        with self._lock:
            for memory in self._open.values():
                memory.close()
            self._connection.close()
