"""Words with meanings: vectors and word classes that come with the package, or your own.

40,000 English words of GloVe 6B (Pennington, Socher, Manning 2014; public domain, PDDL): 64 of 100
dimensions by their principal components, a byte each, and the class of every word by k-means, at
three sizes. A model keeps what it needs of the words it was trained on; words that it never saw are
looked up here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError
from memnn.kernels.arrays import Floats

SIZES = 3
"""How many classes a word has: of 60, of 300 and of 1,200 words' kinds."""


@dataclass(frozen=True)
class WordVectors:
    """Unit vectors of words, and the classes they fall into."""

    words: tuple[str, ...]
    codes: NDArray[np.int8]  # (words, dim)
    scales: NDArray[np.float16]  # (words,)
    classes: NDArray[np.int16]  # (words, SIZES)

    @property
    def dim(self) -> int:
        return int(self.codes.shape[1])

    @cached_property
    def _row(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def letters(self) -> frozenset[str]:
        """What words are made of, see `letters_of`."""
        return frozenset().union(*map(letters_of, self.words))

    @cached_property
    def mark(self) -> int:
        """Tells vectors apart."""
        return crc32(self.codes.tobytes(), same_words(self))

    def __contains__(self, word: str) -> bool:
        return word in self._row

    def __len__(self) -> int:
        return len(self.words)

    def rank(self, word: str) -> int | None:
        """The more frequent a word, the smaller; None for one that is not there."""
        return self._row.get(word)

    def of(self, word: str) -> Floats | None:
        """The word's unit vector; None for one that is not there."""
        row = self._row.get(word)
        if row is None:
            return None
        vector: Floats = self.codes[row].astype(np.float32)
        size = np.float32(np.sqrt(float(vector @ vector)))
        return vector / size if size else None

    def classes_of(self, word: str) -> tuple[int, ...] | None:
        row = self._row.get(word)
        return None if row is None else tuple(self.classes[row].tolist())

    @classmethod
    def none(cls, dim: int = 1) -> WordVectors:
        """No words at all: everything is read literally and by its spelling."""
        return cls(
            (), np.zeros((0, dim), np.int8), np.zeros(0, np.float16), np.zeros((0, SIZES), np.int16)
        )

    @classmethod
    def read(cls, path: str | Path) -> WordVectors:
        """A file as `memnn/text/vectors.npz`: words, vectors, scales, classes."""
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from None
        return _vectors(data, str(path))


def same_words(vectors: WordVectors) -> int:
    """Tells vectors of other words, or of words in another order, apart."""
    return crc32("\n".join(vectors.words).encode())


def letters_of(word: str) -> set[str]:
    """Three letters in a row, with the edges: names that nobody knows have those of other words,
    keys hit at random do not.

    >>> sorted(letters_of("joe"))
    ['<jo', 'joe', 'oe>']
    """
    edged = f"<{word}>"
    return {edged[place : place + 3] for place in range(len(word))}


@cache
def english() -> WordVectors:
    """The vectors that come with the package; none where the file was left out."""
    place = files("memnn.text") / "vectors.npz"
    return _vectors(place.read_bytes(), "vectors.npz") if place.is_file() else WordVectors.none()


def _vectors(data: bytes, name: str) -> WordVectors:
    try:
        with np.load(BytesIO(data)) as arrays:
            found: dict[str, NDArray[Any]] = dict(arrays)
        words = tuple(found["words"].tobytes().decode().split("\n"))
        codes, scales, classes = found["vectors"], found["scales"], found["classes"].T
        fits = codes.ndim == 2 and len(words) == len(codes) == len(scales) == len(classes)
        if not fits or classes.shape[1] != SIZES:
            raise ValueError
    except (KeyError, ValueError, OSError):
        raise InputError(f"{name} does not hold word vectors; see memnn.text.vectors") from None
    return WordVectors(words, codes, scales, np.ascontiguousarray(classes))
