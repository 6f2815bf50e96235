"""Φ_y of stopping, and of a memory among its rivals."""

from __future__ import annotations

from memnn.kernels.arrays import Ints
from memnn.kernels.jit import kernel
from memnn.kernels.ordinary_features import (
    IN_EARLIER,
    IN_QUESTION,
    LITERAL,
    NEARBY,
    NEWER,
    NEWER_COUNT,
    OLDER,
    SMALL,
    STOP,
    STOP_CLASS,
    STOP_PAIR,
    STOP_WORD,
    TIED_NEWER,
    Marks,
    length,
    membership,
    missed_features,
    symbol,
)
from memnn.kernels.ordinary_words import READINGS, WordReading, WordTables, WordTexts
from memnn.kernels.path_features import Doubles, Hashes, mix


@kernel
def stop_features(
    out: Hashes,
    values: Doubles,
    asked: Ints,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    marks: Marks,
    path_words: Ints,
    last: int,
) -> int:
    """Φ_y of stopping: the last support's words as the question sees them, and what is missed."""
    out[0], values[0] = mix(STOP, 0, 0), 1.0
    n = 1
    start, ny = texts.ptr[last], length(texts, last)
    for j in range(ny):
        w = texts.words[start + j]
        g = membership(marks, w, asked, words) & (IN_QUESTION | NEARBY | SMALL | IN_EARLIER)
        for r in range(READINGS):
            if reading.shares[w, r] > 0.0:
                value = LITERAL * reading.shares[w, r]
                out[n], values[n] = mix(STOP_WORD, reading.words[w, r], g), value
                n += 1
        if words.content[w]:
            out[n], values[n] = mix(STOP_CLASS, words.classes[w, 1], g), 0.5
            n += 1
        if j + 1 < ny:
            a = symbol(w, 1, words, reading)
            b = symbol(texts.words[start + j + 1], 1, words, reading)
            out[n], values[n] = mix(STOP_PAIR, a, b), 0.5
            n += 1
    return missed_features(out, values, n, -1, asked, words, reading, texts, marks, path_words)


@kernel
def rival_features(
    out: Hashes, values: Doubles, n: int, y: int, last: int, newer: int, older: int
) -> int:
    """How many newer and older memories are about as good, on the same side of the last support."""
    side = 0 if last < 0 else (1 if y > last else 2)
    out[n], values[n] = mix(NEWER, side, min(newer, 1)), 1.0
    out[n + 1], values[n + 1] = mix(NEWER_COUNT, side, 0), 0.5 * min(newer, 3)
    out[n + 2], values[n + 2] = mix(OLDER, side, min(older, 1)), 1.0
    out[n + 3], values[n + 3] = mix(TIED_NEWER, min(newer, 1), 0), 1.0
    return n + 4
