"""One epoch of SGD on the margin ranking loss: Eq. 6-8 and, with write time, Appendix C."""

from __future__ import annotations

import numpy as np

from memnn.kernels.arrays import Floats, Ints, dot
from memnn.kernels.jit import kernel
from memnn.kernels.phi import MX, Contexts, D, Sparse, T, Y
from memnn.kernels.rng import State, below
from memnn.kernels.story_examples import Labels, Scratch, Settings, Texts, bag
from memnn.kernels.story_scores import candidate, embed, embed_input, score_tokens
from memnn.kernels.story_unseen import hide
from memnn.kernels.write_time import LITERAL, NONE, SIGNED, phi_t


@kernel
def step(U: Floats, phi: Sparse, n: int, direction: Floats, scale: float) -> None:
    """U[feature] += scale · value · direction."""
    for k in range(n):
        a = np.float32(scale * phi.values[k])
        f = phi.ids[k]
        for e in range(direction.shape[0]):
            U[f, e] += a * direction[e]


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
