"""Arrays that caches of a memory add to as it grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Growing:
    """An array with room at its end: what was given out stays what it was."""

    def __init__(self, dtype: Any) -> None:
        self._room = np.zeros(64, dtype)
        self._n = 0

    @property
    def values(self) -> NDArray[Any]:
        return self._room[: self._n]

    def extend(self, values: Sequence[Any] | NDArray[Any]) -> None:
        n = self._n + len(values)
        if n > len(self._room):
            room = np.zeros(max(n, 2 * len(self._room)), self._room.dtype)
            room[: self._n] = self._room[: self._n]
            self._room = room
        self._room[self._n : n] = values
        self._n = n
