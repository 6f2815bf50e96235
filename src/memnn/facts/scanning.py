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
    bound_asked,
    bound_words,
    in_steps,
    most_gained,
    passing,
)
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

    def score(places: Ids) -> None:
        best_of(U, blocks, known, facts, places, reading.idf, bow, s, ids, scores)

    score(seeds)
    most = np.zeros(known + 1, np.float32)
    each(
        shares(threads, known),
        lambda part: bound_words(in_bytes, s.q, reading.idf, *part, most),
    )
    bound_asked(U, blocks, known, asked, reading.idf, bow, s, most)
    bounds = in_steps(most, asked[asked < known])
    gained = most_gained(s.patterns[[blocks[block] >= 0 for block in (PX, PM)]])
    room, at = [], []
    for first, last in shares(threads, end):
        room.append(np.empty(AT_ONCE, np.int32))
        at.append([first, last])

    def may_be(part: int) -> Ids:
        (first, last), least = at[part], float(scores[-1])
        n, at[part][0] = passing(facts, first, last, bounds, gained, least, room[part])
        found: Ids = room[part][:n]
        if len(seeds):
            found = found[seeds.take(seeds.searchsorted(found), mode="clip") != found]
        return found

    while left := [part for part, (first, last) in enumerate(at) if first < last]:
        for places in each(left, may_be):  # what these reach, those that follow must reach, too
            score(places)


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
