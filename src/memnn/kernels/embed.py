"""U Φ(text) for bags of words: sums of rows of U, and the gradient that goes back into them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.jit import kernel

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Kinds = NDArray[np.int32]


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


@kernel
def dot(a: Floats, b: Floats) -> float:
    """Four sums side by side: a fixed order of additions that the processor can overlap."""
    s0 = s1 = s2 = s3 = np.float32(0.0)
    n = a.shape[0]
    m = n - n % 4
    for d in range(0, m, 4):
        s0 += a[d] * b[d]
        s1 += a[d + 1] * b[d + 1]
        s2 += a[d + 2] * b[d + 2]
        s3 += a[d + 3] * b[d + 3]
    for d in range(m, n):
        s0 += a[d] * b[d]
    return float((s0 + s1) + (s2 + s3))
