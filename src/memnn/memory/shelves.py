"""Lists by number, kept in a memory in parts, of which a question reads those of its own numbers.

An index of a large memory is mostly lists, such as the turns that hold a word. They are kept in
segments, each of a stretch of the memory, and a segment lays its lists on shelves: some lists of
neighbouring numbers each. A process that opens the memory reads the heads of segments; which
numbers are on which shelf stands there. A segment may have blocks, too, of what is to be known of
each of its statements (`columns`). What was told after the last segment is read from the
memory, and becomes a segment when it is long enough. There are never more than a few segments: the
two neighbours that are smallest together become one.
"""

from __future__ import annotations

import json
import secrets
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from threading import Lock
from typing import Any, NamedTuple
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from memnn.errors import MemoryStoreError
from memnn.memory.protocol import Memory, PartsGone

Ints = NDArray[np.int64]
Places = NDArray[np.int32]
SEALED = 2_048
"""Statements that become a segment: so many are read in a moment."""
MOST = 8
"""Segments, and so the most shelves that hold a part of one list."""
ON_A_SHELF = 1_024
"""Entries of lists on one shelf; a long list goes on on the next one."""
BLOCK = 256
"""Statements of one block."""
MOST_READ = 4_000_000
"""Entries that a process holds of what it read."""
Marks = tuple[int, ...]


class Lists(NamedTuple):
    """The entries of lists, by the numbers of these and in order."""

    rows: Ints
    values: Places
    counts: Places

    def of(self, row: int) -> tuple[Places, Places]:
        a, b = self.rows.searchsorted([row, row + 1]).tolist()
        return self.values[a:b], self.counts[a:b]

    def joined(self, later: Lists) -> Lists:
        """With the lists of what was told after it behind its own."""
        both = joined([self, later])
        return both.at(np.argsort(both.rows, kind="stable"))

    def at(self, which: slice | Ints) -> Lists:
        return Lists(self.rows[which], self.values[which], self.counts[which])


NONE = Lists(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))


def joined(parts: Sequence[Lists]) -> Lists:
    """Entries one after the other."""
    rows, values, counts = zip(NONE, *parts, strict=True)
    return Lists(np.concatenate(rows), np.concatenate(values), np.concatenate(counts))


class Segment(NamedTuple):
    """A stretch of a memory."""

    name: str
    """What the names of its parts begin with."""
    marks: Marks
    """How far what is numbered goes at its end; the first is the number of statements."""


class Starts:
    """Where each shelf of a segment begins: a number, and a value of its list; and where the last
    one ends."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.rows, self.values = np.frombuffer(data, np.int64).reshape(2, -1)

    def __len__(self) -> int:
        return len(self.rows) - 1

    def holding(self, row: int, end: int | None = None) -> range:
        """The shelves that may hold values of a list, below `end` where it is given."""
        if not len(self) or row >= self.rows[-1]:
            return range(0)
        first, last = self.rows.searchsorted([row, row + 1]).tolist()
        if end is not None:
            last = first + int(self.values[first:last].searchsorted(end))
        return range(max(first - 1, 0), last)


class ShelvedLists:
    """The lists of some segments; it stays as it is when there are more."""

    def __init__(
        self, memory: Memory, segments: Sequence[tuple[Segment, Starts]], read: _Read
    ) -> None:
        self._memory, self.segments, self._read = ref(memory), tuple(segments), read

    def fetch(self, rows: Iterable[int]) -> None:
        """Read the lists of these numbers at once, where they were not read before."""
        self._fetch({name for row in rows for name in self._names(row)})

    def fetch_latest(self, rows: Iterable[int], end: int, k: int) -> None:
        """The same, as far as `latest` looks at them."""
        self._fetch({name for row in rows for name in self._names(row, end, k)})

    def of(self, row: int) -> tuple[Places, Places]:
        """The list of a number: its values and what is counted of each."""
        return self._list(row, self._names(row))

    def latest(self, row: int, end: int, k: int) -> Places:
        """The last k values of a list below `end`."""
        values = self._list(row, self._names(row, end, k))[0]
        last = int(values.searchsorted(end))
        return values[max(last - k, 0) : last]

    def _names(self, row: int, end: int | None = None, k: int = 0) -> list[str]:
        """The shelves that hold a list; with an end, those of the last k values below it."""
        names: list[str] = []
        for segment, starts in self.segments:
            shelves = starts.holding(row, end)
            some = shelves if end is None else shelves[-1 - -(-k // ON_A_SHELF) :]
            names += [f"{segment.name}/{shelf}" for shelf in some]
        return names

    def _list(self, row: int, names: list[str]) -> tuple[Places, Places]:
        found = [lists.of(row) for lists in self._fetch(names)]
        if len(found) == 1:
            return found[0]
        values, counts = ([NONE.values, *(each[i] for each in found)] for i in (0, 1))
        return np.concatenate(values), np.concatenate(counts)

    def _fetch(self, names: Iterable[str]) -> list[Lists]:
        found = {name: self._read.get(name) for name in names}
        missing = [name for name, lists in found.items() if lists is None]
        new = self._parts(missing) if missing else {}
        self._read.add(new)
        return [lists or new[name] for name, lists in found.items()]

    def all_of(self, number: int) -> Lists:
        """Everything in one segment."""
        segment, starts = self.segments[number]
        names = [f"{segment.name}/{shelf}" for shelf in range(len(starts))]
        parts = self._parts(names)
        return joined([parts[name] for name in names])

    def _parts(self, names: Sequence[str]) -> dict[str, Lists]:
        return {name: _unpacked(data) for name, data in self.parts(names).items()}

    def parts(self, names: Sequence[str]) -> dict[str, bytes]:
        """Parts of these segments by their names, read by one call or two."""
        memory = self._memory()
        if memory is None:
            raise MemoryStoreError("this memory is closed; open it again")
        found = memory.kept_parts(names)
        if len(found) < len(set(names)):
            self._read.gone = True
            raise PartsGone("what was kept of this memory was put in another order; try again")
        return found


class _Read:
    """Shelves that were read, those asked for last."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._shelves: OrderedDict[str, Lists] = OrderedDict()
        self._entries = 0
        self.gone = False
        """Whether something was looked for that is no longer there."""

    def get(self, name: str) -> Lists | None:
        with self._lock:
            if name in self._shelves:
                self._shelves.move_to_end(name)
            return self._shelves.get(name)

    def add(self, parts: dict[str, Lists]) -> None:
        with self._lock:
            for name, lists in parts.items():
                if name not in self._shelves:
                    self._entries += len(lists.rows)
                self._shelves[name] = lists
            while self._entries > MOST_READ and len(self._shelves) > len(parts):
                self._entries -= len(self._shelves.popitem(last=False)[1].rows)


class Shelves:
    """What is kept of one index of one memory, as long as nothing is deleted from it."""

    def __init__(self, memory: Memory, name: str, deletions: int) -> None:
        self._memory, self._name, self._deletions = ref(memory), name, deletions
        self._read = _Read()
        self._seen: list[Segment] = []
        self.lists = ShelvedLists(memory, (), self._read)

    @property
    def hold(self) -> bool:
        """False once parts were looked for that another process has put in another order."""
        return not self._read.gone

    def open(self, memory: Memory) -> list[bytes]:
        """The heads of what was kept, in order."""
        segments = self._seen = self._kept(memory)
        names = [f"{s.name}/{part}" for s in segments for part in ("head", "starts")]
        parts = memory.kept_parts(names) if names else {}
        try:
            starts = [Starts(parts[f"{s.name}/starts"]) for s in segments]
        except (KeyError, ValueError):
            return []
        self.lists = ShelvedLists(memory, list(zip(segments, starts, strict=True)), self._read)
        return [parts.get(f"{s.name}/head", b"") for s in segments]

    def empty(self, memory: Memory) -> None:
        """Leave out what was kept: the next segment takes its place."""
        self.lists = ShelvedLists(memory, (), self._read)

    def _kept(self, memory: Memory) -> list[Segment]:
        data = memory.kept(self._name)
        try:
            about = [] if data is None else json.loads(data)
            return [Segment(str(name), tuple(map(int, marks))) for name, marks in about]
        except (ValueError, TypeError):
            return []

    def add(
        self,
        lists: Lists,
        marks: Marks,
        head: Callable[[Marks, Marks], bytes],
        blocks: Callable[[Marks, Marks], Sequence[bytes]] | None = None,
    ) -> bool:
        """Keep the lists of what was told until these marks; `head` makes the head of a stretch,
        `blocks` its blocks.

        False where another process did so meanwhile: its numbers may be others.
        """
        memory = self._memory()
        before = [segment for segment, _ in self.lists.segments]
        if memory is None or self._kept(memory) != self._seen:
            return False
        new = _named(marks)
        segments, made = [*before, new], {new.name: lists}
        while len(segments) > MOST:
            self._merge(segments, made)
        beginnings: list[Marks] = [(), *(segment.marks for segment in segments)]
        parts: dict[str, bytes] = {}
        starts = {segment.name: first for segment, first in self.lists.segments}
        for segment, first in zip(segments, beginnings, strict=False):
            if segment.name in made:
                starts[segment.name], shelves = _laid_out(made[segment.name])
                parts[f"{segment.name}/head"] = head(first, segment.marks)
                parts[f"{segment.name}/starts"] = starts[segment.name].data
                parts |= {f"{segment.name}/{i}": data for i, data in enumerate(shelves)}
                more = () if blocks is None else blocks(first, segment.marks)
                parts |= {block_name(segment, i): data for i, data in enumerate(more)}
        memory.keep_parts(self._name, parts, self._deletions)
        about = json.dumps(segments, separators=(",", ":")).encode()
        memory.keep(self._name, about, self._deletions)
        if self._kept(memory) != segments:
            return False
        self._seen = segments
        names = list(self._names_of_all(in_blocks=blocks is not None))
        self.lists = ShelvedLists(memory, [(s, starts[s.name]) for s in segments], self._read)
        kept = {segment.name for segment in segments}
        with suppress(MemoryStoreError):
            memory.drop_parts([name for name in names if name.partition("/")[0] not in kept])
        return True

    def _names_of_all(self, *, in_blocks: bool) -> Iterator[str]:
        """The names of all parts there are."""
        begin = 0
        for segment, starts in self.lists.segments:
            yield from (f"{segment.name}/{part}" for part in ("head", "starts"))
            yield from (f"{segment.name}/{shelf}" for shelf in range(len(starts)))
            blocks = -(-(segment.marks[0] - begin) // BLOCK) if in_blocks else 0
            yield from (block_name(segment, i) for i in range(blocks))
            begin = segment.marks[0]

    def _merge(self, segments: list[Segment], made: dict[str, Lists]) -> None:
        """Make one of two neighbours."""
        ends = [0, *(segment.marks[0] for segment in segments)]
        at = min(range(len(segments) - 1), key=lambda i: ends[i + 2] - ends[i])
        old = {segment.name: i for i, (segment, _) in enumerate(self.lists.segments)}
        first, second = (
            made.pop(s.name) if s.name in made else self.lists.all_of(old[s.name])
            for s in segments[at : at + 2]
        )
        both = _named(segments[at + 1].marks)
        made[both.name] = first.joined(second)
        segments[at : at + 2] = [both]


def _named(marks: tuple[int, ...]) -> Segment:
    return Segment(secrets.token_hex(8), marks)


def block_name(segment: Segment, number: int) -> str:
    return f"{segment.name}/block {number}"


@lru_cache(65_536)
def key_of(word: str) -> int:
    """The number of a word, the same in every process; two words almost never have the same one,
    and nothing else is numbered as high."""
    digest = blake2b(word.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 2 | 2**61


def _laid_out(lists: Lists) -> tuple[Starts, list[bytes]]:
    """Where each shelf begins, and the shelves."""
    cuts = [*range(0, len(lists.rows), ON_A_SHELF), len(lists.rows)]
    firsts = lists.at(np.array(cuts[:-1], np.int64))
    end = int(lists.rows[-1]) + 1 if len(lists.rows) else 0
    starts = np.array([[*firsts.rows, end], [*firsts.values, 0]], np.int64)
    shelves = [_packed(lists.at(slice(a, b))) for a, b in pairwise(cuts)]
    return Starts(starts.tobytes()), shelves


def _packed(lists: Lists) -> bytes:
    rows, values = (np.diff(each, prepend=0) for each in lists[:2])
    about = np.array([values, lists.counts], np.int32)
    return zlib.compress(rows.astype(np.int64).tobytes() + about.tobytes(), 1)


def _unpacked(data: bytes) -> Lists:
    whole = zlib.decompress(data)
    rows = np.frombuffer(whole[: len(whole) // 2], np.int64)
    values, counts = np.frombuffer(whole[len(whole) // 2 :], np.int32).reshape(2, -1)
    return Lists(np.cumsum(rows, dtype=np.int64), np.cumsum(values, dtype=np.int32), counts)


def packed_head(about: Any, ids: Ints) -> bytes:
    """What is to be known of a stretch, as JSON, and the ids of its statements: where each run of
    ids that follow each other begins, and how long it is."""
    text = json.dumps(about, separators=(",", ":")).encode()
    begins = np.flatnonzero(np.diff(ids, prepend=-1) != 1)
    sizes = np.diff(begins, append=len(ids))
    runs = np.array([np.diff(ids[begins], prepend=0), sizes], np.int64).tobytes()
    return zlib.compress(len(text).to_bytes(8, "big") + text + runs, 1)


def unpacked_head(data: bytes) -> tuple[Any, Ints] | None:
    """None where it is no head."""
    try:
        whole = zlib.decompress(data)
        end = 8 + int.from_bytes(whole[:8], "big")
        first, sizes = np.frombuffer(whole[end:], np.int64).reshape(2, -1)
        behind = np.cumsum(sizes) - sizes
        ids = np.arange(int(sizes.sum())) + np.repeat(np.cumsum(first) - behind, sizes)
        return json.loads(whole[8:end]), ids
    except (ValueError, zlib.error):
        return None
