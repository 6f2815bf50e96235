"""Training of the network over facts: Eq. 6-7 without time, on weighted bags, with Adagrad."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints, dot
from memnn.kernels.facts_packed import REPEATED, Entries, Facts, Postings, begin_of, end_of, word_of
from memnn.kernels.facts_scores import Work, embed, embed_question, leave_question, pattern, score
from memnn.kernels.jit import bare, inlined
from memnn.kernels.phi import MM, MX, PM, PX, X, Y
from memnn.kernels.prefetch import fetch, fetch_row
from memnn.kernels.rng import State, below


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


class RankSettings(NamedTuple):
    margin: float
    lr: float
    tries: int
    bow: float


@inlined
def draw(state: State, n: int) -> int:
    """Signed, as indices are: unsigned and signed integers together make a float."""
    return np.int64(below(state, n))  # type: ignore[return-value]


@bare
def draw_fact(
    k: int,
    words: Ints,
    o: int,
    ptr: Ints,
    entries: Entries,
    post_ptr: Ints,
    posted: NDArray[np.int32],
    state: State,
) -> int:
    """The fact of try k, or -1: one that shares a word with the question, or any."""
    if k % 2:
        return draw(state, len(ptr) - 1)
    w = words[1 + draw(state, len(words) - 1)]
    if o >= 0 and draw(state, 2) == 0:  # or with its support
        w = word_of(entries[ptr[o] + draw(state, ptr[o + 1] - ptr[o])])
    size = post_ptr[w + 1] - post_ptr[w]
    if size == 0:
        return -1
    return np.int64(posted[post_ptr[w] + draw(state, size)])  # type: ignore[return-value]


@inlined
def fetch_fact(
    U: Floats, block: int, ptr: Ints, entries: Entries, f: int, e: Floats, e_at: Ints
) -> None:
    """What scoring it will read, if there is such a fact."""
    if f < 0:
        return
    for k in range(begin_of(ptr, f), end_of(ptr, f, entries)):
        w = word_of(entries[k])
        fetch_row(U, block + w)
        fetch(e_at, w)
        fetch(e, w)


@inlined
def fetch_examples(
    i: int, order: Ints, questions: Questions, ptr: Ints, entries: Entries, scale: Floats
) -> None:
    """What the examples behind the next one will read: each place leads to another."""
    if i + 6 < len(order):
        j = order[i + 6]
        fetch(questions.question, j)
        fetch(questions.support, j)
        fetch(questions.gold, j)
    if i + 4 < len(order):
        j = order[i + 4]
        fetch(questions.ptr, questions.question[j])
        fetch(ptr, questions.gold[j])
        fetch(scale, questions.gold[j])
    if i + 2 < len(order):
        j = order[i + 2]
        start = questions.ptr[questions.question[j]]
        fetch(questions.words, start)
        fetch(questions.values, start)
        fetch(entries, ptr[questions.gold[j]])


@bare
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
    for k in range(begin_of(ptr, f), end_of(ptr, f, entries)):
        entry = entries[k]
        w = word_of(entry)
        if entry >> REPEATED or w >= len(idf):
            continue
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


@bare
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


@bare
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


@bare
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
    meets those that matter. Nearly all the time went into waiting for memory: so a fact is drawn
    one try ahead, and what it and the next examples need is fetched. Where the fact before it ends
    the example, the draw is taken back. Returns the summed loss and the number of violations.
    """
    loss, violations = 0.0, 0
    ptr, entries, scale = facts.ptr, facts.entries, facts.scale
    known = len(idf)
    post_ptr, posted = postings.ptr, postings.facts
    q, d, e, e_at, in_x, in_m, patterns = s.q, s.d, s.e, s.e_at, s.in_x, s.in_m, s.patterns
    x_ids, x_weights, y_ids, y_weights = s.x.ids, s.x.values, s.y.ids, s.y.values
    y2_ids, y2_weights = s.y2.ids, s.y2.values
    margin, lr, tries, bow = settings.margin, settings.lr, settings.tries, settings.bow
    width = np.float32(1.0 / U.shape[1])
    ahead, other = False, -1  # whether the next fact was drawn, and which
    for i in range(len(order)):
        j = order[i]
        question, o, g = questions.question[j], questions.support[j], questions.gold[j]
        start, end = questions.ptr[question], questions.ptr[question + 1]
        words, values = questions.words[start:end], questions.values[start:end]
        fetch_examples(i, order, questions, ptr, entries, scale)
        next, next_o = words[:0], -1
        if i + 1 < len(order):
            j = order[i + 1]
            question, next_o = questions.question[j], questions.support[j]
            next = questions.words[questions.ptr[question] : questions.ptr[question + 1]]
            for w in next:
                fetch_row(U, blocks[X] + w)
            fetch_fact(U, blocks[Y], ptr, entries, questions.gold[j], e, e_at)
        if len(words) < 2:
            continue
        if ahead:
            fetch_fact(U, blocks[Y], ptr, entries, other, e, e_at)
        n_x = embed_question(U, blocks, known, words, values, facts, idf, o, s)
        now = s.clock[0]
        s_g = score(
            U, blocks, known, ptr, entries, scale, g, idf, bow, q, e, e_at, in_x, in_m, patterns,
            now,
        )  # fmt: skip
        for k in range(tries):
            f = other if ahead else draw_fact(k, words, o, ptr, entries, post_ptr, posted, state)
            before, last = state[0], k + 1 == tries
            ahead = not last or len(next) > 1
            if not last:
                other = draw_fact(k + 1, words, o, ptr, entries, post_ptr, posted, state)
                fetch_fact(U, blocks[Y], ptr, entries, other, e, e_at)
            elif ahead:
                other = draw_fact(0, next, next_o, ptr, entries, post_ptr, posted, state)
                fetch(ptr, other)
                fetch(scale, other)
            if f == g or f < 0:
                continue
            s_f = score(
                U, blocks, known, ptr, entries, scale, f, idf, bow, q, e, e_at, in_x, in_m,
                patterns, now,
            )  # fmt: skip
            hinge = float(margin - s_g + s_f)
            if hinge > 0.0:
                loss += hinge
                violations += 1
                if not last:  # the next fact is for another question
                    state[0], ahead = before, len(next) > 1
                    if ahead:
                        other = draw_fact(0, next, next_o, ptr, entries, post_ptr, posted, state)
                        fetch(ptr, other)
                        fetch(scale, other)
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
