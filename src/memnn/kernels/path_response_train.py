"""Training R: each step of each answer by softmax, each word of the supports by its own yes or no.

What a word's place says about it ("part of the answer") is learnt apart from whose turn it is, so
that the order of a list never speaks against its members.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel
from memnn.kernels.path_features import MOST_WORDS, Doubles, WordLines, cell, mix
from memnn.kernels.path_reading import (
    STEP,
    SupportFeatures,
    SupportSet,
    asked_features,
    copy_features,
    read_supports,
    room_for_supports,
    support_features,
    unread,
)
from memnn.kernels.path_response import (
    END,
    MOST_ORDER,
    AnswerScratch,
    Candidates,
    Weights,
    embed,
    find_candidates,
    order_features,
    score_candidates,
    score_content,
    straight,
)
from memnn.kernels.path_train import DRAWS, LITTLE, SURE, PathLabels, hide_words
from memnn.kernels.rng import State, below


class Rates(NamedTuple):
    """How R learns."""

    embeddings: float
    copies: float
    order: float
    hidden: float  # the share of words that are read as unknown
    weight: float  # of a literal word beside its marks
    scale: float  # of a feature in q and m
    blind: float  # the share of answers to be found from words and their order alone


class AnswerLabels(NamedTuple):
    """The answers of the questions, as rows of answers."""

    ptr: Ints  # (Q + 1,)
    rows: Ints
    answer_of: Ints  # (words,) the answer that a word is, or OTHER


@kernel
def step_pairs(
    table: Floats,
    squares: Floats,
    scratch: AnswerScratch,
    nf: int,
    feature: np.uint64,
    gradient: float,
    lr: float,
) -> None:
    """AdaGrad on the cells of one feature with every feature of the question."""
    size = len(table)
    for i in range(nf):
        g = np.float32(gradient * scratch.asked_values[i])
        at = cell(scratch.asked[i], feature, size)
        squares[at] += g * g
        table[at] += np.float32(lr) * g / np.sqrt(squares[at])


@kernel
def learn_content(
    weights: Weights,
    squares: Weights,
    candidates: Candidates,
    true: NDArray[np.bool_],
    scratch: AnswerScratch,
    nf: int,
    reading: SupportSet,
    marks: Ints,
    literal: Ints,
    lines: WordLines,
    lr: float,
) -> None:
    """Every word of the supports is part of the answer or not."""
    for c in range(len(candidates.words)):
        if candidates.places[c] < 0:
            continue
        gradient = (1.0 if true[c] else 0.0) - 1.0 / (1.0 + np.exp(-candidates.content[c]))
        if abs(gradient) < LITTLE:
            continue
        n = copy_features(
            scratch.copy, scratch.copy_values, candidates.words[c], reading, marks, literal, lines
        )
        for k in range(n):
            step_pairs(
                weights.copies, squares.copies, scratch, nf, scratch.copy[k],
                gradient * scratch.copy_values[k], lr,
            )  # fmt: skip


@kernel
def learn_embeddings(
    weights: Weights,
    squares: Weights,
    candidates: Candidates,
    d: Doubles,
    scratch: AnswerScratch,
    nf: int,
    told: SupportFeatures,
    step: int,
    rates: Rates,
) -> None:
    """The gradient of one softmax, into answers, question and supports."""
    Wa, GA, E, GE = weights.answers, squares.answers, weights.features, squares.features
    q, m, lr = scratch.q, scratch.m, rates.embeddings
    size, dim = E.shape
    total = np.zeros(Wa.shape[1])
    for c in range(len(candidates.words)):
        total[candidates.rows[c]] += d[c]
    dq, dm = np.zeros(dim), np.zeros(dim)
    for a in range(len(total)):
        if total[a] == 0.0:
            continue
        for e in range(dim):
            dq[e] += total[a] * (Wa[0, a, e] * m[e] + Wa[2, a, e])
            dm[e] += total[a] * (Wa[0, a, e] * q[e] + Wa[1, a, e])
    for a in range(len(total)):
        if total[a] == 0.0:
            continue
        for e in range(dim):
            for part in range(3):
                x = m[e] if part == 1 else (q[e] if part == 2 else q[e] * m[e])
                g = np.float32(total[a] * x)
                GA[part, a, e] += g * g
                Wa[part, a, e] += np.float32(lr) * g / np.sqrt(GA[part, a, e])
    for s in range(len(told.ends)):
        for k in range(told.ends[s - 1] if s > 0 else 0, told.ends[s]):
            row, value = cell(told.features[k], np.uint64(2 + step), size), told.values[k]
            for e in range(dim):
                if s > 0 and e >= straight(dim) and told.parts[s - 1, e] <= 0.0:
                    continue
                g = np.float32(value * dm[e])
                GE[row, e] += g * g
                E[row, e] += np.float32(lr * value) * g / np.sqrt(GE[row, e])
    for i in range(nf + 1):
        if i < nf:
            row, value = cell(scratch.asked[i], np.uint64(1), size), scratch.asked_values[i]
        else:
            row, value = cell(mix(STEP, step, 0), np.uint64(1), size), 1.0
        for e in range(dim):
            g = np.float32(value * dq[e])
            GE[row, e] += g * g
            E[row, e] += np.float32(lr * value) * g / np.sqrt(GE[row, e])


@kernel
def candidate_of(candidates: Candidates, row: int, answer_of: Ints) -> int:
    """Where an answer is among the candidates: as a word of the supports, else as learnt."""
    for c in range(len(candidates.words)):
        if candidates.places[c] >= 0 and answer_of[candidates.words[c]] == row:
            return c
    for c in range(len(candidates.words)):
        if candidates.places[c] < 0 and candidates.rows[c] == row:
            return c
    return -1


@kernel
def train_answers(
    weights: Weights,
    squares: Weights,
    lines: WordLines,
    labels: PathLabels,
    said: AnswerLabels,
    order: Ints,
    rates: Rates,
    seen: Ints,
    asked_at: Ints,
    scratch: AnswerScratch,
    literal: Ints,
    state: State,
) -> float:
    """One pass over the questions; returns the summed loss, -log p of the answers."""
    total = 0.0
    moves = np.empty(MOST_ORDER, np.uint64)
    for i in order:
        asked = labels.questions.words[labels.questions.ptr[i] : labels.questions.ptr[i + 1]]
        n = labels.ptr[i + 1] - labels.ptr[i]
        reading = SupportSet(
            labels.supports[labels.ptr[i] : labels.ptr[i + 1]].copy(), np.zeros(n, np.int64), seen,
            asked_at,
        )  # fmt: skip
        read_supports(reading, asked, lines)
        hide_words(literal, rates.hidden, state)
        marks = np.empty(n * MOST_WORDS, np.int64)
        candidates = find_candidates(
            reading, lines, said.answer_of, weights.answers.shape[1], marks, asked
        )
        scratch.sums.clock[0] += 1
        nf = asked_features(
            scratch.asked, scratch.asked_values, reading, asked, literal, rates.weight
        )
        told = room_for_supports(reading, lines, len(scratch.m))
        support_features(told, reading, asked, literal, lines, rates.weight)
        if below(state, DRAWS) < rates.blind * DRAWS:
            told.ends[:] = 1
        score_content(candidates, weights, scratch, nf, reading, marks, literal, lines)
        M = len(candidates.words)
        true = np.zeros(M, np.bool_)
        rows = said.rows[said.ptr[i] : said.ptr[i + 1]]
        for a in rows:
            c = candidate_of(candidates, a, said.answer_of)
            if c >= 0:
                true[c] = True
        times, z = np.zeros(M, np.int64), np.empty(M)
        previous = -1
        for step in range(len(rows) + 1 if rates.embeddings > 0 else 0):
            a = rows[step] if step < len(rows) else END
            target = candidate_of(candidates, a, said.answer_of)
            if target < 0:
                break
            embed(weights, scratch, nf, told, step, rates.scale)
            score_candidates(z, candidates, weights, scratch, nf, times, previous)
            d = np.exp(z - z.max())
            d /= -d.sum()
            p = -d[target]
            total -= np.log(p + 1e-12)
            if p < SURE:
                d[target] += 1.0
                learn_embeddings(weights, squares, candidates, d, scratch, nf, told, step, rates)
                for c in range(M):
                    if abs(d[c]) >= LITTLE:
                        k = order_features(moves, c, candidates, times, previous)
                        for j in range(k):
                            step_pairs(
                                weights.copies, squares.copies, scratch, nf, moves[j], d[c],
                                rates.order,
                            )  # fmt: skip
                scratch.sums.clock[0] += 1
            times[target] += 1
            previous = target
        learn_content(
            weights, squares, candidates, true, scratch, nf, reading, marks, literal, lines,
            rates.copies,
        )  # fmt: skip
        unread(reading, asked, lines)
    return total
