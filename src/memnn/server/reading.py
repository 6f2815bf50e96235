"""How questions read a memory: RAM directly, a store through a copy of what was last read of it.

A network looks at its memory several times for one answer. On a store each look is a query; a copy
in RAM that is brought up to date first is faster. A large memory is not copied.
"""

from __future__ import annotations

from typing import Protocol

from memnn.memory import Memory, RamMemory
from memnn.memory.follow import Cache, Following
from memnn.network import Network

LARGEST_COPY = 20_000  # statements


class Reader(Protocol):
    """Asks a network, from any thread."""

    def look(self) -> tuple[Network | None, int | None]:
        """The network to ask, if nothing has happened since the last answer; and how many
        statements have to be read before the next one, None: all of them. At once."""

    def network(self) -> Network:
        """The network to ask, on the memory or a copy of it as it is now."""


class Direct(Reader):
    """Asks the network on its own memory."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self._read_until = 0

    def look(self) -> tuple[Network | None, int | None]:
        unread = self.net.memory.last_id - self._read_until
        return None if unread else self.net, unread

    def network(self) -> Network:
        self._read_until = self.net.memory.last_id
        return self.net


class Snapshot(Reader):
    """Asks the network on a copy of the memory, as long as that is not large."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self._copies = Following(lambda: _Copy(net))

    def look(self) -> tuple[Network | None, int | None]:
        return self._copies.look(self.net.memory)

    def network(self) -> Network:
        memory = self.net.memory
        net, _ = self._copies.look(memory)
        if net is None:
            net = self.net if len(memory) > LARGEST_COPY else self._copies(memory)
        return net


class _Copy(Cache[Network]):
    """The network on a copy, which may hold what was told since the question came."""

    def __init__(self, net: Network) -> None:
        self._memory = RamMemory()
        self._net = net.with_memory(self._memory)

    def read_on(self, memory: Memory, after: int) -> int:
        for slot in memory.scan(after):
            self._memory.write_slots([slot])
            after = slot.id
        return after

    def view(self) -> Network:
        return self._net
