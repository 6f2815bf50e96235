"""The segmenter of §3.2: seg(c) = W_seg' U_S Φ_seg(c), its training (Appendix B) and its scan.

Φ_seg(c) is the bag of the words since the last break, in a dictionary of its own: |V| rows of U_S.
With 2|V| rows the last word of c counts once more, in the second block: a bag alone cannot tell
"fred took the milk" from "took the milk fred", nor an unseen name that begins a fact from an
unseen thing that ends one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.chance import below
from memnn.kernels.embed import Floats, Ints, add_bag, dot, step_bag
from memnn.kernels.jit import kernel

Doubles = NDArray[np.float64]

import os

OMIT = int(os.environ.get("OMIT", "0"))
UNKNOWN = 0
UNKNOWNS = 1

# What a word of the stream may be to the scan besides a word.
PLAIN, ASKS, ENDS, ENDS_QUESTION = 0, 1, 2, 3

# The state of a scan between two chunks; the running sum has an array of its own.
PENDING, LENGTH, COMPLETE, ASKED_AT, IN_QUESTION, HAS_WORD = 0, 1, 2, 3, 4, 5
STATE = 6


@kernel
def embed_segment(v: Floats, U_S: Floats, V: int, c: Ints) -> None:
    """v = U_S Φ_seg(c)."""
    v[:] = 0.0
    add_bag(v, U_S, 0, c, 1.0)
    if U_S.shape[0] > V:
        add_bag(v, U_S, V, c[len(c) - 1 :], 1.0)


@kernel
def step_segment(
    U_S: Floats, W_seg: Floats, V: int, c: Ints, y: int, gamma: float, lr: float, v: Floats
) -> float:
    """One SGD step on max(0, γ - y·seg(c)), y = 1 for a fact and -1 for no fact; the loss."""
    embed_segment(v, U_S, V, c)
    loss = gamma - y * dot(W_seg, v)
    if not loss > 0.0:
        return 0.0
    step_bag(U_S, 0, c, W_seg, y * lr)
    if U_S.shape[0] > V:
        step_bag(U_S, V, c[len(c) - 1 :], W_seg, y * lr)
    for d in range(v.shape[0]):
        W_seg[d] += np.float32(y * lr) * v[d]
    return loss


@kernel
def train_segments(
    U_S: Floats,
    W_seg: Floats,
    V: int,
    words: Ints,
    start: Ints,
    end: Ints,
    label: Ints,
    order: Ints,
    gamma: float,
    lr: float,
    dropped: int,
    chance: Ints,
    state: NDArray[np.uint64],
    spare: Ints,
    v: Floats,
) -> float:
    """One pass over the segments words[start:end] in the given order; returns the summed loss.

    Of 100 segments, `dropped` are read as if some of their words had never been seen: a rate is
    drawn, then each word w is lost with that rate times chance[w] in 1000.
    """
    total = 0.0
    for j in order:
        c = words[start[j] : end[j]]
        if below(state, 100) < dropped:
            rate = below(state, 1000)
            n = 0
            for i in range(len(c)):
                if i < len(c) - 1 and below(state, 1000) < OMIT:
                    continue
                lost = below(state, 1_000_000) < rate * chance[c[i]]
                spare[n] = UNKNOWN if lost else c[i]
                n += 1
            c = spare[:n]
        total += step_segment(U_S, W_seg, V, c, label[j], gamma, lr, v)
    return total


@kernel
def word_scores(U_S: Floats, W_seg: Floats, scores: Doubles) -> None:
    """W_seg' U_S[w] for every row: all that a scan needs, since seg is linear in Φ."""
    for w in range(U_S.shape[0]):
        scores[w] = dot(W_seg, U_S[w])
