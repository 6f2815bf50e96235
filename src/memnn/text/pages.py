"""Many texts read at once: as `tokens.words_1` and a loop would, some ten times as quickly."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.words import LOWER, SPLIT, find_words, number
from memnn.text.tokens import surface_words, words_1

Ints = NDArray[np.int64]
TOKENISER = "words-1"
MANY = 2_000
"""Fewer texts than this are quicker read one by one."""
FEW_WORDS = 1 << 16
"""Places in a table that is tried first: it fits into the processor's cache."""


class Page:
    """Text i has words[ptr[i]:ptr[i + 1]], numbers of this page in order of appearance."""

    def __init__(self, texts: str) -> None:
        """Of texts that are each ended by a NUL."""
        if texts and texts[-1] != "\0":  # the kernels read on until there is one
            texts += "\0"
        self._odd: dict[int, str] = {}
        """The texts that are read one by one: letters beyond ASCII."""
        if not texts.isascii() or chr(SPLIT) in texts:
            texts = self._prepared(texts)
        self._text = texts.encode()
        lower: NDArray[np.uint8] = np.frombuffer(bytearray(self._text), np.uint8)
        self.ptr: Ints = np.zeros(texts.count("\0") + 1, np.int64)
        room = len(lower) // 2 + 1
        starts, stops = np.empty(room, np.int64), np.empty(room, np.int64)
        n = find_words(lower, LOWER, self.ptr[1:], starts, stops)
        starts, stops = starts[:n], stops[:n]
        self.words, firsts = numbered(lower, starts, stops)
        self.first_text: Ints = np.searchsorted(self.ptr, firsts, side="right") - 1
        """Where each word was first told."""
        self._place = firsts - self.ptr[self.first_text]
        self._from, self._to = starts[firsts].tolist(), stops[firsts].tolist()
        self._lower = lower.tobytes()

    def _prepared(self, texts: str) -> str:
        every = texts.split("\0")
        for i, text in enumerate(every):
            if not text.isascii() or chr(SPLIT) in text:
                self._odd[i] = text
                every[i] = chr(SPLIT) + " ".join(words_1(text))
        return "\0".join(every)

    @cached_property
    def vocabulary(self) -> list[str]:
        """The words, lower-case, by number."""
        return [self._lower[a:b].decode() for a, b in zip(self._from, self._to, strict=True)]

    def surface(self, word: int) -> str:
        """A word as it was first written."""
        odd = self._odd.get(int(self.first_text[word]))
        if odd is not None:
            return surface_words(odd)[int(self._place[word])]
        start, end = self._from[word], self._to[word]
        return str(self._text[start:end], "ascii")


def numbered(values: NDArray[Any], starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """The number of each row values[start:stop], equal ones the same; a row of each number."""
    n, size = len(starts), FEW_WORDS
    numbers, firsts = np.empty(n, np.int64), np.empty(n, np.int64)
    while True:
        table = np.full(size, -1, np.int32)
        count = number(values, starts, stops, table, numbers, firsts)
        if count >= 0:
            return numbers, firsts[:count]
        size *= 8


def numbered_rows(ptr: Ints, values: Ints) -> tuple[Ints, Ints]:
    return numbered(values, ptr[:-1], ptr[1:])


def numbered_values(values: Ints) -> tuple[Ints, Ints]:
    places: Ints = np.arange(len(values) + 1)
    return numbered(values, places[:-1], places[1:])
