"""Inference: k hops of Algorithm 1 over the memory (Eq. 2-3), and the ranking of answers (Eq. 4).

The bilinear form is multiplied out: A = U_x' U_y has a row for every word of the input (in the
dictionary of questions, then in that of supports) and a column for every word of a candidate, so
that the score of every word is a sum of a few rows of A. Memories that say the same share one
bag, which is scored once: c[kinds[i]] is the content of memory i.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.embed import Floats, Ints, Kinds, add_bag
from memnn.kernels.jit import kernel
from memnn.kernels.write_time import phi_t

Doubles = NDArray[np.float64]


@kernel
def score_bags(c: Floats, p: Floats, ptr: Ints, words: Ints) -> None:
    """c_k = Σ p_w over the words of bag k."""
    for k in range(c.shape[0]):
        s = np.float32(0.0)
        for j in range(ptr[k], ptr[k + 1]):
            s += p[words[j]]
        c[k] = s


@kernel
def walk(
    c: Floats, kinds: Kinds, o: int, mode: int, w: Floats, found: Ints, numbers: Doubles
) -> None:
    """Algorithm 1 over all memories in write order, and the closest comparison its winner won.

    o is the last support, or the number of memories for a question, which is newer than all.
    Time is constant where memories are on the same side of o, so the comparison of the newer
    i with the winner t, s_Ot(q, m_i, m_t) > 0, is F_i > G_t with F = c + f and G = c - g.

    found    (winner, runner-up or -1)
    numbers  (winner's content, runner-up's content, write-time part of the comparison)
    """
    n = kinds.shape[0]
    t, deposed, G = -1, -1, np.float32(-np.inf)
    for side in range(3):  # memories before o, o itself, memories after o
        first, last = (0, o) if side == 0 else (o, min(o + 1, n)) if side == 1 else (o + 1, n)
        f, g = _by_side(mode, side - 1, w)
        for i in range(first, last):
            F = c[kinds[i]] + f
            if F > G:
                deposed = t
                t = i
                G = c[kinds[i]] - g
    # Of the memories that the winner met, the closest: the one it deposed, or the best after it.
    rival, best = -1, np.float32(-np.inf)
    for side in range(3):
        first, last = (0, o) if side == 0 else (o, min(o + 1, n)) if side == 1 else (o + 1, n)
        f, _ = _by_side(mode, side - 1, w)
        for i in range(max(first, t + 1), last):
            F = c[kinds[i]] + f
            if best < F:
                rival, best = i, F
    if deposed >= 0:
        won = _comparison(c, kinds, o, mode, w, t, deposed)
        if rival < 0 or won[0] + won[1] <= G - best:
            rival = deposed
    found[0], found[1] = t, rival
    numbers[0], numbers[1], numbers[2] = c[kinds[t]], 0.0, 0.0
    if rival >= 0:
        by_time = _comparison(c, kinds, o, mode, w, max(t, rival), min(t, rival))[1]
        numbers[1] = c[kinds[rival]]
        numbers[2] = by_time if t > rival else -by_time


@kernel
def _by_side(mode: int, side: int, w: Floats) -> tuple[np.float32, np.float32]:
    """What time adds to a memory on a side of o (-1 before, 0 at, 1 after) as y, and as y'."""
    y = phi_t(mode, 0, side, side - 1)  # y is the newer one, so the third feature is its own
    y2 = phi_t(mode, 0, side + 1, side)
    return np.float32(w[0] * y[0] + w[2] * y[2]), np.float32(w[1] * y2[1])


@kernel
def _comparison(
    c: Floats, kinds: Kinds, o: int, mode: int, w: Floats, y: int, y2: int
) -> tuple[float, float]:
    """s_Ot(q, m_y, m_y'), y the newer, as its two parts: content and write time."""
    f = phi_t(mode, o, y, y2)
    return (
        float(c[kinds[y]]) - float(c[kinds[y2]]),
        w[0] * f[0] + w[1] * f[1] + w[2] * f[2],
    )


@kernel
def hop(
    p: Floats,
    ptr: Ints,
    words: Ints,
    kinds: Kinds,
    o: int,
    mode: int,
    c: Floats,
    found: Ints,
    numbers: Doubles,
) -> None:
    """One hop for the scores p of every word and, last, of the three time features."""
    W = p.shape[0] - 3
    score_bags(c, p, ptr, words)
    walk(c, kinds, o, mode, p[W:], found, numbers)


@kernel
def find_supports(
    A: Floats,
    x: Ints,
    ptr: Ints,
    words: Ints,
    kinds: Kinds,
    mode: int,
    found: Ints,
    numbers: Doubles,
) -> int:
    """Eq. 2-3 for k = len(found) hops; "the same support again" means stop.

    A (2|W|, |W| + 3); found (k, 2), numbers (k, 3): see `walk`. Returns the number of different
    supports, in order.
    """
    W = A.shape[0] // 2
    p = np.zeros(A.shape[1], np.float32)
    c = np.empty(ptr.shape[0] - 1, np.float32)
    o = kinds.shape[0]
    add_bag(p, A, 0, x, 1.0)
    for h in range(found.shape[0]):
        hop(p, ptr, words, kinds, o, mode, c, found[h], numbers[h])
        if h > 0 and found[h, 0] == o:
            return h
        o = int(found[h, 0])
        add_bag(p, A, W, words[ptr[kinds[o]] : ptr[kinds[o] + 1]], 1.0)
    return len(found)


@kernel
def rank(A: Floats, x: Ints, m: Ints, p: Floats) -> int:
    """Eq. 4: fills p with s_R([x, m_o1, ...], r) of every candidate r and returns the best.

    A (2|W|, candidates); x are the words of the question, m those of all supports.
    """
    p[:] = 0.0
    add_bag(p, A, 0, x, 1.0)
    add_bag(p, A, A.shape[0] // 2, m, 1.0)
    best = 0
    for i in range(1, p.shape[0]):
        if p[i] > p[best]:
            best = i
    return best
