"""A memory as a network over facts reads it: bags, and which facts hold which word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memnn.facts.bags import MOST_WORDS, FactDictionary, Words, flat, scales, words_of
from memnn.facts.checksums import TRUSTED, Checks
from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.facts_columns import Columns, in_columns
from memnn.kernels.facts_packed import Facts, Postings, post
from memnn.memory import Memory
from memnn.memory.follow import Cache
from memnn.memory.growing import Growing

NEWER = 64
"""Facts are laid in columns anew when one in so many is newer than they are."""


class Laid:
    """The columns of a memory's facts, perhaps without the newest."""

    def __init__(self) -> None:
        self._columns: Columns | None = None

    def __call__(self, facts: Facts, known: int) -> Columns:
        columns, n = self._columns, len(facts.ptr) - 1
        if columns is None or columns.known != known or n - len(columns.order) > n // NEWER:
            columns = self._columns = in_columns(facts, known)
        return columns


@dataclass
class Reading:
    """A memory as the network reads it: words, bags, and which facts hold which word."""

    words: Words
    facts: Facts
    posted: Postings | None
    """None where a memory still grows: then it is made when it is needed."""
    idf: Floats
    ids: Ints | None = None
    """The id of every fact; None where fact i has id i + 1."""
    places: Mapping[int, Sequence[int]] | None = None
    """Where a memory still grows: the facts that hold each word, perhaps newer ones as well."""
    checks: Checks = TRUSTED
    """Who must be asked before facts, posting lists or whole files are read."""
    laid: Laid = field(default_factory=Laid)

    def __len__(self) -> int:
        return len(self.facts.ptr) - 1

    def question(self, text: str) -> tuple[Ints, list[str]]:
        """The rows of a question's words, "?" first, and the words that nobody ever wrote."""
        return self.asked(self.words.dictionary.normal(text))

    def asked(self, normal: Iterable[str]) -> tuple[Ints, list[str]]:
        """As `question`, of words in their normal form."""
        rows, unknown = self.words.asked(normal)
        if len(self.words) > len(self.idf):  # some were told since this was read
            new = rows >= len(self.idf)
            unknown += [self.words.word(row) for row in rows[new].tolist()]
            rows = rows[~new]
        return rows, unknown

    @cached_property
    def postings(self) -> Postings:
        return self.posted or post_facts(self.facts, len(self.idf))

    def columns(self, known: int) -> Columns:
        """The facts by their lengths; those behind them are newer."""
        return self.laid(self.facts, known)

    def held_by(self, row: int) -> Sequence[int]:
        """The facts that hold a word, in their order."""
        if self.places is not None:
            return self.places.get(row, ())
        held: list[int] = self.list_of(row).tolist()
        return held

    def list_of(self, row: int) -> NDArray[np.int32]:
        """The posting list of a word."""
        if self.checks is not TRUSTED:
            self.checks.words(np.array([row], np.int64))
        ptr, posted = self.postings
        return posted[ptr[row] : ptr[row + 1]]

    def entries(self, place: int) -> NDArray[np.uint32]:
        """The entries of a fact."""
        if self.checks is not TRUSTED:
            self.checks.facts(np.array([place], np.int32))
        a, b = self.facts.ptr[place : place + 2]
        return self.facts.entries[max(a, 0) : max(b, 0)]

    def holding(self, rows: Iterable[int], end: int) -> NDArray[np.int32]:
        """The facts before `end` that hold any of these words, in their order."""
        if self.places is not None:
            found = set[int]().union(*(self.places.get(row, ()) for row in rows))
            held = np.array(sorted(found), np.int32)
            return held[: held.searchsorted(end)]
        lists = [self.list_of(row) for row in rows]
        if len(lists) < 2:
            held = lists[0] if lists else np.zeros(0, np.int32)
        else:
            held = np.unique(np.concatenate(lists))
        return held[: held.searchsorted(end)]

    @cached_property
    def frequency(self) -> Ints:
        """How many facts hold each word."""
        return np.diff(self.postings.ptr)

    @cached_property
    def coarse(self) -> NDArray[np.uint8]:
        """The scales of facts in 255 steps, a quarter of their size."""
        self.checks.whole("scale.f32")
        with np.errstate(all="ignore"):  # an index without checksums may hold any number
            step = float(np.fmax.reduce(self.facts.scale, initial=1e-9)) / 255
            steps = self.facts.scale / np.float32(step)
            np.fmin(np.fmax(steps, 1, out=steps), 255, out=steps)
        coarse: NDArray[np.uint8] = steps.astype(np.uint8)
        return coarse


def post_facts(facts: Facts, words: int) -> Postings:
    """Which facts hold each word."""
    counted = words_of(facts.entries)[facts.entries >> np.uint32(30) == 0]
    ptr = np.zeros(words + 1, np.int64)
    np.cumsum(np.bincount(counted, minlength=words), out=ptr[1:])
    out = np.empty(int(ptr[-1]), np.int32)
    post(facts.ptr, facts.entries, ptr[:-1].copy(), out)
    return Postings(ptr, out)


class SentenceReader(Cache[Reading]):
    """Reads a memory that people tell sentences to.

    Arrays grow in place: a reading that was given out is of what there was then.
    """

    def __init__(self, dictionary: FactDictionary) -> None:
        self.dictionary = dictionary
        self._words = Words(dictionary)
        self._idf = self._words.idf
        self._ptr, self._entries = Growing(np.int64), Growing(np.uint32)
        self._scale, self._ids = Growing(np.float32), Growing(np.int64)
        self._ptr.extend([0])
        self._places: dict[int, list[int]] = {}
        self._laid = Laid()

    def read_on(self, memory: Memory, after: int) -> int:
        first = len(self._ids.values)
        bags: list[list[int]] = []
        ids: list[int] = []
        for slot in memory.scan(after):
            bag = self._words.parts([slot.text])
            for entry in bag:
                self._places.setdefault(entry & MOST_WORDS - 1, []).append(first + len(bags))
            bags.append(bag)
            ids.append(slot.id)
        if len(self._words) > len(self._idf):
            self._idf = self._words.idf
        ptr, entries = flat(bags, np.uint32)
        self._scale.extend(scales(ptr, entries, self._idf, self.dictionary.typical))
        self._ptr.extend(ptr[1:] + len(self._entries.values))
        self._entries.extend(entries)
        self._ids.extend(ids)
        return ids[-1] if ids else after

    def view(self) -> Reading:
        facts = Facts(self._ptr.values, self._entries.values, self._scale.values)
        return Reading(
            self._words, facts, None, self._idf, self._ids.values, self._places, laid=self._laid
        )
