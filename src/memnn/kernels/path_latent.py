"""Supports that nobody named: paths weighed by how well R answers from them.

A question without supports has many paths that might explain its answer. These kernels propose
paths and draw one of them in proportion to the probability of the path (O) times that of the
answer (R), as in stochastic EM (Celeux and Diebolt 1985).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel
from memnn.kernels.path_features import MOST_WORDS, Doubles, WordLines, length, mark_path
from memnn.kernels.path_reading import (
    SupportSet,
    asked_features,
    read_supports,
    room_for_supports,
    support_features,
    unread,
)
from memnn.kernels.path_response import (
    END,
    AnswerScratch,
    Weights,
    embed,
    find_candidates,
    score_candidates,
    score_content,
)
from memnn.kernels.path_response_train import AnswerLabels, candidate_of
from memnn.kernels.path_search import OUT, Beam, BeamSettings, BeamWork, find_paths
from memnn.kernels.path_train import DRAWS, PathLabels
from memnn.kernels.rng import State, below

LEAST = -10.0
"""No answer counts as less probable than e to this: one that R cannot say yet is not impossible."""


class Judge(NamedTuple):
    """What R needs to judge a path, beside its weights."""

    scratch: AnswerScratch
    seen: Ints  # (words,) zero between readings
    asked: Ints  # (words,) zero between readings
    literal: Ints  # (words,) every word as itself
    weight: float  # of a literal word beside its marks
    scale: float  # of a feature in R's vectors


class Guesses(NamedTuple):
    """A path for every question."""

    paths: Ints  # (Q, most)
    lengths: Ints  # (Q,)
    surest: Doubles  # (Q,) log p of the answer from the path that O prefers


@kernel
def log_answer(
    R: Weights,
    lines: WordLines,
    asked: Ints,
    supports: Ints,
    said: AnswerLabels,
    i: int,
    by: Judge,
) -> float:
    """log p of the answer of question i from these supports."""
    n, rows = len(supports), said.rows[said.ptr[i] : said.ptr[i + 1]]
    reading = SupportSet(supports.copy(), np.zeros(n, np.int64), by.seen, by.asked)
    read_supports(reading, asked, lines)
    marks = np.empty(n * MOST_WORDS, np.int64)
    candidates = find_candidates(reading, lines, said.answer_of, R.answers.shape[1], marks, asked)
    by.scratch.sums.clock[0] += 1
    nf = asked_features(
        by.scratch.asked, by.scratch.asked_values, reading, asked, by.literal, by.weight
    )
    told = room_for_supports(reading, lines, len(by.scratch.m))
    support_features(told, reading, asked, by.literal, lines, by.weight)
    score_content(candidates, R, by.scratch, nf, reading, marks, by.literal, lines)
    times, z = np.zeros(len(candidates.words), np.int64), np.empty(len(candidates.words))
    previous, total = -1, 0.0
    for step in range(len(rows) + 1):
        target = candidate_of(candidates, rows[step] if step < len(rows) else END, said.answer_of)
        if target < 0:
            total = LEAST
            break
        embed(R, by.scratch, nf, told, step, by.scale)
        score_candidates(z, candidates, R, by.scratch, nf, times, previous)
        total += z[target] - z.max() - np.log(np.exp(z - z.max()).sum())
        times[target] += 1
        previous = target
    unread(reading, asked, lines)
    return max(total, LEAST)


@kernel
def draw(scores: Doubles, state: State) -> int:
    """One of them, in proportion to e to its score."""
    p = np.exp(scores - scores.max())
    left = p.sum() * below(state, DRAWS) / DRAWS
    for k in range(len(p)):
        left -= p[k]
        if left < 0.0:
            return k
    return int(np.argmax(scores))


@kernel
def score_shared(
    scores: Doubles,
    rarity: Doubles,
    asked: Ints,
    lines: WordLines,
    first: int,
    end: int,
    path: Ints,
    n: int,
    marks: Ints,
) -> None:
    """Before O has learnt anything: what shares rare words with the question or the path so far."""
    mark_path(marks, asked, lines, path, n, True)
    for y in range(first, end):
        total, start = 0.0, lines.ptr[y]
        for at in range(start, start + length(lines, y)):
            if marks[lines.words[at]] > 0:
                total += rarity[lines.words[at]]
        scores[y - first] = total
    mark_path(marks, asked, lines, path, n, False)
    for i in range(n):
        scores[path[i] - first] = OUT


@kernel
def log_mentioned(lines: WordLines, supports: Ints, said: AnswerLabels, i: int) -> float:
    """Before R has learnt anything: an answer is likelier from supports that mention it."""
    for a in said.rows[said.ptr[i] : said.ptr[i + 1]]:
        there = False
        for y in supports:
            start = lines.ptr[y]
            for at in range(start, start + length(lines, y)):
                w = lines.words[at]
                there = there or (w < len(said.answer_of) and said.answer_of[w] == a)
        if not there:
            return LEAST
    return 0.0


@kernel
def draw_connected(
    found: Guesses,
    R: Weights,
    lines: WordLines,
    labels: PathLabels,
    said: AnswerLabels,
    which: Ints,
    hops: int,
    draws: int,
    answered: bool,
    rarity: Doubles,
    marks: Ints,
    by: Judge,
    state: State,
) -> None:
    """For every question a path of so many hops whose parts share words, drawn step by step.

    Of several draws one is taken in proportion to the probability of the answer; if R has not
    learnt anything yet, of those that mention it.
    """
    paths, logs = np.empty((draws, hops), np.int64), np.zeros(draws)
    for i in which:
        asked = labels.questions.words[labels.questions.ptr[i] : labels.questions.ptr[i + 1]]
        first, end = labels.first[i], labels.end[i]
        n = min(hops, end - first)
        scores = np.empty(end - first)
        for k in range(draws):
            for hop in range(n):
                score_shared(scores, rarity, asked, lines, first, end, paths[k], hop, marks)
                paths[k, hop] = first + draw(scores, state)
            if answered:
                logs[k] = log_answer(R, lines, asked, paths[k, :n], said, i, by)
            else:
                logs[k] = log_mentioned(lines, paths[k, :n], said, i)
        k = draw(logs, state)
        found.lengths[i] = n
        found.paths[i, :n] = paths[k, :n]


@kernel
def draw_explained(
    found: Guesses,
    A: Floats,
    R: Weights,
    lines: WordLines,
    labels: PathLabels,
    said: AnswerLabels,
    which: Ints,
    exact: bool,
    sharpness: float,
    search: BeamSettings,
    beam: Beam,
    work: BeamWork,
    by: Judge,
    state: State,
) -> None:
    """For every question a path of O's beam, in proportion to (p of the path x p of the answer).

    `exact`: of search.most hops and no fewer. A sharpness above 1 prefers the best ones.
    """
    no_truth = np.zeros(0, np.int64)
    for i in which:
        asked = labels.questions.words[labels.questions.ptr[i] : labels.questions.ptr[i + 1]]
        first, end = labels.first[i], labels.end[i]
        H = find_paths(A, asked, by.literal, lines, first, end, no_truth, search, beam, work)[0]
        least = min(search.most, end - first) if exact else 1
        scores, best = np.full(H, OUT), -1
        for h in range(H):
            n = beam.lengths[h]
            if n >= least:
                log = log_answer(R, lines, asked, beam.paths[h, :n], said, i, by)
                scores[h] = sharpness * (beam.scores[h] + log)
                if best < 0:
                    best = h
                    found.surest[i] = log
        if best < 0:
            continue  # no path is long enough: the one found before stays
        h = draw(scores, state)
        found.lengths[i] = beam.lengths[h]
        found.paths[i, : beam.lengths[h]] = beam.paths[h, : beam.lengths[h]]
