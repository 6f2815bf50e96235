"""The score of a fact: q·UΦ_y + λ Φ_x·Φ_y, without time, on weighted bags.

q = UΦ_x is computed once per hop, and q·U[word] when a word is first met.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Floats, Ints, dot
from memnn.kernels.facts_packed import (
    REPEATED,
    ROLE,
    THREE,
    Entries,
    Facts,
    begin_of,
    end_of,
    word_of,
)
from memnn.kernels.jit import bare, inlined
from memnn.kernels.phi import MM, MX, PM, PX, M, Sparse, X, Y


class Work(NamedTuple):
    """Working space of one thread."""

    q: Floats
    d: Floats
    x: Sparse
    y: Sparse
    y2: Sparse
    e: Floats  # (W,) the score of a word as part of a fact
    e_at: Ints
    in_x: Floats  # (W,) a word's weight in the question, 0 outside
    in_m: Floats
    patterns: Floats  # (2, 27)
    clock: Ints


@inlined
def embed_question(
    U: Floats,
    blocks: Ints,
    known: int,
    words: Ints,
    values: Floats,
    facts: Facts,
    idf: Floats,
    o: int,
    s: Work,
) -> int:
    """q = UΦ_x([x, m_o1]), the marks that matches go by, and the scores of patterns."""
    s.clock[0] += 1
    n = 0
    q, ids, weights, in_x, in_m = s.q, s.x.ids, s.x.values, s.in_x, s.in_m
    for k in range(words.shape[0]):
        if words[k] < known:
            ids[n], weights[n] = blocks[X] + words[k], values[k]
            n += 1
        if k > 0:  # "?" is no word that could be matched
            in_x[words[k]] = values[k]
    if o >= 0:
        for k in range(begin_of(facts.ptr, o), end_of(facts.ptr, o, facts.entries)):
            w = word_of(facts.entries[k])
            if not facts.entries[k] >> REPEATED and w < len(idf):
                if w < known:
                    ids[n], weights[n] = blocks[M] + w, idf[w] * facts.scale[o]
                    n += 1
                in_m[w] = idf[w] * facts.scale[o]
    q[:] = 0.0
    embed(q, U, ids, weights, n)
    for source in range(2):
        block = blocks[PX] if source == 0 else blocks[PM]
        if block >= 0:
            for c in range(1, s.patterns.shape[1]):
                s.patterns[source, c] = dot(q, U[block + c])
    return n


@inlined
def leave_question(words: Ints, facts: Facts, o: int, s: Work) -> None:
    for w in words:
        s.in_x[w] = 0.0
    if o >= 0:
        for k in range(begin_of(facts.ptr, o), end_of(facts.ptr, o, facts.entries)):
            w = word_of(facts.entries[k])
            if w < len(s.in_m):
                s.in_m[w] = 0.0


@inlined
def embed(v: Floats, U: Floats, ids: Ints, weights: Floats, n: int) -> None:
    """v += UΦ."""
    for k in range(n):
        row, weight = ids[k], weights[k]
        for d in range(v.shape[0]):
            v[d] += weight * U[row, d]


@inlined
def word_score(
    U: Floats, q: Floats, blocks: Ints, w: int, known: int, x: float, m: float, bow: float
) -> float:
    """A word as part of a fact: q·U[word], its matches, and λ times its weight in the input.

    Words from `known` on have no embedding.
    """
    total = bow * max(x, m)
    if w >= known:
        return total
    total += dot(q, U[blocks[Y] + w])
    if x > 0.0 and blocks[MX] >= 0:
        total += dot(q, U[blocks[MX] + w])
    if m > 0.0 and blocks[MM] >= 0:
        total += dot(q, U[blocks[MM] + w])
    return total


@inlined
def level(marked: int, all_: int) -> int:
    """None, some or all of a part."""
    return 0 if marked == 0 else 2 if marked == all_ else 1


@bare
def pattern(ptr: Ints, entries: Entries, f: int, marks: Floats) -> int:
    """How much of subject, relation and object is marked: base 3 digits of none, some, all."""
    c = 0
    part, marked, all_ = np.uint32(0), 0, 0
    for k in range(begin_of(ptr, f), end_of(ptr, f, entries)):
        entry = entries[k]
        role = (entry >> ROLE) & THREE
        while part < role:
            c = 3 * c + level(marked, all_)
            part, marked, all_ = part + np.uint32(1), 0, 0
        all_ += 1
        w = word_of(entry)
        if w < len(marks):
            marked += marks[w] > 0.0
    while part < THREE:
        c = 3 * c + level(marked, all_)
        part, marked, all_ = part + np.uint32(1), 0, 0
    return c


@inlined
def score(
    U: Floats,
    blocks: Ints,
    known: int,
    ptr: Ints,
    entries: Entries,
    scale: Floats,
    f: int,
    idf: Floats,
    bow: float,
    q: Floats,
    e: Floats,
    e_at: Ints,
    in_x: Floats,
    in_m: Floats,
    patterns: Floats,
    now: int,
) -> np.float32:
    """s_O(x, fact). Takes bare arrays, since this is where the time goes."""
    total = np.float32(0.0)
    for k in range(begin_of(ptr, f), end_of(ptr, f, entries)):
        entry = entries[k]
        w = word_of(entry)
        if entry >> REPEATED == 0 and w < len(idf):
            if e_at[w] != now:
                e_at[w] = now
                e[w] = idf[w] * word_score(U, q, blocks, w, known, in_x[w], in_m[w], bow)
            total += e[w]
    total *= scale[f]
    if blocks[PX] >= 0:
        c = pattern(ptr, entries, f, in_x)
        if c > 0:
            total += patterns[0, c]
        if blocks[PM] >= 0:
            c = pattern(ptr, entries, f, in_m)
            if c > 0:
                total += patterns[1, c]
    return np.float32(total)
