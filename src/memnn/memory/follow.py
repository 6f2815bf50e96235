"""The one way to follow a memory: caches that read on as it grows and start anew when it shrinks.

Whoever keeps something of a memory (bags, contexts, a copy) says how that begins, how it takes in
what is new and what it shows; when to do which, and that only one thread does, is decided here.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, RLock, local
from typing import Any, Generic, Protocol, TypeVar

from memnn.errors import InputError
from memnn.memory.by_memory import ByMemory
from memnn.memory.protocol import Changes, Memory, PartsGone

T = TypeVar("T")
V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)
PATIENCE = 100
"""Deletions by others that are waited out."""
MOST = 1_000
"""Memories that are followed at once; the one not asked for the longest time is read anew."""


class Cache(Protocol[V_co]):
    """What is kept of one memory."""

    def begin(self, memory: Memory) -> int:
        """Take up what an earlier process kept; the id until which that is, 0 for nothing."""
        return 0

    def read_on(self, memory: Memory, after: int) -> int:
        """Take in what was written after an id; returns the last id read, `after` if none was."""

    def holds(self) -> bool:
        """Whether what an earlier process kept is still to be had."""
        return True

    def view(self) -> V_co:
        """What was read, as it is now: it must not change when the cache reads on."""


class PerThread(local):
    """What each thread has of its own; another process starts without."""

    def __reduce__(self) -> tuple[type[PerThread], tuple[()]]:
        return PerThread, ()


class Following(Generic[V]):
    """A cache for every memory that it is called with; each goes when its memory goes.

    Where there are very many memories, those used last have one.
    """

    def __init__(self, start: Callable[[], Cache[V]]) -> None:
        self._start = start
        self._lock = Lock()
        self._followed: ByMemory[_Followed[V]] = ByMemory()

    def __reduce__(self) -> tuple[type[Following[V]], tuple[Callable[[], Cache[V]]]]:
        return Following, (self._start,)  # another process reads its memories itself

    def __call__(self, memory: Memory) -> V:
        """The view of a memory as it is now, or was when something of it was last deleted."""
        return self._of(memory).read(memory)

    def look(self, memory: Memory) -> tuple[V | None, int | None]:
        """The view of a memory if nothing has happened to it since the last look; and how many ids
        are new since then, None where all must be read.

        It looks at the memory only once, which on a store is a query, and waits for nobody.
        """
        changes, followed = memory.changes(), self._of(memory)
        unread = changes.last_id - followed.last_id
        return followed.fresh(changes), unread if followed.deletions == changes.deletions else None

    def __contains__(self, memory: Memory) -> bool:
        """Whether it has been called with this memory before."""
        return memory in self._followed

    def use(self, memory: Memory, call: Callable[[Any], T]) -> T:
        """What a call says of the cache itself, which nobody else uses meanwhile."""
        return self._of(memory).use(memory, call)

    def _of(self, memory: Memory) -> _Followed[V]:
        with self._lock:
            followed = self._followed.get(memory)
            if followed is None:
                followed = self._followed[memory] = _Followed(self._start)
                if len(self._followed) > MOST:
                    self._followed.pop_oldest()
            elif len(self._followed) > MOST // 2:  # few are worth no order
                self._followed.pop(memory)
                self._followed[memory] = followed
            return followed


class _Followed(Generic[V]):
    """A cache, and how far it has read."""

    def __init__(self, start: Callable[[], Cache[V]]) -> None:
        self._start = start
        self._lock = RLock()
        self.deletions = -1
        self.last_id = 0
        self.cache: Cache[V] = start()
        self._view: V = self.cache.view()

    def use(self, memory: Memory, call: Callable[[Any], T]) -> T:
        with self._lock:
            self.read(memory)
            return call(self.cache)

    def fresh(self, changes: Changes) -> V | None:
        if not self._lock.acquire(blocking=False):
            return None  # somebody reads on
        try:
            return self._view if (self.last_id, self.deletions) == changes else None
        finally:
            self._lock.release()

    def read(self, memory: Memory) -> V:
        with self._lock:
            for _ in range(PATIENCE):
                last_id, deletions = memory.changes()
                if deletions != self.deletions or not self.cache.holds():
                    self.cache = self._start()
                    self.last_id = self.cache.begin(memory)
                    self.deletions, self._view = deletions, self.cache.view()
                if self.last_id >= last_id:
                    break
                self.deletions = -1  # until all is read: half a page would be read twice
                read = self.cache.read_on(memory, self.last_id)
                if memory.changes().deletions == deletions:
                    # Where the newest were deleted, nothing is left to be read until `last_id`.
                    self.last_id, self._view = max(read, last_id), self.cache.view()
                    self.deletions = deletions
                    break
            return self._view


def at_one_moment(memory: Memory, call: Callable[[], V]) -> V:
    """For what looks at a memory several times: if something is deleted meanwhile, it looks anew.

    What is written meanwhile does no harm: a view ends where it was read.
    """
    for _ in range(PATIENCE):
        try:
            with memory.one_moment() as before:
                result = call()
        except (InputError, PartsGone) as error:
            if memory.changes().deletions == before.deletions and isinstance(error, InputError):
                raise
        else:
            if memory.changes().deletions == before.deletions:
                return result
    return call()
