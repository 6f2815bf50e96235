"""Φ_x and Φ_y as sparse vectors: which features a token has, and how much of each.

A token is a word of the dictionary or, from |W| on, a word that the network never learnt.
rows[t] is -1 for a token that has an embedding, else the row of its context: the words that
stood left and right of it in the story (§3.5), contexts.words[ptr[2j]:ptr[2j + 1]] and the next.
In training rows also hides words that the network is to treat as unseen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel

# Positions in `blocks`, see features.layout.
X, M, L, R, Y, MX, MXL, MXR, MM, MML, MMR, T, PX, PM, D = range(15)


class Contexts(NamedTuple):
    """The unseen words of a story."""

    rows: Ints  # (tokens,) -1, or the row of the context
    ptr: Ints  # (2 unseen + 1,)
    words: Ints


class Sparse(NamedTuple):
    """Features and their values; the length is kept apart, since these arrays are reused."""

    ids: Ints
    values: Floats


@kernel
def add_context(phi: Sparse, n: int, left: int, right: int, j: int, contexts: Contexts) -> int:
    """The bags left and right of unseen word j, binary, each scaled by 1/√(its size)."""
    for side in range(2):
        start, end = contexts.ptr[2 * j + side], contexts.ptr[2 * j + side + 1]
        block = left if side == 0 else right
        for k in range(start, end):
            phi.ids[n] = block + contexts.words[k]
            phi.values[n] = 1.0 / np.sqrt(end - start)
            n += 1
    return n


@kernel
def add_inputs(
    phi: Sparse, n: int, blocks: Ints, role: int, tokens: Ints, contexts: Contexts
) -> int:
    """Φ_x of tokens in the role of question (X) or support (M)."""
    for t in tokens:
        j = contexts.rows[t]
        if j < 0:
            phi.ids[n] = blocks[role] + t
            phi.values[n] = 1.0
            n += 1
        else:
            n = add_context(phi, n, blocks[L], blocks[R], j, contexts)
    return n


@kernel
def add_candidate(
    phi: Sparse,
    n: int,
    blocks: Ints,
    t: int,
    in_x: bool,
    in_m: bool,
    contexts: Contexts,
) -> int:
    """Φ_y(y, x) of one token: itself or its context, and matches with question and supports."""
    j = contexts.rows[t]
    if j < 0:
        phi.ids[n] = blocks[Y] + t
        phi.values[n] = 1.0
        n += 1
    else:
        n = add_context(phi, n, blocks[L], blocks[R], j, contexts)
    for source in range(2):
        matched = in_x if source == 0 else in_m
        block = MX if source == 0 else MM
        if matched and blocks[block] >= 0:
            if j < 0:
                phi.ids[n] = blocks[block] + t
                phi.values[n] = 1.0
                n += 1
            else:
                n = add_context(phi, n, blocks[block + 1], blocks[block + 2], j, contexts)
    return n
