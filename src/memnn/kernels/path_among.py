"""The beam over some statements of a large memory, as if the others were not there.

These stand where they stood: age, distance, first and last mentions are those of the whole memory.
"""

from __future__ import annotations

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel
from memnn.kernels.path_features import BOTH, WORD, Doubles, WordLines, length, mark_path
from memnn.kernels.path_search import (
    Beam,
    BeamSettings,
    BeamWork,
    extend_paths,
    new_extension,
)
from memnn.kernels.path_sums import AT_WORD, MARKS, OF_WORD, add_up_met, new_step, worth


@kernel
def gather_lines(lines: WordLines, rows: Ints, end: int) -> WordLines:
    """The statements of some rows, in order, before the first that may not be seen."""
    n = len(rows)
    ptr = np.zeros(n + 1, np.int64)
    for i in range(n):
        ptr[i + 1] = ptr[i] + length(lines, rows[i])
    words, newer, older = (
        np.empty(ptr[n], np.int64), np.empty(ptr[n], np.int64), np.empty(ptr[n], np.int64)
    )  # fmt: skip
    same, places = np.empty(n, np.int64), np.empty(n + 1, np.int64)
    size = 4
    while size < 2 * n:
        size *= 2
    first = np.full(size, -1, np.int64)  # of each text, the first row that is here, by hash
    for i in range(n):
        row = rows[i]
        for j in range(ptr[i + 1] - ptr[i]):
            at, to = lines.ptr[row] + j, ptr[i] + j
            words[to], newer[to], older[to] = lines.words[at], lines.newer[at], lines.older[at]
        at = lines.same[row] & (size - 1)
        while first[at] >= 0 and lines.same[rows[first[at]]] != lines.same[row]:
            at = (at + 1) & (size - 1)
        if first[at] < 0:
            first[at] = i
        same[i], places[i] = first[at], lines.places[row]
    places[n] = lines.places[end]
    return WordLines(ptr, words, newer, older, same, places)


@kernel
def extend_among(
    A: Floats,
    asked: Ints,
    literal: Ints,
    lines: WordLines,
    end: int,
    rows: Ints,
    most: int,
    search: BeamSettings,
    beam: Beam,
    H: int,
    work: BeamWork,
) -> int:
    """One step of the beam over `rows`, which has those of its paths; see `extend_paths`.

    Paths are rows of the whole memory, before and after.
    """
    some = gather_lines(lines, rows, end)
    for h in range(H):
        for i in range(beam.lengths[h]):
            beam.paths[h, i] = np.searchsorted(rows, beam.paths[h, i])
    found = extend_paths(
        A, asked, literal, some, 0, len(rows), most, search, beam, H,
        new_extension(len(rows), beam), work,
    )  # fmt: skip
    for h in range(found if found >= 0 else H):
        for i in range(beam.lengths[h]):
            beam.paths[h, i] = rows[beam.paths[h, i]]
    return found


@kernel
def worth_of_words(
    found: Doubles,
    A: Floats,
    asked: Ints,
    literal: Ints,
    lines: WordLines,
    path: Ints,
    n: int,
    work: BeamWork,
) -> None:
    """What a learnt word is worth in the next support, wherever it stands there.

    A network may have learnt that "mice" follow "mouse": texts that share no word. The first word
    is the unknown one.
    """
    sums, marks = work.sums, work.marks
    last = path[n - 1] if n > 0 else -1
    input = new_step(sums, work.x, asked, literal, lines, last, n)
    mark_path(marks, asked, lines, path, n, True)
    add_up_met(sums, A, input)
    for w in range(1, len(found)):
        at = AT_WORD + OF_WORD * w
        found[w] = worth(sums, A, input, at + 3 * MARKS, WORD, w, 0)
        found[w] += worth(sums, A, input, at + marks[w], BOTH, w, marks[w])
    mark_path(marks, asked, lines, path, n, False)
