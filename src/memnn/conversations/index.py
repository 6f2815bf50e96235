"""Which words stand in which turns of a memory: inverted lists that follow it.

A turn has a *place*, its number in write order. Lists have an old part in one array and a new one
that grows turn by turn; once the new part is large, the two are joined. A view is of the first n
places: what is told later is behind its end.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.conversations.kept import LEAST_KEPT, NAME, SHARE_UNKEPT, Kept, pack, unpack
from memnn.conversations.layout import (
    ASKS,
    ENDS_ASKING,
    FIRST_PERSON,
    NOBODY,
    SECOND_PERSON,
    TurnLayouts,
)
from memnn.conversations.meanings import Meanings
from memnn.errors import MemoryStoreError
from memnn.memory import Memory
from memnn.memory.follow import Cache
from memnn.memory.growing import Growing
from memnn.text.lemmas import closer_lemma
from memnn.text.tokens import words_1
from memnn.types import Slot, Turn

Ints = NDArray[np.int64]
Places = NDArray[np.int32]

BATCH = 100_000
"""Turns that are read at once."""
LEAST_JOINED, SHARE_JOINED = 4_096, 4
"""New entries that are joined to the old: so many, or a quarter of those."""
MANY = 2_000
"""Fewer turns than this are quicker read one by one."""
NEVER = -(2**63)
"""When a turn was said that does not say so."""
_FIRST, _SECOND = {"i", "me", "my", "mine", "we", "us", "our"}, {"you", "your", "yours"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PARTS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # hyphens separate: "Mount-Doom" is two words


_NONE = np.zeros(0, np.int32), np.zeros(0, np.int32)


class Entries(NamedTuple):
    """The lists of all words behind each other; that of a row is places[ptr[row]:ptr[row + 1]]."""

    ptr: Ints
    places: Places
    counts: Places
    """How often the word stands in the turn."""


class NewEntries(NamedTuple):
    """Lists that still grow, by row."""

    places: dict[int, list[int]]
    counts: dict[int, list[int]]


def micros(moment: datetime) -> int:
    """Microseconds since 1970: times that compare as numbers."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


class TurnIndex(NamedTuple):
    """A memory as it was after so many turns. Lists may hold newer ones: cut them at the end."""

    old: Entries
    new: NewEntries
    rows: Mapping[str, int]
    """The row of each lemma."""
    ids: Ints
    words: Ints
    """How many words all turns before a place have; one more than there are turns."""
    sizes: Places
    """How many words each turn has."""
    speaker: Places
    """Who said each turn, a number of `speakers`."""
    session: Places
    form: Places
    """How each turn is put: the sum of `ASKS`, `ENDS_ASKING`, `FIRST_PERSON`, `SECOND_PERSON`."""
    said: Ints
    """When each turn was said, in microseconds since 1970, or `NEVER`."""
    speakers: Mapping[str, int]
    named: Mapping[str, Sequence[int]]
    """The speakers whose names hold a lemma."""
    sessions: Mapping[str, int]
    meta: Mapping[tuple[str, str], Sequence[int]]
    """The places of each key with its value, as JSON."""
    meanings: Meanings
    """Which of these words are near to others."""
    layouts: TurnLayouts

    def __len__(self) -> int:
        return len(self.ids)

    def list_of(self, row: int, end: int) -> tuple[Places, Places]:
        """The turns before `end` that hold a word, in order, and how often each does."""
        found = _NONE
        if row + 1 < len(self.old.ptr):
            a, b = self.old.ptr[row : row + 2].tolist()
            found = self.old.places[a:b], self.old.counts[a:b]
        if row in self.new.places:
            places = np.array(self.new.places[row], np.int32)
            counts = np.array(self.new.counts[row][: len(places)], np.int32)
            found = _joined(found, (places, counts)) if len(found[0]) else (places, counts)
        if len(found[0]) and found[0][-1] >= end:
            n = int(found[0].searchsorted(end))
            return found[0][:n], found[1][:n]
        return found

    def lists_of(self, rows: Ints, end: int) -> tuple[Ints, Ints]:
        """The turns before `end` that hold these words, one list behind the other, and how many
        each has."""
        listed, new = self.old.ptr, self.new.places
        if (
            end < len(self)
            or rows.max(initial=-1) + 1 >= len(listed)
            or any(row in new for row in rows.tolist())
        ):
            lists = [self.list_of(row, end)[0] for row in rows.tolist()]
            sizes = np.array([len(each) for each in lists], np.int64)
            return np.concatenate([_NONE[0], *lists]).astype(np.int64), sizes
        starts = listed[rows]
        sizes = listed[rows + 1] - starts
        return self.old.places[_spans(starts, sizes)].astype(np.int64), sizes

    def lengths(self, places: Ints) -> NDArray[np.float64]:
        """How many words these turns have."""
        return self.sizes[places].astype(np.float64)


class TurnReader(Cache[TurnIndex]):
    """Reads turns, their speakers and times as a memory grows."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._forms: dict[str, tuple[int, ...]] = {}
        empty = np.zeros(0, np.int32)
        self._old, self._new = Entries(np.zeros(1, np.int64), empty, empty), NewEntries({}, {})
        self._waiting = 0
        self._ids, self._words, self._said = (Growing(np.int64) for _ in range(3))
        self._speaker, self._session, self._sizes = (Growing(np.int32) for _ in range(3))
        self._put = Growing(np.int32)
        self._meanings, self._layouts = Meanings(), TurnLayouts()
        self._words.extend([0])
        self._speakers: dict[str, int] = {}
        self._named: dict[str, list[int]] = {}
        self._sessions: dict[str, int] = {}
        self._meta: dict[tuple[str, str], list[int]] = {}
        self._unkept = self._deletions = 0

    def begin(self, memory: Memory) -> int:
        """Take up what was kept, if it is of this memory as it is."""
        last_id, self._deletions = memory.changes()
        data = memory.kept(NAME) if memory.lasts else None
        found = None if data is None else unpack(data)
        if found is None or memory.changes().deletions != self._deletions:
            return 0
        ids = found.arrays["ids"]
        if not len(ids) or ids[-1] > last_id:
            return 0
        self._take_up(found)
        return int(ids[-1])

    def _take_up(self, kept: Kept) -> None:
        a = kept.arrays
        self._rows = {word: row for row, word in enumerate(kept.words)}
        counts = a["counts"].astype(np.int32)
        self._old = Entries(a["ptr"].astype(np.int64), a["places"].astype(np.int32), counts)
        self._ids.extend(a["ids"])
        self._words.extend(np.cumsum(a["lengths"], dtype=np.int64))
        self._sizes.extend(a["lengths"])
        self._said.extend(a["said"])
        self._speaker.extend(a["speaker"])
        self._session.extend(a["session"])
        self._put.extend(a["form"])
        for name in kept.speakers:
            self._who(name)
        self._sessions = {name: n for n, name in enumerate(kept.sessions)}
        self._meta = {(key, value): list(places) for key, value, places in kept.meta}

    def keep(self, memory: Memory) -> None:
        """Let the memory keep it, unless something was deleted since it began."""
        self._join_new()
        most = int(self._old.counts.max(initial=0))
        arrays: dict[str, NDArray[Any]] = {
            "ptr": self._old.ptr, "places": self._old.places,
            "counts": self._old.counts.astype(np.uint8 if most < 256 else np.int32),
            "ids": self._ids.values, "lengths": self._sizes.values,
            "said": self._said.values, "speaker": self._speaker.values,
            "session": self._session.values, "form": self._put.values.astype(np.uint8),
        }  # fmt: skip
        meta = [(key, value, places) for (key, value), places in self._meta.items()]
        names = list(self._rows), list(self._speakers), list(self._sessions)
        with suppress(MemoryStoreError):  # one that may only be read is read again next time
            memory.keep(NAME, pack(Kept(arrays, *names, meta)), self._deletions)
        self._unkept = 0

    def read_on(self, memory: Memory, after: int) -> int:
        slots = memory.scan(after)
        while batch := list(islice(slots, BATCH)):
            self._take(batch)
            after = batch[-1].id
            self._unkept += len(batch)
        enough = max(LEAST_KEPT, len(self._ids.values) // SHARE_UNKEPT)
        if self._unkept > enough and memory.lasts:
            self.keep(memory)
        return after

    def view(self) -> TurnIndex:
        return TurnIndex(
            self._old, self._new, self._rows, self._ids.values, self._words.values,
            self._sizes.values,
            self._speaker.values, self._session.values, self._put.values, self._said.values,
            self._speakers, self._named, self._sessions, self._meta,
            self._meanings, self._layouts,
        )  # fmt: skip

    def _take(self, slots: list[Slot]) -> None:
        first = len(self._ids.values)
        texts = [s.text if s.speaker is None else f"{s.speaker}: {s.text}" for s in slots]
        lengths = (self._many if len(slots) >= MANY else self._few)(texts, first)
        self._words.extend(self._words.values[-1] + np.cumsum(lengths))
        self._sizes.extend(lengths)
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
        rows = flat[_spans(starts[page.words], each)]
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
            rows = tuple(self._rows.setdefault(w, len(self._rows)) for w in lemmas_of(word))
            self._forms[word] = rows
        return rows

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
        here, there = _spans(ptr[:-1], before), _spans((ptr[:-1] + before)[rows], sizes)
        joined = []
        for old, new in ((self._old.places, places), (self._old.counts, counts)):
            out = np.empty(int(ptr[-1]), np.int32)
            out[here], out[there] = old, new
            joined.append(out)
        self._old = Entries(ptr, *joined)


def lemmas_of(word: str) -> list[str]:
    """A word's lemma, or those of the words in it."""
    return [form for part in _PARTS.findall(word) if (form := closer_lemma(part))]


def form_of(text: str) -> int:
    """Whether a turn asks, and speaks of who says it or of who hears it."""
    form = ASKS * ("?" in text) + ENDS_ASKING * text.rstrip().endswith("?")
    said = {word.replace("’", "'").split("'")[0] for word in words_1(text)}
    persons = (FIRST_PERSON, _FIRST), (SECOND_PERSON, _SECOND)
    return form + sum(bit for bit, words in persons if not said.isdisjoint(words))


def as_text(value: Any) -> str:
    """A value of somebody's JSON, the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _said(text: str) -> int:
    return micros(datetime.fromisoformat(text))


def _number(numbers: dict[str, int], name: str | None) -> int:
    return NOBODY if name is None else numbers.setdefault(name, len(numbers))


def _spans(starts: Ints, sizes: Ints) -> Ints:
    """The numbers start, start + 1, … of each start, as many as its size."""
    behind = np.cumsum(sizes) - sizes
    spans: Ints = np.arange(int(sizes.sum())) + np.repeat(starts - behind, sizes)
    return spans


def _joined(old: tuple[Places, Places], new: tuple[Places, Places]) -> tuple[Places, Places]:
    return np.concatenate([old[0], new[0]]), np.concatenate([old[1], new[1]])
