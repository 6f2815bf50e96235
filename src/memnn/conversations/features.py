"""What a turn shows for a question, as numbers: words of it and of what was told next to it, who
said it, its form. One function a feature, each over all candidates at once.

Names of speakers are left out of the words that count: whom a question is about is a feature of its
own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memnn.conversations.index import NOBODY, Ints, lemmas_of
from memnn.conversations.question import Floats, TurnQuestion
from memnn.text.tokens import words_1


class CandidateTurns:
    """Some turns, and what several features need of them."""

    def __init__(self, asked: TurnQuestion, places: Ints) -> None:
        self.asked, self.places = asked, places

    @cached_property
    def _named(self) -> dict[str, set[int]]:
        """The speakers that a word of the question names."""
        words, named = set(self.asked.words), dict[str, set[int]]()
        for name, number in self.asked.index.speakers.items():
            for form in (form for token in words_1(name) for form in lemmas_of(token)):
                if form in words:
                    named.setdefault(form, set()).add(number)
        return named

    @cached_property
    def _kept(self) -> NDArray[np.bool_]:
        """Which words of the question name no speaker; all of them, if there are no others."""
        kept = np.array([word not in self._named for word in self.asked.words], np.bool_)
        return kept if kept.any() else ~kept

    def _bm25(self, *offsets: int) -> Floats:
        counts = sum(self.asked.counts(self.places, offset) for offset in offsets)
        lengths = sum(self.asked.lengths(self.places, offset) for offset in offsets)
        mean = len(offsets) * self.asked.mean
        parts = self.asked.parts(np.asarray(counts), np.asarray(lengths), mean)
        total: Floats = parts[self._kept].sum(axis=0)
        return total

    @cached_property
    def turn(self) -> Floats:
        return self._bm25(0)

    @cached_property
    def previous(self) -> Floats:
        return self._bm25(-1)

    @cached_property
    def next(self) -> Floats:
        return self._bm25(1)

    @cached_property
    def window(self) -> Floats:
        return self._bm25(-1, 0, 1)

    @cached_property
    def share(self) -> Floats:
        """Which share of the question's idf the turn has."""
        idf = self.asked.idf * self._kept
        held = self.asked.counts(self.places) > 0
        return (idf @ held) / max(float(idf.sum()), 1e-9)

    @cached_property
    def length(self) -> Floats:
        return np.log1p(self.asked.lengths(self.places))

    @cached_property
    def speaker_named(self) -> Floats:
        """1 where the question names who said it, -1 where it names another speaker."""
        speakers = self.asked.index.speaker[self.places]
        named = set[int]().union(*self._named.values())
        if not named:
            return np.zeros(len(self.places))
        by_named = np.isin(speakers, list(named))
        return np.where(speakers == NOBODY, 0.0, np.where(by_named, 1.0, -1.0))

    @cached_property
    def same_speaker_words(self) -> Floats:
        return self.speaker_named * self.turn


FEATURES: dict[str, Callable[[CandidateTurns], Floats]] = {
    "turn": lambda c: c.turn,
    "previous": lambda c: c.previous,
    "next": lambda c: c.next,
    "window": lambda c: c.window,
    "share": lambda c: c.share,
    "length": lambda c: c.length,
    "speaker named": lambda c: c.speaker_named,
    "speaker named, words": lambda c: c.same_speaker_words,
}
"""By the names that weights and terms use."""
