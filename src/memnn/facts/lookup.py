"""O over facts (§5.1): s_O without time, over everything or what a hash left of it (§3.3)."""

from __future__ import annotations

import os
from functools import cached_property, partial
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memnn.components import OutputMap
from memnn.facts.bags import (
    FactDictionary,
    question_values,
    words_of,
)
from memnn.facts.reading import Reading, SentenceReader
from memnn.facts.scanning import pool, scan
from memnn.facts.word_hash import Hash, WordHash
from memnn.kernels.arrays import Floats, Ints, floats
from memnn.kernels.facts_bounds import ByteRows, in_bytes
from memnn.kernels.facts_scan import ask, best_of, collect, forget
from memnn.kernels.facts_scores import Work
from memnn.kernels.phi import Sparse, X, Y
from memnn.layout import PATTERNS, Layout
from memnn.memory import AsOf, Memory, resolve_as_of
from memnn.memory.follow import Following, PerThread
from memnn.types import Comparison, Hop, Output, Question

FINALISTS = 300
"""How many candidates of a hash are scored in full; if there are more, those that share the most
with the question."""
SEEDS = 32
"""As many of these are scored before all facts are looked at."""
WORTH_THREADS = 20_000
"""From this many candidates on, a hash reads its buckets with several threads."""


@runtime_checkable
class Indexed(Protocol):
    """A memory that keeps its own reading, as an index of millions of facts does."""

    def reading(self, dictionary: FactDictionary) -> Reading: ...


class Found(NamedTuple):
    """A fact by its place in the memory, and its score."""

    place: int
    score: float


class Match(NamedTuple):
    """What one pair of words contributed to a score."""

    asked: str
    told: str
    score: float
    exact: bool


class Search(NamedTuple):
    """What a question found, the best first, and among how many candidates."""

    found: list[Found]
    candidates: int
    unknown: list[str]


class Lookup(OutputMap):
    """Finds the k facts that support an answer, one hop after the other."""

    def __init__(
        self,
        dictionary: FactDictionary,
        layout: Layout,
        U_O: Floats,
        *,
        hops: int = 1,
        bow: float = 0.0,
        hash: Hash | None = None,
        threads: int = 2,
    ) -> None:
        self.dictionary = dictionary
        self.blocks = layout.blocks
        self.U_O = U_O
        self.hops, self.bow = hops, bow
        self.hash = hash
        self.threads = min(threads, os.cpu_count() or 1)
        self._local = PerThread()
        self._sentences = Following(partial(SentenceReader, dictionary))

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> Output:
        reading, end = self.read(memory, as_of)
        if not end:
            return Output(question, ())
        hops: list[Hop] = []
        place = -1
        missing: tuple[str, ...] = ()
        for h in range(1, self.hops + 1):
            search = self.search(question.text, reading, k=2, end=end, support=place)
            missing = tuple(search.unknown)
            if not search.found or (h > 1 and search.found[0].place == place):
                break
            place = search.found[0].place
            hops.append(self._hop(h, search, reading, memory))
        return Output(question, tuple(hops), missing)

    def _hop(self, h: int, search: Search, reading: Reading, memory: Memory) -> Hop:
        ids = [
            f.place + 1 if reading.ids is None else int(reading.ids[f.place]) for f in search.found
        ]
        slots = memory.read(ids)
        rival = None
        if len(slots) > 1:
            gap = search.found[0].score - search.found[1].score
            rival = Comparison(slots[1], search.found[1].score, gap, 0.0, {"words": gap})
        return Hop(h, slots[0], search.found[0].score, rival)

    def read(self, memory: Memory, as_of: AsOf = None) -> tuple[Reading, int]:
        """The memory's reading, and how many of its facts there were at `as_of`."""
        # Asking whether something fits a protocol takes as long as a search.
        if memory not in self._sentences and isinstance(memory, Indexed):
            reading = memory.reading(self.dictionary)
        else:
            reading = self._sentences(memory)
        limit = resolve_as_of(as_of)
        if limit is None:
            return reading, len(reading)
        if isinstance(limit, int) and reading.ids is not None:
            return reading, int(reading.ids.searchsorted(limit, side="right"))
        return reading, min(len(reading), len(memory.candidates(as_of)))

    def search(
        self,
        text: str,
        reading: Reading,
        *,
        k: int = 1,
        end: int | None = None,
        support: int = -1,
        places: NDArray[np.int32] | None = None,
    ) -> Search:
        """The best k facts; `places` are the only ones to be scored, if given."""
        rows, unknown = reading.question(text)
        return self.search_rows(
            rows, unknown, reading, k=k, end=end, support=support, places=places
        )

    def search_rows(
        self,
        rows: Ints,
        unknown: list[str],
        reading: Reading,
        *,
        k: int = 1,
        end: int | None = None,
        support: int = -1,
        places: NDArray[np.int32] | None = None,
    ) -> Search:
        """As `search`, for a question that was read."""
        end = len(reading) if end is None else min(end, len(reading))
        if len(rows) < 2:
            return Search([], 0, unknown)
        values = question_values(rows, reading.idf)
        s = self._work(reading, len(rows), support)
        ids = np.full(min(k, end), -1, np.int32)
        scores = np.full(len(ids), -np.inf, np.float32)
        known, candidates = len(self.dictionary), 0
        ask(self.U_O, self.blocks, known, rows, values, reading.facts, reading.idf, support, s)
        try:
            if places is None and self.hash is not None:
                places, candidates = self._candidates(rows, reading, end, support, k, s)
            elif places is not None:
                candidates = len(places)
            if places is None and end > known:
                asked = self._words(rows, reading, support)
                scan(
                    self.U_O, self._in_bytes, self.blocks, self.bow, reading, end, asked,
                    self._seeds(asked, reading, end, k, s), s, self.threads, ids, scores,
                )  # fmt: skip
            else:
                if places is None:  # bounds of all words would take longer than so few facts
                    reading.checks.whole("ptr.i64", "entries.u32", "scale.f32")
                    some = np.arange(end, dtype=np.int32)
                else:
                    reading.checks.facts(places)
                    some = places
                best_of(
                    self.U_O, self.blocks, known, reading.facts, some, floats(0), reading.idf,
                    self.bow, s, ids, scores,
                )  # fmt: skip
        finally:
            forget(rows, reading.facts, support, s)
        found = [
            Found(place, total)
            for place, total in zip(ids.tolist(), scores.tolist(), strict=True)
            if place >= 0
        ]
        return Search(found, end if places is None else candidates, unknown)

    def _candidates(
        self, rows: Ints, reading: Reading, end: int, support: int, k: int, s: Work
    ) -> tuple[NDArray[np.int32], int]:
        """What the hash left, or the most promising of it, and how many there were."""
        assert self.hash is not None
        opened = self.hash(self._words(rows, reading, support))
        return self._promising(opened, reading, end, max(FINALISTS, 10 * k), s)

    def _promising(
        self, opened: Ints, reading: Reading, end: int, most: int, s: Work
    ) -> tuple[NDArray[np.int32], int]:
        """The most promising facts with any of these words, and how many there were."""
        coarse, postings = reading.coarse, reading.postings
        reading.checks.words(opened)

        def part(first: int, last: int) -> tuple[NDArray[np.int32], Floats, int]:
            ids, guesses = np.empty(4 * most, np.int32), np.empty(4 * most, np.float32)
            kept, n = collect(
                self.U_O, self.blocks, len(self.dictionary), reading.idf, self.bow, opened,
                postings, first, last, coarse, s, ids, guesses, most,
            )  # fmt: skip
            return ids[:kept], guesses[:kept], n

        if self.threads == 1 or reading.frequency[opened].sum() < WORTH_THREADS:
            ids, _, n = part(0, end)
            return ids, n
        bounds = np.linspace(0, end, self.threads + 1).astype(np.int64).tolist()
        parts = list(pool().map(part, bounds[:-1], bounds[1:]))
        ids, guesses = (np.concatenate([each[i] for each in parts]) for i in (0, 1))
        if len(ids) > most:
            ids = ids[np.argpartition(guesses, len(ids) - most)[-most:]]
        return ids, sum(each[2] for each in parts)

    def _words(self, rows: Ints, reading: Reading, support: int) -> Ints:
        """The words of a question and of its support."""
        if support < 0:
            return rows[1:]
        told = np.unique(words_of(reading.entries(support)))
        return np.concatenate([rows[1:], told[told < len(reading.idf)]])

    def _seeds(self, asked: Ints, reading: Reading, end: int, k: int, s: Work) -> NDArray[np.int32]:
        """Facts that share a rare word with a question, and all that share an unembedded one."""
        unbound = asked[asked >= len(self.dictionary)].tolist()
        if reading.places is not None:
            held = {w: len(reading.places.get(w, ())) for w in asked.tolist()}
            rare = min((w for w in held if held[w]), key=held.__getitem__, default=None)
            return reading.holding([*unbound, *([] if rare is None else [rare])], end)
        opened = WordHash(reading.frequency)(asked)
        places, _ = self._promising(opened, reading, end, max(SEEDS, 10 * k), s)
        return np.unique(np.concatenate([places, reading.holding(unbound, end)]))

    @cached_property
    def _in_bytes(self) -> ByteRows:
        first = int(self.blocks[Y])
        return in_bytes(self.U_O[first : first + len(self.dictionary)])

    def _work(self, reading: Reading, asked: int, support: int) -> Work:
        """One thread's working space, as large as the dictionary of what it reads."""
        work: Work | None = getattr(self._local, "work", None)
        longest = asked
        if support >= 0:
            longest += len(reading.entries(support))
        if work is None or len(work.e) < len(reading.idf) or len(work.x.ids) < longest:
            work = self._local.work = new_work(
                len(reading.idf) + 64, self.U_O.shape[1], max(longest, 256)
            )
        return work

    def explain(self, text: str, reading: Reading, place: int) -> list[Match]:
        """Which words matched and which neighbours carried the score, the most telling first."""
        rows, _ = reading.question(text)
        values = question_values(rows, reading.idf)
        entries = reading.entries(place)
        told = words_of(entries[entries >> np.uint32(30) == 0])
        told = told[told < len(reading.idf)]
        known = len(self.dictionary)
        blocks, U = self.blocks, self.U_O
        matches = []
        for w in told.tolist():
            weight = float(reading.idf[w] * reading.facts.scale[place])
            for x, value in zip(rows.tolist(), values.tolist(), strict=True):
                total = self.bow * value if x == w else 0.0
                if x < known and w < known:
                    total += value * float(U[blocks[X] + x] @ U[blocks[Y] + w])
                name = reading.words.word
                matches.append(Match(name(x), name(w), weight * total, x == w))
        return sorted(matches, key=lambda match: -match.score)


def new_work(words: int, dim: int, longest: int) -> Work:
    def sparse(size: int) -> Sparse:
        return Sparse(np.zeros(size, np.int64), floats(size))

    return Work(
        q=floats(dim), d=floats(dim),
        x=sparse(longest), y=sparse(6 * longest + 4), y2=sparse(3 * longest + 2),
        e=floats(words), e_at=np.zeros(words, np.int64), in_x=floats(words), in_m=floats(words),
        patterns=floats(2, PATTERNS), clock=np.zeros(1, np.int64),
    )  # fmt: skip
