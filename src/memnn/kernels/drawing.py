"""Vectors of related words drawn together."""

from __future__ import annotations

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import kernel


@kernel
def draw_together(own: Floats, starts: Ints, others: Ints, weights: Floats, steps: int) -> Floats:
    """Unit vectors: each the sum of its own one and of what its relatives were a step before, who
    together weigh at most as much. Relatives of word i are others[starts[i]:starts[i + 1]]; what
    is no word's place is passed over."""
    n, dim = own.shape
    before, after = own.copy(), own.copy()
    for _ in range(steps):
        for i in range(n):
            total = np.float32(0)
            begin, end = max(starts[i], 0), min(starts[i + 1], len(others), len(weights))
            for e in range(begin, end):
                total += weights[e]
            share = np.float32(1) / max(total, np.float32(1))
            after[i] = own[i]
            for e in range(begin, end):
                other = others[e]
                if 0 <= other < n:
                    for d in range(dim):
                        after[i, d] += share * weights[e] * before[other, d]
            size = np.float32(0)
            for d in range(dim):
                size += after[i, d] * after[i, d]
            size = np.sqrt(size)
            for d in range(dim):
                after[i, d] /= max(size, np.float32(1e-6))
        before, after = after, before
    return before
