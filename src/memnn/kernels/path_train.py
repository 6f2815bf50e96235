"""Training O over paths: the true path against the beam, as one softmax over whole paths.

Where the true path falls out of the beam, the search ends and the step is taken there (Collins
and Roark 2004, "early update"); it then competes as one more path. AdaGrad scales the steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel
from memnn.kernels.path_features import (
    STOP,
    WordLines,
    candidate_features,
    cell,
    input_features,
    mark_path,
    mix,
    rival_features,
)
from memnn.kernels.path_search import Beam, BeamSettings, BeamWork, find_paths, score_steps
from memnn.kernels.rng import State, below

SURE = 0.97
"""A question whose true path is this probable teaches nothing more."""
LITTLE = 0.02
"""Gradients below this are left out."""
DRAWS = 1 << 20


class CellTable(NamedTuple):
    """Weights of pairs of features, and the sum of their squared gradients."""

    weights: Floats
    squares: Floats


class PathLabels(NamedTuple):
    """Questions with the memories they may see and their true supports."""

    questions: WordLines
    first: Ints  # (Q,)
    end: Ints  # (Q,)
    ptr: Ints  # (Q + 1,) into supports
    supports: Ints


@kernel
def hide_words(literal: Ints, rate: float, state: State) -> None:
    """Every word is read as an unknown one with a chance between 0 and twice the rate."""
    chance = 2.0 * rate * below(state, DRAWS) / DRAWS
    for w in range(len(literal)):
        literal[w] = 0 if below(state, DRAWS) < chance * DRAWS else w


@kernel
def take_step(
    table: CellTable,
    asked: Ints,
    literal: Ints,
    lines: WordLines,
    end: int,
    beam: Beam,
    row: int,
    hop: int,
    amount: float,
    lr: float,
    search: BeamSettings,
    work: BeamWork,
) -> None:
    """Make one choice of a path, a support or stopping, more probable by `amount`."""
    path = beam.paths[row]
    last = path[hop - 1] if hop > 0 else -1
    nx = input_features(work.x, asked, literal, lines, last, hop)
    if hop < beam.lengths[row]:
        y = path[hop]
        mark_path(work.marks, asked, lines, path, hop, True)
        ny = candidate_features(
            work.y, work.values, y, lines, work.marks, literal, end, last, search.weight,
            search.timed, search.far,
        )  # fmt: skip
        mark_path(work.marks, asked, lines, path, hop, False)
        if search.timed:
            ny = rival_features(
                work.y, work.values, ny, y, last, beam.newer[row, hop], beam.older[row, hop]
            )
    else:
        work.y[0], work.values[0], ny = mix(STOP, 0, 0), 1.0, 1
    size = len(table.weights)
    for k in range(ny):
        gradient = np.float32(amount * work.values[k])
        for i in range(nx):
            c = cell(work.x[i], work.y[k], size)
            table.squares[c] += gradient * gradient
            table.weights[c] += np.float32(lr) * gradient / np.sqrt(table.squares[c])


@kernel
def agree(beam: Beam, a: int, b: int, hop: int) -> bool:
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
    literal: Ints,
    lines: WordLines,
    first: int,
    end: int,
    truth: Ints,
    steps: int,
    row: int,
    search: BeamSettings,
    beam: Beam,
    work: BeamWork,
    scores: NDArray[np.float64],
    newer: Ints,
    older: Ints,
) -> None:
    """The first steps of the true path as one more row of the beam."""
    n = min(steps, len(truth))
    beam.paths[row, :n] = truth[:n]
    beam.lengths[row], beam.done[row], beam.scores[row] = n, steps > len(truth), 0.0
    for hop in range(steps):
        score_steps(
            scores, newer, older, A, asked, literal, lines, first, end, truth, hop, search, work
        )
        if hop < len(truth):
            at = truth[hop] - first
            beam.newer[row, hop], beam.older[row, hop] = newer[at], older[at]
            beam.scores[row] += scores[at]
        else:
            beam.scores[row] += scores[end - first]


@kernel
def train_paths(
    table: CellTable,
    lines: WordLines,
    labels: PathLabels,
    order: Ints,
    lr: float,
    hidden: float,
    search: BeamSettings,
    beam: Beam,
    work: BeamWork,
    literal: Ints,
    state: State,
) -> float:
    """One pass over the questions; returns the summed loss, -log p of the true paths."""
    total = 0.0
    largest = 0
    for i in order:
        largest = max(largest, labels.end[i] - labels.first[i])
    scores, newer = np.empty(largest + 1), np.zeros(largest, np.int64)
    older = np.zeros(largest, np.int64)
    p = np.empty(search.width + 1)
    for i in order:
        truth = labels.supports[labels.ptr[i] : labels.ptr[i + 1]]
        if len(truth) == 0:
            continue
        asked = labels.questions.words[labels.questions.ptr[i] : labels.questions.ptr[i + 1]]
        first, end = labels.first[i], labels.end[i]
        hide_words(literal, hidden, state)
        H, true, steps = find_paths(
            table.weights, asked, literal, lines, first, end, truth, search, beam, work
        )
        if true < 0:
            true = H
            add_truth(
                table.weights, asked, literal, lines, first, end, truth, steps, H, search, beam,
                work, scores, newer, older,
            )  # fmt: skip
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
                        table, asked, literal, lines, end, beam, h, hop, amount, lr, search, work
                    )
    return total
