"""Which of a few facts a question asks for: a weight for each feature, learnt from lists.

A softmax over the candidates of a question, by Newton's method: the right one shall have the
highest sum. It decides among facts; how probable the first is, `calibrate` says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from memnn.kernels.arrays import Ints
from memnn.logistic import Doubles

RIDGE = 1e-3
STEPS = 12
Ranking = Mapping[str, float]
"""What a feature counts for."""


def learn_ranking(
    lists: Sequence[Sequence[tuple[Mapping[str, float], bool]]], names: Sequence[str]
) -> dict[str, float]:
    """From candidates' features and which of them are right; lists without any say nothing."""
    told = [each for each in lists if len(each) > 1 and any(right for _, right in each)]
    if not told:
        return dict.fromkeys(names, 0.0)
    x = np.array([[features[name] for name in names] for each in told for features, _ in each])
    right = np.array([right for each in told for _, right in each], np.float64)
    starts = np.concatenate([[0], np.cumsum([len(each) for each in told])[:-1]])
    scale = x.std(axis=0)
    scale[scale < 1e-9] = 1.0
    weights = _most_likely(x / scale, right, starts) / scale
    return dict(zip(names, weights.tolist(), strict=True))


def _most_likely(x: Doubles, right: Doubles, starts: Ints) -> Doubles:
    lists = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(x))))
    right = right / np.add.reduceat(right, starts)[lists]
    weights, ridge = np.zeros(x.shape[1]), RIDGE * len(starts)
    for _ in range(STEPS):
        score = x @ weights
        p = np.exp(score - np.maximum.reduceat(score, starts)[lists])
        p /= np.add.reduceat(p, starts)[lists]
        by_list = np.add.reduceat(x * p[:, None], starts)
        slope = x.T @ (p - right) + ridge * weights
        bend = (x * p[:, None]).T @ x - by_list.T @ by_list + ridge * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights
