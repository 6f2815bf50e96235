"""One epoch of SGD on the margin ranking loss: Eq. 6-8 and, with write time, Appendix C.

Every score is q·UΦ_y with q = UΦ_x. What is tried and found good enough costs a few additions,
because q·U[feature] is computed once per hop, when first needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints, Kinds, dot
from memnn.kernels.jit import inlined, kernel
from memnn.kernels.phi import MM, MX, Contexts, D, M, Sparse, T, X, Y, add_candidate, add_inputs
from memnn.kernels.rng import below
from memnn.kernels.write_time import LITERAL, NONE, SIGNED, phi_t

State = NDArray[np.uint64]


class Texts(NamedTuple):
    """Bags of many texts, as `stories.bags` has them, and their words in order."""

    ptr: Ints
    words: Ints
    kinds: Kinds
    times: Ints
    in_order_ptr: Ints
    in_order: Ints


class Labels(NamedTuple):
    """Per question: the memories it sees, first..last-1, its supports (Q, k) and its answer."""

    first: Ints
    last: Ints
    supports: Ints
    answers: Ints


class Settings(NamedTuple):
    """What `recipe.Recipe` says, in numbers that a kernel takes."""

    mode: int
    margin: float
    lr: float
    tries: int
    recent: int
    lesions: int  # in a thousand tries
    dropout: int  # in a thousand words; -1: a rate of its own for every example
    bow: float


class Scratch(NamedTuple):
    """Working space: allocated once, meaningless between calls."""

    q: Floats
    d: Floats
    x: Sparse
    y: Sparse
    y2: Sparse
    p: Floats  # (D,) q·U[feature]
    p_at: Ints  # when it was computed
    e: Floats  # (tokens,) the score of a token as part of a candidate
    e_at: Ints
    in_x: Ints  # (tokens,) when it was last in a question
    in_m: Ints  # ... and in a support
    spare: Ints
    left: Ints  # (entities, |W|) when a word was last left of a hidden one
    right: Ints
    candidates: Ints  # 0, 1, 2, ...
    clock: Ints


@inlined
def bag(texts: Texts, i: int) -> Ints:
    """The words of text i."""
    k = texts.kinds[i]
    return texts.words[texts.ptr[k] : texts.ptr[k + 1]]


@inlined
def tick(s: Scratch) -> int:
    s.clock[0] += 1
    return int(s.clock[0])


@inlined
def embed(v: Floats, U: Floats, phi: Sparse, n: int, scale: float) -> None:
    """v += scale · UΦ."""
    for k in range(n):
        a = np.float32(scale * phi.values[k])
        f = phi.ids[k]
        for e in range(v.shape[0]):
            v[e] += a * U[f, e]


@kernel
def step(U: Floats, phi: Sparse, n: int, direction: Floats, scale: float) -> None:
    """U[feature] += scale · value · direction."""
    for k in range(n):
        a = np.float32(scale * phi.values[k])
        f = phi.ids[k]
        for e in range(direction.shape[0]):
            U[f, e] += a * direction[e]


@inlined
def embed_input(
    U: Floats, blocks: Ints, x: Ints, texts: Texts, supports: Ints, contexts: Contexts, s: Scratch
) -> int:
    """q = UΦ_x([x, m_o1, ...]), and the marks that matches go by; the number of features."""
    now = tick(s)
    s.clock[1] = now  # of in_x and in_m
    n = add_inputs(s.x, 0, blocks, X, x, contexts)
    for t in x:
        s.in_x[t] = now
    for o in supports:
        words = bag(texts, o)
        n = add_inputs(s.x, n, blocks, M, words, contexts)
        for t in words:
            s.in_m[t] = now
    s.q[:] = 0.0
    embed(s.q, U, s.x, n, 1.0)
    return n


@kernel
def candidate(
    phi: Sparse, n: int, blocks: Ints, t: int, words: int, contexts: Contexts, s: Scratch
) -> int:
    """Φ_y of a token, or of an answer of several words, which has a row and no more."""
    if t >= words:
        phi.ids[n] = blocks[Y] + t
        phi.values[n] = 1.0
        return n + 1
    now = s.clock[1]
    return add_candidate(phi, n, blocks, t, s.in_x[t] == now, s.in_m[t] == now, contexts)


@kernel
def known_score(U: Floats, q: Floats, blocks: Ints, t: int, in_x: bool, in_m: bool) -> float:
    """q·UΦ_y of a token that has an embedding."""
    total = dot(q, U[blocks[Y] + t])
    if in_x and blocks[MX] >= 0:
        total += dot(q, U[blocks[MX] + t])
    if in_m and blocks[MM] >= 0:
        total += dot(q, U[blocks[MM] + t])
    return total


@kernel
def hidden_score(U: Floats, blocks: Ints, t: int, contexts: Contexts, s: Scratch) -> float:
    """q·UΦ_y of a token that is known by its context alone."""
    now = s.clock[1]
    n = candidate(s.y, 0, blocks, t, len(s.in_x), contexts, s)
    total = 0.0
    for k in range(n):
        f = s.y.ids[k]
        if s.p_at[f] != now:
            s.p_at[f] = now
            s.p[f] = dot(s.q, U[f])
        total += s.y.values[k] * s.p[f]
    return total


@inlined
def score_tokens(
    U: Floats,
    blocks: Ints,
    tokens: Ints,
    words: int,
    contexts: Contexts,
    bow: float,
    s: Scratch,
) -> float:
    """Σ of the scores of tokens as parts of a candidate, each computed once per hop.

    λ counts where a token occurs in the input (§3.6). Tokens from `words` on are answers of
    several words, which have a row and no more.
    """
    now = s.clock[1]
    c = 0.0
    for t in tokens:
        if s.e_at[t] != now:
            s.e_at[t] = now
            if t >= words:
                s.e[t] = dot(s.q, U[blocks[Y] + t])
            else:
                in_x, in_m = s.in_x[t] == now, s.in_m[t] == now
                if contexts.rows[t] < 0:
                    s.e[t] = known_score(U, s.q, blocks, t, in_x, in_m)
                else:
                    s.e[t] = hidden_score(U, blocks, t, contexts, s)
                if in_x or in_m:
                    s.e[t] += bow
        c += s.e[t]
    return c


@kernel
def lesion(words: Ints, state: State, out: Ints) -> int:
    """The bag without some of its words, of which each is lost with a chance drawn first.

    Returns how many are left in `out`.
    """
    chance = below(state, 1000)
    n = 0
    for w in words:
        if below(state, 1000) >= chance:
            out[n] = w
            n += 1
    return n


@kernel
def step_triple(
    U: Floats,
    blocks: Ints,
    n_x: int,
    y: Ints,
    y2: Ints,
    f: tuple[float, float, float],
    words: int,
    contexts: Contexts,
    scale: float,
    s: Scratch,
) -> None:
    """U += scale · ∂ s_Ot(q, y, y') / ∂U, for the bags of y and y' and time features f."""
    n = n2 = 0
    for t in y:
        n = candidate(s.y, n, blocks, t, words, contexts, s)
    for t in y2:
        n2 = candidate(s.y2, n2, blocks, t, words, contexts, s)
    s.d[:] = 0.0
    embed(s.d, U, s.y, n, 1.0)
    embed(s.d, U, s.y2, n2, -1.0)
    if blocks[T] >= 0:
        for j in range(3):
            for e in range(s.d.shape[0]):
                s.d[e] += np.float32(f[j]) * U[blocks[T] + j, e]
    step(U, s.x, n_x, s.d, scale)
    step(U, s.y, n, s.q, scale)
    step(U, s.y2, n2, s.q, -scale)
    if blocks[T] >= 0:
        for j in range(3):
            for e in range(s.d.shape[0]):
                U[blocks[T] + j, e] += np.float32(scale * f[j]) * s.q[e]


@kernel
def train_hop(
    U: Floats,
    blocks: Ints,
    x: Ints,
    texts: Texts,
    supports: Ints,
    t_x: int,
    o: int,
    first: int,
    last: int,
    contexts: Contexts,
    settings: Settings,
    state: State,
    s: Scratch,
) -> float:
    """Sample memories until one violates the margin against the true support o, then step.

    Memories first..last-1 are those written before the question. Half of the tries are the
    latest ones: a uniform draw from thousands almost never meets the facts that matter.
    Some tries lose some of their words (lesions), as a memory does whose words were never learnt:
    such memories must not win either. Returns the violation's loss, 0 if none was found.
    """
    n = last - first
    if n < 2:
        return 0.0
    W = s.in_x.shape[0]
    mode, gamma, lr, bow = settings.mode, settings.margin, settings.lr, settings.bow
    n_x = embed_input(U, blocks, x, texts, supports, contexts, s)
    # The loop below is where the time goes: it works on arrays alone, calls nothing for what is
    # known, and hands the bundles on only when there is something to compute.
    ptr, words, kinds, times = texts.ptr, texts.words, texts.kinds, texts.times
    e, e_at, spare, now, lesions = s.e, s.e_at, s.spare, s.clock[1], settings.lesions
    w1, w2, w3 = 0.0, 0.0, 0.0
    if mode != NONE:
        w1, w2, w3 = (
            dot(s.q, U[blocks[T]]), dot(s.q, U[blocks[T] + 1]), dot(s.q, U[blocks[T] + 2]),
        )  # fmt: skip
    true = bag(texts, o)
    c_o = score_tokens(U, blocks, true, W, contexts, bow, s)
    window = min(settings.recent, n)
    # Appendix C has two terms per pair: o as y, and o as y'. Inference meets only the one whose y
    # is newer, which is all that `ordered` trains; without time they are the same.
    both = mode in (SIGNED, LITERAL)
    for k in range(settings.tries):
        i = last - 1 - below(state, window) if k % 2 == 0 else first + below(state, n)
        if i == o:
            continue
        start, end = ptr[kinds[i]], ptr[kinds[i] + 1]
        left = -1
        diff = c_o
        if lesions > 0 and below(state, 1000) < lesions:
            left = lesion(words[start:end], state, spare)
            known = True
            for j in range(left):
                t = spare[j]
                known = known and e_at[t] == now
                diff -= e[t]
            if not known:
                diff = c_o - score_tokens(U, blocks, spare[:left], W, contexts, bow, s)
        elif mode == NONE and kinds[i] == kinds[o]:
            continue  # the same words without time are the same memory
        else:
            known = True
            for j in range(start, end):
                t = words[j]
                known = known and e_at[t] == now
                diff -= e[t]
            if not known:
                diff = c_o - score_tokens(U, blocks, words[start:end], W, contexts, bow, s)
        loss = 0.0
        if mode == NONE or both or times[o] > times[i]:
            f = phi_t(mode, t_x, times[o], times[i])
            hinge = gamma - (diff + w1 * f[0] + w2 * f[1] + w3 * f[2])
            if hinge > 0.0:
                loss += hinge
                false = spare[:left] if left >= 0 else words[start:end]
                step_triple(U, blocks, n_x, true, false, f, W, contexts, lr, s)
        if mode != NONE and (both or times[o] < times[i]):
            f = phi_t(mode, t_x, times[i], times[o])
            hinge = gamma + (-diff + w1 * f[0] + w2 * f[1] + w3 * f[2])
            if hinge > 0.0:
                loss += hinge
                false = spare[:left] if left >= 0 else words[start:end]
                step_triple(U, blocks, n_x, false, true, f, W, contexts, -lr, s)
        if loss > 0.0:
            return loss
    return 0.0


@kernel
def train_response(
    U: Floats,
    blocks: Ints,
    words: int,
    x: Ints,
    texts: Texts,
    supports: Ints,
    r: int,
    contexts: Contexts,
    settings: Settings,
    state: State,
    s: Scratch,
) -> float:
    """Eq. 8: the true answer r must outrank a sampled one by the margin.

    Candidates 0..words-1 are the words themselves, those after are answers of several words.
    """
    candidates = (blocks[MX] if blocks[MX] >= 0 else blocks[D]) - blocks[Y]
    n_x = embed_input(U, blocks, x, texts, supports, contexts, s)
    pair, e, e_at, now = s.spare, s.e, s.e_at, s.clock[1]
    pair[0] = r
    s_r = score_tokens(U, blocks, pair[:1], words, contexts, 0.0, s)
    if candidates <= settings.tries:  # most will be needed, and one call is cheaper than many
        score_tokens(U, blocks, s.candidates[:candidates], words, contexts, 0.0, s)
    for _ in range(settings.tries):
        i = below(state, candidates)
        if i == r:
            continue
        pair[1] = i
        if e_at[i] != now:
            score_tokens(U, blocks, pair[1:2], words, contexts, 0.0, s)
        loss = settings.margin - s_r + e[i]
        if loss > 0.0:
            f = (0.0, 0.0, 0.0)
            step_triple(U, blocks, n_x, pair[:1], pair[1:2], f, words, contexts, settings.lr, s)
            return float(loss)
    return 0.0


@kernel
def hide(
    entities: Ints,
    texts: Texts,
    first: int,
    last: int,
    supports: Ints,
    contexts: Contexts,
    dropout: int,
    state: State,
    s: Scratch,
) -> None:
    """The dropout of §3.5: treat some words as unseen throughout this example.

    Their contexts come from a stretch of the story of random length, as if it had begun there,
    and from the supports; hidden words are no context.
    """
    rate = below(state, 1001) if dropout < 0 else dropout
    now = tick(s)
    hidden = 0
    for t in entities:
        contexts.rows[t] = -1
        if below(state, 1000) < rate:
            contexts.rows[t] = hidden
            hidden += 1
    if not hidden:
        return
    span = 4 << below(state, 7)
    span += below(state, span)
    for i in range(max(first, last - span), last):
        _note_neighbours(texts, i, contexts, now, s)
    for o in supports:
        _note_neighbours(texts, o, contexts, now, s)
    n = 0
    contexts.ptr[0] = 0
    for j in range(hidden):
        for side in range(2):
            seen = s.left if side == 0 else s.right
            for w in range(seen.shape[1]):
                if seen[j, w] == now:
                    contexts.words[n] = w
                    n += 1
            contexts.ptr[2 * j + side + 1] = n


@kernel
def _note_neighbours(texts: Texts, i: int, contexts: Contexts, now: int, s: Scratch) -> None:
    """Mark the known words left and right of every hidden word of text i."""
    words = texts.in_order[texts.in_order_ptr[i] : texts.in_order_ptr[i + 1]]
    for a in range(words.shape[0]):
        j = contexts.rows[words[a]]
        if j >= 0:
            for b in range(words.shape[0]):
                if contexts.rows[words[b]] < 0:
                    if b < a:
                        s.left[j, words[b]] = now
                    else:
                        s.right[j, words[b]] = now


@kernel
def train_epoch(
    U_O: Floats,
    U_R: Floats,
    blocks_O: Ints,
    blocks_R: Ints,
    words: int,
    texts: Texts,
    questions: Texts,
    labels: Labels,
    entities: Ints,
    contexts: Contexts,
    order: Ints,
    settings: Settings,
    state: State,
    s: Scratch,
) -> tuple[float, float]:
    """One pass over the questions in the given order; returns the summed losses of O and R."""
    loss_O = 0.0
    loss_R = 0.0
    for j in order:
        x = bag(questions, j)
        supports = labels.supports[j]
        first, last = labels.first[j], labels.last[j]
        if entities.shape[0] > 0:
            hide(entities, texts, first, last, supports, contexts, settings.dropout, state, s)
        t_x = questions.times[j]
        for h in range(supports.shape[0]):
            o = supports[h]
            loss_O += train_hop(
                U_O, blocks_O, x, texts, supports[:h], t_x, o, first, last,
                contexts, settings, state, s,
            )  # fmt: skip
            t_x = texts.times[o]
        if labels.answers[j] >= 0:
            loss_R += train_response(
                U_R, blocks_R, words, x, texts, supports, labels.answers[j],
                contexts, settings, state, s,
            )  # fmt: skip
    return loss_O, loss_R
