"""Inference: k hops of Algorithm 1 over the memory (Eq. 2-3), and the ranking of answers (Eq. 4).

Arrays of candidates are stored transposed, (n, candidates): one question then is a few sums of
rows that the processor vectorises, and scores come out in a fixed order of additions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.embed import Floats, Ints, add_bag, dot
from memnn.kernels.jit import kernel
from memnn.kernels.train import embed_input
from memnn.kernels.write_time import phi_t

Doubles = NDArray[np.float64]


@kernel
def score_all(p: Floats, q: Floats, UT: Floats) -> None:
    """p_w = q·U[w] for every candidate w; UT is (n, candidates)."""
    p[:] = 0.0
    for e in range(q.shape[0]):
        for w in range(p.shape[0]):
            p[w] += q[e] * UT[e, w]


@kernel
def walk(
    p: Floats,
    ptr: Ints,
    words: Ints,
    times: Ints,
    n: int,
    mode: int,
    t_x: int,
    w1: float,
    w2: float,
    w3: float,
    found: Ints,
    numbers: Doubles,
) -> None:
    """Algorithm 1 over memories 0..n-1 in write order, which keeps the closest call it survived.

    found    (winner, runner-up or -1)
    numbers  (winner's content, runner-up's content, write-time part of the comparison)
    """
    t, c_t = 0, 0.0
    for w in words[ptr[0] : ptr[1]]:
        c_t += p[w]
    rival, c_rival, time_part, margin = -1, 0.0, 0.0, np.inf
    for i in range(1, n):
        c_i = 0.0
        for w in words[ptr[i] : ptr[i + 1]]:
            c_i += p[w]
        f = phi_t(mode, t_x, times[i], times[t])
        by_time = w1 * f[0] + w2 * f[1] + w3 * f[2]
        s = c_i - c_t + by_time
        if s > 0.0:
            rival, c_rival, time_part, margin = t, c_t, by_time, s
            t, c_t = i, c_i
        elif -s < margin:
            rival, c_rival, time_part, margin = i, c_i, -by_time, -s
    found[0], found[1] = t, rival
    numbers[0], numbers[1], numbers[2] = c_t, c_rival, time_part


@kernel
def find_supports(
    U_O: Floats,
    YT: Floats,
    W: int,
    x: Ints,
    t_x: int,
    ptr: Ints,
    words: Ints,
    times: Ints,
    n: int,
    mode: int,
    hops: int,
    supports: Ints,
    found: Ints,
    numbers: Doubles,
) -> int:
    """Eq. 2-3 for k hops; "the same support again" means stop. Returns the hops walked.

    supports (k,), found (k, 2), numbers (k, 3): see `walk`.
    """
    q = np.empty(U_O.shape[1], np.float32)
    p = np.empty(YT.shape[1], np.float32)
    T = 3 * W
    for h in range(hops):
        embed_input(q, U_O, W, x, ptr, words, supports[:h])
        score_all(p, q, YT)
        w1, w2, w3 = dot(q, U_O[T]), dot(q, U_O[T + 1]), dot(q, U_O[T + 2])
        walk(p, ptr, words, times, n, mode, t_x, w1, w2, w3, found[h], numbers[h])
        supports[h] = found[h, 0]
        t_x = times[supports[h]]
        if h > 0 and supports[h] == supports[h - 1]:
            for g in range(h + 1, hops):
                supports[g] = supports[h]
            return h + 1
    return hops


@kernel
def rank(U_R: Floats, YT: Floats, W: int, x: Ints, m: Ints, p: Floats) -> int:
    """Eq. 4: fills p with s_R([x, m_o1, ...], r) of every candidate r and returns the best.

    x are the words of the question, m those of all supports.
    """
    q = np.zeros(U_R.shape[1], np.float32)
    add_bag(q, U_R, 0, x, 1.0)
    add_bag(q, U_R, W, m, 1.0)
    score_all(p, q, YT)
    best = 0
    for i in range(1, p.shape[0]):
        if p[i] > p[best]:
            best = i
    return best
