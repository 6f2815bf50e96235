"""Which words stand in which turns of a memory: inverted lists that follow it.

A turn has a *place*, its number in write order. Lists have an old part in one array and a new one
that grows turn by turn; once the new part is large, the two are joined. A view is of the first n
places: what is told later is behind its end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.conversations.layout import (
    ASKS,
    ENDS_ASKING,
    FIRST_PERSON,
    SECOND_PERSON,
    TIMED,
    TurnLayouts,
)
from memnn.conversations.meanings import Meanings
from memnn.memory.columns import Column, FarColumns
from memnn.memory.shelves import ShelvedLists, key_of
from memnn.text.lemmas import closer_lemma
from memnn.text.time_words import single_words
from memnn.text.tokens import words_1

Ints = NDArray[np.int64]
Places = NDArray[np.int32]

NEVER = -(2**63)
"""When a turn was said that does not say so."""
_FIRST, _SECOND = {"i", "me", "my", "mine", "we", "us", "our"}, {"you", "your", "yours"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PARTS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # hyphens separate: "Mount-Doom" is two words


class Held(NamedTuple):
    """The turns that hold a lemma, in order."""

    places: Places
    counts: Places
    """How often it stands in each."""
    sizes: Places | None
    """How many words each has, where that is kept beside it."""

    def until(self, end: int) -> Held:
        """Those before `end`."""
        if not len(self.places) or self.places[-1] < end:
            return self
        n = int(self.places.searchsorted(end))
        sizes = None if self.sizes is None else self.sizes[:n]
        return Held(self.places[:n], self.counts[:n], sizes)


NOBODY_HOLDS = Held(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int32))
COUNTED = 15
"""Bits for how often a lemma stands in a turn; a text is not so long that it needs more."""


def packed(counts: Places, sizes: Places) -> Places:
    """How often a lemma stands in turns, and how many words they have, as one number each."""
    return counts + (sizes << COUNTED)


def _unpacked(places: Places, both: Places) -> Held:
    return Held(places, both & (1 << COUNTED) - 1, both >> COUNTED)


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

    shelved: ShelvedLists | None
    """The lists of what was told first, where a memory keeps them in parts …"""
    far: FarColumns | None
    """… and the numbers of these turns."""
    old: Entries
    new: NewEntries
    rows: Mapping[str, int]
    """The row of each lemma; of what is kept in parts, of those that have a meaning."""
    told: Sequence[str]
    """The lemmas by their rows."""
    ids: Ints
    total: int
    """How many words all turns have together."""
    words: Column
    """How many words all turns until each one have, it included."""
    sizes: Column
    """How many words each turn has."""
    speaker: Column
    """Who said each turn, a number of `speakers`."""
    session: Column
    form: Column
    """How each turn is put, see `form_of`."""
    said: Column
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

    def fetch(self, words: Iterable[str]) -> None:
        """Have the lists of these lemmas at hand: those that are kept in parts are read at once."""
        if self.shelved is not None:
            self.shelved.fetch(map(key_of, words))

    def fetch_rows(self, rows: Iterable[int]) -> None:
        """The same by their rows."""
        self.fetch(self.told[row] for row in rows)

    def fetch_turns(self, places: Ints) -> None:
        """Have the numbers of these turns at hand, and of those near them."""
        if self.far is not None:
            self.far.have(np.concatenate([places + offset for offset in range(-2, 3)]))

    def words_until(self, end: int) -> int:
        """How many words the first `end` turns have together."""
        if end == len(self):
            return self.total
        return int(self.words[end - 1]) if end else 0

    def list_of(self, row: int, end: int) -> Held:
        """The turns before `end` that hold a lemma, by its row."""
        return self.held_by(self.told[row], end)

    def held_by(self, word: str, end: int) -> Held:
        """The turns before `end` that hold a lemma."""
        found = NOBODY_HOLDS if self.shelved is None else _unpacked(*self.shelved.of(key_of(word)))
        row = self.rows.get(word)
        if row is None:
            return found.until(end)
        if row + 1 < len(self.old.ptr):
            a, b = self.old.ptr[row : row + 2].tolist()
            found = self._joined(found, self.old.places[a:b], self.old.counts[a:b])
        if row in self.new.places:
            places = np.array(self.new.places[row], np.int32)
            counts = np.array(self.new.counts[row][: len(places)], np.int32)
            found = self._joined(found, places, counts)
        return found.until(end)

    def _joined(self, before: Held, places: Places, counts: Places) -> Held:
        """With what was told later, which is in RAM."""
        if not len(before.places) and self.shelved is None:
            return Held(places, counts, None)
        sizes = None
        if self.shelved is not None and before.sizes is not None:
            sizes = np.concatenate([before.sizes, self.sizes[places]])
        return Held(
            np.concatenate([before.places, places]), np.concatenate([before.counts, counts]), sizes
        )

    def lists_of(self, rows: Ints, end: int) -> tuple[Ints, Ints]:
        """The turns before `end` that hold these words, one list behind the other, and how many
        each has."""
        listed, new = self.old.ptr, self.new.places
        if (
            self.shelved is not None
            or end < len(self)
            or rows.max(initial=-1) + 1 >= len(listed)
            or any(row in new for row in rows.tolist())
        ):
            lists = [self.list_of(row, end).places for row in rows.tolist()]
            sizes = np.array([len(each) for each in lists], np.int64)
            return np.concatenate([NOBODY_HOLDS.places, *lists]).astype(np.int64), sizes
        starts = listed[rows]
        sizes = listed[rows + 1] - starts
        return self.old.places[spans(starts, sizes)].astype(np.int64), sizes

    def lengths(self, places: Ints) -> NDArray[np.float64]:
        """How many words these turns have."""
        found: NDArray[np.float64] = self.sizes[places].astype(np.float64)
        return found


def lemmas_of(word: str) -> list[str]:
    """A word's lemma, or those of the words in it."""
    return [form for part in _PARTS.findall(word) if (form := closer_lemma(part))]


def form_of(text: str) -> int:
    """Whether a turn asks, and speaks of who says it, of who hears it, of a time."""
    form = ASKS * ("?" in text) + ENDS_ASKING * text.rstrip().endswith("?")
    said = {word.replace("’", "'").split("'")[0] for word in words_1(text)}
    persons = (FIRST_PERSON, _FIRST), (SECOND_PERSON, _SECOND), (TIMED, single_words())
    return form + sum(bit for bit, words in persons if not said.isdisjoint(words))


def as_text(value: Any) -> str:
    """A value of somebody's JSON, the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def spans(starts: Ints, sizes: Ints) -> Ints:
    """The numbers start, start + 1, … of each start, as many as its size."""
    behind = np.cumsum(sizes) - sizes
    spans: Ints = np.arange(int(sizes.sum())) + np.repeat(starts - behind, sizes)
    return spans
