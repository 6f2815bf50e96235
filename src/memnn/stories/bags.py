"""Bags of words of many texts in flat arrays, which grow by appending.

Texts with the same words share one bag: a story has far fewer different bags than statements,
and a bag is scored once per question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.words import sort_rows
from memnn.text.pages import numbered_rows

Ids = NDArray[np.int64]


class Bags:
    """Text i was written at times[i] and has bag k = kinds[i]: words[ptr[k]:ptr[k + 1]]."""

    def __init__(self, as_sets: bool = False) -> None:
        self._as_sets = as_sets  # a word counts once, as matches need it
        self._kind_of: dict[tuple[int, ...], int] = {}
        self._ptr = np.zeros(64, np.int64)
        self._words = np.zeros(512, np.int64)
        self._kinds = np.zeros(64, np.int32)
        self._times = np.zeros(64, np.int64)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, i: int) -> NDArray[np.int64]:
        """The words of text i."""
        kind = self.kinds[i]
        return self._words[self._ptr[kind] : self._ptr[kind + 1]]

    @property
    def ptr(self) -> NDArray[np.int64]:
        return self._ptr[: len(self._kind_of) + 1]

    @property
    def words(self) -> NDArray[np.int64]:
        return self._words

    @property
    def kinds(self) -> NDArray[np.int32]:
        return self._kinds[: self._n]

    @property
    def times(self) -> NDArray[np.int64]:
        return self._times[: self._n]

    def append(self, rows: Sequence[int], time: int) -> None:
        bag = tuple(sorted(set(rows) if self._as_sets else rows))
        kind = self._kind_of.get(bag)
        if kind is None:
            kind = self._new_kind(bag)
        if self._n == len(self._kinds):
            self._kinds = _grown(self._kinds, self._n + 1)
            self._times = _grown(self._times, self._n + 1)
        self._kinds[self._n] = kind
        self._times[self._n] = time
        self._n += 1

    def extend(self, ptr: NDArray[np.int64], rows: NDArray[np.int64], times: Ids) -> None:
        """Append many: text i has rows[ptr[i]:ptr[i + 1]]."""
        bag_ptr, bags = np.zeros_like(ptr), np.empty_like(rows)
        sort_rows(ptr, rows, self._as_sets, bag_ptr, bags)
        numbers, firsts = numbered_rows(bag_ptr, bags)
        kind_of, kinds = self._kind_of, []
        words = bags.tolist()
        for a, b in zip(bag_ptr[firsts].tolist(), bag_ptr[firsts + 1].tolist(), strict=True):
            bag = tuple(words[a:b])
            kind = kind_of.get(bag)
            kinds.append(self._new_kind(bag) if kind is None else kind)
        end = self._n + len(times)
        if end > len(self._kinds):
            self._kinds, self._times = _grown(self._kinds, end), _grown(self._times, end)
        self._kinds[self._n : end] = np.array(kinds, np.int32)[numbers]
        self._times[self._n : end] = times
        self._n = end

    def _new_kind(self, bag: tuple[int, ...]) -> int:
        kind = len(self._kind_of)
        start = int(self._ptr[kind])
        end = start + len(bag)
        if end > len(self._words):
            self._words = _grown(self._words, end)
        if kind + 2 > len(self._ptr):
            self._ptr = _grown(self._ptr, kind + 2)
        self._words[start:end] = bag
        self._ptr[kind + 1] = end
        self._kind_of[bag] = kind
        return kind


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    bigger = np.zeros(max(size, 2 * len(array)), array.dtype)
    bigger[: len(array)] = array
    return bigger
