"""Unseen words and their contexts (§3.5): bags of what stood left and right of them in a story."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.features.dictionary import Dictionary
from memnn.features.tokens import surface_words, tokeniser
from memnn.kernels.phi import Contexts


class Lexicon:
    """The words of one story: those of the dictionary, then its own in order of appearance.

    It reads statements as they are told. A model without unseen words leaves them out.
    """

    def __init__(self, dictionary: Dictionary, unseen: bool) -> None:
        self.dictionary = dictionary
        self.unseen = unseen
        self.words: list[str] = []
        """The unseen words as they were first written."""
        self._token: dict[str, int] = {}
        self._left: list[set[int]] = []
        self._right: list[set[int]] = []
        self._tokenise = tokeniser(dictionary.tokeniser)
        self._contexts: Contexts | None = None

    def read(self, text: str, index: int) -> list[int]:
        """The tokens of a statement, whose unseen words are taken in with their contexts."""
        rows = self.dictionary.rows(text, index)
        if not self.unseen or not self.dictionary.unknown(text):
            return rows
        for form, word in zip(surface_words(text), self._tokenise(text), strict=True):
            if self.dictionary.row(word) is None and word not in self._token:
                self._token[word] = len(self.dictionary) + len(self.words)
                self.words.append(form)
                self._left.append(set())
                self._right.append(set())
                self._contexts = None
        tokens = self.tokens(text, index)
        known = len(self.dictionary)
        for place, token in enumerate(tokens):
            if token >= known:
                left = {t for t in tokens[:place] if t < known}
                right = {t for t in tokens[place + 1 :] if t < known}
                j = token - known
                if not (left <= self._left[j] and right <= self._right[j]):
                    self._left[j] |= left
                    self._right[j] |= right
                    self._contexts = None
        return tokens

    def tokens(self, text: str, index: int | None = None) -> list[int]:
        """The tokens of a text; words that are neither learnt nor in the story are left out."""
        if not self.unseen:
            return self.dictionary.rows(text, index)
        row, own = self.dictionary.row, self._token
        tokens = []
        for word in self._tokenise(text):
            token = row(word)
            if token is None:
                token = own.get(word)
            if token is not None:
                tokens.append(token)
        return tokens + self.dictionary.index_row(index)

    def unknown(self, text: str) -> list[str]:
        """The words of a text that are neither learnt nor (with unseen words) in the story."""
        return [w for w in self.dictionary.unknown(text) if w.lower() not in self._token]

    def contexts(self) -> Contexts:
        """The contexts as the kernels read them."""
        if self._contexts is None:
            known = len(self.dictionary)
            rows = np.full(known + len(self.words), -1, np.int64)
            rows[known:] = np.arange(len(self.words))
            bags = [
                sorted(bag) for pair in zip(self._left, self._right, strict=True) for bag in pair
            ]
            self._contexts = Contexts(
                rows, _ends(bags), np.array([t for bag in bags for t in bag], np.int64)
            )
        return self._contexts


def _ends(bags: list[list[int]]) -> NDArray[np.int64]:
    ends: NDArray[np.int64] = np.zeros(len(bags) + 1, np.int64)
    np.cumsum([len(bag) for bag in bags], out=ends[1:])
    return ends
