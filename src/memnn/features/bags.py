"""Bags of words of many texts in three flat arrays, which grow by appending."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Bags:
    """The words of text i are words[ptr[i]:ptr[i + 1]]; times[i] is when it was written."""

    def __init__(self) -> None:
        self._ptr = np.zeros(64, np.int64)
        self._times = np.zeros(64, np.int64)
        self._words = np.zeros(512, np.int64)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    @property
    def ptr(self) -> NDArray[np.int64]:
        return self._ptr[: self._n + 1]

    @property
    def words(self) -> NDArray[np.int64]:
        return self._words[: self._ptr[self._n]]

    @property
    def times(self) -> NDArray[np.int64]:
        return self._times[: self._n]

    def append(self, rows: Sequence[int], time: int) -> None:
        start = int(self._ptr[self._n])
        end = start + len(rows)
        if end > len(self._words):
            self._words = _grown(self._words, end)
        if self._n + 2 > len(self._ptr):
            self._ptr = _grown(self._ptr, self._n + 2)
            self._times = _grown(self._times, self._n + 2)
        self._words[start:end] = rows
        self._times[self._n] = time
        self._n += 1
        self._ptr[self._n] = end


def _grown(array: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    bigger = np.zeros(max(size, 2 * len(array)), array.dtype)
    bigger[: len(array)] = array
    return bigger
