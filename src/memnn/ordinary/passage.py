"""What the reader sees of a question and some statements: their words, and what these share.

A word is read by what it means (its vector), literally where it is a frequent one, and by marks
that hold for every word: is it in the question, in the last support, in an earlier one, does a
newer statement mention it, does a pronoun stand for something of the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Bools, Floats, Ints
from memnn.ordinary.heard import HeardQuestion, HeardText, HeardTexts
from memnn.ordinary.lexicon import WordArrays

MARKS = (
    "last support", "earlier support", "newer mention", "stands for asked", "stands for support",
    "carried", "capital", "first", "in support",
)  # fmt: skip
"""Marks of a statement's word that do not depend on what is learnt."""
FADES = 0.6
"""What a statement with a pronoun keeps of what the one before it was about."""


class Passage(NamedTuple):
    """A question, n statements of at most l words, and a path of supports among them."""

    question: WordArrays  # k words
    words: Ints  # (n, l) numbers of words, NOTHING beyond the end of a statement
    there: Bools  # (n, l) where a statement has a word
    same: Bools  # (n, l, k) a word of a statement and one of the question are forms of one
    carried: Floats  # (n, k) a word of the question is in a statement, or meant by its pronouns
    marks: Floats  # (n, l, MARKS)
    path: Bools  # (n,) supports found
    last: Bools  # (n,) the one found last

    @property
    def shape(self) -> tuple[int, int, int]:
        n, length, k = self.same.shape
        return n, length, k


class LinesInView:
    """Statements in view of one question: what does not depend on the path."""

    def __init__(
        self, texts: HeardTexts, question: HeardQuestion, rows: Sequence[int], n: int
    ) -> None:
        self.rows, self.question = list(rows), question
        self.texts = [texts.texts[row] for row in rows]
        length = max((len(text.words) for text in self.texts), default=1)
        shape = (len(rows), max(1, length))
        self._words = np.zeros(shape, np.int64)
        self._stems = np.full(shape, -1)
        self._carried = np.array(
            [carried(texts, row, question) for row in rows], np.float32
        ).reshape(len(rows), len(question.stems))
        self._fixed = np.zeros((*shape, len(MARKS)), np.float32)
        about = question.about
        for i, (row, text) in enumerate(zip(rows, self.texts, strict=True)):
            m = len(text.words)
            self._words[i, :m], self._stems[i, :m] = text.words, text.stems
            marks = self._fixed[i, :m]
            marks[:, 2] = [stem >= 0 and texts.newest(stem, n) > row for stem in text.stems]
            if any(text.pronouns):
                marks[:, 3] = [not about.isdisjoint(each) for each in text.meant]
                before = carried(texts, row - 1, question) if row else [0.0]
                marks[:, 5] = np.array(text.pronouns) * max(before, default=0.0)
            marks[:, 6] = [form[:1].isupper() for form in text.forms]
            marks[:1, 7] = 1.0
        self._there = self._words > 0
        self._table = texts.table
        stems = question.words.stems
        self._same = (self._stems[:, :, None] == stems[None, None, :]) & (stems >= 0)

    @property
    def size(self) -> tuple[int, int]:
        """How many statements, and how long the longest is."""
        return self._words.shape

    def length(self, line: int) -> int:
        return len(self.texts[line].words)

    def passage(self, path: Sequence[int]) -> Passage:
        """With the supports found so far, by their places among these lines."""
        marks = self._fixed.copy()
        taken, last = np.zeros(len(self.rows), np.bool_), np.zeros(len(self.rows), np.bool_)
        taken[list(path)] = True
        if path:
            last[path[-1]] = True
            marks[last, :, 8] = 1.0
            self._mark(marks, path)
        return Passage(
            self.question.words, self._words, self._there, self._same, self._carried, marks,
            taken, last,
        )  # fmt: skip

    @cached_property
    def words(self) -> WordArrays:
        """What is known of the words of these lines, one after the other."""
        return WordArrays(*(array[self._words[self._there]] for array in self._table.arrays()))

    def _mark(self, marks: Floats, path: Sequence[int]) -> None:
        asked = self.question.about
        new = self.texts[path[-1]].about - asked
        earlier = frozenset().union(*(self.texts[place].about for place in path[:-1])) - asked
        marks[:, :, 0] = np.isin(self._stems, _numbers(new))
        marks[:, :, 1] = np.isin(self._stems, _numbers(earlier))
        for i, text in enumerate(self.texts):
            if any(text.pronouns):
                marks[i, : len(text.words), 4] = [not new.isdisjoint(m) for m in text.meant]


def _numbers(stems: frozenset[int]) -> Ints:
    return np.fromiter(stems, np.int64, len(stems))


def carried(texts: HeardTexts, row: int, question: HeardQuestion) -> list[float]:
    """How much each word of the question is what a statement is about: 1 where it names it, less
    where it goes on about what was said before with a pronoun."""
    return _carried(texts.texts[max(0, row - 6) : row + 1], question)


def _carried(texts: Sequence[HeardText], question: HeardQuestion) -> list[float]:
    before = [0.0] * len(question.stems)
    for text in texts:
        goes_on = FADES if any(text.pronouns) else 0.0
        before = [
            1.0 if stem in text.about else goes_on * was
            for stem, was in zip(question.stems, before, strict=True)
        ]
    return before
