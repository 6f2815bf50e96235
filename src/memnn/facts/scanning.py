"""Every fact, and for certain: the best of all, of which nearly none need be scored.

The facts that share a rare word with the question are scored first. What they reach the others must
reach, too, and an upper bound shows that nearly none of them can (`facts_bounds`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memnn.facts.reading import Reading
from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.facts_bounds import (
    STRETCH,
    ByteRows,
    WordBounds,
    bound_asked,
    bound_words,
    in_steps,
    most_gained,
)
from memnn.kernels.facts_columns import Columns, passing
from memnn.kernels.facts_scan import best_of
from memnn.kernels.facts_scores import Work
from memnn.kernels.phi import PM, PX

Ids = NDArray[np.int32]
S = TypeVar("S")
T = TypeVar("T")
MANY = 100_000
"""From this many words or facts on, several threads look at them."""
AT_ONCE = 2 * STRETCH
"""How many facts that may be among the best are scored before others are looked at."""


def scan(
    U: Floats,
    in_bytes: ByteRows,
    blocks: Ints,
    bow: float,
    reading: Reading,
    end: int,
    asked: Ints,
    seeds: Ids,
    s: Work,
    threads: int,
    ids: Ids,
    scores: Floats,
) -> None:
    """The best of the facts before `end`, into ids and scores.

    `asked` are the words of the question and of its support. `seeds` are scored in any case: those
    that are likely to be the best, and all that hold a word of these which has no embedding.
    """
    if not len(ids):
        return
    reading.checks.whole("ptr.i64", "entries.u32", "scale.f32")
    known, facts = len(in_bytes.steps), reading.facts
    columns = reading.columns(known)

    def score(places: Ids, at_most: Floats) -> None:
        best_of(U, blocks, known, facts, places, at_most, reading.idf, bow, s, ids, scores)

    most = np.zeros(known + 1, np.float32)
    each(
        shares(threads, known),
        lambda part: bound_words(in_bytes, s.q, reading.idf, *part, most),
    )
    bound_asked(U, blocks, known, asked, reading.idf, bow, s, most)
    newer = np.arange(len(columns.order), end, dtype=np.int32)
    seeds = np.unique(np.concatenate([seeds, newer])) if len(newer) else seeds
    score(seeds, np.zeros(0, np.float32))
    bounds = in_steps(most, asked[asked < known])
    gained = most_gained(s.patterns[[blocks[block] >= 0 for block in (PX, PM)]])
    parts = [Part(*share) for share in shares(threads, len(columns.order))]

    def may_be(part: Part) -> tuple[Ids, Floats]:
        found, at_most = part.on(columns, end, bounds, gained, float(scores[-1]))
        if not len(seeds):
            return found, at_most
        new = seeds.take(seeds.searchsorted(found), mode="clip") != found
        return found[new], at_most[new]

    while left := [part for part in parts if part.first < part.last]:
        for found in each(left, may_be):  # what these reach, those that follow must reach, too
            score(*found)


class Part:
    """Columns that are looked at one after the other."""

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last = first, last
        self._facts, self._most = np.empty(AT_ONCE, np.int32), np.empty(AT_ONCE, np.float32)

    def on(
        self, columns: Columns, end: int, bounds: WordBounds, gained: Floats, least: float
    ) -> tuple[Ids, Floats]:
        """Some facts that may count `least`, and how much at most, the most promising first."""
        n, self.first = passing(
            columns, self.first, self.last, end, bounds, gained, least, self._facts, self._most
        )
        order = np.argsort(-self._most[:n])
        return self._facts[order], self._most[order]


def shares(threads: int, n: int) -> list[tuple[int, int]]:
    """0..n-1 in as many parts as there are threads, if it is much."""
    parts = threads if n > MANY else 1
    return list(pairwise(n * part // parts for part in range(parts + 1)))


def each(parts: Sequence[S], work: Callable[[S], T]) -> list[T]:
    """What the work on each part gives, in threads where there are several."""
    return [work(parts[0])] if len(parts) == 1 else list(pool().map(work, parts))


@cache
def pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="memnn-scan")
