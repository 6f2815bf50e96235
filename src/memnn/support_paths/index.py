"""Where a large memory mentions a word: what `organised` reads instead of all of it.

Rows only grow, and whoever looks says until where: what was told later does not matter to a view.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from typing import TypeAlias

Rows: TypeAlias = "array[int]"

NEWEST, OLDEST, BESIDE = 24, 4, 5
"""Mentions of a word that are read: the last, the first, those on either side of a support."""
NEWEST_TEXT, OLDEST_TEXT, BESIDE_TEXT = 6, 6, 3
"""The same of a text that has two of the words."""
MANY_TEXTS = 16
"""Two words that more texts than this have in common say little about any of them."""


class MentionIndex:
    """The rows of every word, the texts of every word, the rows of every text."""

    def __init__(self) -> None:
        self._rows: dict[int, Rows] = {}
        self._texts: dict[int, Rows] = {}
        self._of_texts: dict[int, set[int]] = {}
        self._told: dict[int, Rows] = {}

    def append(self, row: int, words: Iterable[int], text: int) -> None:
        """A statement: `text` is the first row of the same words."""
        words = set(words)
        for word in words:
            self._rows.setdefault(word, array("q")).append(row)
        if text == row:
            for word in words:
                self._texts.setdefault(word, array("q")).append(row)
                self._of_texts.setdefault(word, set()).add(row)
        self._told.setdefault(text, array("q")).append(row)

    def ends(self, word: int, end: int) -> Iterable[int]:
        """The first and the last rows before `end` that mention a word."""
        return _ends(self._rows.get(word), end, OLDEST, NEWEST)

    def beside(self, word: int, end: int, row: int) -> Iterable[int]:
        """Those next to a row."""
        return _beside(self._rows.get(word), end, row, BESIDE)

    def both(self, one: int, other: int, end: int, row: int | None) -> list[int]:
        """Rows of texts that have both words: first, last, and next to a row."""
        rarer, word = min(
            (self._before(one, end), other), (self._before(other, end), one), key=_size
        )
        if len(rarer) > 16 * MANY_TEXTS:
            return []
        others = self._of_texts.get(word, set())
        common = [text for text in rarer if text in others]
        found: list[int] = []
        for text in common if len(common) <= MANY_TEXTS else ():
            rows = self._told.get(text)
            found += _ends(rows, end, OLDEST_TEXT, NEWEST_TEXT)
            if row is not None:
                found += _beside(rows, end, row, BESIDE_TEXT)
        return found

    def _before(self, word: int, end: int) -> Rows:
        """The texts before `end` that have a word."""
        texts = self._texts.get(word, array("q"))
        return texts[: bisect_left(texts, end)]


def _size(texts_and_word: tuple[Rows, int]) -> int:
    return len(texts_and_word[0])


def _ends(rows: Rows | None, end: int, oldest: int, newest: int) -> Iterable[int]:
    if rows is None:
        return ()
    n = bisect_left(rows, end)
    return rows[:n] if n <= oldest + newest else rows[:oldest] + rows[n - newest : n]


def _beside(rows: Rows | None, end: int, row: int, most: int) -> Iterable[int]:
    if rows is None:
        return ()
    n = bisect_left(rows, end)
    at = bisect_left(rows, row, 0, n)
    return rows[max(at - most, 0) : min(at + most + 1, n)]
