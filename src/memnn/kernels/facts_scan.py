"""Eq. 2-3 over facts: the scores of candidates, and the best of them.

A word's score is computed when it is first met.
Pointers, places and words that come from a file are bounded here: see `facts_packed`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.facts_packed import (
    REPEATED,
    Entries,
    Facts,
    Postings,
    begin_of,
    end_of,
    word_of,
)
from memnn.kernels.facts_scores import (
    Work,
    embed_question,
    leave_question,
    score,
    word_score,
)
from memnn.kernels.jit import bare, kernel
from memnn.kernels.phi import Y
from memnn.kernels.prefetch import fetch, fetch_row

Ids = NDArray[np.int32]
STRETCH = 2**16
LEAST = np.float32(1e-9)
COARSEST = np.float32(255.0)
FAR, NEAR = 6, 3
"""So many candidates ahead, pointers and words are fetched; the rows of words one ahead."""


@kernel
def ask(
    U: Floats,
    blocks: Ints,
    known: int,
    words: Ints,
    values: Floats,
    facts: Facts,
    idf: Floats,
    o: int,
    s: Work,
) -> None:
    """Make the question the one that facts are scored for; o is its support, or -1."""
    embed_question(U, blocks, known, words, values, facts, idf, o, s)


@kernel
def forget(words: Ints, facts: Facts, o: int, s: Work) -> None:
    """The question's marks are taken back."""
    leave_question(words, facts, o, s)


@kernel
def collect(
    U: Floats,
    blocks: Ints,
    known: int,
    idf: Floats,
    bow: float,
    words: Ints,
    postings: Postings,
    start: int,
    end: int,
    coarse: NDArray[np.uint8],
    s: Work,
    ids: Ids,
    guesses: Floats,
    most: int,
) -> tuple[int, int]:
    """The facts from `start` to `end` with any of the words: the `most` promising, and how many.

    The scores of those words, summed and scaled, are a first guess at a fact's own. Scales are
    coarse, and posting lists, which are in the order of facts, are read a stretch of facts at a
    time: so what is needed stays in the processor's cache.
    """
    ptr, posted, e, e_at, now = postings.ptr, postings.facts, s.e, s.e_at, s.clock[0]
    at, stops = np.empty(len(words), np.int64), np.empty(len(words), np.int64)
    for i in range(len(words)):
        w = words[i]
        stops[i] = max(min(ptr[w + 1], len(posted)), 0)
        at[i] = min(max(ptr[w], 0), stops[i])
        at[i] += np.searchsorted(posted[at[i] : stops[i]], start)
        if e_at[w] != now:  # several threads may be here: the score is there before its mark is
            e[w] = idf[w] * word_score(U, s.q, blocks, w, known, s.in_x[w], s.in_m[w], bow)
            e_at[w] = now
    began = at.copy()
    sums = np.zeros(STRETCH, np.float32)
    kept, n, least = 0, 0, 0.0
    end = min(end, len(coarse))
    first = _next(at, stops, posted, start, end)
    while first < end:
        last = min(end, first + STRETCH)
        for i in range(len(words)):
            weight, k, stop = max(e[words[i]], LEAST), at[i], stops[i]
            began[i] = k
            while k < stop and posted[k] < last:
                if posted[k] >= first:  # as it is, but in a list that is out of order
                    sums[posted[k] - first] += weight
                k += 1
            at[i] = k
        for i in range(len(words)):
            for k in range(began[i], at[i]):
                f = posted[k]
                if f < first:
                    continue
                total = sums[f - first]
                if total == 0.0:  # it was there with another word
                    continue
                sums[f - first] = 0.0
                n += 1
                if total * COARSEST <= least:  # whatever its scale: it need not be read
                    continue
                guess = total * np.float32(coarse[f])
                if guess > least:
                    ids[kept], guesses[kept] = f, guess
                    kept += 1
                    if kept == len(ids):
                        least = _halve(ids, guesses, kept, most)
                        kept = most
        first = _next(at, stops, posted, start, end)
    if kept > most:
        _halve(ids, guesses, kept, most)
        kept = most
    return kept, n


@kernel
def _next(at: Ints, stops: Ints, posted: Ids, start: int, end: int) -> int:
    """The first fact that is left in any of the lists."""
    first = end
    for i in range(len(at)):
        if at[i] < stops[i]:
            first = min(first, int(posted[at[i]]))
    return max(first, start)


@kernel
def _halve(ids: Ids, guesses: Floats, n: int, most: int) -> float:
    """Keep the `most` highest guesses, in front; the least of them."""
    least = np.partition(guesses[:n], n - most)[n - most]
    above = 0
    for i in range(n):
        above += guesses[i] > least
    room, m = most - above, 0
    for i in range(n):
        if guesses[i] > least or (guesses[i] == least and room > 0):
            room -= guesses[i] == least
            ids[m], guesses[m] = ids[i], guesses[i]
            m += 1
    return float(least)


@bare
def _insert(ids: Ids, scores: Floats, f: int, total: np.float32) -> None:
    """Into the best so far, the best first; of equal ones the newer goes first."""
    i = len(ids) - 1
    while i > 0 and (total > scores[i - 1] or (total == scores[i - 1] and f > ids[i - 1])):
        scores[i], ids[i] = scores[i - 1], ids[i - 1]
        i -= 1
    scores[i], ids[i] = total, f


@bare
def best_of(
    U: Floats,
    blocks: Ints,
    known: int,
    facts: Facts,
    candidates: Ids,
    bounds: Floats,
    idf: Floats,
    bow: float,
    s: Work,
    ids: Ids,
    scores: Floats,
) -> None:
    """The best candidates and their scores, into ids and scores. What they count at most may be
    given, falling."""
    ptr, entries, scale = facts.ptr, facts.entries, facts.scale
    q, e, e_at, in_x, in_m, patterns = s.q, s.e, s.e_at, s.in_x, s.in_m, s.patterns
    now = s.clock[0]
    for i in range(len(candidates)):
        f = candidates[min(i + FAR, len(candidates) - 1)]
        fetch(ptr, f)
        fetch(scale, f)
        f = candidates[min(i + NEAR, len(candidates) - 1)]
        if 0 <= f < len(scale):
            fetch(entries, ptr[f])
        f = candidates[min(i + 1, len(candidates) - 1)]
        if 0 <= f < len(scale):
            for k in range(begin_of(ptr, f), end_of(ptr, f, entries)):
                w = word_of(entries[k])
                if w < known and e_at[w] != now:
                    fetch_row(U, blocks[Y] + w)
        f = candidates[i]
        if f < 0 or f >= len(scale):
            continue
        if i < len(bounds) and bounds[i] < scores[-1]:
            break
        total = score(
            U, blocks, known, ptr, entries, scale, f, idf, bow, q, e, e_at, in_x, in_m, patterns,
            now,
        )  # fmt: skip
        if total > scores[-1] or (total == scores[-1] and f > ids[-1]):
            _insert(ids, scores, f, total)


@kernel
def embed_facts(
    U: Floats, block: int, known: int, facts: Facts, first: int, idf: Floats, out: Floats
) -> None:
    """U_y Φ_y of facts from `first` on, without matches: what an index of vectors holds."""
    for i in range(out.shape[0]):
        f = first + i
        out[i] = 0.0
        for k in range(begin_of(facts.ptr, f), end_of(facts.ptr, f, facts.entries)):
            entry = facts.entries[k]
            w = word_of(entry)
            if not entry >> REPEATED and w < known:
                value = idf[w] * facts.scale[f]
                for d in range(out.shape[1]):
                    out[i, d] += value * U[block + w, d]


@kernel
def mark_repeated(ptr: Ints, entries: Entries) -> None:
    """Set the bit of entries whose word stood in an earlier part of the fact."""
    for f in range(len(ptr) - 1):
        for k in range(ptr[f], ptr[f + 1]):
            for j in range(ptr[f], k):
                if word_of(entries[j]) == word_of(entries[k]):
                    entries[k] |= np.uint32(1) << REPEATED
                    break
