"""What R reads: the question and its supports, as features.

The supports count as a set. Each is read in the order of telling and, so that "the first" and "the
second" mean something, in the order in which the question mentions them: not in the order in which
they were found, which may give the answer away in training and mislead later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Ints
from memnn.kernels.jit import inlined, kernel
from memnn.kernels.path_features import MOST_WORDS, Doubles, Hashes, WordLines, length, mix

MOST_SUPPORTS = 30
"""Supports that can be told apart; later ones count as the last of these."""
SHORT = 12
"""Triples of words are read in texts up to this length."""
NOWHERE = 10**6

# What a feature is about. These numbers are part of a model.
ASKED, ASKED_WORD, ASKED_WORDS, ASKED_OF_WORD, ASKED_WORD_OF, ASKED_OF_BOTH, STEP = range(60, 67)
SUPPORTS, COUNT = 70, 71
ROLES = 4  # as the first, second or third that the question mentions, and as any
S_WORD, S_MARK, S_BOTH, S_MARKS, S_WORD_MARK, S_MARK_WORD, S_TRIPLE = range(100, 170, 10)
S_WORD_FIRST, S_WORD_LAST = 170, 180  # triples; S_TRIPLE has the word in the middle
C_WORD, C_ASKED, C_NEWEST, C_NEAR, C_MARK, C_LAST = 200, 201, 202, 210, 220, 230

# Marks of a word in a support.
IN_QUESTION, IN_OLDER, IN_NEWER, BEFORE, AFTER, BETWEEN = 1, 2, 4, 8, 16, 24


class SupportFeatures(NamedTuple):
    """What `support_features` finds: of all supports together first, then of each."""

    features: Hashes
    values: Doubles
    ends: Ints  # (n + 1,) where the common features end, then those of each support
    parts: Doubles  # (n, dim) room for a vector of each support


class SupportSet(NamedTuple):
    """A question and its supports, oldest first; see `read_supports`."""

    told: Ints  # (n,) rows of statements in the order of telling
    rank: Ints  # (n,) each one's place in the order of the question, three at most
    seen: Ints  # (words,) which supports hold a word, a bit each; zero between readings
    asked: Ints  # (words,) where the question has it, plus one; zero between readings


@inlined
def bit_of(i: int) -> int:
    return 1 << min(i, MOST_SUPPORTS)


@kernel
def read_supports(reading: SupportSet, asked: Ints, lines: WordLines) -> None:
    """Note where words are, and put the supports in the order of the question."""
    told, n = reading.told, len(reading.told)
    told.sort()
    for i in range(n):
        start = lines.ptr[told[i]]
        for j in range(length(lines, told[i])):
            reading.seen[lines.words[start + j]] |= bit_of(i)
    everywhere = 0
    for i in range(n):
        everywhere |= bit_of(i)
    nq = min(len(asked), MOST_WORDS)
    for j in range(nq - 1, -1, -1):
        reading.asked[asked[j]] = j + 1
    places = np.empty(n, np.int64)
    for i in range(n):
        places[i] = NOWHERE
        for j in range(nq - 1, -1, -1):
            seen = reading.seen[asked[j]]
            if seen & bit_of(i) and seen != everywhere:
                places[i] = j
    for i in range(n):
        rank = 0
        for k in range(n):
            if places[k] < places[i] or (places[k] == places[i] and k < i):
                rank += 1
        reading.rank[i] = min(rank, ROLES - 2)


@kernel
def unread(reading: SupportSet, asked: Ints, lines: WordLines) -> None:
    """Leave the notes as they were before `read_supports`."""
    for row in reading.told:
        start = lines.ptr[row]
        for j in range(length(lines, row)):
            reading.seen[lines.words[start + j]] = 0
    for j in range(min(len(asked), MOST_WORDS)):
        reading.asked[asked[j]] = 0


@kernel
def mark_support(marks: Ints, reading: SupportSet, i: int, asked: Ints, lines: WordLines) -> None:
    """The marks of the words of the i-th support told, as far as they are read.

    A word that the question shares with this support alone stands before, after or between the
    words it shares with the others: that tells who is who in "Is X above Y?".
    """
    bit = bit_of(i)
    least, most = NOWHERE, -1
    for j in range(min(len(asked), MOST_WORDS)):
        seen = reading.seen[asked[j]]
        if seen & ~bit and not seen & bit:
            least, most = min(least, j), max(most, j)
    start = lines.ptr[reading.told[i]]
    for j in range(length(lines, reading.told[i])):
        w = lines.words[start + j]
        seen, place = reading.seen[w], reading.asked[w] - 1
        mark = 0
        if place >= 0:
            mark = IN_QUESTION
            if seen == bit and most >= 0:
                mark = BEFORE if place < least else (AFTER if place > most else BETWEEN)
        if seen & (bit - 1):
            mark += IN_OLDER
        if seen & ~(2 * bit - 1):
            mark += IN_NEWER
        marks[j] = mark


@inlined
def side_of(seen: int, first: int) -> int:
    """Whether a question word is in the support mentioned first (1), in others (2), in both (3)."""
    return (1 if seen & first else 0) + (2 if seen & ~first else 0)


@kernel
def asked_features(
    out: Hashes, values: Doubles, reading: SupportSet, asked: Ints, literal: Ints, weight: float
) -> int:
    """The question: words, neighbours, and on which side of it the supports stand."""
    first = 0
    for i in range(len(reading.told)):
        if reading.rank[i] == 0:
            first = bit_of(i)
    n = 0
    out[n], values[n] = mix(ASKED, 0, 0), 1.0
    n += 1
    nq = min(len(asked), MOST_WORDS)
    for j in range(nq):
        a, side = literal[asked[j]], side_of(reading.seen[asked[j]], first)
        out[n], values[n] = mix(ASKED_WORD, a, 0), weight
        n += 1
        for k in range(j + 1, nq):
            b, side2 = literal[asked[k]], side_of(reading.seen[asked[k]], first)
            if k == j + 1:
                out[n], values[n] = mix(ASKED_WORDS, a, b), weight
                n += 1
            if side == 3 or side2 == 3:  # in both: says nothing of where they stand
                continue
            if side > 0:
                out[n], values[n] = mix(ASKED_OF_WORD, side, b), 1.0
                n += 1
            if side2 > 0:
                out[n], values[n] = mix(ASKED_WORD_OF, a, side2), 1.0
                n += 1
            if side > 0 and side2 > 0 and side != side2:
                out[n], values[n] = mix(ASKED_OF_BOTH, side, side2), 1.0
                n += 1
    return n


@kernel
def room_for_supports(reading: SupportSet, lines: WordLines, dim: int) -> SupportFeatures:
    """Room for `support_features`, and for vectors of this dimension."""
    total, supports = 2, len(reading.told)
    for row in reading.told:
        n = length(lines, row)
        triples = n * n * n // 2 if n <= SHORT else 0
        total += 2 * (3 * n + 2 * n * n + triples)
    return SupportFeatures(
        np.empty(total, np.uint64), np.empty(total), np.empty(supports + 1, np.int64),
        np.empty((supports, dim)),
    )  # fmt: skip


@kernel
def support_features(
    told: SupportFeatures,
    reading: SupportSet,
    asked: Ints,
    literal: Ints,
    lines: WordLines,
    weight: float,
) -> None:
    """All supports: words, marks, ordered pairs and triples, each in its role and in any."""
    out, values, n = told.features, told.values, 0
    out[n], values[n] = mix(SUPPORTS, 0, 0), 1.0
    out[n + 1], values[n + 1] = mix(COUNT, min(len(reading.told), 6), 0), 1.0
    n += 2
    told.ends[0] = n
    marks, tells = np.empty(MOST_WORDS, np.int64), np.empty(MOST_WORDS, np.bool_)
    everywhere = 0
    for i in range(len(reading.told)):
        everywhere |= bit_of(i)
    for i in range(len(reading.told)):
        mark_support(marks, reading, i, asked, lines)
        start, ny = lines.ptr[reading.told[i]], length(lines, reading.told[i])
        for j in range(ny):
            w = lines.words[start + j]
            tells[j] = marks[j] > 0 and (reading.seen[w] != everywhere or reading.asked[w] == 0)
        for view in range(2):
            role = reading.rank[i] if view == 0 else ROLES - 1
            for j in range(ny):
                w, g = literal[lines.words[start + j]], marks[j]
                out[n], values[n] = mix(S_WORD + role, w, 0), weight
                out[n + 1], values[n + 1] = mix(S_MARK + role, g, 0), 1.0
                out[n + 2], values[n + 2] = mix(S_BOTH + role, w, g), weight
                n += 3
                for k in range(j + 1, ny):
                    w2, g2 = literal[lines.words[start + k]], marks[k]
                    out[n], values[n] = mix(S_MARKS + role, g, g2), 0.5
                    out[n + 1], values[n + 1] = mix(S_WORD_MARK + role, w, g2), 0.5
                    out[n + 2], values[n + 2] = mix(S_MARK_WORD + role, g, w2), 0.5
                    n += 3
                    if ny <= SHORT:
                        for m in range(k + 1, ny):
                            w3, g3 = literal[lines.words[start + m]], marks[m]
                            out[n], values[n] = mix(S_TRIPLE + role, w2, 64 * g + g3), 0.5
                            n += 1
                            if m > j + 2:
                                continue
                            if tells[k] and tells[m]:
                                out[n], values[n] = mix(S_WORD_FIRST + role, w, 64 * g2 + g3), 0.5
                                n += 1
                            if tells[j] and tells[k]:
                                out[n], values[n] = mix(S_WORD_LAST + role, w3, 64 * g + g2), 0.5
                                n += 1
        told.ends[i + 1] = n


@kernel
def copy_features(
    out: Hashes,
    values: Doubles,
    word: int,
    reading: SupportSet,
    marks: Ints,
    literal: Ints,
    lines: WordLines,
) -> int:
    """A word that might be said: where it was last mentioned, and beside what.

    `marks` are those of all supports, MOST_WORDS each, in the order of telling.
    """
    newest = -1
    for i in range(len(reading.told)):
        if reading.seen[word] & bit_of(i):
            newest = i
    n = 0
    asked = 1 if reading.asked[word] > 0 else 0
    out[n], values[n] = mix(C_WORD, literal[word], 0), 0.3
    out[n + 1], values[n + 1] = mix(C_ASKED, asked, 0), 1.0
    n += 2
    if newest < 0:
        return n
    row = reading.told[newest]
    out[n], values[n] = mix(C_NEWEST, 1 if newest == len(reading.told) - 1 else 0, asked), 1.0
    n += 1
    start, ny = lines.ptr[row], length(lines, row)
    place = 0
    while place < ny - 1 and lines.words[start + place] != word:
        place += 1
    for k in range(ny):
        if k == place:
            continue
        w, g = literal[lines.words[start + k]], marks[newest * MOST_WORDS + k]
        side = 1 if k > place else 0
        for near in range(2 if abs(k - place) == 1 else 1):
            out[n], values[n] = mix(C_NEAR + side + 2 * near, w, 0), 1.0
            out[n + 1], values[n + 1] = mix(C_MARK + side + 2 * near, g, 0), 1.0
            n += 2
        if newest == len(reading.told) - 1:
            out[n], values[n] = mix(C_LAST + side, w, 0), 1.0
            n += 1
    return n
