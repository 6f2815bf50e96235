"""U Φ(text) for bags of words: sums of rows of U, and the gradient that goes back into them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.jit import kernel, reordering

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Kinds = NDArray[np.int32]


def ints(*shape: int) -> Ints:
    return np.zeros(shape, np.int64)


def floats(*shape: int) -> Floats:
    return np.zeros(shape, np.float32)


@kernel
def add_bag(v: Floats, U: Floats, block: int, words: Ints, scale: float) -> None:
    """v += scale · Σ_w U[block + w]; a word that occurs twice counts twice."""
    s = np.float32(scale)
    for w in words:
        for d in range(v.shape[0]):
            v[d] += s * U[block + w, d]


@kernel
def step_bag(U: Floats, block: int, words: Ints, direction: Floats, scale: float) -> None:
    """U[block + w] += scale · direction for every word of the bag."""
    s = np.float32(scale)
    for w in words:
        for d in range(direction.shape[0]):
            U[block + w, d] += s * direction[d]


@reordering
def dot(a: Floats, b: Floats) -> float:
    """a·b, summed in whatever order the processor is fastest with (eight times as fast)."""
    total = np.float32(0.0)
    for d in range(a.shape[0]):
        total += a[d] * b[d]
    return float(total)
