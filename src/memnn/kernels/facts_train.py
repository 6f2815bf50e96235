"""Training of the network over facts: Eq. 6-7 without time, on weighted bags, with Adagrad.

Facts are entries (word, part, repeated) packed as `facts.bags` has them. A fact's score is
q·UΦ_y + λ Φ_x·Φ_y, with q = UΦ_x computed once per hop and q·U[word] when a word is first met.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints, dot
from memnn.kernels.jit import inlined, kernel
from memnn.kernels.phi import MM, MX, PM, PX, M, Sparse, X, Y
from memnn.kernels.rng import below

Entries = NDArray[np.uint32]
State = NDArray[np.uint64]

WORD = np.uint32(2**28 - 1)
ROLE, REPEATED = np.uint32(28), np.uint32(30)
THREE = np.uint32(3)


@inlined
def word_of(entry: np.uint32) -> int:
    return np.int64(entry & WORD)  # type: ignore[return-value]


@inlined
def draw(state: State, n: int) -> int:
    """Signed, as indices are: unsigned and signed integers together make a float."""
    return np.int64(below(state, n))  # type: ignore[return-value]


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
    q, ids, weights, in_x, in_m = s.q, s.x.ids, s.x.values, s.in_x, s.in_m
    for k in range(words.shape[0]):
        if words[k] < known:
            ids[n], weights[n] = blocks[X] + words[k], values[k]
            n += 1
        if k > 0:  # "?" is no word that could be matched
            in_x[words[k]] = values[k]
    if o >= 0:
        for k in range(facts.ptr[o], facts.ptr[o + 1]):
            w = word_of(facts.entries[k])
            if not facts.entries[k] >> REPEATED:
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
        for k in range(facts.ptr[o], facts.ptr[o + 1]):
            s.in_m[word_of(facts.entries[k])] = 0.0


@kernel
def embed(v: Floats, U: Floats, ids: Ints, weights: Floats, n: int) -> None:
    """v += UΦ."""
    for k in range(n):
        row, weight = ids[k], weights[k]
        for d in range(v.shape[0]):
            v[d] += weight * U[row, d]


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


@inlined
def level(marked: int, all_: int) -> int:
    """None, some or all of a part."""
    return 0 if marked == 0 else 2 if marked == all_ else 1


@kernel
def pattern(ptr: Ints, entries: Entries, f: int, marks: Floats) -> int:
    """How much of subject, relation and object is marked: base 3 digits of none, some, all."""
    c = 0
    part, marked, all_ = np.uint32(0), 0, 0
    for k in range(ptr[f], ptr[f + 1]):
        entry = entries[k]
        role = (entry >> ROLE) & THREE
        while part < role:
            c = 3 * c + level(marked, all_)
            part, marked, all_ = part + np.uint32(1), 0, 0
        all_ += 1
        marked += marks[word_of(entry)] > 0.0
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
    for k in range(ptr[f], ptr[f + 1]):
        entry = entries[k]
        if entry >> REPEATED == 0:
            w = word_of(entry)
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


@kernel
def fill(
    ids: Ints,
    weights: Floats,
    blocks: Ints,
    ptr: Ints,
    entries: Entries,
    scale: Floats,
    f: int,
    idf: Floats,
    in_x: Floats,
    in_m: Floats,
) -> int:
    """Φ_y(fact, x) as a sparse vector; the number of its features."""
    n = 0
    for k in range(ptr[f], ptr[f + 1]):
        entry = entries[k]
        if entry >> REPEATED:
            continue
        w = word_of(entry)
        value = idf[w] * scale[f]
        ids[n], weights[n] = blocks[Y] + w, value
        n += 1
        if blocks[MX] >= 0 and in_x[w] > 0.0:
            ids[n], weights[n] = blocks[MX] + w, value
            n += 1
        if blocks[MM] >= 0 and in_m[w] > 0.0:
            ids[n], weights[n] = blocks[MM] + w, value
            n += 1
    if blocks[PX] >= 0:
        c = pattern(ptr, entries, f, in_x)
        if c > 0:
            ids[n], weights[n] = blocks[PX] + c, 1.0
            n += 1
    if blocks[PM] >= 0:
        c = pattern(ptr, entries, f, in_m)
        if c > 0:
            ids[n], weights[n] = blocks[PM] + c, 1.0
            n += 1
    return n


@kernel
def subtract(ids: Ints, weights: Floats, n: int, ids2: Ints, weights2: Floats, n2: int) -> int:
    """Φ_y - Φ_y' in the place of the first, which has room for both; the number of its features.

    What the two share must be one step: Adagrad divides each by its own root, so that two steps in
    opposite directions would not add up to the gradient's.
    """
    left = n
    for k in range(n2):
        at = 0
        while at < n and ids[at] != ids2[k]:
            at += 1
        if at < n:
            weights[at] -= weights2[k]
        else:
            ids[left], weights[left] = ids2[k], -weights2[k]
            left += 1
    kept = 0
    for k in range(left):
        if weights[k] != 0.0:
            ids[kept], weights[kept] = ids[k], weights[k]
            kept += 1
    return kept


@kernel
def adagrad(
    U: Floats,
    G: Floats,
    ids: Ints,
    weights: Floats,
    n: int,
    direction: Floats,
    size: np.float32,
    lr: float,
) -> None:
    """U[feature] += lr · value · direction / √G, G the sum of a row's mean squared gradients."""
    for k in range(n):
        row, value = ids[k], weights[k]
        G[row] += value * value * size
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
    ptr, entries, scale = facts.ptr, facts.entries, facts.scale
    n, known = len(ptr) - 1, len(idf)
    post_ptr, posted = postings.ptr, postings.facts
    q, d, e, e_at, in_x, in_m, patterns = s.q, s.d, s.e, s.e_at, s.in_x, s.in_m, s.patterns
    x_ids, x_weights, y_ids, y_weights = s.x.ids, s.x.values, s.y.ids, s.y.values
    y2_ids, y2_weights = s.y2.ids, s.y2.values
    margin, lr, tries, bow = settings.margin, settings.lr, settings.tries, settings.bow
    width = np.float32(1.0 / U.shape[1])
    for j in order:
        question, o, g = questions.question[j], questions.support[j], questions.gold[j]
        start, end = questions.ptr[question], questions.ptr[question + 1]
        words, values = questions.words[start:end], questions.values[start:end]
        if len(words) < 2:
            continue
        n_x = embed_question(U, blocks, known, words, values, facts, idf, o, s)
        now = s.clock[0]
        s_g = score(
            U, blocks, known, ptr, entries, scale, g, idf, bow, q, e, e_at, in_x, in_m, patterns,
            now,
        )  # fmt: skip
        for k in range(tries):
            if k % 2 == 0:
                w = words[1 + draw(state, len(words) - 1)]
                if o >= 0 and draw(state, 2) == 0:  # or with its support
                    w = word_of(entries[ptr[o] + draw(state, ptr[o + 1] - ptr[o])])
                size = post_ptr[w + 1] - post_ptr[w]
                if size == 0:
                    continue
                f = int(posted[post_ptr[w] + draw(state, size)])
            else:
                f = draw(state, n)
            if f == g:
                continue
            s_f = score(
                U, blocks, known, ptr, entries, scale, f, idf, bow, q, e, e_at, in_x, in_m,
                patterns, now,
            )  # fmt: skip
            hinge = float(margin - s_g + s_f)
            if hinge > 0.0:
                loss += hinge
                violations += 1
                n_y = fill(y_ids, y_weights, blocks, ptr, entries, scale, g, idf, in_x, in_m)
                n_y2 = fill(y2_ids, y2_weights, blocks, ptr, entries, scale, f, idf, in_x, in_m)
                n_y = subtract(y_ids, y_weights, n_y, y2_ids, y2_weights, n_y2)
                d[:] = 0.0
                embed(d, U, y_ids, y_weights, n_y)
                size_d = np.float32(dot(d, d)) * width
                size_q = np.float32(dot(q, q)) * width
                adagrad(U, G, x_ids, x_weights, n_x, d, size_d, lr)
                adagrad(U, G, y_ids, y_weights, n_y, q, size_q, lr)
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
