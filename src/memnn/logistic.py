"""Logistic regression by Newton's method, for a few features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
STEPS = 30


def most_likely(x: Doubles, target: Doubles, weight: Doubles, ridge: float) -> Doubles:
    """The weights of the columns of x; the last column is 1, and its weight is free."""
    penalty = np.full(x.shape[1], ridge)
    penalty[-1] = 1e-9
    w = np.zeros(x.shape[1])
    for _ in range(STEPS):
        p = sigmoid(x @ w)
        gradient = x.T @ (weight * (p - target)) + penalty * w
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        w -= step
        if np.abs(step).max() < 1e-8:
            break
    return w


def sigmoid(z: Doubles) -> Doubles:
    return 1 / (1 + np.exp(-np.clip(z, -500, 500)))
