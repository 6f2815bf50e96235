"""Why a step was taken: the terms of its score, by group, beside those of the closest rival."""

from __future__ import annotations

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel
from memnn.kernels.path_features import (
    Doubles,
    Lines,
    candidate_features,
    input_features,
    kind_of_feature,
    mark_path,
    rival_features,
    summed,
)
from memnn.kernels.path_search import OUT, Search, Work, score_steps

GROUPS = ("words", "membership", "write time")
"""What the terms of a step are about."""


@kernel
def add_terms(
    terms: Doubles,
    A: Floats,
    asked: Ints,
    literal: Ints,
    lines: Lines,
    end: int,
    path: Ints,
    hop: int,
    y: int,
    newer: int,
    older: int,
    search: Search,
    work: Work,
) -> None:
    """The terms of memory y as the next support after path[:hop]."""
    last = path[hop - 1] if hop > 0 else -1
    work.sums.clock[0] += 1
    nx = input_features(work.x, asked, literal, lines, last, hop)
    mark_path(work.marks, asked, lines, path, hop, True)
    ny = candidate_features(
        work.y, work.values, y, lines, work.marks, literal, end, last, search.weight
    )
    groups = kind_of_feature(y, lines, work.marks, end, last, ny)
    mark_path(work.marks, asked, lines, path, hop, False)
    for k in range(ny):
        terms[groups[k]] += work.values[k] * summed(work.sums, A, work.x, nx, work.y[k])
    ny = rival_features(work.y, work.values, 0, y, last, newer, older)
    for k in range(ny):
        terms[2] += work.values[k] * summed(work.sums, A, work.x, nx, work.y[k])


@kernel
def explain_step(
    terms: Doubles,
    A: Floats,
    asked: Ints,
    literal: Ints,
    lines: Lines,
    end: int,
    path: Ints,
    hop: int,
    search: Search,
    work: Work,
) -> int:
    """Fill in the terms of path[hop] and of its closest rival, which is returned; -1 for none."""
    scores = np.empty(end + 1)
    newer, older = np.zeros(end, np.int64), np.zeros(end, np.int64)
    score_steps(scores, newer, older, A, asked, literal, lines, 0, end, path, hop, search, work)
    rival = -1
    for y in range(end):
        if y != path[hop] and scores[y] > OUT and (rival < 0 or scores[y] > scores[rival]):
            rival = y
    for which in range(2):
        y = path[hop] if which == 0 else rival
        if y >= 0:
            add_terms(
                terms[which], A, asked, literal, lines, end, path, hop, y, newer[y], older[y],
                search, work,
            )  # fmt: skip
    return rival
