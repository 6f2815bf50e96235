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
    NEVER,
    Doubles,
    Hashes,
    WordLines,
    length,
    mark_path,
    marks_present,
    tamed,
)
from memnn.kernels.path_sums import (
    StepInput,
    StepSums,
    add_up_met,
    new_question,
    new_step,
    new_sums,
    score_texts,
)
from memnn.kernels.path_worth import (
    logarithm,
    logarithms,
    worth_of_mentions,
    worth_of_rivals,
    worth_of_stopping,
    worth_of_time,
)

OUT = -1e18
"""The score of what cannot be chosen."""
MOST_RIVALS = 3
LOGS = 1 << 12
"""Logarithms are looked up as far as this, and computed beyond."""


class BeamSettings(NamedTuple):
    """The settings of a search."""

    most: int  # supports of a path
    width: int  # paths in the beam
    weight: float  # of a literal word beside its membership
    close: float  # rivals within this much are as good
    timed: bool = True  # whether write time is read
    far: float = float(NEVER)  # the age that training knew, see `tamed`


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
    sums: StepSums
    logs: Doubles  # log2 of whole numbers, of 1 for 0


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


def new_work(words: int, remember: bool = False) -> BeamWork:
    """For texts whose identities are below `words`; `remember` if A will stay as it is."""
    return BeamWork(
        np.zeros(words, np.int64),
        np.zeros(MOST_X, np.uint64),
        np.zeros(MOST_Y, np.uint64),
        np.zeros(MOST_Y),
        new_sums(words, remember),
        logarithms(LOGS),
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
def score_contents(
    scores: Doubles,
    A: Floats,
    input: StepInput,
    literal: Ints,
    lines: WordLines,
    first: int,
    end: int,
    last: int,
    present: int,
    search: BeamSettings,
    work: BeamWork,
) -> None:
    """Φ_x' A Φ_y of every memory without its rivals."""
    sums, logs, marks, words = work.sums, work.logs, work.marks, lines.words
    newer, older, places = lines.newer, lines.older, lines.places
    now, there = places[end], places[last] if last >= 0 else -1
    contents, marked = np.empty(end - first), np.empty(end - first, np.bool_)
    score_texts(contents, marked, lines, first, end, literal, marks, sums, A, input, search.weight)
    if not search.timed:
        scores[: end - first] = contents
        return
    time = worth_of_time(sums, A, input, last)
    mention = worth_of_mentions(sums, A, input, present)
    for y in range(first, end):
        i, here = y - first, places[y]
        total = contents[i]
        if marked[i]:  # words of the question or of supports for the first or the last time
            start = lines.ptr[y]
            for at in range(start, start + length(lines, y)):
                g = marks[words[at]]
                total += mention[0, g] * (newer[at] >= now) + mention[1, g] * (older[at] < 0)
                if last >= 0:
                    if here < there:
                        total += mention[2, g] * (newer[at] >= there)
                    else:
                        total += mention[3, g] * (older[at] <= there)
        age = now - 1 - here
        total += 0.01 * tamed(float(age), search.far) * time.age
        total += 0.05 * logarithm(logs, age + 1) * time.log_age
        if last >= 0:
            side, distance = 1 if here > there else 0, abs(here - there)
            total += time.side[side]
            total += 0.5 * logarithm(logs, distance) * time.distance[side]
            if distance == 1:
                total += time.next_to[side]
        scores[i] = total


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
    """scores[i] of memory first + i as the next support after path[:n], scores[-1] of stopping.

    Sums of earlier steps are used, so that `new_question` comes first where these were of another.
    """
    N = end - first
    last = path[n - 1] if n > 0 else -1
    sums = work.sums
    input = new_step(sums, work.x, asked, literal, lines, last, n)
    mark_path(work.marks, asked, lines, path, n, True)
    add_up_met(sums, A, input)
    present = marks_present(work.marks, asked, lines, path, n)
    score_contents(scores, A, input, literal, lines, first, end, last, present, search, work)
    mark_path(work.marks, asked, lines, path, n, False)
    for i in range(n):
        scores[path[i] - first] = OUT
    count_rivals(scores, N, last - first if last >= 0 else -1, search.close, newer, older)
    for side in range(3 if search.timed else 0):
        # All of them before there is a last support, then those after it, then those before it.
        if last < 0:
            start, stop = (0, N) if side == 0 else (0, 0)
        elif side == 0:
            continue
        else:
            start, stop = (last - first + 1, N) if side == 1 else (0, last - first)
        rivals = worth_of_rivals(sums, A, input, side)
        for i in range(start, stop):
            if scores[i] > OUT:
                scores[i] += newer[i] * rivals[0]
                scores[i] += older[i] * rivals[1]
                scores[i] += rivals[2 + min(newer[i], 1)]
                scores[i] += rivals[4 + min(older[i], 1)]
    scores[N] = worth_of_stopping(sums, A, input) if n > 0 else OUT


@kernel
def score_stop(
    A: Floats, asked: Ints, literal: Ints, lines: WordLines, path: Ints, n: int, work: BeamWork
) -> float:
    """The score of stopping after path[:n]; nobody stops before the first support."""
    if n == 0:
        return OUT
    input = new_step(work.sums, work.x, asked, literal, lines, path[n - 1], n)
    return worth_of_stopping(work.sums, A, input)


@kernel
def same_path(beam: Beam, h: int, truth: Ints, n: int, done: bool) -> bool:
    """Whether row h is truth[:n], stopped or not."""
    if beam.lengths[h] != n or beam.done[h] != done:
        return False
    same = True
    for i in range(n):
        same = same and beam.paths[h, i] == truth[i]
    return same


class Extension(NamedTuple):
    """Arrays for one step of all paths: what each candidate is worth, and the next beam."""

    scores: Doubles  # (N + 1,) of every memory after one path, and of stopping
    newer: Ints
    older: Ints
    best: Doubles  # (width,)
    best_path: Ints
    best_step: Ints
    best_newer: Ints
    best_older: Ints
    next: Beam


@kernel
def new_extension(memories: int, beam: Beam) -> Extension:
    """For searches among so many memories."""
    N, B = memories, len(beam.lengths) - 1
    return Extension(
        np.empty(N + 1), np.zeros(N + 1, np.int64), np.zeros(N + 1, np.int64),
        np.empty(B), np.empty(B, np.int64), np.empty(B, np.int64),
        np.empty(B, np.int64), np.empty(B, np.int64),
        Beam(
            np.empty_like(beam.paths), np.empty_like(beam.lengths), np.empty_like(beam.done),
            np.empty_like(beam.scores), np.empty_like(beam.newer), np.empty_like(beam.older),
        ),
    )  # fmt: skip


@kernel
def begin_paths(beam: Beam, work: BeamWork) -> int:
    """One path without supports."""
    beam.lengths[0], beam.done[0], beam.scores[0] = 0, False, 0.0
    new_question(work.sums)
    return 1


@kernel
def extend_paths(
    A: Floats,
    asked: Ints,
    literal: Ints,
    lines: WordLines,
    first: int,
    end: int,
    most: int,
    search: BeamSettings,
    beam: Beam,
    H: int,
    ext: Extension,
    work: BeamWork,
) -> int:
    """The best of what follows from the H paths of a beam; how many, or -1 if all have stopped."""
    N, B = end - first, search.width
    scores, newer, older = ext.scores, ext.newer, ext.older
    best, best_path, best_step = ext.best, ext.best_path, ext.best_step
    best_newer, best_older, next = ext.best_newer, ext.best_older, ext.next
    going = False
    best[:] = OUT
    for h in range(H):
        start = N  # the only step left is to stop
        if beam.done[h]:
            scores[N] = 0.0
        elif beam.lengths[h] >= most:
            going = True
            scores[N] = score_stop(A, asked, literal, lines, beam.paths[h], beam.lengths[h], work)
        else:
            going, start = True, 0
            score_steps(
                scores, newer, older, A, asked, literal, lines, first, end,
                beam.paths[h], beam.lengths[h], search, work,
            )  # fmt: skip
        for y in range(start, N + 1):
            t = beam.scores[h] + scores[y]
            if scores[y] > OUT and t > best[B - 1]:
                i = B - 1
                while i > 0 and best[i - 1] < t:
                    best[i] = best[i - 1]
                    best_path[i], best_step[i] = best_path[i - 1], best_step[i - 1]
                    best_newer[i], best_older[i] = best_newer[i - 1], best_older[i - 1]
                    i -= 1
                best[i], best_path[i], best_step[i] = t, h, y
                best_newer[i], best_older[i] = newer[y], older[y]
    if not going:
        return -1
    found = 0
    for i in range(B):
        if best[i] <= OUT:
            break
        h, y = best_path[i], best_step[i]
        n = beam.lengths[h]
        next.paths[i], next.lengths[i], next.done[i] = beam.paths[h], n, beam.done[h] or y == N
        next.newer[i], next.older[i] = beam.newer[h], beam.older[h]
        if y < N:
            next.paths[i, n], next.lengths[i] = first + y, n + 1
            next.newer[i, n], next.older[i, n] = best_newer[i], best_older[i]
        found += 1
    beam.paths[:found], beam.lengths[:found] = next.paths[:found], next.lengths[:found]
    beam.newer[:found], beam.older[:found] = next.newer[:found], next.older[:found]
    beam.done[:found], beam.scores[:found] = next.done[:found], best[:found]
    return found


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
    most = min(search.most, end - first)
    ext = new_extension(end - first, beam)
    H = begin_paths(beam, work)
    for step in range(most + 1):
        found = extend_paths(A, asked, literal, lines, first, end, most, search, beam, H, ext, work)
        if found < 0:
            break
        H = found
        if len(truth) > 0:
            kept = False
            for h in range(H):
                kept = kept or same_path(
                    beam, h, truth, min(step + 1, len(truth)), step + 1 > len(truth)
                )
            if not kept:  # maybe long after it stopped: it has no more steps than its own
                return H, -1, min(step, len(truth)) + 1
    for h in range(H):
        if len(truth) > 0 and same_path(beam, h, truth, len(truth), True):
            return H, h, len(truth) + 1
    return H, -1, len(truth) + 1
