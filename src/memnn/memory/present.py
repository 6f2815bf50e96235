"""A memory without what was superseded: how networks see one in which something was updated.

A slot that supersedes another hides it from then on. Of a moment before that, it is there. Whoever
forgets the newer slot forgets what it replaced with it (`versions`): a value that holds no longer
must not come back because the one that holds is deleted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError, MemoryStoreError
from memnn.memory.by_memory import ByMemory
from memnn.memory.follow import Cache, Following
from memnn.memory.protocol import AsOf, Changes, Memory, buckets_of, known_id, resolve_as_of
from memnn.types import Lesson, Slot, Turn

Ids = NDArray[np.int64]
VIEWS = 4
"""Moments of one memory whose views are kept, with what networks know of them."""


class _Superseded(Cache[Mapping[int, int]]):
    """Which slot was superseded by which, the first of them where there are several."""

    def __init__(self) -> None:
        self._by: dict[int, int] = {}

    def read_on(self, memory: Memory, after: int) -> int:
        last = memory.last_id
        pairs = [(old, new) for new, old in memory.supersessions(after) if old not in self._by]
        if pairs:
            self._by = dict(reversed(_there(memory, pairs))) | self._by
        return last

    def view(self) -> Mapping[int, int]:
        return self._by


def _there(memory: Memory, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Without those whose first was deleted: there is nothing to hide."""
    olds = [old for old, _ in pairs]
    try:
        memory.read(olds)
    except InputError:
        kept = np.isin(olds, memory.candidates())
        return [pair for pair, there in zip(pairs, kept, strict=True) if there]
    return pairs


_superseded = Following(_Superseded)
_views: ByMemory[dict[frozenset[int], Present]] = ByMemory()
_lock = Lock()


def superseded(memory: Memory) -> Mapping[int, int]:
    """The slots that were superseded, each with the one that did so first."""
    return _superseded(memory) if memory.updated else {}


def versions(memory: Memory, ids: Iterable[int]) -> list[int]:
    """These slots and all that they superseded, one after the other: what is to be deleted where
    somebody wants them forgotten. The memory's own `delete` takes an update back instead."""
    wanted = list(map(known_id, ids))
    found, older = set(wanted), list[int]()
    # Newer slots first: what they superseded may have superseded something itself.
    for new, old in reversed(memory.supersessions() if memory.updated else []):
        if new in found and old not in found:
            found.add(old)
            older.append(old)
    if older:  # some of it may be deleted already
        older = [
            old
            for old, there in zip(older, np.isin(older, memory.candidates()), strict=True)
            if there
        ]
    return wanted + older


def hidden(memory: Memory, as_of: AsOf = None) -> frozenset[int]:
    """The ids of what was superseded until a moment."""
    by = superseded(memory)
    if not by:
        return frozenset()
    limit = resolve_as_of(as_of)
    if isinstance(limit, str):
        ids = memory.candidates(limit)
        limit = int(ids[-1]) if len(ids) else 0
    return frozenset(old for old, new in by.items() if limit is None or new <= limit)


def present(memory: Memory, as_of: AsOf = None) -> Memory:
    """The memory itself where nothing was superseded, and otherwise what it is without that."""
    if not memory.updated:
        return memory
    gone = hidden(memory, as_of)
    if not gone:
        return memory
    with _lock:
        views = _views.get(memory)
        if views is None:
            views = _views[memory] = {}
        view = views.pop(gone, None) or Present(memory, gone)
        views[gone] = view
        while len(views) > VIEWS:
            del views[next(iter(views))]
        return view


class Present(Memory):
    """A memory without some of its slots, which can still be read by their ids.

    It is for reading. Whoever keeps something of a memory takes it for one of its own.
    """

    def __init__(self, memory: Memory, gone: frozenset[int]) -> None:
        self._whole = ref(memory)  # what is kept by memory must not keep the memory
        self._gone = gone
        self._ids: Ids = np.array(sorted(gone), np.int64)

    @property
    def _memory(self) -> Memory:
        memory = self._whole()
        if memory is None:
            raise MemoryStoreError("this memory is closed; open it again")
        return memory

    @property
    def lasts(self) -> bool:
        return self._memory.lasts

    def changes(self) -> Changes:
        return self._memory.changes()

    @contextmanager
    def one_moment(self) -> Iterator[Changes]:
        with self._memory.one_moment() as changes:
            yield changes

    def __len__(self) -> int:
        return len(self._memory) - len(self._gone)

    def read(self, ids: Iterable[int]) -> list[Slot]:
        return self._memory.read(ids)

    def scan(self, after: int = 0) -> Iterator[Slot]:
        return (slot for slot in self._memory.scan(after) if slot.id not in self._gone)

    def pages(self, after: int = 0) -> Iterator[tuple[Ids, str]]:
        for ids, texts in self._memory.pages(after):
            left = ~np.isin(ids, self._ids)
            if left.all():
                yield ids, texts
            elif left.any():
                told = texts.split("\0")
                yield ids[left], "".join([told[i] + "\0" for i in np.flatnonzero(left).tolist()])

    def candidates(self, as_of: AsOf = None, buckets: Iterable[str] | None = None) -> Ids:
        ids = self._memory.candidates(as_of, buckets)
        left: Ids = ids[~np.isin(ids, self._ids)]
        left.flags.writeable = False
        return left

    def frequencies(self, buckets: Iterable[str]) -> dict[str, int]:
        wanted = list(buckets)
        texts = [buckets_of(slot.text) for slot in self._memory.read(self._ids.tolist())]
        found = self._memory.frequencies(wanted)
        return {b: n - sum(b in words for words in texts) for b, n in found.items()}

    def lessons(self) -> list[Lesson]:
        return self._memory.lessons()

    def keep(self, name: str, data: bytes, deletions: int) -> None:
        self._memory.keep(self._named(name), data, deletions)

    def kept(self, name: str) -> bytes | None:
        return self._memory.kept(self._named(name))

    @property
    def keeps_parts(self) -> bool:
        return self._memory.keeps_parts

    def keep_parts(self, name: str, parts: Mapping[str, bytes], deletions: int) -> None:
        self._memory.keep_parts(self._named(name), parts, deletions)

    def kept_parts(self, names: Iterable[str]) -> dict[str, bytes]:
        return self._memory.kept_parts(names)

    def drop_parts(self, names: Iterable[str]) -> None:
        self._memory.drop_parts(names)

    def close(self) -> None:
        """The memory itself stays open."""

    def _named(self, name: str) -> str:
        """An overview of the whole memory is none of this."""
        return f"{name}-{hashlib.sha256(self._ids.tobytes()).hexdigest()[:16]}"

    def write(
        self,
        text: str,
        *,
        id: int | None = None,
        time: str | None = None,
        source: str = "",
        turn: Turn | None = None,
    ) -> Slot:
        raise _for_reading()

    def write_many(
        self,
        texts: Iterable[str],
        *,
        source: str = "",
        turns: Sequence[Turn | None] | None = None,
    ) -> list[Slot]:
        raise _for_reading()

    def delete(self, ids: Iterable[int]) -> None:
        raise _for_reading()


def _for_reading() -> InputError:
    return InputError("this is what a memory is without what was superseded; write to the memory")
