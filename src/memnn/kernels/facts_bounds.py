"""Upper bounds of the scores of facts: which ones need not be scored to find the best for certain.

A word counts q·U[w] in a fact. With U in bytes, a row in steps of its own, that is known up to half
a step times Σ|q|, for a quarter of what has to be read. A fact counts at most the sum of its words'
bounds and what the best pattern is worth: where that is less than the best so far have, it is none
of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.facts_scores import Work, word_score
from memnn.kernels.jit import kernel, reordering

Bytes = NDArray[np.int8]
Ids = NDArray[np.int32]

STRETCH = 2048
"""Facts that are looked at together."""
MOST_STEPS = 1 << 15
"""Steps of a word."""
LARGEST = 1e30
ASKED_BITS = 24
ASKED, HALF_ASKED = np.int32(1 << ASKED_BITS), np.int32(1 << ASKED_BITS - 1)
PARTS = np.array([sum(c // 3**i % 3 > 0 for i in range(3)) for c in range(27)])
"""How many parts of a fact are marked in each pattern."""
BY_PARTS = np.argsort(PARTS, kind="stable")
FIRST_OF_PARTS = np.searchsorted(PARTS[BY_PARTS], np.arange(4))

HALF = np.float32(0.51)
"""Half a step, and what is lost by adding up in single precision: far less than a hundredth."""
ROUNDED = np.float32(1e-5)
"""More than what adding up the words of a fact loses."""


class ByteRows(NamedTuple):
    """Rows of U in bytes: rows[w] · steps[w]."""

    rows: Bytes  # (W, n)
    steps: Floats  # (W,)


class WordBounds(NamedTuple):
    """The most that a word counts in a fact: steps[w] · step, a mark aside. One more is for all
    words without an embedding. Then the same again for a word that a fact has once more: it marks a
    part, and counts but once."""

    steps: NDArray[np.int32]
    step: np.float32


def in_bytes(U: Floats) -> ByteRows:
    """Each row by its own largest value."""
    steps = (np.abs(U).max(axis=1, initial=0.0) / 127).astype(np.float32)
    rows = np.rint(U / np.maximum(steps, np.float32(1e-30))[:, None])
    return ByteRows(np.clip(rows, -127, 127).astype(np.int8), steps)


def in_steps(most: Floats, asked: Ints) -> WordBounds:
    """Bounds as whole steps, none lower than it was; words of the question carry a mark."""
    largest = float(np.abs(most).max(initial=0.0))
    if not largest < LARGEST:  # as a damaged file may have it: nothing is known of such a word
        most, largest = np.nan_to_num(most, nan=LARGEST).clip(-LARGEST, LARGEST), LARGEST
    step = np.float32(max(largest / MOST_STEPS, 1 / LARGEST))
    steps = np.zeros(2 * len(most), np.int32)
    steps[: len(most)] = np.ceil(most / step) + 1
    steps[len(most) - 1] = 0
    steps[asked] += ASKED
    steps[len(most) + asked] = ASKED
    return WordBounds(steps, step)


def most_gained(patterns: Floats) -> Floats:
    """What a fact gains at most with 0, 1, 2 or more words of the question: each marks one part."""
    most = np.maximum.reduceat(patterns[:, BY_PARTS], FIRST_OF_PARTS, axis=1)
    gained: Floats = np.maximum.accumulate(np.maximum(most, 0.0), axis=1).sum(axis=0)
    return gained


@reordering
def dot_bytes(q: Floats, row: Bytes) -> float:
    total = np.float32(0.0)
    for d in range(q.shape[0]):
        total += q[d] * np.float32(row[d])
    return float(total)


@kernel
def bound_words(of: ByteRows, q: Floats, idf: Floats, first: int, last: int, out: Floats) -> None:
    """The most that words first..last-1 can count in a fact, but for matches."""
    slack = np.float32(0.0)
    for d in range(len(q)):
        slack += abs(q[d])
    slack *= HALF
    for w in range(first, last):
        most = idf[w] * of.steps[w] * (np.float32(dot_bytes(q, of.rows[w])) + slack)
        out[w] = most + ROUNDED * abs(most)


@kernel
def bound_asked(
    U: Floats, blocks: Ints, known: int, words: Ints, idf: Floats, bow: float, s: Work, out: Floats
) -> None:
    """The same for the words of the question and of its support, matches included."""
    for w in words:
        if 0 <= w < known:
            e = np.float32(idf[w] * word_score(U, s.q, blocks, w, known, s.in_x[w], s.in_m[w], bow))
            out[w] = e + ROUNDED * abs(e)
