"""The words of a network and of a memory: identities, meanings, and what unknown words are like."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.ordinary_words import READINGS, Words
from memnn.ordinary.words import SHAPES, is_content, shape_of, stem_of
from memnn.text.vectors import SIZES, Vectors

UNKNOWN = 0
LIKE = 0.4
"""Words whose vectors have a smaller cosine are not alike."""
NAMELESS = 10_000
"""Classes from here on are of words that have no vector, by their spelling."""


@dataclass(frozen=True)
class Lexicon:
    """The words of training, by identity from 1 on."""

    words: tuple[str, ...]
    vectors: Vectors = field(repr=False)

    def __len__(self) -> int:
        return len(self.words) + 1

    @cached_property
    def identity(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words, start=1)}

    @cached_property
    def stems(self) -> dict[str, int]:
        """The first word of each stem."""
        found: dict[str, int] = {}
        for i, word in enumerate(self.words, start=1):
            found.setdefault(stem_of(word), i)
        return found

    @cached_property
    def _known(self) -> tuple[Ints, Floats]:
        """Identities of the stems that can be like others, and their vectors."""
        rows, vectors = [], []
        for stem, i in self.stems.items():
            vector = self.vector(self.words[i - 1])
            if vector is not None and is_content(stem):
                rows.append(i)
                vectors.append(vector)
        dim = self.vectors.dim
        return np.array(rows, np.int64), np.array(vectors, np.float32).reshape(len(rows), dim)

    def vector(self, word: str) -> Floats | None:
        if not is_content(word) or not word[0].isalpha():
            return None
        vector = self.vectors.of(word)
        return vector if vector is not None else self.vectors.of(stem_of(word))

    def like(self, word: str) -> tuple[list[int], list[float]]:
        """The known stems that are most like a word, its own left out, and what they count."""
        vector = self.vector(word)
        rows, vectors = self._known
        if vector is None or not len(rows):
            return [], []
        cosines = vectors @ vector
        cosines[rows == self.stems.get(stem_of(word), -1)] = -1.0
        best = np.argsort(-cosines, kind="stable")[:READINGS]
        best = best[cosines[best] > LIKE]
        shares = (cosines[best] - LIKE + 0.05) ** 2
        return rows[best].tolist(), (shares / max(shares.sum(), 1e-9)).tolist()

    def classes(self, word: str) -> tuple[int, ...]:
        """From coarse to fine; of its spelling, for a word without a vector."""
        found = None
        if is_content(word) and word[0].isalpha():
            found = self.vectors.classes_of(word) or self.vectors.classes_of(stem_of(word))
        if found is not None:
            return tuple(c + 1 for c in found)
        if not is_content(word):
            return (0,) * SIZES
        return tuple(NAMELESS + size * SHAPES + shape_of(word) for size in range(SIZES))


class Table:
    """The words of a lexicon and strangers, growing; arrays of them stay as they are."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.strangers: dict[str, int] = {}
        self.forms: dict[int, str] = {}
        """Strangers as they are written."""
        self._stems = dict(lexicon.stems)
        self._n = 0
        self._arrays = _room(256, lexicon.vectors.dim)
        self._append("")
        for word in lexicon.words:
            self._append(word)

    def __len__(self) -> int:
        return self._n

    def known(self, word: str) -> int:
        """The identity of a word; UNKNOWN where there is none yet."""
        return self.lexicon.identity.get(word) or self.strangers.get(word, UNKNOWN)

    def add(self, word: str, form: str) -> int:
        """The identity of a word, a new one if need be."""
        found = self.known(word)
        if not found:
            found = self.strangers[word] = self._append(word)
            self.forms[found] = form
        return found

    def _append(self, word: str) -> int:
        at = self._n
        if at == len(self._arrays.stem):
            bigger = _room(2 * at, self.lexicon.vectors.dim)
            for new, old in zip(bigger, self._arrays, strict=True):
                new[:at] = old
            self._arrays = bigger
        arrays = self._arrays
        self._n += 1
        if not word:
            return at
        stem = self._stems.setdefault(stem_of(word), at)
        arrays.stem[at] = stem
        arrays.literal[at] = stem if stem < len(self.lexicon) else UNKNOWN
        arrays.classes[at] = self.lexicon.classes(word)
        arrays.content[at] = is_content(word)
        near, shares = self.lexicon.like(word)
        arrays.near[at, : len(near)], arrays.nearness[at, : len(near)] = near, shares
        vector = self.lexicon.vector(word)
        if vector is not None:
            arrays.vectors[at] = vector
        return at

    def stem(self, identity: int) -> int:
        return int(self._arrays.stem[identity])

    def words(self) -> Words:
        return Words(*(array[: self._n] for array in self._arrays))


def _room(n: int, dim: int) -> Words:
    return Words(
        np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros((n, SIZES), np.int64),
        np.zeros(n, np.bool_), np.zeros((n, READINGS), np.int64),
        np.zeros((n, READINGS), np.float32), np.zeros((n, dim), np.float32),
    )  # fmt: skip
