"""Every word looks at every other one, of the question and of all statements.

What is needed for every two words in every layer would be several megabytes, which take longer to
get than to fill: each layer has its own, and changes it in place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.ordinary.relations import ALIKE_AT, CODED


@dataclass(frozen=True)
class Layer:
    """A matrix, and what is added."""

    weights: Floats
    bias: Floats

    def __call__(self, x: Floats) -> Floats:
        y: Floats = x @ self.weights
        y += self.bias
        return y


class AcrossLayer:
    """One of the layers."""

    def __init__(self, related: Floats, look: Layer, seen: Layer, more: Layer, less: Layer) -> None:
        self._heads = related.shape[1]
        self._by_code = np.ascontiguousarray((CODED @ related).T)  # (heads, codes)
        self._by_alike: Floats = related[ALIKE_AT][:, None, None]
        self._look, self._seen, self._more, self._less = look, seen, more, less

    def __call__(self, x: Floats, codes: Ints, alike: Floats) -> Floats:
        """Of t words (t, d) with what two have to do with each other (t, t)."""
        x = x + self._seen(self._attended(x, codes, alike))
        more = self._more(_normal(x))
        x += self._less(np.maximum(more, 0.0, out=more))
        return x

    def _attended(self, x: Floats, codes: Ints, alike: Floats) -> Floats:
        t, d = x.shape
        y = self._look(_normal(x))
        y[:, :d] *= (d / self._heads) ** -0.5
        q, key, v = y.reshape(t, 3, self._heads, -1).transpose(1, 2, 0, 3)  # (heads, t, each)
        fit = q @ key.transpose(0, 2, 1)
        fit += np.take(self._by_code, codes, axis=1, mode="wrap")  # the fastest way of gathering
        fit += alike * self._by_alike
        fit -= fit.max(axis=2, keepdims=True)
        np.exp(fit, out=fit)
        found = np.empty((t, self._heads, d // self._heads), np.float32)
        np.matmul(fit, v, out=found.transpose(1, 0, 2))
        found /= (fit.reshape(-1, t) @ np.ones(t, np.float32)).reshape(-1, t).T[:, :, None]
        return found.reshape(t, d)


def _normal(x: Floats) -> Floats:
    squares = np.einsum("td,td->t", x, x)[:, None] / np.float32(x.shape[1])
    found: Floats = x / np.sqrt(squares + np.float32(1e-5))
    return found
