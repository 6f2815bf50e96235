"""Where a server keeps its named memories: RAM, or a store that lasts."""

from __future__ import annotations

from typing import Protocol

from memnn.memory import Memory, RamMemory, open_memory
from memnn.memory.address import RAM, is_milvus, names_at, path_of


class MemoryStore(Protocol):
    """A place for named memories; one comes to be with the first thing written to it."""

    def names(self) -> list[str]: ...

    def memory(self, name: str) -> Memory: ...

    def drop(self, name: str) -> None: ...

    def close(self) -> None: ...


class RamStore:
    """Named memories that end with the process."""

    def __init__(self) -> None:
        self._memories: dict[str, RamMemory] = {}

    def names(self) -> list[str]:
        return sorted(name for name, memory in self._memories.items() if memory.last_id)

    def memory(self, name: str) -> RamMemory:
        return self._memories.setdefault(name, RamMemory())

    def drop(self, name: str) -> None:
        del self._memories[name]

    def close(self) -> None:
        """Nothing to close: RAM is let go with the object."""


class AddressedStore:
    """Named memories of a kind that knows no more than how to open them."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._open: list[Memory] = []

    def names(self) -> list[str]:
        return names_at(self.where)

    def memory(self, name: str) -> Memory:
        memory = open_memory(self.where, name)
        self._open.append(memory)
        return memory

    def drop(self, name: str) -> None:
        memory = open_memory(self.where, name)
        memory.delete(memory.candidates().tolist())
        memory.close()

    def close(self) -> None:
        for memory in self._open:
            memory.close()


def open_store(where: str) -> MemoryStore:
    if where == RAM:
        return RamStore()
    if is_milvus(where):
        return AddressedStore(where)
    from memnn.memory.sqlite.memory import Store

    return Store(path_of(where))
