"""Unseen words and their contexts (§3.5): bags of what stood left and right of them in a story."""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.phi import Contexts
from memnn.kernels.words import find_contexts
from memnn.stories.dictionary import Dictionary
from memnn.text.pages import Page
from memnn.text.tokens import surface_words, tokeniser

Ints = NDArray[np.int64]
LEFT_OUT = -1
ROOM = 1 << 18
"""Pairs of an unseen word and a neighbour looked for at once; no text has as many words."""


class Lexicon:
    """The words of one story: those of the dictionary, then its own in order of appearance.

    It reads statements as they are told. A model without unseen words leaves them out. Beside each
    word and neighbour stands when it was first told, so that the past is at hand: `until`.
    """

    def __init__(self, dictionary: Dictionary, unseen: bool) -> None:
        self.dictionary = dictionary
        self.unseen = unseen
        self.words: list[str] = []
        """The unseen words as they were first written."""
        self._token: dict[str, int] = {}
        self._first: list[int] = []
        self._left: list[dict[int, int]] = []
        self._right: list[dict[int, int]] = []
        self._tokenise = tokeniser(dictionary.tokeniser)
        self._contexts: Contexts | None = None

    def read(self, text: str, index: int) -> list[int]:
        """The tokens of a statement, whose unseen words are taken in with their contexts."""
        if not self.unseen:
            return self.dictionary.rows(text, index)
        row, own, known = self.dictionary.row, self._token, len(self.dictionary)
        words = self._tokenise(text)
        rows = [row(word) for word in words]
        if None not in rows:
            return [t for t in rows if t is not None] + self.dictionary.index_row(index)
        tokens = []
        for place, (word, known_row) in enumerate(zip(words, rows, strict=True)):
            token = own.get(word) if known_row is None else known_row
            if token is None:
                token = own[word] = known + len(self.words)
                self.words.append(surface_words(text)[place])
                self._first.append(index)
                self._left.append({})
                self._right.append({})
                self._contexts = None
            tokens.append(token)
        for place, token in enumerate(tokens):
            if token >= known:
                self._note(self._left[token - known], rows[:place], index)
                self._note(self._right[token - known], rows[place + 1 :], index)
        return tokens + self.dictionary.index_row(index)

    def read_page(self, page: Page, ids: Ints) -> tuple[Ints, Ints, Ints]:
        """The same for many statements: text i has tokens[ptr[i]:ptr[i + 1]].

        Besides, the token of each word of the page, LEFT_OUT for none.
        """
        row, own, known = self.dictionary.row, self._token, len(self.dictionary)
        token_of = np.empty(len(page.vocabulary), np.int64)
        for number, word in enumerate(page.vocabulary):
            token = row(word)
            if token is None and self.unseen:
                token = own.get(word)
                if token is None:
                    token = own[word] = known + len(self.words)
                    self.words.append(page.surface(number))
                    self._first.append(int(ids[page.first_text[number]]))
                    self._left.append({})
                    self._right.append({})
                    self._contexts = None
            token_of[number] = LEFT_OUT if token is None else token
        tokens, ptr = token_of[page.words], page.ptr
        if self.unseen:
            self._note_page(ptr, tokens, ids)
            return ptr, tokens, token_of
        left: Ints = np.zeros(len(tokens) + 1, np.int64)
        np.cumsum(tokens != LEFT_OUT, out=left[1:])
        return left[ptr], tokens[tokens != LEFT_OUT], token_of

    def _note_page(self, ptr: Ints, tokens: Ints, ids: Ints) -> None:
        known, row, place = len(self.dictionary), 0, 0
        codes, rows = np.empty(ROOM, np.int64), np.empty(ROOM, np.int64)
        while row < len(ids):
            table = np.full(2 * ROOM, -1, np.int64)
            n, row, place = find_contexts(ptr, tokens, known, row, place, table, codes, rows)
            which, word = np.divmod(codes[:n], known)
            for at, token, id in zip(
                which.tolist(), word.tolist(), ids[rows[:n]].tolist(), strict=True
            ):
                bag = (self._right if at & 1 else self._left)[at >> 1]
                if token not in bag:
                    bag[token] = id
                    self._contexts = None

    def _note(self, bag: dict[int, int], rows: list[int | None], index: int) -> None:
        """The known words on one side of an unseen one."""
        for row in rows:
            if row is not None and row not in bag:
                bag[row] = index
                self._contexts = None

    def until(self, last: int) -> Lexicon:
        """The lexicon as it was when `last` had just been told."""
        past = Lexicon(self.dictionary, self.unseen)
        n = bisect_right(self._first, last)
        past.words, past._first = self.words[:n], self._first[:n]
        past._token = dict(islice(self._token.items(), n))
        for bags, own in ((past._left, self._left), (past._right, self._right)):
            bags += [{t: at for t, at in bag.items() if at <= last} for bag in own[:n]]
        return past

    def to_json(self) -> list[Any]:
        """The words that are not the dictionary's, and their contexts."""
        bags = [[list(bag.items()) for bag in side] for side in (self._left, self._right)]
        return [self.words, self._first, *bags]

    def from_json(self, data: list[Any]) -> None:
        self.words, self._first, left, right = data
        self._left, self._right = [dict(bag) for bag in left], [dict(bag) for bag in right]
        known = len(self.dictionary)
        self._token = {word.lower(): known + i for i, word in enumerate(self.words)}
        self._contexts = None

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
