"""Words by number: what is known of each before anything was told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats
from memnn.ordinary.words import is_content, shape_of, stem_of
from memnn.text.vectors import WordVectors

AnyArray = NDArray[Any]
NOTHING = 0
"""The number of no word, where a text has ended."""
NO_STEM = -1


class WordArrays(NamedTuple):
    """A row for each word."""

    vectors: AnyArray  # (words, dim), zeros where there is none
    stems: AnyArray
    """What two forms of a word share; of a word that names nothing it is NO_STEM."""
    literals: AnyArray
    """The number of a word that the network knows by itself, 0 for all others."""
    shapes: AnyArray
    """How a word without a vector is spelt."""
    traits: AnyArray  # (words, 2): whether it names something, and how rare it is


class WordTable:
    """Words and what is known of them, growing; arrays handed out stay as they are."""

    def __init__(self, literals: Mapping[str, int], vectors: WordVectors) -> None:
        self._literals, self._vectors = literals, vectors
        self._number: dict[str, int] = {}
        self._stems: dict[str, int] = {}
        self._of: list[int] = []
        self._n = 1
        self._arrays = _room(256, vectors.dim)

    def __len__(self) -> int:
        return self._n

    def stem(self, word: str) -> int:
        """The number of a word's stem."""
        return self._stems.setdefault(stem_of(word), len(self._stems))

    @property
    def words(self) -> list[str]:
        """All words, in the order of their numbers."""
        return list(self._number)

    @property
    def stems(self) -> list[str]:
        return list(self._stems)

    @property
    def stems_of_words(self) -> list[int]:
        """The numbers of the stems of all words."""
        return self._of

    def take_up(self, words: Sequence[str], stems: Sequence[str], of: Sequence[int]) -> None:
        """Add words that another process numbered after the same ones as are here, and that knew
        the stems of these."""
        for stem in stems:
            self._stems.setdefault(stem, len(self._stems))
        texts = self.stems
        for word, number in zip(words, of, strict=True):
            if word not in self._number:
                self._add(word, number, texts[number])

    def known_stem(self, word: str) -> int:
        """The number of a word's stem, NO_STEM if no word was added that has it."""
        return self._stems.get(stem_of(word), NO_STEM)

    def add(self, word: str) -> int:
        """The number of a word, a new one if need be."""
        number = self._number.get(word)
        return self._add(word, self.stem(word), stem_of(word)) if number is None else number

    def _add(self, word: str, stem: int, stem_text: str) -> int:
        number = self._number[word] = self._n
        if number == len(self._arrays.stems):
            self._arrays = _copied(self._arrays, _room(2 * number, self._vectors.dim))
        self._enter(self._arrays, number, word, stem, stem_text)
        self._of.append(stem)
        self._n += 1
        return number

    def rows(self, words: Sequence[str]) -> WordArrays:
        """What is known of some words, none of which becomes part of the table. New stems have
        numbers below NO_STEM."""
        arrays = _room(len(words), self._vectors.dim)
        new: dict[str, int] = {}
        for at, word in enumerate(words):
            known = self._number.get(word)
            if known is None:
                stem = stem_of(word)
                number = self._stems.get(stem)
                if number is None:
                    number = new.setdefault(stem, NO_STEM - 1 - len(new))
                self._enter(arrays, at, word, number, stem)
            else:
                for mine, row in zip(self._arrays, arrays, strict=True):
                    row[at] = mine[known]
        return arrays

    def _enter(self, arrays: WordArrays, at: int, word: str, stem: int, stem_text: str) -> None:
        content = is_content(word)
        vector, rarity = self._meaning(word, stem_text)
        if vector is not None:
            arrays.vectors[at] = vector
        arrays.stems[at] = stem if content else NO_STEM
        arrays.literals[at] = self._literals.get(word, 0)
        arrays.shapes[at] = 0 if vector is not None else shape_of(word)
        arrays.traits[at] = content, rarity

    def _meaning(self, word: str, stem: str) -> tuple[Floats | None, float]:
        """Its vector, or that of its stem, and how rare it is in English, from 0 to 1."""
        if not (word[0].isalpha() or word[0] == "'"):
            return None, 1.0
        for form in (word, stem):
            rank = self._vectors.rank(form)
            if rank is not None:
                return self._vectors.of(form), log(rank + 2) / log(len(self._vectors) + 2)
        return None, 1.0

    def arrays(self) -> WordArrays:
        return WordArrays(*(array[: self._n] for array in self._arrays))


def _room(n: int, dim: int) -> WordArrays:
    ints = [np.zeros(n, np.int64) for _ in range(3)]
    return WordArrays(
        np.zeros((n, dim), np.float32), ints[0], ints[1], ints[2], np.zeros((n, 2), np.float32)
    )


def _copied(old: WordArrays, new: WordArrays) -> WordArrays:
    for source, target in zip(old, new, strict=True):
        target[: len(source)] = source
    return new
