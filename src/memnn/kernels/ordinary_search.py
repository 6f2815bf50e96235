"""O's search for ordinary language: a beam of support paths, each step over the memories in view.

Of a long memory only those are in view that share a word with the question or with a support:
the newest mentions of each word, and those around the last support.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import inlined, kernel
from memnn.kernels.ordinary_features import (
    MOST_WORDS,
    MOST_X,
    MOST_Y,
    Marks,
    candidate_features,
    input_features,
    length,
    mark_path,
)
from memnn.kernels.ordinary_steps import rival_features, stop_features
from memnn.kernels.ordinary_words import WordReading, WordTables, WordTexts
from memnn.kernels.path_features import NEVER, Doubles, Hashes, cell

OUT = -1e9
"""The score of what is no choice."""
CACHE = 1 << 14
"""Sums that are kept while a step is scored."""
ALL = 64
"""Stories up to this length are read whole."""
MENTIONS = 24
"""Of a longer memory: so many mentions of each word, the newest."""
AROUND = 6
"""And so many before and after the last support."""
MOST_VIEW = 1024
CLOSE = 2.0
"""Memories within this much are about as good."""


class SearchSettings(NamedTuple):
    most: int  # supports of a path
    width: int


class OrdinaryBeam(NamedTuple):
    """Paths, the best first; there is room for one more than the width."""

    paths: Ints  # (B + 1, most + 1)
    lengths: Ints
    done: NDArray[np.bool_]
    scores: Doubles
    newer: Ints  # (B + 1, most + 1) rivals of each step
    older: Ints


class SearchDesk(NamedTuple):
    """What a search works with; as before after each."""

    x: Hashes
    xv: Doubles
    y: Hashes
    yv: Doubles
    keys: Hashes
    stamps: Ints
    sums: Doubles
    clock: Ints
    marks: Marks
    path_words: Ints  # (W,)
    seen: Ints  # (MOST_VIEW,) memories in view, oldest first
    scores: Doubles  # (MOST_VIEW + 1,)
    newer: Ints
    older: Ints


def new_marks(words: int) -> Marks:
    return Marks(
        np.zeros(words, np.int64), np.zeros(words, np.int64), np.zeros(MOST_WORDS, np.int64)
    )


def new_beam(search: SearchSettings) -> OrdinaryBeam:
    rows, room = search.width + 1, search.most + 1
    return OrdinaryBeam(
        np.zeros((rows, room), np.int64), np.zeros(rows, np.int64), np.zeros(rows, np.bool_),
        np.zeros(rows), np.zeros((rows, room), np.int64), np.zeros((rows, room), np.int64),
    )  # fmt: skip


def new_desk(words: int) -> SearchDesk:
    return SearchDesk(
        np.zeros(MOST_X, np.uint64), np.zeros(MOST_X), np.zeros(MOST_Y, np.uint64),
        np.zeros(MOST_Y), np.zeros(CACHE, np.uint64), np.zeros(CACHE, np.int64), np.zeros(CACHE),
        np.zeros(1, np.int64), new_marks(words),
        np.zeros(words, np.int64), np.zeros(MOST_VIEW, np.int64), np.zeros(MOST_VIEW + 1),
        np.zeros(MOST_VIEW + 1, np.int64), np.zeros(MOST_VIEW + 1, np.int64),
    )  # fmt: skip


@inlined
def weigh(A: Floats, desk: SearchDesk, nx: int, feature: np.uint64) -> float:
    """Σ over the input's features of value times cell, remembered while the step lasts."""
    place = np.int64(feature & np.uint64(CACHE - 1))
    if desk.stamps[place] != desk.clock[0] or desk.keys[place] != feature:
        total = 0.0
        for i in range(nx):
            total += desk.xv[i] * A[cell(desk.x[i], feature, len(A))]
        desk.stamps[place], desk.keys[place], desk.sums[place] = desk.clock[0], feature, total
    return float(desk.sums[place])


@kernel
def add_up(A: Floats, desk: SearchDesk, nx: int, ny: int) -> float:
    """Φ_x' A Φ_y"""
    total = 0.0
    for k in range(ny):
        total += desk.yv[k] * weigh(A, desk, nx, desk.y[k])
    return total


@kernel
def count_words(
    desk: SearchDesk, words: WordTables, texts: WordTexts, path: Ints, n: int, by: int
) -> None:
    for i in range(n):
        start = texts.ptr[path[i]]
        for j in range(length(texts, path[i])):
            desk.path_words[words.stem[texts.words[start + j]]] += by


@kernel
def look(
    desk: SearchDesk,
    asked: Ints,
    words: WordTables,
    texts: WordTexts,
    latest: Ints,
    first: int,
    end: int,
    path: Ints,
    n: int,
) -> int:
    """The memories in view, oldest first; returns how many.

    `latest` has the last statement that mentions a stem, or -1.
    """
    if end - first <= ALL:
        for y in range(first, end):
            desk.seen[y - first] = y
        return end - first
    found = 0
    for text in range(-1, n):
        size = min(len(asked), MOST_WORDS) if text < 0 else length(texts, path[text])
        for j in range(size):
            w = asked[j] if text < 0 else texts.words[texts.ptr[path[text]] + j]
            if not words.content[w]:
                continue
            s = words.stem[w]
            y, taken = latest[s], 0
            while y >= first and taken < MENTIONS and found < MOST_VIEW:
                if y < end:
                    desk.seen[found] = y
                    found += 1
                    taken += 1
                y = older_mention(texts, words, y, s)
            if text < 0 or found >= MOST_VIEW - 2 * AROUND:
                continue
            y = older_mention(texts, words, path[text], s)
            for _ in range(AROUND):
                if y < first:
                    break
                desk.seen[found] = y
                found += 1
                y = older_mention(texts, words, y, s)
            y = newer_mention(texts, words, path[text], s)
            for _ in range(AROUND):
                if y >= end:
                    break
                desk.seen[found] = y
                found += 1
                y = newer_mention(texts, words, y, s)
    if found == 0:  # nothing of it was mentioned: what was told last
        for y in range(end - MENTIONS, end):
            desk.seen[found] = y
            found += 1
    desk.seen[:found].sort()
    kept = 1
    for i in range(1, found):
        if desk.seen[i] != desk.seen[kept - 1]:
            desk.seen[kept] = desk.seen[i]
            kept += 1
    return kept


@kernel
def older_mention(texts: WordTexts, words: WordTables, y: int, stem: int) -> int:
    for at in range(texts.ptr[y], texts.ptr[y + 1]):
        if words.stem[texts.words[at]] == stem:
            return int(texts.older[at])
    return -1


@kernel
def newer_mention(texts: WordTexts, words: WordTables, y: int, stem: int) -> int:
    for at in range(texts.ptr[y], texts.ptr[y + 1]):
        if words.stem[texts.words[at]] == stem:
            return int(texts.newer[at])
    return NEVER


@kernel
def count_rivals(desk: SearchDesk, N: int, last: int) -> None:
    """Of each memory in view: how many newer and older ones are about as good.

    Only those on its side of the last support count, three at most.
    """
    for i in range(N):
        if desk.scores[i] <= OUT:
            continue
        side = desk.seen[i] > last
        newer, older = 0, 0
        for k in range(i + 1, N):
            same = last < 0 or (desk.seen[k] > last) == side
            if same and newer < 3 and desk.scores[k] > desk.scores[i] - CLOSE:
                newer += 1
        for k in range(i - 1, -1, -1):
            same = last < 0 or (desk.seen[k] > last) == side
            if same and older < 3 and desk.scores[k] > desk.scores[i] - CLOSE:
                older += 1
        desk.newer[i], desk.older[i] = newer, older


@kernel
def score_steps(
    A: Floats,
    asked: Ints,
    words: WordTables,
    reading: WordReading,
    texts: WordTexts,
    latest: Ints,
    first: int,
    end: int,
    path: Ints,
    n: int,
    only_stop: bool,
    desk: SearchDesk,
) -> int:
    """Scores of the memories in view as the next support after path[:n], then of stopping."""
    last = path[n - 1] if n > 0 else -1
    desk.clock[0] += 1
    mark_path(desk.marks, asked, words, texts, path, n, True)
    nx = input_features(desk.x, desk.xv, asked, words, reading, texts, desk.marks, last, n)
    count_words(desk, words, texts, path, n, 1)
    N = 0
    if not only_stop:
        N = look(desk, asked, words, texts, latest, first, end, path, n)
        for i in range(N):
            y = desk.seen[i]
            used = False
            for k in range(n):
                used = used or path[k] == y
            if used:
                desk.scores[i] = OUT
                continue
            ny = candidate_features(
                desk.y, desk.yv, y, asked, words, reading, texts, desk.marks, desk.path_words,
                end, last,
            )  # fmt: skip
            desk.scores[i] = add_up(A, desk, nx, ny)
        count_rivals(desk, N, last)
        for i in range(N):
            if desk.scores[i] > OUT:
                ny = rival_features(
                    desk.y, desk.yv, 0, desk.seen[i], last, desk.newer[i], desk.older[i]
                )
                desk.scores[i] += add_up(A, desk, nx, ny)
    desk.scores[N] = OUT
    if n > 0:
        ny = stop_features(
            desk.y, desk.yv, asked, words, reading, texts, desk.marks, desk.path_words, last
        )
        desk.scores[N] = add_up(A, desk, nx, ny)
    mark_path(desk.marks, asked, words, texts, path, n, False)
    count_words(desk, words, texts, path, n, -1)
    return N


@kernel
def new_question(
    desk: SearchDesk,
    asked: Ints,
    words: WordTables,
    texts: WordTexts,
    latest: Ints,
    first: int,
    end: int,
) -> None:
    """Before every question: what is near depends on it, and which of its words were told of."""
    desk.marks.near[:] = 0
    for j in range(min(len(asked), MOST_WORDS)):
        s, told = words.stem[asked[j]], 0
        if not words.content[asked[j]]:
            desk.marks.told[j] = 0
            continue
        if end - first <= ALL:
            for at in range(texts.ptr[first], texts.ptr[end]):
                if words.stem[texts.words[at]] == s:
                    told = 1
                    break
        else:
            y = latest[s]
            while y >= end:
                y = older_mention(texts, words, y, s)
            told = 1 if y >= first else 0
        desk.marks.told[j] = told
