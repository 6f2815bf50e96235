"""Numbers of each statement, kept in blocks: a question reads those of the statements it is about.

What was told first is kept in a memory (`shelves`); what was told since is in RAM. A column looks
like one array of both, and reads what is wanted of it and is not here yet. There is room for all
statements, but what was never read takes none.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.errors import MemoryStoreError
from memnn.memory import shelves
from memnn.memory.shelves import Ints, ShelvedLists, block_name

AnyArray = NDArray[Any]


class FarColumns:
    """Columns of the statements of some segments, by their names."""

    def __init__(
        self, lists: ShelvedLists, values: Mapping[str, AnyArray], there: NDArray[np.bool_]
    ) -> None:
        """`there` says of which statements the arrays, which are filled in, have the numbers."""
        self._lists, self.values, self._there = lists, values, there
        ends = [segment.marks[0] for segment, _ in lists.segments]
        self._begins: Ints = np.array([0, *ends], np.int64)
        self._lock = Lock()

    @classmethod
    def unread(cls, lists: ShelvedLists, kinds: Mapping[str, Any]) -> FarColumns:
        n = lists.segments[-1][0].marks[0]
        values = {name: np.zeros(n, kind) for name, kind in kinds.items()}
        return cls(lists, values, np.zeros(n, np.bool_))

    def __len__(self) -> int:
        return len(self._there)

    def grown(self, lists: ShelvedLists, tail: Mapping[str, AnyArray]) -> FarColumns:
        """The same and what was told since, once that is kept, too."""
        n = len(next(iter(tail.values())))
        there = np.append(self._there, np.ones(n, np.bool_))  # first: others may be reading
        values = {name: np.append(each, tail[name]) for name, each in self.values.items()}
        return FarColumns(lists, values, there)

    def have(self, places: Ints | slice) -> None:
        """Read what is not here of these statements, by one call or two."""
        end = int(self._begins[-1])
        if isinstance(places, slice):
            some: Ints = np.flatnonzero(~self._there[:end])
            some = some[_within(some, places)]
        else:
            some = places[(places >= 0) & (places < end)]
            some = some[~self._there[some]]
        if len(some):
            self._read(some)

    def _read(self, places: Ints) -> None:
        segments = self._begins.searchsorted(places, side="right") - 1
        blocks = (places - self._begins[segments]) // shelves.BLOCK
        found = sorted(set(zip(segments.tolist(), blocks.tolist(), strict=True)))
        names = [block_name(self._lists.segments[s][0], block) for s, block in found]
        parts = self._lists.parts(names)
        with self._lock:
            for (s, block), name in zip(found, names, strict=True):
                begin = int(self._begins[s]) + block * shelves.BLOCK
                self._take(begin, min(begin + shelves.BLOCK, int(self._begins[s + 1])), parts[name])

    def _take(self, begin: int, end: int, data: bytes) -> None:
        try:
            numbers = unpacked(data, len(self.values), end - begin)
        except (ValueError, zlib.error):
            raise MemoryStoreError("what was kept of this memory is damaged") from None
        for column, values in zip(self.values.values(), numbers, strict=True):
            column[begin:end] = values
        self._there[begin:end] = True


class FarColumn:
    """One of them with what was told since, to be read like an array."""

    def __init__(self, columns: FarColumns, name: str, tail: AnyArray) -> None:
        self._columns, self._values, self._tail = columns, columns.values[name], tail

    def __len__(self) -> int:
        return len(self._values) + len(self._tail)

    def __getitem__(self, at: Any) -> Any:
        """A number for a place, an array for a slice or an array of places."""
        far = len(self._values)
        if isinstance(at, int | np.integer):
            return self[np.array([at], np.int64)][0]
        self.have(at)
        if isinstance(at, slice):
            first, last, _ = at.indices(len(self))
            old = self._values[first:last]
            new = self._tail[max(first - far, 0) : max(last - far, 0)]
            return np.concatenate([old, new]) if len(new) else old
        if not len(self._tail):
            return self._values[at]
        found = np.empty(len(at), self._values.dtype)
        old = at < far
        found[old], found[~old] = self._values[at[old]], self._tail[at[~old] - far]
        return found

    def have(self, places: Ints | slice) -> None:
        """Read what is not here of these statements, in all columns."""
        self._columns.have(places)


Column = AnyArray | FarColumn


def _within(places: Ints, part: slice) -> slice:
    """Which of these, which are in order, lie in a part."""
    first = 0 if part.start is None else int(places.searchsorted(part.start))
    last = len(places) if part.stop is None else int(places.searchsorted(part.stop))
    return slice(first, last)


def packed(columns: Sequence[AnyArray]) -> list[bytes]:
    """The blocks of a stretch."""
    n = len(columns[0])
    cuts = [(i, min(i + shelves.BLOCK, n)) for i in range(0, n, shelves.BLOCK)]
    return [_packed(np.array([each[a:b] for each in columns], np.int64)) for a, b in cuts]


def _packed(numbers: Ints) -> bytes:
    """The first of each column and steps, the lowest bytes of all together: most are the same."""
    steps = np.diff(numbers, axis=1, prepend=0).view(np.uint8)
    return zlib.compress(np.ascontiguousarray(steps.reshape(-1, 8).T).tobytes(), 6)


def unpacked(data: bytes, columns: int, n: int) -> Ints:
    steps = np.frombuffer(zlib.decompress(data), np.uint8).reshape(8, columns * n)
    numbers = np.ascontiguousarray(steps.T).view(np.int64).reshape(columns, n)
    return np.cumsum(numbers, axis=1)
