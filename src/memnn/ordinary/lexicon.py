"""The words of a network and of a memory: identities, meanings, and what unknown words are like."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.ordinary_words import READINGS, WordTables, copy_words, first_words
from memnn.ordinary.words import SHAPES, is_content, shape_of, stem_of
from memnn.text.vectors import SIZES, WordVectors

UNKNOWN = 0
LIKE = 0.4
"""Words whose vectors have a smaller cosine are not alike."""
NAMELESS = 10_000
"""Classes from here on are of words that have no vector, by their spelling."""


@dataclass(frozen=True)
class WordLexicon:
    """The words of training, by identity from 1 on."""

    words: tuple[str, ...]
    vectors: WordVectors = field(repr=False)

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

    def arrays(self) -> WordTables:
        """The table of these words, with room for others; each call gives one of its own."""
        mine = room_for(len(self) + 256, self.vectors.dim)
        copy_words(mine, self._own, 0, len(self))
        return mine

    @cached_property
    def _own(self) -> WordTables:
        arrays = room_for(len(self) + 256, self.vectors.dim)
        for at, word in enumerate(self.words, start=1):
            enter(arrays, at, self.stems[stem_of(word)], word, self)
        return arrays

    def row(self, word: str) -> Row:
        return Row(self.classes(word), is_content(word), *self.like(word), self.vector(word))

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


class Row(NamedTuple):
    """What a table keeps of one word, its stem aside."""

    classes: tuple[int, ...]
    content: bool
    near: list[int]
    shares: list[float]
    vector: Floats | None


class WordTable:
    """The words of a lexicon and strangers, growing; arrays of them stay as they are."""

    def __init__(self, lexicon: WordLexicon) -> None:
        self.lexicon = lexicon
        self.strangers: dict[str, int] = {}
        self.forms: dict[int, str] = {}
        """Words as they are written; the first time counts, unless it began a sentence."""
        self.stems = dict(lexicon.stems)
        self._arrays, self._n = lexicon.arrays(), len(lexicon)

    def __len__(self) -> int:
        return self._n

    def known(self, word: str) -> int:
        """The identity of a word; UNKNOWN where there is none yet."""
        return self.lexicon.identity.get(word) or self.strangers.get(word, UNKNOWN)

    def add(self, word: str) -> int:
        """The identity of a word, a new one if need be."""
        found = self.known(word)
        if found:
            return found
        at = self._n
        if at == len(self._arrays.stem):
            bigger = room_for(2 * at, self.lexicon.vectors.dim)
            copy_words(bigger, self._arrays, 0, at)
            self._arrays = bigger
        enter(self._arrays, at, self.stems.setdefault(stem_of(word), at), word, self.lexicon)
        self.strangers[word] = at
        self._n += 1
        return at

    def stem(self, identity: int) -> int:
        return int(self._arrays.stem[identity])

    def words(self) -> WordTables:
        return first_words(self._arrays, self._n)


def enter(arrays: WordTables, at: int, stem: int, word: str, lexicon: WordLexicon) -> None:
    """What is known of a word, as a row of a table."""
    row = lexicon.row(word)
    arrays.stem[at] = stem
    arrays.literal[at] = stem if stem < len(lexicon) else UNKNOWN
    arrays.classes[at], arrays.content[at] = row.classes, row.content
    n = len(row.near)
    arrays.near[at], arrays.nearness[at], arrays.vectors[at] = 0, 0.0, 0.0
    arrays.near[at, :n], arrays.nearness[at, :n] = row.near, row.shares
    if row.vector is not None:
        arrays.vectors[at] = row.vector


def room_for(n: int, dim: int) -> WordTables:
    """An empty table."""
    return WordTables(
        np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros((n, SIZES), np.int64),
        np.zeros(n, np.bool_), np.zeros((n, READINGS), np.int64),
        np.zeros((n, READINGS), np.float32), np.zeros((n, dim), np.float32),
    )  # fmt: skip
