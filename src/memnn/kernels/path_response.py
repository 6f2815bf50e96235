"""R of any form: an answer is said word by word, until END.

A word is either learnt (yes, two, north) or copied from a support, or both. Three parts add up to
its score: what it means given question and supports (embeddings), whether it is part of the answer
by where it stands (copying), and whether it is its turn (order).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import inlined, kernel
from memnn.kernels.path_features import (
    MOST_WORDS,
    Doubles,
    Hashes,
    Sums,
    WordLines,
    cell,
    length,
    mix,
)
from memnn.kernels.path_reading import (
    STEP,
    SupportFeatures,
    SupportSet,
    asked_features,
    copy_features,
    mark_support,
    read_supports,
    room_for_supports,
    support_features,
    unread,
)

END, OTHER = 0, 1
"""Rows of answers: the end, and any word that is no answer of the training data."""
NEVER_FIRST = -1e9
"""The score of ending before anything was said."""
MOST_STEPS = 16
"""Words of an answer."""
MOST_ASKED = 3 + 3 * MOST_WORDS + 2 * MOST_WORDS * MOST_WORDS
MOST_COPY = 8 + 5 * MOST_WORDS
CELLS = 1 << 13
"""Sums that are kept."""
MOST_TURNS = 2
ACCEPTED, SAID, TURN, TURN_BACK, FOLLOWS, LEFT = 250, 251, 252, 253, 254, 255
MOST_LEFT = 6
MOST_ORDER = 5


class Weights(NamedTuple):
    """The parameters of R."""

    features: Floats  # (rows, n) of features of question and supports
    answers: Floats  # (3, answers, n) with question and supports, supports, question
    copies: Floats  # (cells,) pairs of a question's feature and a word's


class Candidates(NamedTuple):
    """What may be said next: words of the supports first, then learnt answers."""

    words: Ints  # (M,) identities, -1 for an answer that is no word here
    rows: Ints  # (M,) rows of answers
    places: Ints  # (M,) first mention, or -1
    content: Doubles  # (M,) > 0: part of the answer by where it stands


class AnswerScratch(NamedTuple):
    """Features of the question, of the supports, and of one candidate."""

    asked: Hashes
    asked_values: Doubles
    copy: Hashes
    copy_values: Doubles
    sums: Sums
    q: Doubles  # (n,)
    m: Doubles  # (n,)


def new_scratch(dim: int) -> AnswerScratch:
    """Arrays for one R at a time."""
    sums = Sums(
        np.zeros(CELLS, np.uint64),
        np.zeros(CELLS, np.int64),
        np.zeros(CELLS),
        np.zeros(1, np.int64),
    )
    return AnswerScratch(
        np.zeros(MOST_ASKED, np.uint64), np.zeros(MOST_ASKED), np.zeros(MOST_COPY, np.uint64),
        np.zeros(MOST_COPY), sums, np.zeros(dim), np.zeros(dim),
    )  # fmt: skip


@kernel
def find_candidates(
    reading: SupportSet, lines: WordLines, answer_of: Ints, answers: int, marks: Ints, asked: Ints
) -> Candidates:
    """Every word of the supports once, and every answer that none of them is.

    `answer_of` says which answer a word is, or OTHER; `answers` is how many there are. What a word
    means does not matter when it is copied: only where it stands.
    """
    room = answers
    for row in reading.told:
        room += length(lines, row)
    words, rows = np.empty(room, np.int64), np.empty(room, np.int64)
    places = np.empty(room, np.int64)
    present = np.zeros(answers, np.bool_)
    n = 0
    for i in range(len(reading.told)):
        row = reading.told[i]
        for j in range(length(lines, row)):
            w = lines.words[lines.ptr[row] + j]
            known = False
            for k in range(n):
                known = known or words[k] == w
            if not known:
                words[n], rows[n], places[n] = w, OTHER, i * MOST_WORDS + j
                n += 1
                if w < len(answer_of):
                    present[answer_of[w]] = True
        mark_support(marks[i * MOST_WORDS : (i + 1) * MOST_WORDS], reading, i, asked, lines)
    for a in range(answers):
        if a == END or (a > OTHER and not present[a]):
            words[n], rows[n], places[n] = -1, a, -1
            n += 1
    return Candidates(words[:n], rows[:n], places[:n], np.zeros(n))


@inlined
def weigh(scratch: AnswerScratch, table: Floats, nf: int, feature: np.uint64) -> float:
    """Σ over the question's features of value times cell, remembered for this question."""
    sums = scratch.sums
    place = np.int64(feature & np.uint64(len(sums.keys) - 1))
    if sums.stamps[place] != sums.clock[0] or sums.keys[place] != feature:
        total = 0.0
        for i in range(nf):
            total += scratch.asked_values[i] * table[cell(scratch.asked[i], feature, len(table))]
        sums.stamps[place], sums.keys[place] = sums.clock[0], feature
        sums.values[place] = total
    return float(sums.values[place])


@kernel
def score_content(
    candidates: Candidates,
    weights: Weights,
    scratch: AnswerScratch,
    nf: int,
    reading: SupportSet,
    marks: Ints,
    literal: Ints,
    lines: WordLines,
) -> None:
    """Whether each word of the supports is part of the answer, by where it stands."""
    for c in range(len(candidates.words)):
        if candidates.places[c] < 0:
            candidates.content[c] = 0.0
            continue
        n = copy_features(
            scratch.copy, scratch.copy_values, candidates.words[c], reading, marks, literal, lines
        )
        total = 0.0
        for k in range(n):
            total += scratch.copy_values[k] * weigh(scratch, weights.copies, nf, scratch.copy[k])
        candidates.content[c] = total


@kernel
def order_features(out: Hashes, c: int, candidates: Candidates, said: Ints, previous: int) -> int:
    """Whose turn it is: accepted words that stand earlier or later and were not said yet."""
    n = 0
    earlier, later, left = 0, 0, 0
    for o in range(len(candidates.words)):
        if candidates.places[o] >= 0 and candidates.content[o] > 0 and said[o] == 0 and o != c:
            left += 1
            if candidates.places[o] < candidates.places[c]:
                earlier += 1
            else:
                later += 1
    accepted = 1 if candidates.content[c] > 0 else 0
    if said[c] > 0:
        out[n] = mix(SAID, accepted, 1 if candidates.places[c] >= 0 else 0)
        n += 1
    if candidates.places[c] < 0:
        out[n] = mix(LEFT, min(left, MOST_LEFT), candidates.rows[c])
        return n + 1
    out[n] = mix(ACCEPTED, accepted, said[c])
    n += 1
    if accepted and said[c] == 0:
        out[n] = mix(TURN, min(earlier, MOST_TURNS), 0)
        out[n + 1] = mix(TURN_BACK, min(later, MOST_TURNS), 0)
        n += 2
        if previous >= 0 and candidates.places[previous] >= 0:
            after = candidates.places[c] > candidates.places[previous]
            out[n] = mix(FOLLOWS, 1 if after else 0, 0)
            n += 1
    return n


@inlined
def straight(dim: int) -> int:
    """The dimensions in which supports just add up."""
    return dim - dim // 3


@kernel
def embed(
    weights: Weights,
    scratch: AnswerScratch,
    nf: int,
    told: SupportFeatures,
    step: int,
    scale: float,
) -> None:
    """q and m: question and supports as vectors, at this step of the answer.

    m is the sum of the supports' vectors. In the last dimensions a support counts only where its
    own is above zero: so it can be left out, however many there are like it.
    """
    q, m, E = scratch.q, scratch.m, weights.features
    size, dim = E.shape
    q[:] = 1.0
    m[:] = 0.0
    for i in range(nf):
        row = cell(scratch.asked[i], np.uint64(1), size)
        for d in range(dim):
            q[d] += scale * scratch.asked_values[i] * E[row, d]
    row = cell(mix(STEP, step, 0), np.uint64(1), size)
    for d in range(dim):
        q[d] += scale * E[row, d]
    for i in range(len(told.ends)):
        part = m if i == 0 else told.parts[i - 1]
        part[:] = 0.0
        for k in range(told.ends[i - 1] if i > 0 else 0, told.ends[i]):
            row = cell(told.features[k], np.uint64(2 + step), size)
            for d in range(dim):
                part[d] += scale * told.values[k] * E[row, d]
        if i > 0:
            for d in range(dim):
                m[d] += part[d] if d < straight(dim) else max(part[d], 0.0)


@kernel
def score_candidates(
    z: Doubles,
    candidates: Candidates,
    weights: Weights,
    scratch: AnswerScratch,
    nf: int,
    said: Ints,
    previous: int,
) -> None:
    """The score of everything that could be said next, given q and m."""
    Wa, q, m = weights.answers, scratch.q, scratch.m
    order = np.empty(MOST_ORDER, np.uint64)
    for c in range(len(candidates.words)):
        a = candidates.rows[c]
        total = candidates.content[c]
        for d in range(len(q)):
            total += Wa[0, a, d] * q[d] * m[d] + Wa[1, a, d] * m[d] + Wa[2, a, d] * q[d]
        n = order_features(order, c, candidates, said, previous)
        for k in range(n):
            total += weigh(scratch, weights.copies, nf, order[k])
        z[c] = total


@kernel
def say(
    said: Ints,
    asked: Ints,
    lines: WordLines,
    literal: Ints,
    weights: Weights,
    answer_of: Ints,
    reading: SupportSet,
    scratch: AnswerScratch,
    weight: float,
    scale: float,
) -> tuple[int, float]:
    """The most probable words one after the other; returns how many, and the logarithm of p.

    `said` gets the word's identity, or minus the row of a learnt answer. The reading is done and
    undone by the caller.
    """
    marks = np.empty(len(reading.told) * MOST_WORDS, np.int64)
    candidates = find_candidates(reading, lines, answer_of, weights.answers.shape[1], marks, asked)
    scratch.sums.clock[0] += 1
    nf = asked_features(scratch.asked, scratch.asked_values, reading, asked, literal, weight)
    told = room_for_supports(reading, lines, len(scratch.m))
    support_features(told, reading, asked, literal, lines, weight)
    score_content(candidates, weights, scratch, nf, reading, marks, literal, lines)
    times = np.zeros(len(candidates.words), np.int64)
    z = np.empty(len(candidates.words))
    certainty, previous, n = 0.0, -1, 0
    for step in range(len(said)):
        embed(weights, scratch, nf, told, step, scale)
        score_candidates(z, candidates, weights, scratch, nf, times, previous)
        if step == 0:
            for c in range(len(z)):
                if candidates.rows[c] == END:
                    z[c] = NEVER_FIRST
        best = int(np.argmax(z))
        certainty -= np.log(np.exp(z - z[best]).sum())
        if candidates.rows[best] == END:
            break
        said[n] = candidates.words[best] if candidates.places[best] >= 0 else -candidates.rows[best]
        n += 1
        times[best] += 1
        previous = best
    return n, certainty


@kernel
def read_and_say(
    said: Ints,
    asked: Ints,
    lines: WordLines,
    literal: Ints,
    weights: Weights,
    answer_of: Ints,
    reading: SupportSet,
    scratch: AnswerScratch,
    weight: float,
    scale: float,
) -> tuple[int, float]:
    """`say` with its reading: one call from outside is quicker than three."""
    read_supports(reading, asked, lines)
    n, certainty = say(
        said, asked, lines, literal, weights, answer_of, reading, scratch, weight, scale
    )
    unread(reading, asked, lines)
    return n, certainty
