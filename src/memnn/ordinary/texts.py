"""Statements as the kernels read them, growing; what was handed out stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from memnn.kernels.arrays import Ints
from memnn.kernels.ordinary_words import WordTexts
from memnn.kernels.path_features import NEVER


class GrowingTexts:
    """Statements of one story or memory, appended one by one.

    A later mention is entered into the earlier one's `newer`, where it lies beyond the end of every
    earlier view.
    """

    def __init__(self) -> None:
        self._ptr = np.zeros(64, np.int64)
        self._words = np.zeros(512, np.int64)
        self._newer = np.full(512, NEVER, np.int64)
        self._older = np.full(512, -1, np.int64)
        self._latest: dict[int, tuple[int, list[int]]] = {}
        self._names = np.zeros(64, np.int64)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def new_story(self) -> None:
        """Mentions of earlier stories are none."""
        self._latest.clear()

    def append(self, words: Sequence[int], stems: Sequence[int]) -> None:
        row, start = self._n, int(self._ptr[self._n])
        end = start + len(words)
        if end > len(self._words):
            self._words = _grown(self._words, end, 0)
            self._newer = _grown(self._newer, end, NEVER)
            self._older = _grown(self._older, end, -1)
        if row + 2 > len(self._ptr):
            self._ptr = _grown(self._ptr, row + 2, 0)
        self._words[start:end] = words
        here: dict[int, list[int]] = {}
        for at, stem in enumerate(stems, start=start):
            here.setdefault(stem, []).append(at)
        for stem, places in here.items():
            earlier = self._latest.get(stem)
            if earlier is not None:
                self._older[places] = earlier[0]
                self._newer[earlier[1]] = row
            self._latest[stem] = (row, places)
        self._ptr[row + 1] = end
        self._n += 1

    def name(self, id: int) -> None:
        """The id of the statement appended last."""
        if self._n > len(self._names):
            self._names = _grown(self._names, self._n, 0)
        self._names[self._n - 1] = id

    def names(self) -> Ints:
        return self._names[: self._n]

    def words(self, row: int) -> list[int]:
        found: list[int] = self._words[self._ptr[row] : self._ptr[row + 1]].tolist()
        return found

    def texts(self) -> WordTexts:
        end = int(self._ptr[self._n])
        return WordTexts(
            self._ptr[: self._n + 1], self._words[:end], self._newer[:end], self._older[:end]
        )


def _grown(array: Ints, size: int, fill: int) -> Ints:
    bigger = np.full(max(size, 2 * len(array)), fill, array.dtype)
    bigger[: len(array)] = array
    return bigger


def plain_texts(texts: Sequence[Sequence[int]]) -> WordTexts:
    """Texts that are not each other's past, as questions are."""
    ptr = np.array([0, *accumulate(map(len, texts))], np.int64)
    words = np.array([word for text in texts for word in text], np.int64)
    return WordTexts(ptr, words, np.full(len(words), NEVER), np.full(len(words), -1, np.int64))
