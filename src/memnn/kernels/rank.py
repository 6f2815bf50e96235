"""Training of the network over facts: Eq. 6-7 without time, on weighted bags, with Adagrad.

Facts are entries (word, part, repeated) packed as `features.facts` has them. A fact's score is
q·UΦ_y + λ Φ_x·Φ_y, with q = UΦ_x computed once per hop and q·U[word] when a word is first met.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.chance import below
from memnn.kernels.embed import Floats, Ints, dot
from memnn.kernels.jit import inlined, kernel
from memnn.kernels.phi import MM, MX, PM, PX, M, Sparse, X, Y

Entries = NDArray[np.uint32]
State = NDArray[np.uint64]

WORD = np.uint32(2**28 - 1)
ROLE, REPEATED = np.uint32(28), np.uint32(30)
THREE = np.uint32(3)


@inlined
def word_of(entry: np.uint32) -> int:
    return np.int64(entry & WORD)  # type: ignore[return-value]


class Facts(NamedTuple):
    """Memories: fact i has entries[ptr[i]:ptr[i + 1]], each weighing idf · scale[i]."""

    ptr: Ints
    entries: Entries
    scale: Floats


class Questions(NamedTuple):
    """Questions with their weights, and the examples made of them.

    Example j asks question[j], has the support support[j] (-1 at the first hop) and must find
    gold[j].
    """

    ptr: Ints
    words: Ints
    values: Floats
    question: Ints
    support: Ints
    gold: Ints


class Postings(NamedTuple):
    """The facts that hold word w: facts[ptr[w]:ptr[w + 1]]."""

    ptr: Ints
    facts: NDArray[np.int32]


class RankSettings(NamedTuple):
    margin: float
    lr: float
    tries: int
    bow: float


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
    for k in range(words.shape[0]):
        if words[k] < known:
            s.x.ids[n], s.x.values[n] = blocks[X] + words[k], values[k]
            n += 1
        if k > 0:  # "?" is no word that could be matched
            s.in_x[words[k]] = values[k]
    if o >= 0:
        for k in range(facts.ptr[o], facts.ptr[o + 1]):
            w = word_of(facts.entries[k])
            if not facts.entries[k] >> REPEATED:
                if w < known:
                    s.x.ids[n], s.x.values[n] = blocks[M] + w, idf[w] * facts.scale[o]
                    n += 1
                s.in_m[w] = idf[w] * facts.scale[o]
    s.q[:] = 0.0
    for k in range(n):
        row, value = s.x.ids[k], s.x.values[k]
        for d in range(s.q.shape[0]):
            s.q[d] += value * U[row, d]
    for source in range(2):
        block = blocks[PX] if source == 0 else blocks[PM]
        if block >= 0:
            for c in range(1, s.patterns.shape[1]):
                s.patterns[source, c] = dot(s.q, U[block + c])
    return n


@inlined
def leave_question(words: Ints, facts: Facts, o: int, s: Work) -> None:
    for w in words:
        s.in_x[w] = 0.0
    if o >= 0:
        for k in range(facts.ptr[o], facts.ptr[o + 1]):
            s.in_m[word_of(facts.entries[k])] = 0.0


@kernel
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


@kernel
def pattern(facts: Facts, f: int, marks: Floats) -> int:
    """How much of subject, relation and object is marked: base 3 digits of none, some, all."""
    c = 0
    part, marked, all_ = np.uint32(0), 0, 0
    for k in range(facts.ptr[f], facts.ptr[f + 1]):
        entry = facts.entries[k]
        role = (entry >> ROLE) & THREE
        while part < role:
            c = 3 * c + (0 if marked == 0 else 2 if marked == all_ else 1)
            part, marked, all_ = part + np.uint32(1), 0, 0
        all_ += 1
        marked += marks[word_of(entry)] > 0.0
    while part < THREE:
        c = 3 * c + (0 if marked == 0 else 2 if marked == all_ else 1)
        part, marked, all_ = part + np.uint32(1), 0, 0
    return c


@inlined
def score(
    U: Floats, blocks: Ints, known: int, facts: Facts, f: int, idf: Floats, bow: float, s: Work
) -> tuple[float, int, int]:
    """s_O(x, fact), and the patterns of its matches with question and support."""
    now = s.clock[0]
    total = 0.0
    for k in range(facts.ptr[f], facts.ptr[f + 1]):
        entry = facts.entries[k]
        if entry >> REPEATED:
            continue
        w = word_of(entry)
        if s.e_at[w] != now:
            s.e_at[w] = now
            s.e[w] = idf[w] * word_score(U, s.q, blocks, w, known, s.in_x[w], s.in_m[w], bow)
        total += s.e[w]
    total *= facts.scale[f]
    c_x = c_m = 0
    if blocks[PX] >= 0:
        c_x = pattern(facts, f, s.in_x)
        if c_x > 0:
            total += s.patterns[0, c_x]
    if blocks[PM] >= 0:
        c_m = pattern(facts, f, s.in_m)
        if c_m > 0:
            total += s.patterns[1, c_m]
    return total, c_x, c_m


@inlined
def fill(
    phi: Sparse, blocks: Ints, facts: Facts, f: int, idf: Floats, c_x: int, c_m: int, s: Work
) -> int:
    """Φ_y(fact, x) as a sparse vector."""
    n = 0
    for k in range(facts.ptr[f], facts.ptr[f + 1]):
        entry = facts.entries[k]
        if entry >> REPEATED:
            continue
        w = word_of(entry)
        value = idf[w] * facts.scale[f]
        phi.ids[n], phi.values[n] = blocks[Y] + w, value
        n += 1
        if blocks[MX] >= 0 and s.in_x[w] > 0.0:
            phi.ids[n], phi.values[n] = blocks[MX] + w, value
            n += 1
        if blocks[MM] >= 0 and s.in_m[w] > 0.0:
            phi.ids[n], phi.values[n] = blocks[MM] + w, value
            n += 1
    if c_x > 0:
        phi.ids[n], phi.values[n] = blocks[PX] + c_x, 1.0
        n += 1
    if c_m > 0:
        phi.ids[n], phi.values[n] = blocks[PM] + c_m, 1.0
        n += 1
    return n


@inlined
def adagrad(
    U: Floats, G: Floats, phi: Sparse, n: int, direction: Floats, size: float, lr: float
) -> None:
    """U[feature] += lr · value · direction / √G, G the sum of a row's mean squared gradients."""
    for k in range(n):
        row, value = phi.ids[k], phi.values[k]
        G[row] += value * value * abs(size)
        step = np.float32(lr * value / np.sqrt(G[row] + 1e-8))
        for d in range(direction.shape[0]):
            U[row, d] += step * direction[d]


@kernel
def train_facts(
    U: Floats,
    G: Floats,
    blocks: Ints,
    idf: Floats,
    facts: Facts,
    questions: Questions,
    postings: Postings,
    order: Ints,
    settings: RankSettings,
    state: State,
    s: Work,
) -> tuple[float, int]:
    """One pass over examples: sample facts until one violates the margin, then step.

    Half of the tries are facts that share a word with the question: a uniform draw almost never
    meets those that matter. Returns the summed loss and the number of violations.
    """
    loss, violations = 0.0, 0
    n = len(facts.ptr) - 1
    known = len(idf)
    width = np.float32(1.0 / U.shape[1])
    for j in order:
        question, o, g = questions.question[j], questions.support[j], questions.gold[j]
        start, end = questions.ptr[question], questions.ptr[question + 1]
        words, values = questions.words[start:end], questions.values[start:end]
        if len(words) < 2:
            continue
        n_x = embed_question(U, blocks, known, words, values, facts, idf, o, s)
        s_g, g_x, g_m = score(U, blocks, known, facts, g, idf, settings.bow, s)
        for k in range(settings.tries):
            if k % 2 == 0:
                w = words[1 + np.int64(below(state, len(words) - 1))]
                if o >= 0 and below(state, 2) == 0:  # or with its support
                    a, b = facts.ptr[o], facts.ptr[o + 1]
                    w = word_of(facts.entries[a + np.int64(below(state, b - a))])
                size = postings.ptr[w + 1] - postings.ptr[w]
                if size == 0:
                    continue
                f = int(np.int64(postings.facts[postings.ptr[w] + np.int64(below(state, size))]))
            else:
                f = int(np.int64(below(state, n)))
            if f == g:
                continue
            s_f, f_x, f_m = score(U, blocks, known, facts, f, idf, settings.bow, s)
            hinge = settings.margin - s_g + s_f
            if hinge > 0.0:
                loss += hinge
                violations += 1
                n_y = fill(s.y, blocks, facts, g, idf, g_x, g_m, s)
                n_y2 = fill(s.y2, blocks, facts, f, idf, f_x, f_m, s)
                s.d[:] = 0.0
                for i in range(n_y):
                    for d in range(s.d.shape[0]):
                        s.d[d] += s.y.values[i] * U[s.y.ids[i], d]
                for i in range(n_y2):
                    for d in range(s.d.shape[0]):
                        s.d[d] -= s.y2.values[i] * U[s.y2.ids[i], d]
                size_d = float(dot(s.d, s.d) * width)
                size_q = float(dot(s.q, s.q) * width)
                adagrad(U, G, s.x, n_x, s.d, size_d, settings.lr)
                adagrad(U, G, s.y, n_y, s.q, size_q, settings.lr)
                adagrad(U, G, s.y2, n_y2, s.q, size_q, -settings.lr)
                break
        leave_question(words, facts, o, s)
    return loss, violations


@kernel
def post(ptr: Ints, entries: Entries, counts: Ints, out: NDArray[np.int32]) -> None:
    """Fill the posting lists: counts[w] is where the next fact of word w goes."""
    for f in range(len(ptr) - 1):
        for k in range(ptr[f], ptr[f + 1]):
            if not entries[k] >> REPEATED:
                w = word_of(entries[k])
                out[counts[w]] = f
                counts[w] += 1
