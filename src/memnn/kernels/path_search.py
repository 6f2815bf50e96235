"""O over paths: a beam of support paths, each extended by every memory or stopped.

A path's score is the sum of its steps' scores, Φ_x' A Φ_y, and stopping is a step, too: how many
supports there are is the network's decision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel
from memnn.kernels.path_features import (
    MOST_X,
    MOST_Y,
    STOP,
    Doubles,
    Hashes,
    Sums,
    WordLines,
    candidate_features,
    input_features,
    mark_path,
    mix,
    rival_features,
    summed,
)

OUT = -1e18
"""The score of what cannot be chosen."""
MOST_RIVALS = 3


class BeamSettings(NamedTuple):
    """The settings of a search."""

    most: int  # supports of a path
    width: int  # paths in the beam
    weight: float  # of a literal word beside its membership
    close: float  # rivals within this much are as good


class Beam(NamedTuple):
    """Paths, best first; row `width` is spare, for the true path in training."""

    paths: Ints  # (width + 1, most + 1)
    lengths: Ints  # (width + 1,)
    done: NDArray[np.bool_]
    scores: Doubles
    newer: Ints  # (width + 1, most + 1) rivals of each support, see `rival_features`
    older: Ints


class BeamWork(NamedTuple):
    """Arrays that one search uses and leaves as it found them."""

    marks: Ints  # (words,) zero between searches
    x: Hashes
    y: Hashes
    values: Doubles
    sums: Sums


def new_beam(search: BeamSettings) -> Beam:
    rows, columns = search.width + 1, search.most + 1
    return Beam(
        np.zeros((rows, columns), np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.bool_),
        np.zeros(rows),
        np.zeros((rows, columns), np.int64),
        np.zeros((rows, columns), np.int64),
    )


def new_work(words: int) -> BeamWork:
    """For texts whose identities are below `words`."""
    cache = 1 << 13
    sums = Sums(
        np.zeros(cache, np.uint64),
        np.zeros(cache, np.int64),
        np.zeros(cache),
        np.zeros(1, np.int64),
    )
    return BeamWork(
        np.zeros(words, np.int64),
        np.zeros(MOST_X, np.uint64),
        np.zeros(MOST_Y, np.uint64),
        np.zeros(MOST_Y),
        sums,
    )


@kernel
def count_rivals(
    scores: Doubles, n: int, last: int, close: float, newer: Ints, older: Ints
) -> None:
    """How many memories on the same side of `last` are newer, or older, and about as good."""
    best = np.empty(MOST_RIVALS)
    for way in range(2):
        best[:] = OUT
        for step in range(n):
            i = n - 1 - step if way == 0 else step
            if i == last:
                best[:] = OUT
            count = 0
            for b in best:
                if b > scores[i] - close:
                    count += 1
            if way == 0:
                newer[i] = count
            else:
                older[i] = count
            if i != last and scores[i] > best[MOST_RIVALS - 1]:
                k = MOST_RIVALS - 1
                while k > 0 and best[k - 1] < scores[i]:
                    best[k] = best[k - 1]
                    k -= 1
                best[k] = scores[i]


@kernel
def score_steps(
    scores: Doubles,
    newer: Ints,
    older: Ints,
    A: Floats,
    asked: Ints,
    literal: Ints,
    lines: WordLines,
    first: int,
    end: int,
    path: Ints,
    n: int,
    search: BeamSettings,
    work: BeamWork,
) -> None:
    """scores[i] of memory first + i as the next support after path[:n], scores[-1] of stopping."""
    N = end - first
    last = path[n - 1] if n > 0 else -1
    work.sums.clock[0] += 1
    nx = input_features(work.x, asked, literal, lines, last, n)
    mark_path(work.marks, asked, lines, path, n, True)
    for y in range(first, end):
        used = False
        for i in range(n):
            used = used or path[i] == y
        if used:
            scores[y - first] = OUT
            continue
        ny = candidate_features(
            work.y, work.values, y, lines, work.marks, literal, end, last, search.weight
        )
        total = 0.0
        for k in range(ny):
            total += work.values[k] * summed(work.sums, A, work.x, nx, work.y[k])
        scores[y - first] = total
    mark_path(work.marks, asked, lines, path, n, False)
    count_rivals(scores, N, last - first if last >= 0 else -1, search.close, newer, older)
    for i in range(N):
        if scores[i] > OUT:
            ny = rival_features(work.y, work.values, 0, first + i, last, newer[i], older[i])
            for k in range(ny):
                scores[i] += work.values[k] * summed(work.sums, A, work.x, nx, work.y[k])
    scores[N] = summed(work.sums, A, work.x, nx, mix(STOP, 0, 0)) if n > 0 else OUT


@kernel
def same_path(beam: Beam, h: int, truth: Ints, n: int, done: bool) -> bool:
    """Whether row h is truth[:n], stopped or not."""
    if beam.lengths[h] != n or beam.done[h] != done:
        return False
    same = True
    for i in range(n):
        same = same and beam.paths[h, i] == truth[i]
    return same


@kernel
def find_paths(
    A: Floats,
    asked: Ints,
    literal: Ints,
    lines: WordLines,
    first: int,
    end: int,
    truth: Ints,
    search: BeamSettings,
    beam: Beam,
    work: BeamWork,
) -> tuple[int, int, int]:
    """Fill the beam; returns how many paths there are, the true one's row, and its steps.

    With a truth the search ends where the true path falls out of the beam; its row is then -1.
    """
    N, B = end - first, search.width
    most = min(search.most, N)
    scores = np.empty((B, N + 1))
    newer, older = np.zeros((B, N), np.int64), np.zeros((B, N), np.int64)
    paths, lengths = np.empty_like(beam.paths), np.empty_like(beam.lengths)
    done = np.empty_like(beam.done)
    rivals_newer, rivals_older = np.empty_like(beam.newer), np.empty_like(beam.older)
    best, best_path, best_step = np.empty(B), np.empty(B, np.int64), np.empty(B, np.int64)
    beam.lengths[0], beam.done[0], beam.scores[0] = 0, False, 0.0
    H = 1
    for step in range(most + 1):
        going = False
        for h in range(H):
            if beam.done[h]:
                scores[h] = OUT
                scores[h, N] = 0.0
            else:
                going = True
                score_steps(
                    scores[h], newer[h], older[h], A, asked, literal, lines, first, end,
                    beam.paths[h], beam.lengths[h], search, work,
                )  # fmt: skip
                if beam.lengths[h] >= most:
                    scores[h, :N] = OUT
        if not going:
            break
        best[:] = OUT
        for h in range(H):
            for y in range(N + 1):
                t = beam.scores[h] + scores[h, y]
                if scores[h, y] > OUT and t > best[B - 1]:
                    i = B - 1
                    while i > 0 and best[i - 1] < t:
                        best[i] = best[i - 1]
                        best_path[i], best_step[i] = best_path[i - 1], best_step[i - 1]
                        i -= 1
                    best[i], best_path[i], best_step[i] = t, h, y
        H = 0
        for i in range(B):
            if best[i] <= OUT:
                break
            h, y = best_path[i], best_step[i]
            n = beam.lengths[h]
            paths[i], lengths[i], done[i] = beam.paths[h], n, beam.done[h] or y == N
            rivals_newer[i], rivals_older[i] = beam.newer[h], beam.older[h]
            if y < N:
                paths[i, n], lengths[i] = first + y, n + 1
                rivals_newer[i, n], rivals_older[i, n] = newer[h, y], older[h, y]
            H += 1
        beam.paths[:H], beam.lengths[:H], beam.done[:H] = paths[:H], lengths[:H], done[:H]
        beam.newer[:H], beam.older[:H], beam.scores[:H] = (
            rivals_newer[:H], rivals_older[:H], best[:H]
        )  # fmt: skip
        if len(truth) > 0:
            found = False
            for h in range(H):
                found = found or same_path(
                    beam, h, truth, min(step + 1, len(truth)), step + 1 > len(truth)
                )
            if not found:
                return H, -1, step + 1
    for h in range(H):
        if len(truth) > 0 and same_path(beam, h, truth, len(truth), True):
            return H, h, len(truth) + 1
    return H, -1, len(truth) + 1
