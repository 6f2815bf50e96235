"""What each feature of a candidate is worth, given the question and the supports so far.

That is Σ over Φ_x of the cells of a pair, and most of Φ_x is the same at every step: the question's
words are, and the hop is for all paths of one length. Their sums are kept and only those of the
last support are added anew. A feature has its place in some arrays, so that it is hashed only when
it is first met in a step; words that are read alike share theirs.

While weights stay as they are, the cells of a feature of Φ_x with all that was met are kept, side
by side: questions and supports have much in common, and cells lie far apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel
from memnn.kernels.path_features import (
    BOTH,
    MEMBER,
    MEMBER_WORD,
    MEMBERS,
    MOST_HOP,
    MOST_WORDS,
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

Flags = NDArray[np.bool_]

MARKS = 8
"""Memberships: any of the question, the last support and an earlier one."""
PAIRS = 1 << 12
"""Places of pairs of words, shared by those that happen to meet there."""
PROBES = 4
"""Where a pair's own place is taken, so many after it are tried."""
ROWS, MOST_MET = 512, 1 << 12
"""Features of Φ_x whose cells are kept, half of them at most, and of how many candidates'."""
# Where the others begin: pairs of memberships, one alone, mentions, write time, then the words'.
AT_MEMBERS = PAIRS
AT_MEMBER = AT_MEMBERS + MARKS * MARKS
AT_MENTION = AT_MEMBER + MARKS
AT_TIME = AT_MENTION + 4 * MARKS
AT_WORD = AT_TIME + 32
HOPS = MOST_HOP + 2
OF_WORD = 4 * MARKS  # BOTH, WORD_MEMBER, MEMBER_WORD by membership, then WORD


class StepSums(NamedTuple):
    """Sums by the place of a feature, and what they are for."""

    totals: Doubles  # Σ over Φ_x
    steps: Ints  # of the step with this number
    lasting: Doubles  # Σ over what the question gives
    with_hop: Doubles  # Σ over what question and hop give
    hops: Ints  # HOPS · the question's number, plus the hop and one where there is a hop yet
    features: Hashes  # what is there
    met: Ints  # the places of the question's features so far, and a spare one
    clock: Ints  # (5,) the numbers of the question and of the step; how many places were met;
    # the question that those met before it were summed up for; how many rows are kept
    rows: Floats  # (ROWS, MOST_MET) cells of a feature of Φ_x with those met, or nothing
    keys: Hashes  # (ROWS,) which feature of Φ_x, 0 for none
    filled: Ints  # (ROWS,) with how many of those met
    kept: Hashes  # (MOST_MET,) which feature was met
    kept_sums: Doubles  # (MOST_MET,)


class StepInput(NamedTuple):
    """Φ_x in three parts: question, hop, last support."""

    x: Hashes  # BIAS, then the hop's, the question's, the last support's
    hop_end: int
    last_start: int
    end: int
    hop: int


def new_sums(words: int, remember: bool = False) -> StepSums:
    """For words whose literal readings are below `words`; `remember` where A stays as it is."""
    places = AT_WORD + OF_WORD * words
    met = MOST_MET if remember else places
    rows = ROWS if remember else 0
    return StepSums(
        np.zeros(places), np.full(places, -1, np.int64), np.zeros(places), np.zeros(places),
        np.full(places, -1, np.int64), np.zeros(places, np.uint64), np.zeros(met + 1, np.int64),
        np.zeros(5, np.int64), np.zeros((rows, MOST_MET), np.float32), np.zeros(rows, np.uint64),
        np.zeros(rows, np.int64), np.zeros(MOST_MET * remember, np.uint64),
        np.zeros(MOST_MET * remember),
    )  # fmt: skip


@kernel
def new_question(sums: StepSums) -> None:
    """Another question, other weights or another reading of words: nothing of before holds."""
    sums.clock[0] += 1
    if len(sums.rows) == 0:
        sums.clock[2] = 0
    elif 2 * sums.clock[2] > MOST_MET or 2 * sums.clock[4] > ROWS:  # full: begin anew
        sums.clock[2], sums.clock[4] = 0, 0
        sums.keys[:] = 0


@kernel
def row_of(sums: StepSums, A: Floats, x: np.uint64) -> int:
    """Where the cells of a feature of Φ_x with all that was met are; -1 where there is no room."""
    at = int(np.int64(x & np.uint64(ROWS - 1)))
    while sums.keys[at] != x:
        if sums.keys[at] == 0:
            if sums.clock[4] >= ROWS - 1:  # one stays empty, so that searches end
                return -1
            sums.keys[at], sums.filled[at] = x, 0
            sums.clock[4] += 1
        else:
            at = (at + 1) % ROWS
    for k in range(sums.filled[at], sums.clock[2]):
        sums.rows[at, k] = A[cell(x, sums.kept[k], len(A))]
    sums.filled[at] = max(sums.filled[at], sums.clock[2])
    return at


@kernel
def recall(sums: StepSums, A: Floats, input: StepInput) -> bool:
    """`lasting` of all that earlier questions met, for this one."""
    n, totals = sums.clock[2], sums.kept_sums
    totals[:n] = 0.0
    for i in range(input.last_start):
        if 0 < i < input.hop_end:
            continue
        row = row_of(sums, A, input.x[i])
        if row < 0:
            return False
        for k in range(n):
            totals[k] += sums.rows[row, k]
    for k in range(n):
        at = sums.met[k]
        if sums.features[at] == sums.kept[k]:  # it was not driven out
            sums.lasting[at], sums.hops[at] = totals[k], HOPS * sums.clock[0]
    return True


@kernel
def add_up_kept(sums: StepSums, A: Floats, input: StepInput) -> bool:
    """The totals of all that was met, from rows; False where there is no room for these."""
    if sums.clock[3] != sums.clock[0]:
        if not recall(sums, A, input):
            return False
        sums.clock[3] = sums.clock[0]
    rows = np.empty(input.end, np.int64)
    for i in range(1, input.end):
        if i < input.hop_end or i >= input.last_start:
            rows[i] = row_of(sums, A, input.x[i])
            if rows[i] < 0:
                return False
    hop, now = HOPS * sums.clock[0] + 1 + input.hop, sums.clock[1]
    cells, hops, with_hop = sums.rows, sums.hops, sums.with_hop
    for k in range(sums.clock[2]):
        at = sums.met[k]
        if sums.features[at] != sums.kept[k]:
            continue
        if hops[at] != hop:
            total = sums.lasting[at]
            for i in range(1, input.hop_end):
                total += cells[rows[i], k]
            with_hop[at], hops[at] = total, hop
        total = with_hop[at]
        for i in range(input.last_start, input.end):
            total += cells[rows[i], k]
        sums.totals[at], sums.steps[at] = total, now
    return True


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
def add_up_places(sums: StepSums, A: Floats, input: StepInput, start: int, end: int) -> None:
    """totals of met[start:end], whose sums over the question are there."""
    x, size, now = input.x, len(A), sums.clock[1]
    met, features, hops, totals, steps = (
        sums.met, sums.features, sums.hops, sums.totals, sums.steps
    )  # fmt: skip
    lasting, with_hop = sums.lasting, sums.with_hop
    hop = HOPS * sums.clock[0] + 1 + input.hop
    for k in range(start, end):
        at = met[k]
        feature = features[at]
        if hops[at] != hop:
            total = lasting[at]
            for i in range(1, input.hop_end):
                total += A[cell(x[i], feature, size)]
            with_hop[at], hops[at] = total, hop
        total = with_hop[at]
        for i in range(input.last_start, input.end):
            total += A[cell(x[i], feature, size)]
        totals[at], steps[at] = total, now


@kernel
def add_up_met(sums: StepSums, A: Floats, input: StepInput) -> None:
    """The totals of all that was met: a step meets much the same as the one before."""
    if len(sums.rows) == 0:
        add_up_places(sums, A, input, 0, sums.clock[2])
    else:
        add_up_kept(sums, A, input)  # what it leaves out is added up when it is met


@kernel
def add_up(sums: StepSums, A: Floats, input: StepInput, at: int, kind: int, a: int, b: int) -> None:
    """totals[at], whether the feature was met before or not."""
    feature, spare = mix(kind, a, b), len(sums.met) - 1
    if sums.hops[at] // HOPS != sums.clock[0]:
        total = 0.0 + A[cell(input.x[0], feature, len(A))]  # in double precision
        for i in range(input.hop_end, input.last_start):
            total += A[cell(input.x[i], feature, len(A))]
        sums.lasting[at], sums.features[at] = total, feature
        sums.hops[at] = HOPS * sums.clock[0]
        if sums.clock[2] < spare:  # pairs that drive each other out are met again and again
            if len(sums.kept) > 0:
                sums.kept[sums.clock[2]] = feature
            sums.met[sums.clock[2]] = at
            sums.clock[2] += 1
    sums.met[spare] = at
    add_up_places(sums, A, input, spare, spare + 1)


@kernel
def worth(sums: StepSums, A: Floats, input: StepInput, at: int, kind: int, a: int, b: int) -> float:
    """What the feature of this place is worth."""
    if sums.steps[at] != sums.clock[1]:
        add_up(sums, A, input, at, kind, a, b)
    return float(sums.totals[at])


@kernel
def score_texts(
    contents: Doubles,
    marked: Flags,
    lines: WordLines,
    first: int,
    end: int,
    literal: Ints,
    marks_of: Ints,
    sums: StepSums,
    A: Floats,
    input: StepInput,
    weight: float,
) -> None:
    """The content of texts: words as they are read, by membership, and pairs of both.

    What was told twice is read once. A word's pairs with all others of one membership are worth
    the same, so that they need only be counted. `marked` texts have a word of the question or of
    supports.
    """
    # Not `worth`: handing on these bundles would take longer than the rest.
    totals, steps, features, now = sums.totals, sums.steps, sums.features, sums.clock[1]
    all_words, same, ptr = lines.words, lines.same, lines.ptr
    words, marks = np.empty(MOST_WORDS, np.int64), np.empty(MOST_WORDS, np.int64)
    counts = np.zeros((2, MARKS), np.int64)  # before and after a word
    for y in range(first, end):
        before = same[y] - first
        if 0 <= before < y - first:
            contents[y - first], marked[y - first] = contents[before], marked[before]
            continue
        n, most = min(ptr[y + 1] - ptr[y], MOST_WORDS), 0
        counts[:] = 0
        for j in range(n):
            w = all_words[ptr[y] + j]
            words[j], marks[j] = literal[w], marks_of[w]
            counts[1, marks[j]] += 1
            most = max(most, marks[j])
        literals, members, pairs = 0.0, 0.0, 0.0
        for j in range(n):
            w, g = words[j], marks[j]
            counts[1, g] -= 1
            of_word, at = AT_WORD + OF_WORD * w, AT_MEMBER + g
            if steps[at] != now:
                add_up(sums, A, input, at, MEMBER, g, 0)
            members += totals[at]
            at = of_word + 3 * MARKS
            if steps[at] != now:
                add_up(sums, A, input, at, WORD, w, 0)
            literals += totals[at]
            at = of_word + g
            if steps[at] != now:
                add_up(sums, A, input, at, BOTH, w, g)
            literals += totals[at]
            for g2 in range(most + 1):
                if counts[1, g2] > 0:
                    at = AT_MEMBERS + MARKS * g + g2
                    if steps[at] != now:
                        add_up(sums, A, input, at, MEMBERS, g, g2)
                    pairs += counts[1, g2] * totals[at]
                    at = of_word + MARKS + g2
                    if steps[at] != now:
                        add_up(sums, A, input, at, WORD_MEMBER, w, g2)
                    pairs += counts[1, g2] * totals[at]
                if counts[0, g2] > 0:
                    at = of_word + 2 * MARKS + g2
                    if steps[at] != now:
                        add_up(sums, A, input, at, MEMBER_WORD, g2, w)
                    pairs += counts[0, g2] * totals[at]
            for k in range(j + 1, min(j + 3, n)):
                feature = mix(WORDS, w, words[k])
                own = int(np.int64(feature & np.uint64(PAIRS - 1)))
                at = own
                for probe in range(PROBES):
                    at = (own + probe) & (PAIRS - 1)
                    if features[at] == feature or features[at] == 0:
                        break
                if features[at] != feature and features[at] != 0:
                    at = own
                if features[at] != feature:
                    steps[at], sums.hops[at] = -1, -1
                if steps[at] != now:
                    add_up(sums, A, input, at, WORDS, w, words[k])
                literals += 0.5 * totals[at]
            counts[0, g] += 1
        contents[y - first] = weight * literals + members + 0.5 * pairs
        marked[y - first] = most > 0
