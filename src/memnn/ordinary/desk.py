"""What one thread answers with: the words of a memory and of the question, and empty notes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memnn.kernels.arrays import Ints
from memnn.kernels.ordinary_answers import AnswerDesk, new_answer_desk
from memnn.kernels.ordinary_judge import new_judged
from memnn.kernels.ordinary_search import SearchDesk, SearchSettings, new_beam, new_desk
from memnn.kernels.ordinary_words import (
    READINGS,
    WordReading,
    WordTables,
    copy_words,
    first_words,
    read_as,
)
from memnn.ordinary.lexicon import WordLexicon, WordTable, enter, room_for
from memnn.ordinary.view import OrdinaryView
from memnn.ordinary.words import stem_of


class OrdinaryDesk:
    """Words of a memory are copied once, those of a question lie behind them."""

    def __init__(self, lexicon: WordLexicon, search: SearchSettings) -> None:
        self._lexicon = lexicon
        self.beam, self.judged = new_beam(search), new_judged()
        self._table: WordTable | None = None
        self._copied = 0
        self._make_room(len(lexicon) + 512)

    def _make_room(self, size: int) -> None:
        self._arrays = room_for(size, self._lexicon.vectors.dim)
        self._reading = WordReading(
            np.zeros((size, READINGS), np.int64), np.zeros((size, READINGS), np.float32)
        )
        self._latest = np.full(size, -1)
        self.desk: SearchDesk = new_desk(size)
        self.answers: AnswerDesk = new_answer_desk(size)
        self._copied = 0

    def lay(
        self, view: OrdinaryView, asked: Sequence[str]
    ) -> tuple[Ints, WordTables, WordReading, Ints]:
        """The question's words, and tables in which these and the view's are."""
        count = len(view.words.stem)
        if count + len(asked) > len(self._arrays.stem):
            self._make_room(2 * (count + len(asked)))
        if self._table is not view.table or self._copied > count:
            self._table, self._copied = view.table, 0
        copy_words(self._arrays, view.words, self._copied, count)
        for w in range(self._copied, count):
            read_as(self._reading, self._arrays, w, 0)
        self._copied = count
        self._latest[:count] = view.latest
        x = [self._identity(word, count, place, view) for place, word in enumerate(asked)]
        n = count + len(asked)
        reading = WordReading(self._reading.words[:n], self._reading.shares[:n])
        return np.array(x, np.int64), first_words(self._arrays, n), reading, self._latest[:n]

    def _identity(self, word: str, count: int, place: int, view: OrdinaryView) -> int:
        """As it was told, else one of its own that only this question has."""
        known = view.table.known(word)
        if known and known < count:
            return known
        at = count + place
        stem = view.table.stems.get(stem_of(word), at)
        enter(self._arrays, at, stem if stem < count else at, word, self._lexicon)
        self._latest[at] = -1
        read_as(self._reading, self._arrays, at, 0)
        return at
