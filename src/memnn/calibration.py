"""From what a network found to the probability that it is right: logistic regression, by Newton.

Scores of margin-ranking networks cannot be compared: not between networks, and not even between
questions of one. Probabilities can.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.errors import TrainingError

Doubles = NDArray[np.float64]
STEPS = 30
FEW = 10
"""With fewer right or fewer wrong examples there is but one probability for all."""
RIDGE = 0.002
"""How much a weight costs: without it, data that can be told apart would have infinite ones."""


@dataclass(frozen=True)
class Calibration:
    """P(right) = σ(w · standardised features + b)."""

    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    """One a feature, then b."""

    def __call__(self, features: Mapping[str, float]) -> float:
        z = self.logit(features)
        return 1 / (1 + math.exp(-min(max(z, -500.0), 500.0)))

    def logit(self, features: Mapping[str, float]) -> float:
        """What the features add up to."""
        factors, rest = self._line
        return rest + sum(factor * features[name] for name, factor in factors)

    @cached_property
    def _line(self) -> tuple[tuple[tuple[str, float], ...], float]:
        """The same for features that are not standardised."""
        each = list(zip(self.names, self.mean, self.scale, self.weights[:-1], strict=True))
        rest = self.weights[-1] - sum(mean / scale * weight for _, mean, scale, weight in each)
        return tuple((name, weight / scale) for name, _, scale, weight in each), rest

    def parts(self, features: Mapping[str, float]) -> dict[str, float]:
        """What each feature speaks for (positive) or against."""
        return {
            name: (features[name] - mean) / scale * weight
            for name, mean, scale, weight in zip(
                self.names, self.mean, self.scale, self.weights[:-1], strict=True
            )
        }

    def to_json(self) -> dict[str, list[Any]]:
        return {
            "names": list(self.names),
            "mean": list(self.mean),
            "scale": list(self.scale),
            "weights": list(self.weights),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Calibration:
        """ValueError where the numbers do not fit together."""
        found = cls(
            tuple(map(str, data["names"])),
            tuple(map(float, data["mean"])),
            tuple(map(float, data["scale"])),
            tuple(map(float, data["weights"])),
        )
        n = len(found.names)
        if (len(found.mean), len(found.scale), len(found.weights)) != (n, n, n + 1):
            raise ValueError("the calibration is not whole")
        if not np.isfinite([*found.mean, *found.scale, *found.weights]).all():
            raise ValueError("the calibration holds what is no number")
        if min(found.scale, default=1.0) <= 0:
            raise ValueError("the calibration has a scale that is none")
        return found


def calibrate(
    examples: Sequence[tuple[Mapping[str, float], bool]], signs: Mapping[str, int]
) -> Calibration:
    """The most likely weights for what was right and what was not, both counted alike.

    How many of the questions made have no answer says nothing of those that people ask. `signs`
    says which way each feature may speak; one that comes out against it is left out, since that is
    chance, or another feature of nearly the same meaning.
    """
    right = np.array([is_right for _, is_right in examples], np.float64)
    if not len(right):
        raise TrainingError("there is nothing to calibrate on: no question found anything")
    if min(right.sum(), (1 - right).sum()) < FEW:  # too few to tell anything apart by
        p = (right.sum() + 1) / (len(right) + 2)
        return Calibration((), (), (), (float(np.log(p / (1 - p))),))
    names = list(signs)
    while True:
        x = np.array([[features[name] for name in names] for features, _ in examples], np.float64)
        mean, scale = x.mean(axis=0), x.std(axis=0)
        scale[scale < 1e-9] = 1.0
        w = _most_likely((x - mean) / scale, right)
        against = [w[i] * signs[name] for i, name in enumerate(names)]
        if min(against, default=0.0) >= 0:
            return Calibration(tuple(names), *(tuple(v.tolist()) for v in (mean, scale, w)))
        names.pop(int(np.argmin(against)))


def _most_likely(x: Doubles, right: Doubles) -> Doubles:
    """Newton's method on the weighted log-likelihood; the last weight is b."""
    x = np.column_stack([x, np.ones(len(x))])  # (E, F + 1)
    each = np.where(right == 1, 0.5 / right.mean(), 0.5 / (1 - right.mean()))  # (E,)
    penalty = np.full(x.shape[1], RIDGE * len(x))
    penalty[-1] = 1e-9  # b is free
    w = np.zeros(x.shape[1])
    for _ in range(STEPS):
        p = sigmoid(x @ w)
        gradient = x.T @ (each * (p - right)) + penalty * w
        hessian = (x * (each * p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        w -= step
        if np.abs(step).max() < 1e-8:
            break
    return w


def sigmoid(z: Doubles) -> Doubles:
    return 1 / (1 + np.exp(-np.clip(z, -500, 500)))
