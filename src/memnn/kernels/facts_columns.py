"""Facts of one length beside each other: all their first words, then all their second ones.

Summed up so, many facts take a step at once, and nothing has to be guessed about where each ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.facts_bounds import ASKED_BITS, HALF_ASKED, STRETCH, WordBounds
from memnn.kernels.facts_packed import REPEATED, Facts, begin_of, end_of, word_of
from memnn.kernels.jit import kernel

Ids = NDArray[np.int32]
LONG = 100
"""Facts with more words than this pass in any case: their steps might look like a mark."""


class Columns(NamedTuple):
    """Of length n are order[starts[n]:starts[n + 1]]; their words begin at words[at[n]]."""

    order: Ids  # facts, the shorter first
    scale: Floats  # theirs
    starts: Ints  # (LONG + 3,): the last length is for all longer ones
    at: Ints  # (LONG + 1,)
    words: NDArray[np.uint32]  # places in `WordBounds.steps`
    known: int


def in_columns(facts: Facts, known: int) -> Columns:
    """Words that have no embedding stand at `known`, repeated ones behind it: see `WordBounds`."""
    begin = np.maximum(facts.ptr[:-1], 0)
    lengths = np.clip(np.minimum(facts.ptr[1:], len(facts.entries)) - begin, 0, LONG + 1)
    order = np.argsort(lengths.astype(np.uint8), kind="stable").astype(np.int32)
    counts = np.bincount(lengths, minlength=LONG + 2)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    sizes = counts[: LONG + 1] * np.arange(LONG + 1)
    at = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    words = np.empty(int(at[-1]), np.uint32)
    columns = Columns(order, facts.scale[order], starts, at[:-1], words, known)
    lay(facts, columns, known)
    return columns


@kernel
def lay(facts: Facts, columns: Columns, known: int) -> None:
    """Fill in the words."""
    order, starts, words = columns.order, columns.starts, columns.words
    for n in range(LONG + 1):
        count = starts[n + 1] - starts[n]
        for i in range(count):
            f = order[starts[n] + i]
            first = begin_of(facts.ptr, f)
            for k in range(min(n, end_of(facts.ptr, f, facts.entries) - first)):
                entry = facts.entries[first + k]
                place = min(word_of(entry), known)
                if entry >> REPEATED:
                    place += known + 1
                words[columns.at[n] + k * count + i] = place


@kernel
def passing(
    columns: Columns, first: int, last: int, end: int, most: WordBounds, patterns: Floats,
    least: float, out: Ids, bounds: Floats,
) -> tuple[int, int]:  # fmt: skip
    """The facts before `end` that may count `least`, of columns first..last-1, and the most that
    each may count, until `out` might not hold more; how many, and where it stopped. `patterns` has
    what a fact gains at most by 0, 1, 2 or more words of the question."""
    steps, step, floor = most.steps, most.step, np.float32(least)
    n, place, totals = 0, first, np.empty(STRETCH, np.int32)
    for length in range(LONG + 2):
        begin, stop = columns.starts[length], min(columns.starts[length + 1], last)
        while place < stop:
            count = min(stop - place, STRETCH)
            if n + count > len(out):
                return n, place
            sums, order = totals[:count], columns.order[place : place + count]
            sums[:] = 0
            if length > LONG:
                for i in range(count):
                    out[n], bounds[n] = order[i], np.inf
                    n += order[i] < end
                place += count
                continue
            for k in range(length):
                at = columns.at[length] + k * (columns.starts[length + 1] - begin) + place - begin
                words = columns.words[at : at + count]
                for i in range(count):
                    sums[i] += steps[words[i]]
            scale = columns.scale[place : place + count]
            for i in range(count):
                marked = (sums[i] + HALF_ASKED) >> ASKED_BITS
                gained = patterns[max(min(int(marked), 3), 0)]
                counts = np.float32(sums[i] - (marked << ASKED_BITS)) * step * scale[i] + gained
                if not counts < floor and order[i] < end:  # what is no number is looked at, too
                    out[n], bounds[n] = order[i], counts if counts == counts else np.inf
                    n += 1
            place += count
    return n, place
