"""Facts and questions about them as weighted bags (§5.1): Φ has a word's idf, scaled by length.

Φ_x of a question has idf_w / |idf of its words| for every word, and 1 for "?", which stands in
every question: what is learned there holds for all. Φ_y of a fact is the same with a softer norm,
because a long fact is a worse match than a short one, but not by as much as a cosine has it.
A word counts once however often it stands there. Facts keep in which part a word stands: 0 is the
subject, 1 the relation, 2 the object; an ordinary sentence has but one part, the third.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.text.lemmas import LEMMATISER, near
from memnn.text.tokens import tokeniser

ASKING = "?"
SOFTNESS = 0.75
"""The power of the norm that a fact's weights are divided by; 1 would be a cosine."""
ROLE, REPEATED = 28, 30
"""Bits of an entry: the word is below, its part and whether it stood in an earlier one above."""
MOST_WORDS = 2**ROLE


@dataclass(frozen=True)
class FactDictionary:
    """W with what a word weighs, and the forms that were learned to be others' (`lemmas`)."""

    words: tuple[str, ...]
    idf: NDArray[np.float32]
    forms: dict[str, str] = field(default_factory=dict)
    typical: float = 1.0
    """The mean norm of a fact, so that scores stay near those of a cosine."""
    tokeniser: str = LEMMATISER

    @cached_property
    def row(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def _tokenise(self) -> Callable[[str], list[str]]:
        return tokeniser(self.tokeniser)

    @cached_property
    def weights(self) -> list[float]:
        """What each word weighs, for those who look at a few words only."""
        weights: list[float] = self.idf.tolist()
        return weights

    @cached_property
    def rarest(self) -> float:
        """What a word weighs that was never seen."""
        return float(self.idf.max(initial=1.0))

    @cached_property
    def _room(self) -> list[NDArray[np.float32]]:
        return [np.array(self.idf)]

    def idf_with(self, new: int) -> NDArray[np.float32]:
        """The weights of its words, then of so many that were never seen.

        It is the start of one array, whoever asks: thousands of memories have words of their own.
        """
        n, (room,) = len(self) + new, self._room
        if n > len(room):
            room = np.full(max(n, 2 * len(room)), self.rarest, np.float32)
            room[: len(self)] = self.idf
            self._room[:] = [room]
        return room[:n]

    def __len__(self) -> int:
        return len(self.words)

    def normal(self, text: str) -> list[str]:
        """The words of a text as the dictionary writes them."""
        words, forms = self._tokenise(text), self.forms
        return [forms.get(word, word) for word in words] if forms else words


class WordRows(Mapping[str, int]):
    """The rows of words: a dictionary's, which all memories share, and those added to it."""

    __slots__ = ("_added", "_known")

    def __init__(self, known: dict[str, int]) -> None:
        self._known = known
        self._added: dict[str, int] = {}

    def __getitem__(self, word: str) -> int:
        row = self._known.get(word)
        return self._added[word] if row is None else row

    def get(self, word: str, default: Any = None) -> Any:
        row = self._known.get(word)
        return self._added.get(word, default) if row is None else row

    def __contains__(self, word: object) -> bool:
        return word in self._known or word in self._added

    def __len__(self) -> int:
        return len(self._known) + len(self._added)

    def __iter__(self) -> Iterator[str]:
        yield from self._known
        yield from self._added

    def add(self, word: str) -> int:
        """The row of a word that has none yet."""
        row = self._added[word] = len(self)
        return row


class Words:
    """A dictionary that takes in new words: they have a weight, and no embedding.

    So a fact about something that the network never heard of is still found by its name.
    """

    def __init__(self, dictionary: FactDictionary, extra: Iterable[str] = ()) -> None:
        self.dictionary = dictionary
        self.row = WordRows(dictionary.row)
        self._known = len(dictionary)
        self.extra: list[str] = []
        for word in extra:
            self.add(word)

    def __len__(self) -> int:
        return len(self.row)

    def add(self, word: str) -> int:
        row: int | None = self.row.get(word)
        if row is None:
            row = self.row.add(word)
            self.extra.append(word)
        return row

    def weight(self, row: int) -> float:
        """What a word weighs."""
        known = self.dictionary.weights
        return known[row] if row < len(known) else self.dictionary.rarest

    def word(self, row: int) -> str:
        known = self._known
        return self.dictionary.words[row] if row < known else self.extra[row - known]

    @property
    def idf(self) -> NDArray[np.float32]:
        return self.dictionary.idf_with(len(self.extra))

    def question(self, text: str) -> tuple[NDArray[np.int64], list[str]]:
        """The distinct words of a question, "?" first, and those that nobody ever wrote."""
        return self.asked(self.dictionary.normal(text))

    def asked(self, normal: Iterable[str]) -> tuple[NDArray[np.int64], list[str]]:
        """As `question`, of a text whose words were found."""
        words = dict.fromkeys(near(word, self.row) for word in normal)
        rows = [self.row[word] for word in words if word in self.row]
        unknown = [word for word in words if word not in self.row]
        return np.array([self.row[ASKING], *rows], np.int64), unknown

    def parts(self, texts: Sequence[str]) -> list[int]:
        """The entries of a fact: (subject, relation, object), or a sentence by itself."""
        normal, add, seen = self.dictionary.normal, self.add, set[int]()
        entries: list[int] = []
        for part, text in enumerate(texts, start=3 - len(texts)):
            for word in dict.fromkeys(normal(text)):
                row = add(word)
                entries.append(row | part << ROLE | (row in seen) << REPEATED)
                seen.add(row)
        return entries


def question_values(rows: NDArray[np.int64], idf: NDArray[np.float32]) -> NDArray[np.float32]:
    """Φ_x of a question's words: weights of length 1, and 1 for the "?" in front."""
    values = idf[rows]
    values[0] = 0.0
    norm = float(np.sqrt(values @ values))
    if norm:
        values /= np.float32(norm)
    values[0] = 1.0
    return values


def words_of(entries: NDArray[np.uint32]) -> NDArray[np.int64]:
    return (entries & np.uint32(MOST_WORDS - 1)).astype(np.int64)


def scales(
    ptr: NDArray[np.int64], entries: NDArray[np.uint32], idf: NDArray[np.float32], typical: float
) -> NDArray[np.float32]:
    """What a fact's weights are multiplied by: 1 / |idf|^softness, for a typical one 1 / |idf|."""
    norms = fact_norms(ptr, entries, idf)
    norms[norms == 0] = typical
    scale: NDArray[np.float32] = (norms**-SOFTNESS * typical ** (SOFTNESS - 1)).astype(np.float32)
    return scale


def fact_norms(
    ptr: NDArray[np.int64], entries: NDArray[np.uint32], idf: NDArray[np.float32]
) -> NDArray[np.float64]:
    """|idf| over the different words of each fact."""
    squares = idf[words_of(entries)].astype(np.float64) ** 2
    squares[(entries >> np.uint32(REPEATED)) & 1 == 1] = 0.0
    sums = np.concatenate([[0.0], np.cumsum(squares)])
    norms: NDArray[np.float64] = np.sqrt(np.maximum(sums[ptr[1:]] - sums[ptr[:-1]], 0.0))
    return norms


def flat(bags: Iterable[Sequence[int]], dtype: Any) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Lists one after the other, and where each starts."""
    lengths: list[int] = []
    values: list[int] = []
    for bag in bags:
        lengths.append(len(bag))
        values.extend(bag)
    ptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ptr[1:])
    return ptr, np.array(values, dtype)
