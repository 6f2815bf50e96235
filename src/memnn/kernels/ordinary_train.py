"""Training O for ordinary language: the true path against the beam, as one softmax over paths.

Where the true path falls out of the beam, the step is taken there ("early update"); AdaGrad scales
the steps. Words are hidden while it learns, so that it learns to do without each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel
from memnn.kernels.ordinary_beam import find_paths
from memnn.kernels.ordinary_features import (
    candidate_features,
    input_features,
    mark_path,
)
from memnn.kernels.ordinary_search import (
    OrdinaryBeam,
    SearchDesk,
    SearchSettings,
    count_words,
    score_steps,
)
from memnn.kernels.ordinary_steps import rival_features, stop_features
from memnn.kernels.ordinary_words import WordReading, WordTables, WordTexts, hide_words
from memnn.kernels.path_features import cell
from memnn.kernels.path_train import LITTLE, SURE, CellTable
from memnn.kernels.rng import State


class AskedQuestions(NamedTuple):
    """Questions, the memories that each may see, and its true supports: none if nothing does."""

    texts: WordTexts
    first: Ints  # (Q,)
    end: Ints  # (Q,)
    ptr: Ints  # (Q + 1,) into supports
    supports: Ints


class Hiding(NamedTuple):
    like: float  # the share of words that are read as words like them
    unknown: float  # the share of words that are read as unknown


@kernel
def take_step(
    table: CellTable,
    asked: Ints,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    end: int,
    beam: OrdinaryBeam,
    row: int,
    hop: int,
    amount: float,
    lr: float,
    desk: SearchDesk,
) -> None:
    """Make one choice of a path, a support or stopping, more probable by `amount`."""
    path = beam.paths[row]
    last = path[hop - 1] if hop > 0 else -1
    mark_path(desk.marks, asked, words, texts, path, hop, True)
    nx = input_features(desk.x, desk.xv, asked, words, reading, texts, desk.marks, last, hop)
    count_words(desk, words, texts, path, hop, 1)
    if hop < beam.lengths[row]:
        y = path[hop]
        ny = candidate_features(
            desk.y, desk.yv, y, asked, words, reading, texts, desk.marks, desk.path_words, end,
            last,
        )  # fmt: skip
        ny = rival_features(
            desk.y, desk.yv, ny, y, last, beam.newer[row, hop], beam.older[row, hop]
        )
    else:
        ny = stop_features(
            desk.y, desk.yv, asked, words, reading, texts, desk.marks, desk.path_words, last
        )
    mark_path(desk.marks, asked, words, texts, path, hop, False)
    count_words(desk, words, texts, path, hop, -1)
    size = len(table.weights)
    for k in range(ny):
        for i in range(nx):
            gradient = np.float32(amount * desk.yv[k] * desk.xv[i])
            c = cell(desk.x[i], desk.y[k], size)
            table.squares[c] += gradient * gradient
            table.weights[c] += np.float32(lr) * gradient / np.sqrt(table.squares[c])


@kernel
def agree(beam: OrdinaryBeam, a: int, b: int, hop: int) -> bool:
    """Whether two paths made the same choices up to and including this hop."""
    for i in range(hop + 1):
        x = beam.paths[a, i] if i < beam.lengths[a] else -1
        y = beam.paths[b, i] if i < beam.lengths[b] else -1
        if x != y:
            return False
    return True


@kernel
def add_truth(
    A: Floats,
    asked: Ints,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    latest: Ints,
    first: int,
    end: int,
    truth: Ints,
    steps: int,
    row: int,
    beam: OrdinaryBeam,
    desk: SearchDesk,
) -> bool:
    """The first steps of the true path as one more row; False if it is out of view."""
    n = min(steps, len(truth))
    beam.paths[row, :n] = truth[:n]
    beam.lengths[row], beam.done[row], beam.scores[row] = n, steps > len(truth), 0.0
    for hop in range(steps):
        N = score_steps(
            A, asked, words, reading, texts, latest, first, end, truth, hop, hop >= len(truth),
            desk,
        )  # fmt: skip
        at = N
        if hop < len(truth):
            at = -1
            for i in range(N):
                if desk.seen[i] == truth[hop]:
                    at = i
            if at < 0:
                return False
            beam.newer[row, hop], beam.older[row, hop] = desk.newer[at], desk.older[at]
        beam.scores[row] += desk.scores[at]
    return True


@kernel
def train_paths(
    table: CellTable,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    latest: Ints,
    labels: AskedQuestions,
    order: Ints,
    lr: float,
    hiding: Hiding,
    search: SearchSettings,
    beam: OrdinaryBeam,
    desk: SearchDesk,
    state: State,
) -> float:
    """One pass over the questions; returns the summed loss, -log p of the true paths."""
    total = 0.0
    p = np.empty(search.width + 1)
    for i in order:
        truth = labels.supports[labels.ptr[i] : labels.ptr[i + 1]]
        if len(truth) == 0 or len(truth) > search.most:
            continue
        asked = labels.texts.words[labels.texts.ptr[i] : labels.texts.ptr[i + 1]]
        first, end = labels.first[i], labels.end[i]
        hide_words(reading, words, hiding.like, hiding.unknown, state)
        H, true, steps = find_paths(
            table.weights, asked, words, reading, texts, latest, first, end, truth, search, beam,
            desk,
        )  # fmt: skip
        if true < 0:
            true = H
            if not add_truth(
                table.weights, asked, words, reading, texts, latest, first, end, truth, steps, H,
                beam, desk,
            ):  # fmt: skip
                continue
            H += 1
        p[:H] = np.exp(beam.scores[:H] - beam.scores[:H].max())
        p[:H] /= p[:H].sum()
        total -= np.log(p[true] + 1e-12)
        if p[true] > SURE:
            continue
        for h in range(H):
            for hop in range(beam.lengths[h] + beam.done[h]):
                if h == true:
                    amount = 1.0  # less the share of those that chose the same
                    for o in range(H):
                        if agree(beam, o, h, hop):
                            amount -= p[o]
                elif agree(beam, h, true, hop):
                    amount = 0.0  # what both chose cancels
                else:
                    amount = -p[h]
                if abs(amount) >= LITTLE:
                    take_step(
                        table, asked, words, reading, texts, end, beam, h, hop, amount, lr, desk
                    )
    return total
