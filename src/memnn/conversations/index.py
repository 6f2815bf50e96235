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
from memnn.memory.shelves import ShelvedLists
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

    shelved: ShelvedLists | None
    """The lists of what was told first, where a memory keeps them in parts."""
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
    """How each turn is put, see `form_of`."""
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

    def fetch(self, rows: Iterable[int]) -> None:
        """Have the lists of these rows at hand: those that are kept in parts are read at once."""
        if self.shelved is not None:
            self.shelved.fetch(rows)

    def list_of(self, row: int, end: int) -> tuple[Places, Places]:
        """The turns before `end` that hold a word, in order, and how often each does."""
        found = _NONE if self.shelved is None else self.shelved.of(row)
        if row + 1 < len(self.old.ptr):
            a, b = self.old.ptr[row : row + 2].tolist()
            kept = self.old.places[a:b], self.old.counts[a:b]
            found = _joined(found, kept) if len(found[0]) else kept
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
            self.shelved is not None
            or end < len(self)
            or rows.max(initial=-1) + 1 >= len(listed)
            or any(row in new for row in rows.tolist())
        ):
            lists = [self.list_of(row, end)[0] for row in rows.tolist()]
            sizes = np.array([len(each) for each in lists], np.int64)
            return np.concatenate([_NONE[0], *lists]).astype(np.int64), sizes
        starts = listed[rows]
        sizes = listed[rows + 1] - starts
        return self.old.places[spans(starts, sizes)].astype(np.int64), sizes

    def lengths(self, places: Ints) -> NDArray[np.float64]:
        """How many words these turns have."""
        return self.sizes[places].astype(np.float64)


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


def _joined(old: tuple[Places, Places], new: tuple[Places, Places]) -> tuple[Places, Places]:
    return np.concatenate([old[0], new[0]]), np.concatenate([old[1], new[1]])
