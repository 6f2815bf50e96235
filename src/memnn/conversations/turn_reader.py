"""Reads the index of a memory's turns as the memory grows, and lets it keep what was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.conversations import stretch
from memnn.conversations.index import (
    NEVER,
    Entries,
    Ints,
    NewEntries,
    TurnIndex,
    as_text,
    form_of,
    lemmas_of,
    micros,
    packed,
    spans,
)
from memnn.conversations.kept import LEAST_KEPT, NAME, SHARE_UNKEPT, Kept, pack, unpack
from memnn.conversations.layout import NOBODY, TurnLayouts
from memnn.conversations.meanings import Meanings
from memnn.errors import MemoryStoreError
from memnn.memory import Memory, columns
from memnn.memory.columns import Column, FarColumn, FarColumns
from memnn.memory.follow import Cache
from memnn.memory.growing import Growing
from memnn.memory.shelves import SEALED, Lists, Marks, ShelvedLists, Shelves, key_of
from memnn.text.tokens import words_1
from memnn.types import Slot, Turn

BATCH = 100_000
"""Turns that are read at once."""
LEAST_JOINED, SHARE_JOINED = 4_096, 4
"""New entries that are joined to the old: so many, or a quarter of those."""
MANY = 2_000
"""Fewer turns than this are quicker read one by one."""

NO_ENTRIES = Entries(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))


class TurnReader(Cache[TurnIndex]):
    """Reads turns, their speakers and times as a memory grows."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._told: list[str] = []
        self._meant: list[str] = []
        self._looked = 0
        self._forms: dict[str, tuple[int, ...]] = {}
        self._shelves: Shelves | None = None
        self._shelved: ShelvedLists | None = None
        self._old, self._new = NO_ENTRIES, NewEntries({}, {})
        self._waiting = 0
        self._ids, self._words, self._said = (Growing(np.int64) for _ in range(3))
        self._speaker, self._session, self._sizes, self._put = _four()
        self._far: FarColumns | None = None
        self._total = 0
        self._meanings, self._layouts = Meanings(), TurnLayouts()
        self._speakers: dict[str, int] = {}
        self._named: dict[str, list[int]] = {}
        self._sessions: dict[str, int] = {}
        self._meta: dict[tuple[str, str], list[int]] = {}
        self._unkept = self._deletions = 0

    def begin(self, memory: Memory) -> int:
        """Take up what was kept, if it is of this memory as it is."""
        last_id, self._deletions = memory.changes()
        if memory.keeps_parts:
            return self._begin_in_parts(memory, last_id)
        data = memory.kept(NAME) if memory.lasts else None
        kept = None if data is None else unpack(data)
        if kept is None or memory.changes().deletions != self._deletions:
            return 0
        ids = kept.arrays["ids"]
        if not len(ids) or ids[-1] > last_id:
            return 0
        self._take_up(kept)
        return int(ids[-1])

    def _begin_in_parts(self, memory: Memory, last_id: int) -> int:
        self._shelves = Shelves(memory, stretch.name_in_parts(), self._deletions)
        heads = [stretch.unpacked(data) for data in self._shelves.open(memory)]
        found = [head for head in heads if head is not None]
        there = bool(found) and len(found) == len(heads) and found[-1].ids[-1] <= last_id
        if not there or memory.changes().deletions != self._deletions:
            self._shelves.empty(memory)
            return 0
        for head in found:
            self._ids.extend(head.ids)
            for word in head.words:
                self._row(word)
            self._take_up_names(head.speakers, head.sessions, head.meta)
            self._total = head.total
        self._looked, self._meant = len(self._told), list(self._told)
        self._shelved = self._shelves.lists
        kinds = {name: each.dtype for name, each in self._tail().items()}
        self._far = FarColumns.unread(self._shelved, kinds)
        return int(self._ids.values[-1])

    def _tail(self) -> dict[str, NDArray[Any]]:
        """What is known of each turn that is not kept in parts, by the names that blocks have."""
        grown = self._words, self._sizes, self._speaker, self._session, self._put, self._said
        return {name: each.values for name, each in zip(stretch.COLUMNS, grown, strict=True)}

    def _columns(self) -> list[Column]:
        """The same of all turns."""
        tail = self._tail()
        if self._far is None:
            return list(tail.values())
        return [FarColumn(self._far, name, values) for name, values in tail.items()]

    def _take_up(self, kept: Kept) -> None:
        a = kept.arrays
        for word in kept.words:
            self._row(word)
        counts = a["counts"].astype(np.int32)
        self._old = Entries(a["ptr"].astype(np.int64), a["places"].astype(np.int32), counts)
        self._ids.extend(a["ids"])
        self._take_sizes(a["lengths"])
        self._said.extend(a["said"])
        self._speaker.extend(a["speaker"])
        self._session.extend(a["session"])
        self._put.extend(a["form"])
        self._take_up_names(kept.speakers, kept.sessions, kept.meta)

    def _take_up_names(
        self, speakers: Iterable[str], sessions: Iterable[str],
        meta: Iterable[tuple[str, str, Sequence[int]]],
    ) -> None:  # fmt: skip
        for name in speakers:
            self._who(name)
        for name in sessions:
            _number(self._sessions, name)
        for key, value, places in meta:
            self._meta.setdefault((key, value), []).extend(places)

    def keep(self, memory: Memory) -> None:
        """Let the memory keep it, unless something was deleted since it began."""
        self._join_new()
        self._unkept = 0
        with suppress(MemoryStoreError):  # one that may only be read is read again next time
            if self._shelves is None:
                memory.keep(NAME, pack(self._whole()), self._deletions)
                return
            if self._shelves.add(self._lists(), self._marks(), self._head, self._blocks):
                self._shelved, self._old = self._shelves.lists, NO_ENTRIES
                self._far = self._all_far(self._shelved)
                self._words, self._said = Growing(np.int64), Growing(np.int64)
                self._speaker, self._session, self._sizes, self._put = _four()

    def _all_far(self, lists: ShelvedLists) -> FarColumns:
        """Once all is kept in parts."""
        tail = self._tail()
        if self._far is not None:
            return self._far.grown(lists, tail)
        return FarColumns(lists, tail, np.ones(len(self._ids.values), np.bool_))

    def _lists(self) -> Lists:
        """What is not kept in parts yet, by the numbers that words have there."""
        held = np.flatnonzero(np.diff(self._old.ptr))
        keys = np.array([key_of(self._told[row]) for row in held.tolist()], np.int64)
        rows = np.repeat(keys, np.diff(self._old.ptr)[held])
        since = 0 if self._far is None else len(self._far)
        counts = packed(self._old.counts, self._sizes.values[self._old.places - since])
        return Lists(rows, self._old.places, counts).at(np.argsort(rows, kind="stable"))

    def _marks(self) -> Marks:
        """How many turns, lemmas with a meaning, speakers and sessions there are."""
        self._meant += stretch.meant(self._told[self._looked :])
        self._looked = len(self._told)
        return len(self._ids.values), len(self._meant), len(self._speakers), len(self._sessions)

    def _head(self, first: Marks, last: Marks) -> bytes:
        """What is new between two marks."""
        turns, words, speakers, sessions = map(slice, first or (0, 0, 0, 0), last)
        meta = [
            (key, value, [p for p in places if turns.start <= p < turns.stop])
            for (key, value), places in self._meta.items()
        ]
        return stretch.TurnStretch(
            self._ids.values[turns], int(self._columns()[0][last[0] - 1]), self._meant[words],
            list(self._speakers)[speakers], list(self._sessions)[sessions],
            [each for each in meta if each[2]],
        ).packed()  # fmt: skip

    def _blocks(self, first: Marks, last: Marks) -> list[bytes]:
        """What is kept of each turn between two marks."""
        turns = slice(first[0] if first else 0, last[0])
        return columns.packed([column[turns] for column in self._columns()])

    def _whole(self) -> Kept:
        lists = self._old
        most = int(lists.counts.max(initial=0))
        arrays: dict[str, NDArray[Any]] = {
            "ptr": lists.ptr, "places": lists.places,
            "counts": lists.counts.astype(np.uint8 if most < 256 else np.int32),
            "ids": self._ids.values, "lengths": self._sizes.values,
            "said": self._said.values, "speaker": self._speaker.values,
            "session": self._session.values, "form": self._put.values.astype(np.uint8),
        }  # fmt: skip
        meta = [(key, value, places) for (key, value), places in self._meta.items()]
        return Kept(arrays, list(self._rows), list(self._speakers), list(self._sessions), meta)

    def read_on(self, memory: Memory, after: int) -> int:
        slots = memory.scan(after)
        while batch := list(islice(slots, BATCH)):
            self._take(batch)
            after = batch[-1].id
            self._unkept += len(batch)
            if self._shelves is not None and self._unkept >= SEALED:
                self.keep(memory)
        enough = max(LEAST_KEPT, len(self._ids.values) // SHARE_UNKEPT)
        if self._shelves is None and self._unkept > enough and memory.lasts:
            self.keep(memory)
        return after

    def holds(self) -> bool:
        return self._shelves is None or self._shelves.hold

    def view(self) -> TurnIndex:
        words, sizes, speaker, session, form, said = self._columns()
        return TurnIndex(
            self._shelved, self._far, self._old, self._new, self._rows, self._told,
            self._ids.values, self._total, words, sizes, speaker, session, form, said,
            self._speakers, self._named, self._sessions, self._meta, self._meanings, self._layouts,
        )  # fmt: skip

    def _take_sizes(self, sizes: Sequence[int] | Ints) -> None:
        """How many words the next turns have."""
        self._words.extend(self._total + np.cumsum(sizes, dtype=np.int64))
        self._sizes.extend(sizes)
        self._total += int(np.sum(sizes))

    def _take(self, slots: list[Slot]) -> None:
        first = len(self._ids.values)
        texts = [s.text if s.speaker is None else f"{s.speaker}: {s.text}" for s in slots]
        lengths = (self._many if len(slots) >= MANY else self._few)(texts, first)
        self._take_sizes(lengths)
        self._put.extend([form_of(slot.text) for slot in slots])
        self._take_turns([slot.turn or Turn() for slot in slots], first)
        self._ids.extend([slot.id for slot in slots])
        if self._waiting > max(LEAST_JOINED, len(self._old.places) // SHARE_JOINED):
            self._join_new()

    def _few(self, texts: list[str], first: int) -> list[int]:
        """The words of these texts, one by one; how many each has."""
        lengths = []
        for place, text in enumerate(texts, start=first):
            counts = Counter(row for word in words_1(text) for row in self._form(word))
            lengths.append(counts.total())
            self._append(place, counts)
        return lengths

    def _many(self, texts: list[str], first: int) -> Ints:
        """The same, for many texts at once."""
        from memnn.text.pages import Page  # brings numba, which few texts are not worth

        page = Page("".join([text + "\0" for text in texts]))
        forms = [self._form(word) for word in page.vocabulary]
        sizes = np.array([len(form) for form in forms], np.int64)
        flat = np.array([row for form in forms for row in form], np.int64)
        starts, each = np.cumsum(sizes) - sizes, sizes[page.words]
        rows = flat[spans(starts[page.words], each)]
        place = np.repeat(np.repeat(np.arange(len(texts)), np.diff(page.ptr)), each)
        keys, counts = np.unique(rows * len(texts) + place, return_counts=True)
        if len(keys):
            self._join_new()
            held, often = np.unique(keys // len(texts), return_counts=True)
            self._join(held, often, keys % len(texts) + first, counts)
        return np.bincount(place, minlength=len(texts))

    def _append(self, place: int, counts: Mapping[int, int]) -> None:
        places, often = self._new
        for row, count in counts.items():
            if row in places:
                often[row].append(count)  # first, since a reader takes as many as there are places
                places[row].append(place)
            else:
                often[row] = [count]
                places[row] = [place]
        self._waiting += len(counts)

    def _take_turns(self, turns: list[Turn], first: int) -> None:
        self._speaker.extend([self._who(turn.speaker) for turn in turns])
        self._session.extend([_number(self._sessions, turn.session) for turn in turns])
        self._said.extend([NEVER if t.said is None else _said(t.said) for t in turns])
        for place, turn in enumerate(turns, start=first):
            for key, value in (turn.meta or {}).items():
                self._meta.setdefault((key, as_text(value)), []).append(place)

    def _who(self, name: str | None) -> int:
        """The number of a speaker, who is found by name from now on."""
        before = len(self._speakers)
        number = _number(self._speakers, name)
        if name is not None and number == before:
            for form in {form for word in words_1(name) for form in lemmas_of(word)}:
                self._named.setdefault(form, []).append(number)
        return number

    def _form(self, word: str) -> tuple[int, ...]:
        """The rows of a word's lemmas: one, unless a hyphen joins several."""
        rows = self._forms.get(word)
        if rows is None:
            rows = self._forms[word] = tuple(map(self._row, lemmas_of(word)))
        return rows

    def _row(self, lemma: str) -> int:
        row = self._rows.get(lemma)
        if row is None:
            row = len(self._told)
            self._told.append(lemma)  # first: others may be looking
            self._rows[lemma] = row
        return row

    def _join_new(self) -> None:
        """Put the lists that grew behind the old ones."""
        places, counts = self._new
        if places:
            rows = sorted(places)
            sizes = np.array([len(places[row]) for row in rows], np.int64)
            n = int(sizes.sum())
            flat = np.fromiter((place for row in rows for place in places[row]), np.int64, n)
            often = np.fromiter((count for row in rows for count in counts[row]), np.int64, n)
            self._join(np.array(rows, np.int64), sizes, flat, often)
        self._new, self._waiting = NewEntries({}, {}), 0

    def _join(self, rows: Ints, sizes: Ints, places: Ints, counts: Ints) -> None:
        """Put lists behind the old ones; whoever has a view keeps those as they were."""
        width = max(len(self._old.ptr) - 1, 1 + int(rows[-1]))
        before = np.zeros(width, np.int64)
        before[: len(self._old.ptr) - 1] = np.diff(self._old.ptr)
        after = before.copy()
        after[rows] += sizes
        ptr = np.zeros(width + 1, np.int64)
        np.cumsum(after, out=ptr[1:])
        here, there = spans(ptr[:-1], before), spans((ptr[:-1] + before)[rows], sizes)
        joined = []
        for old, new in ((self._old.places, places), (self._old.counts, counts)):
            out = np.empty(int(ptr[-1]), np.int32)
            out[here], out[there] = old, new
            joined.append(out)
        self._old = Entries(ptr, *joined)


def _four() -> Iterator[Growing]:
    return (Growing(np.int32) for _ in range(4))


def _said(text: str) -> int:
    return micros(datetime.fromisoformat(text))


def _number(numbers: dict[str, int], name: str | None) -> int:
    return NOBODY if name is None else numbers.setdefault(name, len(numbers))
