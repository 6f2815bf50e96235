"""Φ of O for ordinary language: a question, the supports so far and a memory, together.

As in `path_features`, a feature is a 64-bit number and a pair of features, one of the input and one
of the candidate, is a cell of a table. A word of a candidate is read in three ways: as itself or as
words like it, by its classes, and by its *membership*: whether its stem occurs in the question, in
the last support or in an earlier one, or a word near it in the question.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Ints
from memnn.kernels.jit import inlined, kernel
from memnn.kernels.ordinary_words import READINGS, WordReading, WordTables, WordTexts
from memnn.kernels.path_features import Doubles, Hashes, mix

MOST_WORDS = 32
"""Words of a text that are read; what follows is left out."""
MOST_X = 8 + (2 * READINGS + 5) * MOST_WORDS
MOST_Y = 64 + 24 * MOST_WORDS + 5 * READINGS * MOST_WORDS * MOST_WORDS
MOST_HOP = 2
NEAR = 0.5
"""A cosine from which on a word is near one of the question."""
LITERAL = 0.5
"""What a word counts beside its membership."""

# Membership of a word; NEARBY only where it is not in the question itself.
IN_QUESTION, IN_LAST, IN_EARLIER, NEARBY, SMALL = 1, 2, 4, 8, 16

# What a feature is about. These numbers are part of a model.
BIAS, HOP, FIRST, ASKED, ASKED_CLASS, ASKED_PAIR, LAST, LAST_CLASS = range(1, 9)
ASKED_FINE, ASKED_NAMED = 9, 10
WORD, MEMBER, BOTH, CLASS, FINE, PAIR, PAIR_CLASS, MEMBERS, NEIGHBOURS = range(20, 29)
TIED, TIED_CLASS, FOCUS, FOCUS_NEWEST = range(30, 34)
NEWEST, OLDEST, BEFORE_LAST, AFTER_LAST, SIDE, NEXT_TO, ROLE, PLACE = range(40, 48)
MISSED, MISSED_CLASS, MISSED_COUNT, HIT_COUNT = range(50, 54)
STOP, STOP_WORD, STOP_CLASS, STOP_PAIR = range(60, 64)
NEWER, NEWER_COUNT, OLDER, TIED_NEWER = range(70, 74)
NAMED = 1 << 21
"""What stands for a word of the question that was told of, whichever it is."""
CLASSED = 1 << 20
"""Classes and literal words that share a feature are told apart by this."""


class Marks(NamedTuple):
    """Notes on words and stems for one question; zero between questions."""

    stems: Ints  # (W,) membership by stem
    near: Ints  # (W,) 1 near a word of the question, 2 not, 0 not yet known
    told: Ints  # (MOST_WORDS,) 1 for words of the question that some memory has


@inlined
def length(texts: WordTexts, i: int) -> int:
    return int(min(texts.ptr[i + 1] - texts.ptr[i], MOST_WORDS))


@kernel
def mark_path(
    marks: Marks, asked: Ints, words: WordTables, texts: WordTexts, path: Ints, n: int, on: bool
) -> None:
    """Set or clear the membership of every stem of the question and of path[:n]."""
    for w in asked:
        marks.stems[words.stem[w]] = IN_QUESTION if on else 0
    for i in range(n):
        bit = IN_LAST if i == n - 1 else IN_EARLIER
        start = texts.ptr[path[i]]
        for j in range(length(texts, path[i])):
            s = words.stem[texts.words[start + j]]
            marks.stems[s] = (marks.stems[s] | bit) if on else 0


@kernel
def is_near(marks: Marks, w: int, asked: Ints, words: WordTables) -> bool:
    """Whether a word that names something is near one of the question's by its vector."""
    if marks.near[w] == 0:
        found = 2
        if words.content[w]:
            for a in asked:
                if not words.content[a] or words.stem[a] == words.stem[w]:
                    continue
                total = 0.0
                for d in range(words.vectors.shape[1]):
                    total += words.vectors[w, d] * words.vectors[a, d]
                if total > NEAR:
                    found = 1
        marks.near[w] = found
    return bool(marks.near[w] == 1)


@kernel
def membership(marks: Marks, w: int, asked: Ints, words: WordTables) -> int:
    g = int(marks.stems[words.stem[w]])
    if not words.content[w]:
        return g + SMALL
    if g & IN_QUESTION == 0 and is_near(marks, w, asked, words):
        g += NEARBY
    return g


@inlined
def symbol(w: int, size: int, words: WordTables, reading: WordReading) -> int:
    """A word that names nothing as itself, another by its class."""
    return int(CLASSED + words.classes[w, size] if words.content[w] else reading.words[w, 0])


@inlined
def asked_symbol(j: int, asked: Ints, words: WordTables, reading: WordReading, marks: Marks) -> int:
    """A word of the question among its neighbours: what was told of is just something named."""
    w = asked[j]
    return NAMED if marks.told[j] and words.content[w] else symbol(w, 0, words, reading)


@kernel
def input_features(
    out: Hashes,
    values: Doubles,
    asked: Ints,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    marks: Marks,
    last: int,
    hop: int,
) -> int:
    """Φ_x: the hop, the question's words, classes and neighbours, those of the last support.

    Of a word that was told of only the coarsest class counts: names are not learnt by heart.
    """
    h = min(hop, MOST_HOP)
    out[0], values[0] = mix(BIAS, 0, 0), 1.0
    out[1], values[1] = mix(HOP, h, 0), 1.0
    n = 2
    nq = min(len(asked), MOST_WORDS)
    for j in range(nq):
        w = asked[j]
        a = asked_symbol(j, asked, words, reading, marks)
        if a == NAMED:
            out[n], values[n] = mix(ASKED_NAMED, words.classes[w, 0], 0), 0.5
            n += 1
        else:
            if words.content[w]:
                out[n], values[n] = mix(ASKED_CLASS, words.classes[w, 1], 0), 0.5
                out[n + 1], values[n + 1] = mix(ASKED_FINE, words.classes[w, 2], 0), 0.5
                n += 2
            for r in range(READINGS):
                if reading.shares[w, r] > 0.0:
                    out[n], values[n] = mix(ASKED, reading.words[w, r], 0), reading.shares[w, r]
                    n += 1
        b = asked_symbol(j + 1, asked, words, reading, marks) if j + 1 < nq else -2
        if j == 0:
            out[n], values[n] = mix(FIRST, a, h), 1.0
            n += 1
        out[n], values[n] = mix(ASKED_PAIR, a, b), 1.0
        n += 1
    if last >= 0:
        start = texts.ptr[last]
        for j in range(length(texts, last)):
            w = texts.words[start + j]
            if words.content[w]:
                if marks.stems[words.stem[w]] & IN_QUESTION:
                    continue
                out[n], values[n] = mix(LAST_CLASS, words.classes[w, 1], 0), 0.5
                n += 1
            for r in range(READINGS):
                if reading.shares[w, r] > 0.0:
                    out[n], values[n] = mix(LAST, reading.words[w, r], 0), reading.shares[w, r]
                    n += 1
    return n


@kernel
def missed_features(
    out: Hashes,
    values: Doubles,
    n: int,
    y: int,
    asked: Ints,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    marks: Marks,
    path_words: Ints,
) -> int:
    """What of the question neither the path nor this candidate has; y < 0 for stopping.

    `path_words` counts, by stem, the words of the path.
    """
    missed, hit = 0, 0
    for j in range(min(len(asked), MOST_WORDS)):
        w = asked[j]
        if not words.content[w]:
            continue
        found = path_words[words.stem[w]] > 0
        near = False
        if y >= 0 and not found:
            start = texts.ptr[y]
            for k in range(length(texts, y)):
                u = texts.words[start + k]
                found = found or words.stem[u] == words.stem[w]
                near = near or marks.near[u] == 1
        if found:
            hit += 1
            continue
        missed += 1
        kind = (2 if y < 0 else 0) + (1 if near else 0)
        out[n], values[n] = mix(MISSED_CLASS, words.classes[w, 1], kind), 1.0
        n += 1
        for r in range(READINGS):
            if reading.shares[w, r] > 0.0:
                out[n] = mix(MISSED, reading.words[w, r], 1 if y < 0 else 0)
                values[n] = reading.shares[w, r]
                n += 1
    out[n], values[n] = mix(MISSED_COUNT, min(missed, 4), 1 if y < 0 else 0), 1.0
    out[n + 1], values[n + 1] = mix(HIT_COUNT, min(hit, 4), 1 if y < 0 else 0), 1.0
    return n + 2


@kernel
def candidate_features(
    out: Hashes,
    values: Doubles,
    y: int,
    asked: Ints,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    marks: Marks,
    path_words: Ints,
    end: int,
    last: int,
) -> int:
    """Φ_y of a memory: words, classes, memberships and pairs; first and last mentions; what is
    missed. `end` is the first memory that the question may not see."""
    start, ny = texts.ptr[y], length(texts, y)
    focus = IN_QUESTION if last < 0 else IN_LAST
    g = np.empty(MOST_WORDS, np.int64)
    for j in range(ny):
        g[j] = membership(marks, texts.words[start + j], asked, words)
    n = 0
    for j in range(ny):
        w = texts.words[start + j]
        out[n], values[n] = mix(MEMBER, g[j], 0), 1.0
        n += 1
        shared = words.content[w] and g[j] & (IN_QUESTION | IN_LAST | IN_EARLIER) > 0
        for r in range(READINGS):
            if reading.shares[w, r] > 0.0 and not shared:
                value = LITERAL * reading.shares[w, r]
                out[n], values[n] = mix(WORD, reading.words[w, r], 0), value
                n += 1
                if g[j] & ~SMALL:
                    out[n], values[n] = mix(BOTH, reading.words[w, r], g[j]), value
                    n += 1
        if shared:
            out[n], values[n] = mix(CLASS, words.classes[w, 0], g[j]), 0.5
            n += 1
        elif words.content[w]:
            out[n], values[n] = mix(CLASS, words.classes[w, 1], g[j]), 0.5
            out[n + 1], values[n + 1] = mix(FINE, words.classes[w, 2], 0), 0.5
            n += 2
        if j + 1 < ny:
            a = symbol(w, 1, words, reading)
            b = symbol(texts.words[start + j + 1], 1, words, reading)
            out[n], values[n] = mix(NEIGHBOURS, a, b), 0.5
            n += 1
        if g[j] == 0 or g[j] & SMALL:
            continue
        focused = g[j] & focus > 0
        for k in range(ny):
            if k == j:
                continue
            v = texts.words[start + k]
            side = 1 if k > j else 0
            if words.content[v] and g[k] & (IN_QUESTION | IN_LAST | IN_EARLIER):
                if k > j:
                    out[n], values[n] = mix(MEMBERS, g[j], g[k]), 0.5
                    n += 1
                continue
            for r in range(READINGS):
                if reading.shares[v, r] > 0.0:
                    value = LITERAL * reading.shares[v, r]
                    out[n], values[n] = mix(PAIR + 100 * side, g[j], reading.words[v, r]), value
                    n += 1
                    if focused:
                        out[n], values[n] = mix(TIED, side, reading.words[v, r]), value
                        n += 1
            if words.content[v]:
                out[n] = mix(PAIR_CLASS + 100 * side, g[j], words.classes[v, 1])
                values[n] = 0.5
                n += 1
                if focused:
                    out[n], values[n] = mix(TIED_CLASS, side, words.classes[v, 1]), 0.5
                    n += 1
        at = start + j
        if focused:
            out[n], values[n] = mix(FOCUS, 1 if j < 2 else 0, 0), 1.0
            n += 1
            if texts.newer[at] >= end:
                out[n], values[n] = mix(FOCUS_NEWEST, 0, 0), 1.0
                n += 1
        if texts.newer[at] >= end:
            out[n], values[n] = mix(NEWEST, g[j], 0), 1.0
            n += 1
        if last >= 0:
            if y < last and texts.newer[at] >= last:
                out[n], values[n] = mix(BEFORE_LAST, g[j], 0), 1.0
                n += 1
            if y > last and texts.older[at] <= last:
                out[n], values[n] = mix(AFTER_LAST, g[j], 0), 1.0
                n += 1
            if g[j] & IN_LAST:
                n = role_features(out, values, n, w, j, last, words, reading, texts)
    if last >= 0:
        side = 1 if y > last else 0
        out[n], values[n] = mix(SIDE, side, 0), 1.0
        n += 1
        if abs(y - last) == 1:
            out[n], values[n] = mix(NEXT_TO, side, 0), 1.0
            n += 1
    return missed_features(out, values, n, y, asked, words, reading, texts, marks, path_words)


@kernel
def role_features(
    out: Hashes,
    values: Doubles,
    n: int,
    w: int,
    place: int,
    last: int,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
) -> int:
    """Where a shared word stands in the last support, and where here."""
    start = texts.ptr[last]
    here = 1 if place < 3 else 0
    for k in range(length(texts, last)):
        if words.stem[texts.words[start + k]] == words.stem[w]:
            before = -1
            if k > 0 and not words.content[texts.words[start + k - 1]]:
                before = reading.words[texts.words[start + k - 1], 0]
            out[n], values[n] = mix(ROLE, before, here), 1.0
            out[n + 1], values[n + 1] = mix(PLACE, min(k, 4), here), 1.0
            return n + 2
    return n
