"""Words of a memory that mean nearly the same as a word of a question, by their vectors."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from memnn.text.english import FUNCTION_WORDS
from memnn.text.vectors import english

FAR, WHOLE = 0.35, 0.85
"""Cosines of words that have little to do with each other, and of words that are as good as one."""
MOST_NEAR = 12
"""Words that may stand for another one."""
Near = tuple[NDArray[np.int64], NDArray[np.float64]]


class Meanings:
    """The vectors of a memory's words, read on as there are more of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._read = 0
        self._rows = np.zeros(0, np.int64)
        self._vectors = np.zeros((0, 1), np.float32)

    def near(self, word: str, rows: Mapping[str, int]) -> Near:
        """The rows of the words nearest to one, and how near each is, from 0 to 1."""
        vector = english().of(word)
        if vector is None:
            return np.zeros(0, np.int64), np.zeros(0)
        known, vectors = self._caught_up(rows)
        if not len(known):
            return np.zeros(0, np.int64), np.zeros(0)
        cosines = vectors @ vector
        found = np.flatnonzero(cosines > FAR)
        if len(found) > MOST_NEAR:
            found = found[np.argpartition(-cosines[found], MOST_NEAR)[:MOST_NEAR]]
        found = found[known[found] != rows.get(word, -1)]
        near = np.minimum((cosines[found] - FAR) / (WHOLE - FAR), 1.0)
        return known[found], near.astype(np.float64)

    def _caught_up(self, rows: Mapping[str, int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        with self._lock:
            if self._read < len(rows):
                words = list(islice(rows.items(), self._read, len(rows)))
                self._read += len(words)
                new = [(row, english().of(w)) for w, row in words if w not in FUNCTION_WORDS]
                held = [(row, vector) for row, vector in new if vector is not None]
                if held:
                    more = np.array([vector for _, vector in held], np.float32)
                    old = self._vectors if len(self._rows) else more[:0]
                    self._vectors = np.concatenate([old, more])
                    self._rows = np.append(self._rows, [row for row, _ in held])
            return self._rows, self._vectors
