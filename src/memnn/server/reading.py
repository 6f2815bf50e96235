"""How questions read a memory: RAM directly, a store through a copy of what was last read of it.

A network looks at its memory several times for one answer. On a store each look is a query, and
somebody else may write or delete between two of them; a copy in RAM that is brought up to date
first is faster and of one moment. A large memory is not copied.
"""

from __future__ import annotations

from typing import Protocol

from memnn.memory import AsOf, Memory, RamMemory
from memnn.memory.sqlite.memory import SqliteMemory
from memnn.text.stream import WordStream
from memnn.types import Answer, Slot

LARGEST_COPY = 20_000  # statements
MANY = 2**62


class Network(Protocol):
    """What answers: `memnn.MemoryNetwork`, or several networks that look like one."""

    @property
    def memory(self) -> Memory: ...

    def tell(self, text: str) -> list[Slot]: ...

    def ask(self, question: str, *, as_of: AsOf = None) -> Answer: ...

    def with_memory(self, memory: Memory) -> Network: ...


class Reader(Protocol):
    """Asks a network; the caller sees to it that only one thread does."""

    def news(self) -> int:
        """How many statements have to be read before the next answer."""

    def ask(self, text: str, as_of: AsOf) -> Answer: ...


class Direct:
    """Asks the network on its own memory."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self._read_until = 0

    def news(self) -> int:
        return self.net.memory.last_id - self._read_until

    def ask(self, text: str, as_of: AsOf) -> Answer:
        self._read_until = self.net.memory.last_id
        return self.net.ask(text, as_of=as_of)


class Mirror:
    """Asks a network on a copy of the memory, as long as that is not large."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self.memory = net.memory
        self._copy = net.with_memory(RamMemory())
        self._deletions = -1
        self._unread = MANY

    def news(self) -> int:
        deletions, last_id = _counts(self.memory)
        if deletions != self._deletions:
            return MANY
        self._unread = last_id - self._copy.memory.last_id
        return self._unread

    def ask(self, text: str, as_of: AsOf) -> Answer:
        if self._unread:
            if len(self.memory) > LARGEST_COPY:
                return self.net.ask(text, as_of=as_of)
            self._read_on()
        self._unread = MANY  # until somebody looks again
        return self._copy.ask(text, as_of=as_of)

    def _read_on(self) -> None:
        deletions = self.memory.deletions
        if deletions != self._deletions:
            self._copy = self.net.with_memory(RamMemory())
            self._deletions = deletions
        copy = self._copy.memory
        for slot in self.memory.scan(after=copy.last_id):
            copy.write(slot.text, id=slot.id, time=slot.time)


def _counts(memory: Memory) -> tuple[int, int]:
    """How often something was deleted, and the last id: of a store in one query, not in two."""
    if isinstance(memory, SqliteMemory):
        state = memory.state()
        return state.deletions, state.last_id
    return memory.deletions, memory.last_id


def is_ram(memory: Memory) -> bool:
    return isinstance(memory, RamMemory)


def streams(net: Network) -> bool:
    """Whether it hears words without ends of sentences: then a question ends what was told."""
    return isinstance(getattr(net, "I", None), WordStream)
