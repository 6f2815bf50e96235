"""Words of a memory that mean nearly the same as a word of a question, by their vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from memnn.text.english import FUNCTION_WORDS
from memnn.text.related import related_english

FAR, WHOLE = 0.45, 0.95
"""Cosines of words that have little to do with each other, and of words that are as good as one."""
MOST_NEAR = 12
"""Words that may stand for another one."""
MOST_FOUND = 10_000
"""Words whose nearest are remembered."""
Near = tuple[NDArray[np.int64], NDArray[np.float64]]
NOTHING: Near = np.zeros(0, np.int64), np.zeros(0)


class Meanings:
    """The vectors of a memory's words, read on as there are more of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._read = 0
        self._rows = np.zeros(0, np.int64)
        self._vectors = np.zeros((0, 1), np.float32)
        self._found: dict[str, Near] = {}
        """Of the words known so far; as soon as there are more, others may be nearer."""

    def near(self, words: Sequence[str], rows: Mapping[str, int]) -> list[Near]:
        """For each word the rows of those nearest to it, the nearest last, and how near each is,
        from 0 to 1."""
        known, vectors, found = self._caught_up(rows)
        new = [word for word in words if word not in found]
        asked = [(word, related_english().of(word)) for word in new]
        held = [(word, vector) for word, vector in asked if vector is not None]
        near = dict.fromkeys(new, NOTHING)
        if held and len(known):
            cosines = np.array([vector for _, vector in held]) @ vectors.T  # (words, known)
            for (word, _), its_cosines in zip(held, cosines, strict=True):
                near[word] = self._nearest(its_cosines, known, rows.get(word, -1))
        found.update(near)  # at once: others read it meanwhile
        return [near[word] if word in near else found.get(word, NOTHING) for word in words]

    def _nearest(self, cosines: NDArray[np.float32], known: NDArray[np.int64], itself: int) -> Near:
        found = np.flatnonzero(cosines > FAR)
        if len(found) > MOST_NEAR:
            found = found[np.argpartition(-cosines[found], MOST_NEAR)[:MOST_NEAR]]
        found = found[known[found] != itself]
        near = np.minimum((cosines[found] - FAR) / (WHOLE - FAR), 1.0).astype(np.float64)
        order = np.argsort(near, kind="stable")
        return known[found[order]], near[order]

    def _caught_up(
        self, rows: Mapping[str, int]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], dict[str, Near]]:
        with self._lock:
            if self._read < len(rows):
                words = list(islice(rows.items(), self._read, len(rows)))
                self._read += len(words)
                new = [
                    (row, related_english().of(w)) for w, row in words if w not in FUNCTION_WORDS
                ]
                held = [(row, vector) for row, vector in new if vector is not None]
                if held:
                    more = np.array([vector for _, vector in held], np.float32)
                    old = self._vectors if len(self._rows) else more[:0]
                    self._vectors = np.concatenate([old, more])
                    self._rows = np.append(self._rows, [row for row, _ in held])
                    self._found = {}
            if len(self._found) > MOST_FOUND:
                self._found = {}
            return self._rows, self._vectors, self._found
