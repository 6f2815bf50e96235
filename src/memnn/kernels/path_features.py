"""Φ of the path network: what a question, the supports so far and a memory look like together.

Features are hashed: a feature is a 64-bit number, and a pair of features, one of the input and one
of the candidate, is a cell of a table. Every word of a candidate is read twice: literally, and by
its *membership*, whether it occurs in the question, in the last support or in an earlier one. What
a network learns about membership holds for words it has never seen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Ints
from memnn.kernels.jit import inlined, kernel

Hashes = NDArray[np.uint64]
Doubles = NDArray[np.float64]

MOST_WORDS = 48
"""Words of a text that are read; what follows is left out."""
MOST_X = 3 + 5 * MOST_WORDS
MOST_Y = 16 + 8 * MOST_WORDS + 2 * MOST_WORDS * MOST_WORDS
NEVER = 2**62
"""The place of a mention that does not exist."""
MOST_HOP = 3
"""Later hops count as this one."""

# splitmix64's multipliers and three odd constants: any will do, but they are part of a model.
A1 = np.uint64(0x9E3779B97F4A7C15)
A2 = np.uint64(0xC2B2AE3D27D4EB4F)
A3 = np.uint64(0x165667B19E3779F9)
M1 = np.uint64(0xBF58476D1CE4E5B9)
M2 = np.uint64(0x94D049BB133111EB)
M3 = np.uint64(0xD6E8FEB86659FD93)
S29, S32 = np.uint64(29), np.uint64(32)

# What a feature is about. These numbers are part of a model.
BIAS, HOP, ASKED, ASKED_PAIR, LAST, FIRST = 1, 2, 3, 4, 10, 11
WORD, MEMBER, BOTH, MEMBERS, WORD_MEMBER, MEMBER_WORD, WORDS = 20, 21, 22, 23, 24, 25, 26
NEWEST, OLDEST, NEWEST_BEFORE, OLDEST_AFTER = 30, 31, 32, 33
AGE, LOG_AGE, SIDE, DISTANCE, NEXT_TO = 40, 41, 42, 43, 44
STOP, NEWER, OLDER, NONE_NEWER, NONE_OLDER = 50, 51, 52, 53, 54


class WordLines(NamedTuple):
    """Texts as words in order; every mention knows the mention before and after it."""

    ptr: Ints  # (N + 1,)
    words: Ints  # identities: words of the dictionary, then words that it lacks
    newer: Ints  # the next statement that mentions this word, or NEVER
    older: Ints  # the one before, or -1
    same: Ints  # (N,) the story's first statement of the same words
    places: Ints  # (N + 1,) where statements stand in the story that `newer` and `older` speak of


class Sums(NamedTuple):
    """Σ over an input's features of a table's cells, by candidate feature, while they last."""

    keys: Hashes
    stamps: Ints
    values: Doubles
    clock: Ints  # (1,) which input the sums are for


@inlined
def mix(kind: int, a: int, b: int) -> np.uint64:
    """A feature: its kind and up to two words or marks."""
    x = np.uint64(kind) * A1 + np.uint64(a + 7) * A2 + np.uint64(b + 7) * A3
    x ^= x >> S29
    x *= M1
    x ^= x >> S32
    x *= M2
    return x ^ (x >> S29)


@inlined
def cell(f: np.uint64, g: np.uint64, size: int) -> int:
    """Where a table of this size, a power of two, keeps the weight of a pair of features."""
    x = (f ^ (g * A1)) * M3
    x ^= x >> S32
    x *= M3
    return int((x >> np.uint64(20)) & np.uint64(size - 1))


@inlined
def length(lines: WordLines, i: int) -> int:
    """How many words of a text are read."""
    return int(min(lines.ptr[i + 1] - lines.ptr[i], MOST_WORDS))


@kernel
def mark_path(marks: Ints, asked: Ints, lines: WordLines, path: Ints, n: int, on: bool) -> None:
    """Set or clear every word's membership: 1 question, 2 last support, 4 an earlier one."""
    for w in asked:
        marks[w] = 1 if on else 0
    for i in range(n):
        bit = 2 if i == n - 1 else 4
        start = lines.ptr[path[i]]
        for j in range(length(lines, path[i])):
            w = lines.words[start + j]
            if on:
                marks[w] |= bit
            else:
                marks[w] = 0


@kernel
def marks_present(marks: Ints, asked: Ints, lines: WordLines, path: Ints, n: int) -> int:
    """Which memberships words have after `mark_path`, a bit each."""
    found = 0
    for w in asked:
        found |= 1 << marks[w]
    for i in range(n):
        start = lines.ptr[path[i]]
        for j in range(length(lines, path[i])):
            found |= 1 << marks[lines.words[start + j]]
    return found


@kernel
def input_features(
    out: Hashes, asked: Ints, literal: Ints, lines: WordLines, last: int, hop: int
) -> int:
    """Φ_x: the question's words and pairs of neighbours, the hop, the words of the last support."""
    n = 0
    out[n] = mix(BIAS, 0, 0)
    n += 1
    out[n] = mix(HOP, min(hop, MOST_HOP), 0)
    n += 1
    nq = min(len(asked), MOST_WORDS)
    if nq > 0:
        out[n] = mix(FIRST, literal[asked[0]], min(hop, MOST_HOP))
        n += 1
    for j in range(nq):
        a = literal[asked[j]]
        out[n] = mix(ASKED, a, 0)
        n += 1
        for gap in range(1, 3):
            if j + gap <= nq:
                b = literal[asked[j + gap]] if j + gap < nq else -2
                out[n] = mix(ASKED_PAIR + gap, a, b)
                n += 1
    if last >= 0:
        start = lines.ptr[last]
        for j in range(length(lines, last)):
            out[n] = mix(LAST, literal[lines.words[start + j]], 0)
            n += 1
    return n


@inlined
def tamed(age: float, far: float) -> float:
    """An age; beyond what training knew it grows as its logarithm does, or it would drown all."""
    return age if age <= far else far * (1.0 + np.log(age / far))


@kernel
def candidate_features(
    out: Hashes,
    values: Doubles,
    y: int,
    lines: WordLines,
    marks: Ints,
    literal: Ints,
    end: int,
    last: int,
    weight: float,
    timed: bool,
    far: float = float(NEVER),
) -> int:
    """Φ_y: words, memberships and ordered pairs of both; first and last mentions; time.

    `end` is the first memory that the question may not see, `last` the last support, `weight` what
    a literal word counts beside a membership, `far` the age that training knew. Mentions and time
    only if it is `timed`.
    """
    n = 0
    start, ny = lines.ptr[y], length(lines, y)
    here, now = lines.places[y], lines.places[end]
    there = lines.places[last] if last >= 0 else -1
    for j in range(ny):
        at = start + j
        w, g = literal[lines.words[at]], marks[lines.words[at]]
        out[n], values[n] = mix(WORD, w, 0), weight
        out[n + 1], values[n + 1] = mix(MEMBER, g, 0), 1.0
        out[n + 2], values[n + 2] = mix(BOTH, w, g), weight
        n += 3
        for k in range(j + 1, ny):
            w2, g2 = literal[lines.words[start + k]], marks[lines.words[start + k]]
            out[n], values[n] = mix(MEMBERS, g, g2), 0.5
            out[n + 1], values[n + 1] = mix(WORD_MEMBER, w, g2), 0.5
            out[n + 2], values[n + 2] = mix(MEMBER_WORD, g, w2), 0.5
            n += 3
            if k <= j + 2:
                out[n], values[n] = mix(WORDS, w, w2), 0.5 * weight
                n += 1
        if timed and g > 0:
            if lines.newer[at] >= now:
                out[n], values[n] = mix(NEWEST, g, 0), 1.0
                n += 1
            if lines.older[at] < 0:
                out[n], values[n] = mix(OLDEST, g, 0), 0.5
                n += 1
            if last >= 0:
                if here < there and lines.newer[at] >= there:
                    out[n], values[n] = mix(NEWEST_BEFORE, g, 0), 1.0
                    n += 1
                if here > there and lines.older[at] <= there:
                    out[n], values[n] = mix(OLDEST_AFTER, g, 0), 1.0
                    n += 1
    if not timed:
        return n
    age = float(now - 1 - here)
    out[n], values[n] = mix(AGE, 0, 0), 0.01 * tamed(age, far)
    out[n + 1], values[n + 1] = mix(LOG_AGE, 0, 0), 0.05 * np.log2(1.0 + age)
    n += 2
    if last >= 0:
        side = 1 if here > there else 0
        distance = abs(here - there)
        out[n], values[n] = mix(SIDE, side, 0), 1.0
        out[n + 1], values[n + 1] = mix(DISTANCE, side, 0), 0.5 * np.log2(max(distance, 1))
        n += 2
        if distance == 1:
            out[n], values[n] = mix(NEXT_TO, side, 0), 1.0
            n += 1
    return n


@kernel
def rival_features(
    out: Hashes, values: Doubles, n: int, y: int, last: int, newer: int, older: int
) -> int:
    """How many newer and older memories are about as good (three at most), on which side."""
    side = 0 if last < 0 else (1 if y > last else 2)
    out[n], values[n] = mix(NEWER, side, 0), newer
    out[n + 1], values[n + 1] = mix(OLDER, side, 0), older
    out[n + 2], values[n + 2] = mix(NONE_NEWER, side, min(newer, 1)), 1.0
    out[n + 3], values[n + 3] = mix(NONE_OLDER, side, min(older, 1)), 1.0
    return n + 4


@kernel
def kind_of_feature(y: int, lines: WordLines, marks: Ints, end: int, last: int, n: int) -> Ints:
    """The group of each of the n features of `candidate_features`, in its order.

    0 words, 1 membership, 2 write time: age, distance, first and last mentions.
    """
    groups = np.full(n, 2, np.int64)
    here, now = lines.places[y], lines.places[end]
    there = lines.places[last] if last >= 0 else -1
    at = 0
    start, ny = lines.ptr[y], length(lines, y)
    for j in range(ny):
        groups[at], groups[at + 1], groups[at + 2] = 0, 1, 1
        at += 3
        for k in range(j + 1, ny):
            groups[at : at + 3] = 1
            at += 3
            if k <= j + 2:
                groups[at] = 0
                at += 1
        place = start + j
        if marks[lines.words[place]] > 0:
            times = 0
            times += lines.newer[place] >= now
            times += lines.older[place] < 0
            if last >= 0:
                times += here < there and lines.newer[place] >= there
                times += here > there and lines.older[place] <= there
            at += times
    return groups
