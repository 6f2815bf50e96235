"""From what a network found to the probability that it is right: logistic regression, by Newton.

Scores of margin-ranking networks cannot be compared: not between networks, and not even between
questions of one. Probabilities can. What a number says depends on others (a word left over means
little if four others fit), so features count by themselves and two by two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import NDArray

from memnn.errors import ModelError, TrainingError
from memnn.logistic import Doubles, most_likely

RIDGE = 0.03
"""How much a weight costs: without it, data that can be told apart would have infinite ones."""
OUTWEIGHS = 4.0
"""Right and wrong count alike, except that no example counts for more than this many others."""
FAR = 4.0
"""Standard deviations from what was seen. So far out nothing is known, and one example's worth of
belief says that a finding there is wrong."""
SETTINGS = (RIDGE, OUTWEIGHS, FAR)
PARTS = ("mean", "scale", "pairs")
"""The arrays of a calibration."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """P(right) = σ(z·Pz), z the standardised features with a 1 behind them."""

    names: tuple[str, ...]
    mean: Doubles  # (F,)
    scale: Doubles  # (F,)
    pairs: Doubles  # (F + 1, F + 1), symmetric

    def __post_init__(self) -> None:
        n = len(self.names)
        if (self.mean.shape, self.scale.shape, self.pairs.shape) != ((n,), (n,), (n + 1, n + 1)):
            raise ValueError("the calibration is incomplete")
        if not all(np.isfinite(part).all() for part in (self.mean, self.scale, self.pairs)):
            raise ValueError("the calibration contains values that are not numbers")
        if self.scale.min(initial=1.0) <= 0:
            raise ValueError("the calibration has a scale that is not positive")

    def __call__(self, features: Mapping[str, float]) -> float:
        z = self._standard(features)
        logit = float(z @ self.pairs @ z)
        return 1 / (1 + exp(-min(max(logit, -500.0), 500.0)))

    def parts(self, features: Mapping[str, float]) -> dict[str, float]:
        """What each feature speaks for (positive) or against; what two say together, each half."""
        z = self._standard(features)
        by = z * (self.pairs @ z + self.pairs[-1])
        return dict(zip(self.names, by[:-1].tolist(), strict=True))

    def _standard(self, features: Mapping[str, float]) -> Doubles:
        try:
            z = np.array([*map(features.__getitem__, self.names), 1.0])
        except KeyError as name:
            raise ModelError(
                f"the calibration weighs {name}, which this memnn does not know; train it again"
            ) from None
        z[:-1] -= self.mean
        z[:-1] /= self.scale
        return z


def calibrate(
    examples: Sequence[tuple[Mapping[str, float], bool]], names: Sequence[str]
) -> Calibration:
    """The most likely weights for what was right and what was wrong.

    How many of the questions made have no answer says nothing of those that people ask, so both
    count alike where there is enough of both. A few examples of one kind stay a few: they are
    neither believed fully (Platt's targets) nor blown up to half of the evidence. Where only one
    kind was seen, a finding that is unlike all the others is still the less probable.
    """
    right = np.array([is_right for _, is_right in examples], np.bool_)
    if not len(right):
        raise TrainingError("there is nothing to calibrate on: no question found anything")
    x = np.array([[features[name] for name in names] for features, _ in examples], np.float64)
    mean, scale = x.mean(axis=0), x.std(axis=0)
    scale[scale < 1e-9] = 1 / FAR  # always the same so far: another value is far from it
    far = FAR * np.concatenate([np.eye(len(names)), -np.eye(len(names))])  # (2 F, F)
    z = np.concatenate([(x - mean) / scale, far])
    z = np.column_stack([z, np.ones(len(z))])  # (E + 2 F, F + 1)
    likely, unlikely = _targets(right)
    target = np.concatenate([np.where(right, likely, unlikely), np.full(len(far), unlikely)])
    weight = np.concatenate([_weights(right), np.full(len(far), 1 / max(1, len(far)))])
    first, second = np.triu_indices(z.shape[1])
    w = most_likely(z[:, first] * z[:, second], target, weight, RIDGE * len(x))
    pairs = np.zeros((z.shape[1], z.shape[1]))
    pairs[first, second] = w
    return Calibration(tuple(names), mean, scale, (pairs + pairs.T) / 2)


def _targets(right: NDArray[np.bool_]) -> tuple[float, float]:
    """How far a right and a wrong example are believed: less so the fewer there are (Platt 1999).

    >>> _targets(np.array([True] * 8))
    (0.9, 0.5)
    """
    n, n_wrong = int(right.sum()), int((~right).sum())
    return (n + 1) / (n + 2), 1 / (n_wrong + 2)


def _weights(right: NDArray[np.bool_]) -> Doubles:
    """Two halves of the same weight, unless one kind is rare."""
    ratio = (~right).sum() / max(1, right.sum())  # of a right example to a wrong one
    each = np.where(right, np.clip(ratio, 1 / OUTWEIGHS, OUTWEIGHS), 1.0)
    return np.asarray(each * len(right) / each.sum(), np.float64)
