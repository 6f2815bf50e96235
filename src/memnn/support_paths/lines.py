"""Texts as the path kernels read them: words in order, each mention tied to the next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from memnn.kernels.arrays import Ints
from memnn.kernels.path_features import NEVER, WordLines


class GrowingInts:
    """Numbers, appended one by one; what an array shows of them stays as it is."""

    def __init__(self) -> None:
        self._numbers = np.zeros(64, np.int64)
        self._n = 0

    def append(self, number: int) -> None:
        if self._n == len(self._numbers):
            self._numbers = _grown(self._numbers, self._n + 1, 0)
        self._numbers[self._n] = number
        self._n += 1

    def array(self) -> Ints:
        return self._numbers[: self._n]


class GrowingLines:
    """Statements of one story or memory, appended one by one; the past of a view stays as it is.

    A later mention is entered into the earlier one's `newer`, where it lies beyond the end of every
    earlier view.
    """

    def __init__(self) -> None:
        self._ptr = np.zeros(64, np.int64)
        self._words = np.zeros(512, np.int64)
        self._newer = np.full(512, NEVER, np.int64)
        self._older = np.full(512, -1, np.int64)
        self._same = np.zeros(64, np.int64)
        self._places = np.arange(64)
        self._mentions: dict[int, tuple[int, list[int]]] = {}
        self._rows: dict[tuple[int, ...], int] = {}
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def new_story(self) -> None:
        """Mentions of earlier stories are none."""
        self._mentions.clear()
        self._rows.clear()

    def append(self, words: Sequence[int]) -> int:
        """Returns the first row of the same words."""
        row, start = self._n, int(self._ptr[self._n])
        end = start + len(words)
        if end > len(self._words):
            self._words = _grown(self._words, end, 0)
            self._newer = _grown(self._newer, end, NEVER)
            self._older = _grown(self._older, end, -1)
        if row + 2 > len(self._ptr):
            self._ptr = _grown(self._ptr, row + 2, 0)
            self._same = _grown(self._same, row + 2, 0)
            self._places = np.arange(len(self._ptr))
        self._words[start:end] = words
        here: dict[int, list[int]] = {}
        for at, word in enumerate(words, start=start):
            here.setdefault(word, []).append(at)
        for word, places in here.items():
            earlier = self._mentions.get(word)
            if earlier is not None:
                self._older[places] = earlier[0]
                self._newer[earlier[1]] = row
            self._mentions[word] = (row, places)
        self._same[row] = self._rows.setdefault(tuple(words), row)
        self._ptr[row + 1] = end
        self._n += 1
        return int(self._same[row])

    def lines(self) -> WordLines:
        end = int(self._ptr[self._n])
        return WordLines(
            self._ptr[: self._n + 1], self._words[:end], self._newer[:end], self._older[:end],
            self._same[: self._n], self._places[: self._n + 1],
        )  # fmt: skip


def _grown(array: Ints, size: int, fill: int) -> Ints:
    bigger = np.full(max(size, 2 * len(array)), fill, array.dtype)
    bigger[: len(array)] = array
    return bigger


def plain_lines(texts: Sequence[Sequence[int]]) -> WordLines:
    """Texts that are not each other's past, as questions are."""
    ptr = np.array([0, *accumulate(map(len, texts))], np.int64)
    words = np.array([word for text in texts for word in text], np.int64)
    never, before = np.full(len(words), NEVER), np.full(len(words), -1, np.int64)
    return WordLines(ptr, words, never, before, np.arange(len(texts)), np.arange(len(ptr)))
