"""What a turn shows for a question, as numbers: words of it and of what was told next to it, who
said it, its form. One function a feature, each over all candidates at once.

Names of speakers are left out of the words that count, since whom a question is about is a feature
of its own; so are words that carry little, unless there are no others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memnn.conversations.index import NOBODY, Ints
from memnn.conversations.question import K1, B, Floats, TurnQuestion
from memnn.conversations.times_asked import said_in
from memnn.text.english import FUNCTION_WORDS

SCALE = 5.0
"""BM25 of a turn that fits well: features are then of about the same size."""

MOST_NAMED = 1_000
"""A word in the names of more speakers than this names none of them: "user"."""


class CandidateTurns:
    """Some turns, and what several features need of them."""

    def __init__(self, asked: TurnQuestion, places: Ints) -> None:
        self.asked, self.places = asked, places

    @cached_property
    def _named(self) -> dict[str, set[int]]:
        """The speakers that a word of the question names."""
        named = self.asked.index.named
        found = {word: named[word] for word in self.asked.words if word in named}
        return {word: set(who) for word, who in found.items() if len(who) <= MOST_NAMED}

    @cached_property
    def _kept(self) -> NDArray[np.bool_]:
        """Which words of the question count."""
        words = self.asked.words
        others = np.array([word not in self._named for word in words], np.bool_)
        telling = others & np.array([word not in FUNCTION_WORDS for word in words], np.bool_)
        if telling.any():
            return telling
        return others if others.any() else ~others

    def _bm25(self, *offsets: int) -> Floats:
        """Of some turns as one text; what is not of the same talk is not there."""
        counts, lengths = np.zeros((len(self.asked.words), len(self.places))), np.zeros(1)
        for offset in offsets:
            there = self._there(offset)
            counts = counts + self.asked.counts(self.places, offset) * there
            lengths = lengths + self.asked.lengths(self.places, offset) * there
        parts = self.asked.parts(counts, lengths, len(offsets) * self.asked.mean)
        total: Floats = parts[self._kept].sum(axis=0) / SCALE
        return total

    def _there(self, offset: int) -> NDArray[np.bool_]:
        if not offset:
            return np.ones(len(self.places), np.bool_)
        return self.asked.beside(self.places, self.places + offset)

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
    def session(self) -> Floats:
        """BM25 of the whole session; 0 where none is named."""
        asked, index = self.asked, self.asked.index
        sessions = index.session[: asked.end]
        mine = sessions[self.places]
        n = int(sessions.max(initial=-1)) + 1
        if not n:
            return np.zeros(len(self.places))
        named = sessions >= 0
        lengths = np.bincount(sessions[named], index.sizes[: asked.end][named], n)
        norm = K1 * (1 - B + B * lengths / max(lengths.mean(), 1.0))
        total = np.zeros(n + 1)  # the last is for turns without a session
        for kept, (places, counts) in zip(self._kept, asked.lists, strict=True):
            if kept:
                inside = sessions[places] >= 0
                often = np.bincount(sessions[places][inside], counts[inside], n)
                held = (often > 0).sum()
                idf = np.log1p((n - held + 0.5) / (held + 0.5))
                total[:n] += idf * often * (K1 + 1) / (often + norm)
        found: Floats = total[mine] / SCALE
        return found

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
    def by_named(self) -> Floats:
        """1 where the question names who said it."""
        return (self._said_by_named > 0).astype(np.float64)

    @cached_property
    def by_another(self) -> Floats:
        """1 where the question names somebody, and another said it."""
        return (self._said_by_named < 0).astype(np.float64)

    @cached_property
    def _said_by_named(self) -> Floats:
        speakers = self.asked.index.speaker[self.places]
        named = set[int]().union(*self._named.values())
        if not named:
            return np.zeros(len(self.places))
        said = np.isin(speakers, list(named))
        return np.where(speakers == NOBODY, 0.0, np.where(said, 1.0, -1.0))

    @cached_property
    def asks(self) -> Floats:
        return self.asked.index.asks[self.places].astype(np.float64)

    @cached_property
    def answers(self) -> Floats:
        """1 where the turn before asks."""
        before = np.maximum(self.places - 1, 0)
        asks = self.asked.index.asks[before] * self._there(-1)
        return asks.astype(np.float64)

    @cached_property
    def said_then(self) -> Floats:
        """1 where it was said at a time that the question names."""
        if not self.asked.times:
            return np.zeros(len(self.places))
        said = self.asked.index.said[self.places]
        return said_in(self.asked.times, said).astype(np.float64)


FEATURES: dict[str, Callable[[CandidateTurns], Floats]] = {
    "turn": lambda c: c.turn,
    "previous": lambda c: c.previous,
    "next": lambda c: c.next,
    "window": lambda c: c.window,
    "session": lambda c: c.session,
    "share": lambda c: c.share,
    "length": lambda c: c.length,
    "length, squared": lambda c: c.length**2,
    "speaker named": lambda c: c.by_named,
    "another named": lambda c: c.by_another,
    "speaker named, words": lambda c: c.by_named * c.turn,
    "another named, words": lambda c: c.by_another * c.turn,
    "asks": lambda c: c.asks,
    "asks, words": lambda c: c.asks * c.turn,
    "answers": lambda c: c.answers,
    "answers, words asked": lambda c: c.answers * c.previous,
    "said then": lambda c: c.said_then,
}
"""By the names that weights and terms use."""


def measured(asked: TurnQuestion, places: Ints) -> Floats:
    """(features, n), in the order of `FEATURES`."""
    turns = CandidateTurns(asked, places)
    return np.array([feature(turns) for feature in FEATURES.values()])
