"""One epoch of SGD on the margin ranking loss: Eq. 6-8 and, with write time, Appendix C.

Rows of U_O: |W| words of the question, |W| of supports, |W| of candidate memories, 3 of time.
Rows of U_R: |W| words of the question, |W| of supports, then one per candidate answer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.chance import below
from memnn.kernels.embed import Floats, Ints, Kinds, add_bag, dot, step_bag
from memnn.kernels.jit import kernel
from memnn.kernels.write_time import LITERAL, NONE, SIGNED, phi_t


@kernel
def bag(ptr: Ints, words: Ints, kinds: Kinds, i: int) -> Ints:
    """The words of statement i."""
    return words[ptr[kinds[i]] : ptr[kinds[i] + 1]]


@kernel
def embed_input(
    q: Floats, U: Floats, W: int, x: Ints, ptr: Ints, words: Ints, kinds: Kinds, supports: Ints
) -> None:
    """q = U Φ_x([x, m_o1, ...]): the question in its own dictionary, supports in another."""
    q[:] = 0.0
    add_bag(q, U, 0, x, 1.0)
    for o in supports:
        add_bag(q, U, W, bag(ptr, words, kinds, o), 1.0)


@kernel
def step_input(
    U: Floats,
    W: int,
    x: Ints,
    ptr: Ints,
    words: Ints,
    kinds: Kinds,
    supports: Ints,
    d: Floats,
    scale: float,
) -> None:
    """The gradient of `embed_input`: every row that was added moves along d."""
    step_bag(U, 0, x, d, scale)
    for o in supports:
        step_bag(U, W, bag(ptr, words, kinds, o), d, scale)


@kernel
def step_triple(
    U: Floats,
    W: int,
    x: Ints,
    ptr: Ints,
    words: Ints,
    kinds: Kinds,
    supports: Ints,
    y: Ints,
    y2: Ints,
    f: tuple[float, float, float],
    q: Floats,
    d: Floats,
    scale: float,
) -> None:
    """U += scale · ∂ s_Ot(q, y, y') / ∂U, for the bags of y and y' and time features f."""
    Y, T = 2 * W, 3 * W
    d[:] = 0.0
    add_bag(d, U, Y, y, 1.0)
    add_bag(d, U, Y, y2, -1.0)
    for j in range(3):
        for e in range(d.shape[0]):
            d[e] += np.float32(f[j]) * U[T + j, e]
    step_input(U, W, x, ptr, words, kinds, supports, d, scale)
    step_bag(U, Y, y, q, scale)
    step_bag(U, Y, y2, q, -scale)
    for j in range(3):
        for e in range(d.shape[0]):
            U[T + j, e] += np.float32(scale * f[j]) * q[e]


@kernel
def lesion(words: Ints, state: NDArray[np.uint64], out: Ints) -> Ints:
    """The bag without some of its words: each is lost with a chance that is drawn first."""
    chance = below(state, 1000)
    n = 0
    for w in words:
        if below(state, 1000) >= chance:
            out[n] = w
            n += 1
    return out[:n]


@kernel
def content(U: Floats, W: int, q: Floats, words: Ints, p: Floats, stamp: Ints, now: int) -> float:
    """Φ_x' U' U Φ_y; p_w = q·U_y[w] is computed once per hop, when first needed."""
    c = 0.0
    for w in words:
        if stamp[w] != now:
            stamp[w] = now
            p[w] = dot(q, U[2 * W + w])
        c += p[w]
    return c


@kernel
def train_hop(
    U: Floats,
    W: int,
    x: Ints,
    ptr: Ints,
    words: Ints,
    kinds: Kinds,
    times: Ints,
    supports: Ints,
    t_x: int,
    o: int,
    first: int,
    last: int,
    mode: int,
    gamma: float,
    lr: float,
    tries: int,
    recent: int,
    lesions: int,
    state: NDArray[np.uint64],
    q: Floats,
    d: Floats,
    p: Floats,
    stamp: Ints,
    now: int,
    spare: Ints,
) -> float:
    """Sample memories until one violates the margin against the true support o, then step.

    Memories first..last-1 are those written before the question. Half of the tries are the
    latest ones: a uniform draw from thousands almost never meets the facts that matter.
    Of 100 tries, `lesions` lose some of their words, as a memory does whose words were never
    learnt: such memories must not win either. Returns the violation's loss, 0 if none was found.
    """
    n = last - first
    if n < 2:
        return 0.0
    T = 3 * W
    embed_input(q, U, W, x, ptr, words, kinds, supports)
    w1, w2, w3 = dot(q, U[T]), dot(q, U[T + 1]), dot(q, U[T + 2])
    true = bag(ptr, words, kinds, o)
    c_o = content(U, W, q, true, p, stamp, now)
    window = min(recent, n)
    for k in range(tries):
        i = last - 1 - below(state, window) if k % 2 == 0 else first + below(state, n)
        if i == o:
            continue
        false = bag(ptr, words, kinds, i)
        if below(state, 100) < lesions:
            false = lesion(false, state, spare)
        diff = c_o - content(U, W, q, false, p, stamp, now)
        # Appendix C has two terms per pair: o as y, and o as y'. Inference meets only the one
        # whose y is newer, which is all that `ordered` trains; without time they are the same.
        both = mode in (SIGNED, LITERAL)
        loss = 0.0
        if mode == NONE or both or times[o] > times[i]:
            f = phi_t(mode, t_x, times[o], times[i])
            hinge = gamma - (diff + w1 * f[0] + w2 * f[1] + w3 * f[2])
            if hinge > 0.0:
                loss += hinge
                step_triple(U, W, x, ptr, words, kinds, supports, true, false, f, q, d, lr)
        if mode != NONE and (both or times[o] < times[i]):
            f = phi_t(mode, t_x, times[i], times[o])
            hinge = gamma + (-diff + w1 * f[0] + w2 * f[1] + w3 * f[2])
            if hinge > 0.0:
                loss += hinge
                step_triple(U, W, x, ptr, words, kinds, supports, false, true, f, q, d, -lr)
        if loss > 0.0:
            return loss
    return 0.0


@kernel
def train_response(
    U: Floats,
    W: int,
    x: Ints,
    ptr: Ints,
    words: Ints,
    kinds: Kinds,
    supports: Ints,
    r: int,
    gamma: float,
    lr: float,
    tries: int,
    state: NDArray[np.uint64],
    q: Floats,
    d: Floats,
    p: Floats,
    stamp: Ints,
    now: int,
) -> float:
    """Eq. 8: the true answer r must outrank a sampled one by the margin."""
    Y = 2 * W
    candidates = U.shape[0] - Y
    embed_input(q, U, W, x, ptr, words, kinds, supports)
    s_r = dot(q, U[Y + r])
    for _ in range(tries):
        i = below(state, candidates)
        if i == r:
            continue
        if stamp[i] != now:
            stamp[i] = now
            p[i] = dot(q, U[Y + i])
        loss = gamma - s_r + p[i]
        if loss > 0.0:
            for e in range(d.shape[0]):
                d[e] = U[Y + r, e] - U[Y + i, e]
            step_input(U, W, x, ptr, words, kinds, supports, d, lr)
            for e in range(q.shape[0]):
                U[Y + r, e] += np.float32(lr) * q[e]
                U[Y + i, e] -= np.float32(lr) * q[e]
            return float(loss)
    return 0.0


@kernel
def train_epoch(
    U_O: Floats,
    U_R: Floats,
    W: int,
    ptr: Ints,
    words: Ints,
    kinds: Kinds,
    times: Ints,
    q_ptr: Ints,
    q_words: Ints,
    q_kinds: Kinds,
    q_time: Ints,
    q_first: Ints,
    q_last: Ints,
    q_supports: Ints,
    q_answer: Ints,
    order: Ints,
    mode: int,
    gamma: float,
    lr: float,
    tries: int,
    recent: int,
    lesions: int,
    state: NDArray[np.uint64],
    q: Floats,
    d: Floats,
    p: Floats,
    stamp: Ints,
    clock: Ints,
    spare: Ints,
) -> tuple[float, float]:
    """One pass over the questions in the given order; returns the summed losses of O and R."""
    loss_O = 0.0
    loss_R = 0.0
    hops = q_supports.shape[1]
    for j in order:
        x = bag(q_ptr, q_words, q_kinds, j)
        t_x = q_time[j]
        for h in range(hops):
            clock[0] += 1
            o = q_supports[j, h]
            loss_O += train_hop(
                U_O, W, x, ptr, words, kinds, times, q_supports[j, :h], t_x, o,
                q_first[j], q_last[j], mode, gamma, lr, tries, recent, lesions, state,
                q, d, p, stamp, clock[0], spare,
            )  # fmt: skip
            t_x = times[o]
        if q_answer[j] >= 0:
            clock[0] += 1
            loss_R += train_response(
                U_R, W, x, ptr, words, kinds, q_supports[j], q_answer[j], gamma, lr, tries, state,
                q, d, p, stamp, clock[0],
            )  # fmt: skip
    return loss_O, loss_R
