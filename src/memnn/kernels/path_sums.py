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
    NEWEST,
    NEWEST_BEFORE,
    NEXT_TO,
    NONE_NEWER,
    NONE_OLDER,
    OLDER,
    OLDEST,
    OLDEST_AFTER,
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


@kernel
def worth_of_text(
    words: Ints,
    marks: Ints,
    n: int,
    counts: Ints,
    sums: StepSums,
    A: Floats,
    input: StepInput,
    weight: float,
) -> float:
    """The content of a text: its words as they are read, by membership, and pairs of both.

    A word's pairs with all others of one membership are worth the same, so that they need only be
    counted: `counts` are those before and after a word, (2, MARKS) and zero between texts.
    """
    # Not `worth`: handing on these bundles takes longer than the rest.
    totals, steps, keys, now = sums.totals, sums.steps, sums.keys, sums.clock[1]
    literal, member, pairs = 0.0, 0.0, 0.0
    most = 0
    for j in range(n):
        counts[1, marks[j]] += 1
        most = max(most, marks[j])
    for j in range(n):
        w, g = words[j], marks[j]
        counts[1, g] -= 1
        of_word, at = AT_WORD + OF_WORD * w, AT_MEMBER + g
        if steps[at] != now:
            add_up(sums, A, input, at, mix(MEMBER, g, 0))
        member += totals[at]
        at = of_word + 3 * MARKS
        if steps[at] != now:
            add_up(sums, A, input, at, mix(WORD, w, 0))
        literal += totals[at]
        at = of_word + g
        if steps[at] != now:
            add_up(sums, A, input, at, mix(BOTH, w, g))
        literal += totals[at]
        for g2 in range(most + 1):
            before, after = counts[0, g2], counts[1, g2]
            if after > 0:
                at = AT_MEMBERS + MARKS * g + g2
                if steps[at] != now:
                    add_up(sums, A, input, at, mix(MEMBERS, g, g2))
                pairs += after * totals[at]
                at = of_word + MARKS + g2
                if steps[at] != now:
                    add_up(sums, A, input, at, mix(WORD_MEMBER, w, g2))
                pairs += after * totals[at]
            if before > 0:
                at = of_word + 2 * MARKS + g2
                if steps[at] != now:
                    add_up(sums, A, input, at, mix(MEMBER_WORD, g2, w))
                pairs += before * totals[at]
        for k in range(j + 1, min(j + 3, n)):
            feature = mix(WORDS, w, words[k])
            at = np.int64(feature & np.uint64(PAIRS - 1))
            if keys[at] != feature:
                keys[at], steps[at], sums.hops[at] = feature, -1, -1
            if steps[at] != now:
                add_up(sums, A, input, at, feature)
            literal += 0.5 * totals[at]
        counts[0, g] += 1
    for j in range(n):
        counts[0, marks[j]] = 0
    return weight * literal + member + 0.5 * pairs


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
def worth_of_mentions(sums: StepSums, A: Floats, input: StepInput, present: int) -> Doubles:
    """What the newest and the oldest mention of a word are worth, and those beside the last
    support, by its membership: (4, MARKS), for those that are there."""
    found = np.zeros((4, MARKS))
    for g in range(1, MARKS):
        if present & (1 << g):
            at = AT_MENTION + g
            found[0, g] = worth(sums, A, input, at, NEWEST, g, 0)
            found[1, g] = 0.5 * worth(sums, A, input, at + MARKS, OLDEST, g, 0)
            found[2, g] = worth(sums, A, input, at + 2 * MARKS, NEWEST_BEFORE, g, 0)
            found[3, g] = worth(sums, A, input, at + 3 * MARKS, OLDEST_AFTER, g, 0)
    return found


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
