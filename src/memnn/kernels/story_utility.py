"""The utility of memories, for an H that forgets (§2): u(i) = b·Φ(i) + Σ_j Φ(i)' V_j Φ(j).

The sum is over the newer memories j that mention a name that i mentions: what has been told since
about the same people and things makes a memory more or less useful. V_j depends on how many names
the two share and on how many such memories came between, since the first newer fact about a
person changes more than the tenth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Ints
from memnn.kernels.jit import kernel
from memnn.kernels.rng import State, below

Doubles = NDArray[np.float64]
NAMES, ORDERS = 2, 4
"""V is (NAMES, ORDERS, |W|, |W|): one or more names shared; first, second, third, later memory."""
NEVER = 1 << 62


@kernel
def shared(a: Ints, b: Ints, entity: Ints) -> int:
    """How many names two texts both mention."""
    n = 0
    for t in a:
        if entity[t] > 0:
            for u in b:
                if t == u:
                    n += 1
                    break
    return n


@kernel
def effect(V: Doubles, mine: Ints, other: Ints, names: int, order: int) -> float:
    """What one newer memory does to the utility of mine."""
    total = 0.0
    k, o = min(names, NAMES) - 1, min(order, ORDERS - 1)
    for t in mine:
        for u in other:
            total += V[k, o, t, u]
    return float(total)


@kernel
def utility(
    b: Doubles, V: Doubles, i: int, end: int, ptr: Ints, words: Ints, entity: Ints
) -> float:
    """u(i) when statements until `end` have been told."""
    mine = words[ptr[i] : ptr[i + 1]]
    total, order = 0.0, 0
    for t in mine:
        total += b[t]
    for j in range(i + 1, end):
        other = words[ptr[j] : ptr[j + 1]]
        names = shared(mine, other, entity)
        if names > 0:
            total += effect(V, mine, other, names, order)
            order += 1
    return total


@kernel
def step_utility(
    b: Doubles, V: Doubles, i: int, end: int, ptr: Ints, words: Ints, entity: Ints, scale: float
) -> None:
    """(b, V) += scale · ∂u(i)."""
    mine = words[ptr[i] : ptr[i + 1]]
    order = 0
    for t in mine:
        b[t] += scale
    for j in range(i + 1, end):
        other = words[ptr[j] : ptr[j + 1]]
        names = shared(mine, other, entity)
        if names > 0:
            k, o = min(names, NAMES) - 1, min(order, ORDERS - 1)
            for t in mine:
                for u in other:
                    V[k, o, t, u] += scale
            order += 1


@kernel
def next_use(i: int, end: int, uses_ptr: Ints, uses: Ints) -> int:
    """The first moment from `end` on at which a question rests on statement i; NEVER if none."""
    for k in range(uses_ptr[i], uses_ptr[i + 1]):
        if uses[k] >= end:
            return int(uses[k])
    return NEVER


@kernel
def train_utility(
    b: Doubles,
    V: Doubles,
    moments: Ints,
    first: Ints,
    uses_ptr: Ints,
    uses: Ints,
    ptr: Ints,
    words: Ints,
    entity: Ints,
    window: int,
    tries: int,
    margin: float,
    lr: float,
    state: State,
) -> float:
    """One pass: of two memories, the one that supports an answer sooner must outrank the other.

    Overwriting what is needed last is the best that any H could do (Belady 1966); this learns to
    foresee it from the words. uses[uses_ptr[i]:uses_ptr[i + 1]] are the moments, in order, at
    which questions rest on statement i. Returns the mean loss.
    """
    total, n = 0.0, 0
    for k in range(len(moments)):
        end = moments[k]
        start = max(first[k], end - window)
        for _ in range(tries):
            i = start + below(state, end - start)
            j = start + below(state, end - start)
            use_i, use_j = next_use(i, end, uses_ptr, uses), next_use(j, end, uses_ptr, uses)
            if use_i == use_j:
                continue
            if use_j < use_i:
                i, j = j, i
            gap = utility(b, V, i, end, ptr, words, entity) - utility(
                b, V, j, end, ptr, words, entity
            )
            n += 1
            if gap < margin:
                total += margin - gap
                step_utility(b, V, i, end, ptr, words, entity, lr)
                step_utility(b, V, j, end, ptr, words, entity, -lr)
    return total / max(n, 1)
