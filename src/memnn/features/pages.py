"""Many texts read at once: as `tokens.words_1` and a loop would, some ten times as quickly."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.features.tokens import surface_words, words_1
from memnn.kernels.words import SPLIT, find_words, number

Ints = NDArray[np.int64]
TOKENISER = "words-1"
PAGE = 100_000
"""Texts of a page: beyond that nothing is won, and working space grows with it."""
MANY = 2_000
"""Fewer texts than this are quicker read one by one."""


class Page:
    """Text i has words[ptr[i]:ptr[i + 1]], numbers of this page in order of appearance."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        prepared = [
            text if text.isascii() and text[0] != chr(SPLIT) else _prepared(text) for text in texts
        ]
        joined = "\0".join([*prepared, ""]).encode()
        self._bytes: NDArray[np.uint8] = np.frombuffer(bytearray(joined), np.uint8)
        self.ptr: Ints = np.zeros(len(texts) + 1, np.int64)
        room = len(joined) // 2 + 1
        starts, stops = np.empty(room, np.int64), np.empty(room, np.int64)
        n = find_words(self._bytes, self.ptr[1:], starts, stops)
        self._starts, self._stops = starts[:n], stops[:n]
        self.words, self._firsts = numbered(self._bytes, self._starts, self._stops)
        self.first_text: Ints = np.searchsorted(self.ptr, self._firsts, side="right") - 1
        """Where each word was first told."""

    @cached_property
    def vocabulary(self) -> list[str]:
        """The words, lower-case, by number."""
        data = self._bytes.tobytes()
        starts, stops = self._starts[self._firsts].tolist(), self._stops[self._firsts].tolist()
        return [data[a:b].decode() for a, b in zip(starts, stops, strict=True)]

    def surface(self, word: int) -> str:
        """A word as it was first written."""
        text = int(self.first_text[word])
        return surface_words(self.texts[text])[int(self._firsts[word] - self.ptr[text])]


def _prepared(text: str) -> str:
    return chr(SPLIT) + " ".join(words_1(text))


def numbered(values: NDArray[Any], starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """The number of each row values[start:stop], equal ones the same; a row of each number."""
    n = len(starts)
    table = np.full(1 << max(1, (2 * n).bit_length()), -1, np.int32)
    numbers, firsts = np.empty(n, np.int64), np.empty(n, np.int64)
    return numbers, firsts[: number(values, starts, stops, table, numbers, firsts)]


def numbered_rows(ptr: Ints, values: Ints) -> tuple[Ints, Ints]:
    return numbered(values, ptr[:-1], ptr[1:])


def numbered_values(values: Ints) -> tuple[Ints, Ints]:
    places: Ints = np.arange(len(values) + 1)
    return numbered(values, places[:-1], places[1:])
