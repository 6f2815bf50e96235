"""Unseen words and their contexts (§3.5): bags of what stood left and right of them in a story."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
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
"""Pairs of an unseen word and a neighbour looked for at once, unless a text has more words."""


class Lexicon:
    """The words of one story at one moment: the dictionary's, then its own as they appeared.

    A model without unseen words leaves them out. It stays as it is when its reader reads on.
    """

    def __init__(
        self,
        dictionary: Dictionary,
        unseen: bool,
        words: Sequence[str] = (),
        token: Mapping[str, int] | None = None,
        contexts: Contexts | None = None,
    ) -> None:
        self.dictionary = dictionary
        self.unseen = unseen
        self.words = words
        """The unseen words as they were first written."""
        self._token = token or {}
        self._end = len(dictionary) + len(words)
        self._contexts = _no_contexts(dictionary) if contexts is None else contexts

    def tokens(self, text: str, index: int | None = None) -> list[int]:
        """The tokens of a text; words that are neither learnt nor in the story are left out."""
        if not self.unseen:
            return self.dictionary.rows(text, index)
        row, own, end = self.dictionary.row, self._token, self._end
        tokens = []
        for word in self.dictionary.tokenise(text):
            token = row(word)
            if token is None:
                token = own.get(word, end)
            if token < end:
                tokens.append(token)
        return tokens + self.dictionary.index_row(index)

    def unknown(self, text: str) -> list[str]:
        """The words of a text that are neither learnt nor (with unseen words) in the story."""
        own, end = self._token, self._end
        return [w for w in self.dictionary.unknown(text) if own.get(w.lower(), end) >= end]

    def contexts(self) -> Contexts:
        """The contexts as the kernels read them."""
        return self._contexts


class LexiconReader:
    """Reads statements as they are told.

    Beside each word and neighbour stands when it was first told, so that the past is at hand.
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
        self._now: Lexicon | None = None

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
                self._now = None
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
                    self._now = None
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
        room = max(ROOM, int(np.diff(ptr).max(initial=0)))
        codes, rows = np.empty(room, np.int64), np.empty(room, np.int64)
        while row < len(ids):
            table = np.full(2 << (room - 1).bit_length(), -1, np.int64)
            n, row, place = find_contexts(ptr, tokens, known, row, place, table, codes, rows)
            which, word = np.divmod(codes[:n], known)
            for at, token, id in zip(
                which.tolist(), word.tolist(), ids[rows[:n]].tolist(), strict=True
            ):
                bag = (self._right if at & 1 else self._left)[at >> 1]
                if token not in bag:
                    bag[token] = id
                    self._now = None

    def _note(self, bag: dict[int, int], rows: list[int | None], index: int) -> None:
        """The known words on one side of an unseen one."""
        for row in rows:
            if row is not None and row not in bag:
                bag[row] = index
                self._now = None

    def now(self) -> Lexicon:
        """The lexicon of all that was read."""
        if self._now is None:
            words, token = self.words[:], self._token  # tokens beyond the words are of later
            self._now = Lexicon(
                self.dictionary, self.unseen, words, token, self._contexts(len(words))
            )
        return self._now

    def until(self, last: int) -> Lexicon:
        """The lexicon as it was when `last` had just been told."""
        n = bisect_right(self._first, last)
        contexts = self._contexts(n, last)
        return Lexicon(self.dictionary, self.unseen, self.words[:n], self._token, contexts)

    def _contexts(self, n: int, last: int | None = None) -> Contexts:
        """The contexts of the first n words, until `last` if given."""
        known = len(self.dictionary)
        rows = np.full(known + n, -1, np.int64)
        rows[known:] = np.arange(n)
        bags = [
            sorted(bag if last is None else (t for t, at in bag.items() if at <= last))
            for pair in zip(self._left[:n], self._right[:n], strict=True)
            for bag in pair
        ]
        return Contexts(rows, _ends(bags), np.array([t for bag in bags for t in bag], np.int64))

    def to_json(self) -> list[Any]:
        """The words that are not the dictionary's, and their contexts."""
        bags = [[list(bag.items()) for bag in side] for side in (self._left, self._right)]
        return [self.words, self._first, *bags]

    def from_json(self, data: list[Any]) -> None:
        self.words, self._first, left, right = data
        self._left, self._right = [dict(bag) for bag in left], [dict(bag) for bag in right]
        known = len(self.dictionary)
        self._token = {word.lower(): known + i for i, word in enumerate(self.words)}
        self._now = None


@lru_cache(8)
def _no_contexts(dictionary: Dictionary) -> Contexts:
    """Those of a story without words of its own."""
    return Contexts(
        np.full(len(dictionary), -1, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int64)
    )


def _ends(bags: list[list[int]]) -> NDArray[np.int64]:
    ends: NDArray[np.int64] = np.zeros(len(bags) + 1, np.int64)
    np.cumsum([len(bag) for bag in bags], out=ends[1:])
    return ends
