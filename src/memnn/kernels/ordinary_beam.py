"""O's beam for ordinary language: the best support paths, step by step."""

from __future__ import annotations

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel
from memnn.kernels.ordinary_search import (
    OUT,
    OrdinaryBeam,
    SearchDesk,
    SearchSettings,
    new_question,
    score_steps,
)
from memnn.kernels.ordinary_words import WordReading, WordTables, WordTexts


@kernel
def same_path(beam: OrdinaryBeam, h: int, truth: Ints, n: int, done: bool) -> bool:
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
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    latest: Ints,
    first: int,
    end: int,
    truth: Ints,
    search: SearchSettings,
    beam: OrdinaryBeam,
    desk: SearchDesk,
) -> tuple[int, int, int]:
    """Fill the beam; returns how many paths there are, the true one's row, and its steps.

    With a truth the search ends where the true path falls out of the beam; its row is then -1.
    """
    B = search.width
    most = min(search.most, end - first)
    paths, lengths = np.empty_like(beam.paths), np.empty_like(beam.lengths)
    done = np.empty_like(beam.done)
    newer, older = np.empty_like(beam.newer), np.empty_like(beam.older)
    best, best_row, best_y = np.empty(B), np.empty(B, np.int64), np.empty(B, np.int64)
    best_newer, best_older = np.empty(B, np.int64), np.empty(B, np.int64)
    beam.lengths[0], beam.done[0], beam.scores[0] = 0, False, 0.0
    new_question(desk, asked, words, texts, latest, first, end)
    H = 1
    for step in range(most + 1):
        going = False
        best[:] = OUT
        for h in range(H):
            N = 0
            if beam.done[h]:
                desk.scores[0] = 0.0
            else:
                going = True
                N = score_steps(
                    A, asked, words, reading, texts, latest, first, end, beam.paths[h],
                    beam.lengths[h], beam.lengths[h] >= most, desk,
                )  # fmt: skip
            for i in range(N + 1):
                t = beam.scores[h] + desk.scores[i]
                if desk.scores[i] > OUT and t > best[B - 1]:
                    k = B - 1
                    while k > 0 and best[k - 1] < t:
                        best[k], best_row[k] = best[k - 1], best_row[k - 1]
                        best_y[k] = best_y[k - 1]
                        best_newer[k], best_older[k] = best_newer[k - 1], best_older[k - 1]
                        k -= 1
                    best[k], best_row[k] = t, h
                    best_y[k] = desk.seen[i] if i < N else -1
                    best_newer[k], best_older[k] = desk.newer[i], desk.older[i]
        if not going:
            break
        H = 0
        for k in range(B):
            if best[k] <= OUT:
                break
            h, n = best_row[k], beam.lengths[best_row[k]]
            paths[k], lengths[k], done[k] = beam.paths[h], n, beam.done[h] or best_y[k] < 0
            newer[k], older[k] = beam.newer[h], beam.older[h]
            if best_y[k] >= 0:
                paths[k, n], lengths[k] = best_y[k], n + 1
                newer[k, n], older[k, n] = best_newer[k], best_older[k]
            H += 1
        beam.paths[:H], beam.lengths[:H], beam.done[:H] = paths[:H], lengths[:H], done[:H]
        beam.newer[:H], beam.older[:H], beam.scores[:H] = newer[:H], older[:H], best[:H]
        if len(truth) > 0:
            found = False
            for h in range(H):
                found = found or same_path(
                    beam, h, truth, min(step + 1, len(truth)), step + 1 > len(truth)
                )
            if not found:
                return H, -1, min(step, len(truth)) + 1
    for h in range(H):
        if len(truth) > 0 and same_path(beam, h, truth, len(truth), True):
            return H, h, len(truth) + 1
    return H, -1, len(truth) + 1
