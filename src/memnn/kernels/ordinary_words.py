"""Words and texts as the kernels of ordinary language read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel
from memnn.kernels.rng import State, below

READINGS = 3
"""Known words that an unknown one is read as, at most."""
DRAWS = 1 << 20


class WordTables(NamedTuple):
    """What is known of each word, by its identity."""

    stem: Ints  # (W,) the identity shared by all forms of a word
    literal: Ints  # (W,) the stem if training knew it, else 0
    classes: Ints  # (W, 3) from coarse to fine
    content: NDArray[np.bool_]  # (W,) whether it names something
    near: Ints  # (W, READINGS) the known words that are most like it
    nearness: Floats  # (W, READINGS) what each of them counts, 0 for none
    vectors: Floats  # (W, dim) unit vectors, or zeros


def first_words(words: WordTables, n: int) -> WordTables:
    """A view of the first n of them."""
    return WordTables(
        words.stem[:n], words.literal[:n], words.classes[:n], words.content[:n], words.near[:n],
        words.nearness[:n], words.vectors[:n],
    )  # fmt: skip


def copy_words(into: WordTables, words: WordTables, start: int, end: int) -> None:
    """What is known of the words from start to end, from one table to another."""
    for name in WordTables._fields:
        getattr(into, name)[start:end] = getattr(words, name)[start:end]


class WordReading(NamedTuple):
    """How each word is read at the moment: as itself, as words like it, or as unknown."""

    words: Ints  # (W, READINGS)
    shares: Floats  # (W, READINGS)


class WordTexts(NamedTuple):
    """Texts as words in order; every mention knows the one before and after it."""

    ptr: Ints  # (N + 1,)
    words: Ints  # identities
    newer: Ints  # the next statement that mentions this stem, or NEVER
    older: Ints  # the one before, or -1


def new_reading(words: WordTables) -> WordReading:
    """Every known word as itself, every other one as those like it."""
    n = len(words.stem)
    reading = WordReading(np.zeros((n, READINGS), np.int64), np.zeros((n, READINGS), np.float32))
    read_plainly(reading, words)
    return reading


@kernel
def read_as(reading: WordReading, words: WordTables, w: int, how: int) -> None:
    """0: as itself, 1: as words like it, 2: as unknown; each falls back on the next."""
    reading.words[w, :] = 0
    reading.shares[w, :] = 0.0
    if how == 0 and words.literal[w] > 0:
        reading.words[w, 0], reading.shares[w, 0] = words.literal[w], 1.0
    elif how <= 1 and words.nearness[w, 0] > 0.0:
        reading.words[w, :] = words.near[w]
        reading.shares[w, :] = words.nearness[w]
    else:
        reading.shares[w, 0] = 1.0


@kernel
def read_plainly(reading: WordReading, words: WordTables) -> None:
    for w in range(len(words.stem)):
        read_as(reading, words, w, 0)


@kernel
def hide_words(
    reading: WordReading, words: WordTables, like: float, unknown: float, state: State
) -> None:
    """Read each word as words like it, or as unknown, with chances between 0 and twice these.

    Words that name nothing are what sentences are made of; they are hidden less often.
    """
    scale = 2.0 * below(state, DRAWS) / DRAWS
    for w in range(len(words.stem)):
        draw = below(state, DRAWS) / DRAWS
        some = scale if words.content[w] else 0.25 * scale
        how = 0
        if draw < some * unknown:
            how = 2
        elif draw < some * (unknown + like):
            how = 1
        read_as(reading, words, w, how)
