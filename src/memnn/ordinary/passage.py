"""What the reader sees of a question and some statements: their words, and what these share.

A word is read by what it means (its vector), literally where it is a frequent one, and by marks
that hold for every word: is it in the question, in the last support, in an earlier one, does a
newer statement mention it, does a pronoun stand for something of the question. What depends on a
path of supports is kept apart, so that the rest is read once for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Bools, Floats, Ints
from memnn.ordinary.heard import CARRIED, HeardQuestion, HeardText, HeardTexts
from memnn.ordinary.lexicon import NO_STEM, WordArrays

MARKS = ("newer mention", "stands for asked", "carried", "capital", "first", "pause")
"""Marks of a statement's word that depend neither on what is learnt nor on a path."""
PATH_MARKS = ("last support", "earlier support", "stands for support", "in support")
MEANT = 2
"""Of what a pronoun stands for, the last words that are looked at: of "the red box" the box,
of three people two."""
FADES = 0.6
"""What a statement with a pronoun keeps of what the one before it was about."""


class Passage(NamedTuple):
    """A question and n statements of at most l words."""

    question: WordArrays  # k words
    words: Ints  # (n, l) numbers of words, NOTHING beyond the end of a statement
    there: Bools  # (n, l) where a statement has a word
    same: Bools  # (n, l, k) a word of a statement and one of the question are forms of one
    carried: Floats  # (n, k) a word of the question is in a statement, or meant by its pronouns
    marks: Floats  # (n, l, MARKS)
    stems: Ints  # (n, l) of each word, NO_STEM where it names nothing
    means: Ints  # (n, l, MEANT) stems that a pronoun stands for, NO_STEM for none

    @property
    def shape(self) -> tuple[int, int, int]:
        n, length, k = self.same.shape
        return n, length, k


class MarkedPath(NamedTuple):
    """Supports found so far, and what they share with the statements of a passage."""

    marks: Floats  # (n, l, PATH_MARKS)
    path: Bools  # (n,) supports found
    last: Bools  # (n,) the one found last


class LinesInView:
    """Statements in view of one question."""

    def __init__(
        self, texts: HeardTexts, question: HeardQuestion, rows: Sequence[int], n: int
    ) -> None:
        self.rows, self.question = list(rows), question
        texts.fetch_with_before(rows)
        self.texts = [texts.texts[row] for row in rows]
        lengths = np.array([len(text.words) for text in self.texts], np.int64)
        there = np.arange(max(1, lengths.max(initial=0))) < lengths[:, None]
        words, self._stems = np.zeros(there.shape, np.int64), np.full(there.shape, NO_STEM)
        words[there] = [word for text in self.texts for word in text.words]
        self._stems[there] = [stem for text in self.texts for stem in text.stems]
        means = np.full((*there.shape, MEANT), NO_STEM)
        for i, text in enumerate(self.texts):
            for place, meant in enumerate(text.meant):
                if meant:
                    means[i, place, : len(meant[-MEANT:])] = meant[-MEANT:]
        self._table = texts.table
        stems = question.words.stems
        same = (self._stems[:, :, None] == stems[None, None, :]) & (stems >= 0)
        about = [carried(texts, row, question) for row in rows]
        self.passage = Passage(
            question.words, words, there, same,
            np.array(about, np.float32).reshape(len(rows), len(question.stems)),
            self._marks(texts, n, there), self._stems, means,
        )  # fmt: skip

    def _marks(self, texts: HeardTexts, n: int, there: Bools) -> Floats:
        told = self.texts
        newest = {stem: texts.newest(stem, n) for text in told for stem in text.stems if stem >= 0}
        marks = np.zeros((*there.shape, len(MARKS)), np.float32)
        marks[there, 0] = [
            newest.get(stem, -1) > row
            for row, text in zip(self.rows, told, strict=True)
            for stem in text.stems
        ]
        for i, (row, text) in enumerate(zip(self.rows, told, strict=True)):
            if any(text.pronouns):
                mine, about = marks[i, : len(text.words)], self.question.about
                mine[:, 1] = [not about.isdisjoint(each) for each in text.meant]
                before = carried(texts, row - 1, self.question) if row else [0.0]
                mine[:, 2] = np.array(text.pronouns) * max(before, default=0.0)
        marks[there, 3] = [form[:1].isupper() for text in told for form in text.forms]
        marks[:, 0, 4] = there[:, 0]
        marks[there, 5] = [pause for text in told for pause in text.pauses]
        return marks

    @property
    def size(self) -> tuple[int, int]:
        """How many statements, and how long the longest is."""
        n, length, _ = self.passage.shape
        return n, length

    def length(self, line: int) -> int:
        return len(self.texts[line].words)

    @cached_property
    def words(self) -> WordArrays:
        """What is known of the words of these lines, one after the other."""
        there = self.passage.words[self.passage.there]
        return WordArrays(*(array[there] for array in self._table.arrays()))

    def marked(self, path: Sequence[int]) -> MarkedPath:
        """The supports found so far, by their places among these lines."""
        marks = np.zeros((*self.size, len(PATH_MARKS)), np.float32)
        taken, last = np.zeros(len(self.rows), np.bool_), np.zeros(len(self.rows), np.bool_)
        if path:
            taken[list(path)] = last[path[-1]] = True
            self._mark_path(marks, path)
            marks[last, : self.length(path[-1]), 3] = 1.0
        return MarkedPath(marks, taken, last)

    def _mark_path(self, marks: Floats, path: Sequence[int]) -> None:
        asked = self.question.about
        new = self.texts[path[-1]].about - asked
        earlier = frozenset().union(*(self.texts[place].about for place in path[:-1])) - asked
        for mark, stems in enumerate((new, earlier)):
            for stem in stems:
                marks[self._stems == stem, mark] = 1.0
        for i, text in enumerate(self.texts):
            if any(text.pronouns):
                marks[i, : len(text.words), 2] = [not new.isdisjoint(m) for m in text.meant]


def carried(texts: HeardTexts, row: int, question: HeardQuestion) -> list[float]:
    """How much each word of the question is what a statement is about: 1 where it names it, less
    where it goes on about what was said before with a pronoun."""
    first = row
    while first > max(0, row - CARRIED) and any(texts.texts[first].pronouns):
        first -= 1
    return _carried(texts.texts[first : row + 1], question)


def _carried(texts: Sequence[HeardText], question: HeardQuestion) -> list[float]:
    before = [0.0] * len(question.stems)
    for text in texts:
        goes_on = FADES if any(text.pronouns) else 0.0
        before = [
            1.0 if stem in text.about else goes_on * was
            for stem, was in zip(question.stems, before, strict=True)
        ]
    return before
