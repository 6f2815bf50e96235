"""Scores in training: q·UΦ_y with q = UΦ_x, and what was scored once per hop is not scored again.

What is tried and found good enough costs a few additions, because q·U[feature] is computed when
first needed and kept until the next hop.
"""

from __future__ import annotations

import numpy as np

from memnn.kernels.arrays import Floats, Ints, dot
from memnn.kernels.jit import inlined, kernel
from memnn.kernels.phi import MM, MX, Contexts, M, Sparse, X, Y, add_candidate, add_inputs
from memnn.kernels.story_examples import Scratch, Texts, bag, tick


@inlined
def embed(v: Floats, U: Floats, phi: Sparse, n: int, scale: float) -> None:
    """v += scale · UΦ."""
    for k in range(n):
        a = np.float32(scale * phi.values[k])
        f = phi.ids[k]
        for e in range(v.shape[0]):
            v[e] += a * U[f, e]


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
