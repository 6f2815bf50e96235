"""Why a path was taken: the terms of its steps, by what they are about."""

from __future__ import annotations

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel
from memnn.kernels.path_features import (
    STOP,
    Doubles,
    Hashes,
    WordLines,
    candidate_features,
    cell,
    input_features,
    kind_of_feature,
    mark_path,
    mix,
    rival_features,
)
from memnn.kernels.path_search import Beam, BeamSettings, BeamWork

GROUPS = ("words", "membership", "write time", "stop")
"""What the terms of a step are about."""
TIME, END = 2, 3


@kernel
def summed(A: Floats, inputs: Hashes, n: int, feature: np.uint64) -> float:
    """Σ_i A[inputs_i, feature]."""
    total = 0.0
    for i in range(n):
        total += A[cell(inputs[i], feature, len(A))]
    return total


@kernel
def add_terms(
    terms: Doubles,
    A: Floats,
    asked: Ints,
    literal: Ints,
    lines: WordLines,
    end: int,
    beam: Beam,
    row: int,
    hop: int,
    search: BeamSettings,
    work: BeamWork,
) -> None:
    """terms += those of one step of a path in the beam: a support, or the stop."""
    path = beam.paths[row]
    last = path[hop - 1] if hop > 0 else -1
    nx = input_features(work.x, asked, literal, lines, last, hop)
    if hop >= beam.lengths[row]:
        terms[END] += summed(A, work.x, nx, mix(STOP, 0, 0))
        return
    y = path[hop]
    mark_path(work.marks, asked, lines, path, hop, True)
    ny = candidate_features(
        work.y, work.values, y, lines, work.marks, literal, end, last, search.weight, True,
        search.far,
    )  # fmt: skip
    groups = kind_of_feature(y, lines, work.marks, end, last, ny)
    mark_path(work.marks, asked, lines, path, hop, False)
    for k in range(ny):
        terms[groups[k]] += work.values[k] * summed(A, work.x, nx, work.y[k])
    newer, older = beam.newer[row, hop], beam.older[row, hop]
    ny = rival_features(work.y, work.values, 0, y, last, newer, older)
    for k in range(ny):
        terms[TIME] += work.values[k] * summed(A, work.x, nx, work.y[k])


@kernel
def path_terms(
    terms: Doubles,
    A: Floats,
    asked: Ints,
    literal: Ints,
    lines: WordLines,
    end: int,
    beam: Beam,
    rows: Ints,
    search: BeamSettings,
    work: BeamWork,
) -> None:
    """terms[i, hop] of every step of path rows[i], the stop included; they sum up to its score."""
    for i in range(len(rows)):
        row = rows[i]
        for hop in range(beam.lengths[row] + beam.done[row]):
            add_terms(terms[i, hop], A, asked, literal, lines, end, beam, row, hop, search, work)
