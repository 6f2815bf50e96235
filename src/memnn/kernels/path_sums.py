"""What each feature of a candidate is worth, given the question and the supports so far.

That is Σ over Φ_x of the cells of a pair, and most of Φ_x is the same at every step: the question's
words are, and the hop is for all paths of one length. Their sums are kept and only those of the
last support are added anew. A feature has its place in some arrays, so that it is hashed only when
it is first met in a step; words that are read alike share theirs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import inlined, kernel
from memnn.kernels.path_features import (
    AGE,
    BOTH,
    DISTANCE,
    LOG_AGE,
    MEMBER,
    MEMBER_WORD,
    MEMBERS,
    MOST_HOP,
    NEWER,
    NEXT_TO,
    NONE_NEWER,
    NONE_OLDER,
    OLDER,
    SIDE,
    STOP,
    WORD,
    WORD_MEMBER,
    WORDS,
    Doubles,
    Hashes,
    WordLines,
    cell,
    input_features,
    length,
    mix,
)

MARKS = 8
"""Memberships: any of the question, the last support and an earlier one."""
PAIRS = 1 << 12
"""Places of pairs of words, shared by those that happen to meet there."""
# Where the others begin: pairs of memberships, one alone, mentions, write time, then the words'.
AT_MEMBERS = PAIRS
AT_MEMBER = AT_MEMBERS + MARKS * MARKS
AT_MENTION = AT_MEMBER + MARKS
AT_TIME = AT_MENTION + 4 * MARKS
AT_WORD = AT_TIME + 32
OF_WORD = 4 * MARKS  # BOTH, WORD_MEMBER, MEMBER_WORD by membership, then WORD


class StepSums(NamedTuple):
    """Sums by the place of a feature, and what they are for."""

    totals: Doubles  # Σ over Φ_x
    steps: Ints  # of the step with this number
    lasting: Doubles  # Σ over what the question gives
    with_hop: Doubles  # Σ over what question and hop give
    hops: Ints  # (MOST_HOP + 1) · the question's number + the hop, of both
    keys: Hashes  # (PAIRS,) which pair of words is there
    clock: Ints  # (2,) the numbers of the question and of the step


class StepInput(NamedTuple):
    """Φ_x in three parts: question, hop, last support."""

    x: Hashes  # BIAS, then the hop's, the question's, the last support's
    hop_end: int
    last_start: int
    end: int
    hop: int


def new_sums(words: int) -> StepSums:
    """For words whose literal readings are below `words`."""
    places = AT_WORD + OF_WORD * words
    return StepSums(
        np.zeros(places), np.full(places, -1, np.int64), np.zeros(places), np.zeros(places),
        np.full(places, -1, np.int64), np.zeros(PAIRS, np.uint64), np.zeros(2, np.int64),
    )  # fmt: skip


@inlined
def new_question(sums: StepSums) -> None:
    """Another question, other weights or another reading of words: nothing of before holds."""
    sums.clock[0] += 1


@kernel
def new_step(
    sums: StepSums, x: Hashes, asked: Ints, literal: Ints, lines: WordLines, last: int, hop: int
) -> StepInput:
    """Φ_x of a step; the totals of the step before hold no longer."""
    sums.clock[1] += 1
    n = input_features(x, asked, literal, lines, last, hop)
    last_start = n - length(lines, last) if last >= 0 else n
    return StepInput(x, 3 if len(asked) > 0 else 2, last_start, n, min(hop, MOST_HOP))


@kernel
def add_up(sums: StepSums, A: Floats, input: StepInput, at: int, feature: np.uint64) -> None:
    """totals[at] = Σ over Φ_x of the cells with a feature, from what is known of it."""
    x, size = input.x, len(A)
    now = (MOST_HOP + 1) * sums.clock[0] + input.hop
    if sums.hops[at] != now:
        if sums.hops[at] // (MOST_HOP + 1) != sums.clock[0]:
            total = 0.0 + A[cell(x[0], feature, size)]  # in double precision
            for i in range(input.hop_end, input.last_start):
                total += A[cell(x[i], feature, size)]
            sums.lasting[at] = total
        total = sums.lasting[at]
        for i in range(1, input.hop_end):
            total += A[cell(x[i], feature, size)]
        sums.with_hop[at], sums.hops[at] = total, now
    total = sums.with_hop[at]
    for i in range(input.last_start, input.end):
        total += A[cell(x[i], feature, size)]
    sums.totals[at], sums.steps[at] = total, sums.clock[1]


@inlined
def worth(sums: StepSums, A: Floats, input: StepInput, at: int, kind: int, a: int, b: int) -> float:
    """What the feature of this place is worth."""
    if sums.steps[at] != sums.clock[1]:
        add_up(sums, A, input, at, mix(kind, a, b))
    return float(sums.totals[at])


@inlined
def worth_of_pair(sums: StepSums, A: Floats, input: StepInput, w: int, w2: int) -> float:
    """What two neighbouring words are worth."""
    feature = mix(WORDS, w, w2)
    at = np.int64(feature & np.uint64(PAIRS - 1))
    if sums.keys[at] != feature:
        sums.keys[at], sums.steps[at], sums.hops[at] = feature, -1, -1
    if sums.steps[at] != sums.clock[1]:
        add_up(sums, A, input, at, feature)
    return float(sums.totals[at])


@kernel
def worth_of_text(
    words: Ints, marks: Ints, n: int, sums: StepSums, A: Floats, input: StepInput, weight: float
) -> float:
    """The content of a text, its words as they are read and by membership, and pairs of both."""
    total = 0.0
    for j in range(n):
        w, g = words[j], marks[j]
        at, at_marks = AT_WORD + OF_WORD * w, AT_MEMBERS + MARKS * g
        total += weight * worth(sums, A, input, at + 3 * MARKS, WORD, w, 0)
        total += worth(sums, A, input, AT_MEMBER + g, MEMBER, g, 0)
        total += weight * worth(sums, A, input, at + g, BOTH, w, g)
        for k in range(j + 1, n):
            w2, g2 = words[k], marks[k]
            at2 = AT_WORD + OF_WORD * w2 + 2 * MARKS + g
            total += 0.5 * (
                worth(sums, A, input, at_marks + g2, MEMBERS, g, g2)
                + worth(sums, A, input, at + MARKS + g2, WORD_MEMBER, w, g2)
                + worth(sums, A, input, at2, MEMBER_WORD, g, w2)
            )
            if k <= j + 2:
                total += 0.5 * weight * worth_of_pair(sums, A, input, w, w2)
    return total


class TimeWorth(NamedTuple):
    """What write time is worth in a step; [1] after the last support, [0] before it."""

    age: float
    log_age: float
    side: Doubles
    distance: Doubles
    next_to: Doubles


@kernel
def worth_of_time(sums: StepSums, A: Floats, input: StepInput, last: int) -> TimeWorth:
    side, distance, next_to = np.zeros(2), np.zeros(2), np.zeros(2)
    if last >= 0:
        for s in range(2):
            side[s] = worth(sums, A, input, AT_TIME + 2 + s, SIDE, s, 0)
            distance[s] = worth(sums, A, input, AT_TIME + 4 + s, DISTANCE, s, 0)
            next_to[s] = worth(sums, A, input, AT_TIME + 6 + s, NEXT_TO, s, 0)
    return TimeWorth(
        worth(sums, A, input, AT_TIME, AGE, 0, 0),
        worth(sums, A, input, AT_TIME + 1, LOG_AGE, 0, 0),
        side, distance, next_to,
    )  # fmt: skip


@kernel
def worth_of_rivals(sums: StepSums, A: Floats, input: StepInput, side: int) -> Doubles:
    """What one newer and one older rival are worth, none and some newer, none and some older."""
    found, at = np.empty(6), AT_TIME + 8 + 6 * side
    found[0] = worth(sums, A, input, at, NEWER, side, 0)
    found[1] = worth(sums, A, input, at + 1, OLDER, side, 0)
    for some in range(2):
        found[2 + some] = worth(sums, A, input, at + 2 + some, NONE_NEWER, side, some)
        found[4 + some] = worth(sums, A, input, at + 4 + some, NONE_OLDER, side, some)
    return found


@kernel
def worth_of_stopping(sums: StepSums, A: Floats, input: StepInput) -> float:
    return worth(sums, A, input, AT_TIME + 26, STOP, 0, 0)
