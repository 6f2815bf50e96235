"""What a turn shows for a question, as numbers: words of it and of what was told next to it, who
said it, its form. One function a feature, each over all candidates at once.

Names of speakers are left out of the words that count, since whom a question is about is a feature
of its own. Small words count by how rare they are, as all do ("when" and "for" say what is wanted);
*telling* words are those that carry something by themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memnn.conversations.index import (
    ASKS,
    ENDS_ASKING,
    FIRST_PERSON,
    NOBODY,
    SECOND_PERSON,
    Ints,
)
from memnn.conversations.question import K1, B, Floats, TurnQuestion
from memnn.conversations.times_asked import said_in
from memnn.text.english import FUNCTION_WORDS

SCALE = 5.0
"""BM25 of a turn that fits well: features are then of about the same size."""
Mask = NDArray[np.bool_]

MOST_NAMED = 1_000
"""A word in the names of more speakers than this names none of them: "user"."""


class CandidateTurns:
    """Some turns, and what several features need of them."""

    def __init__(self, asked: TurnQuestion, places: Ints) -> None:
        self.asked, self.places = asked, places

    @cached_property
    def named(self) -> dict[str, set[int]]:
        """The speakers that a word of the question names."""
        named = self.asked.index.named
        found = {word: named[word] for word in self.asked.words if word in named}
        return {word: set(who) for word, who in found.items() if len(who) <= MOST_NAMED}

    @cached_property
    def _counting(self) -> Mask:
        """Which words of the question count: all but names of speakers, if there are others."""
        others = np.array([word not in self.named for word in self.asked.words], np.bool_)
        return others if others.any() else ~others

    @cached_property
    def _telling(self) -> Mask:
        """Which of them carry something by themselves."""
        words = self.asked.words
        telling: Mask = self._counting & np.array(
            [w not in FUNCTION_WORDS for w in words], np.bool_
        )
        return telling if telling.any() else self._counting

    def _bm25(self, *offsets: int) -> Floats:
        """(words, n): of some turns as one text; what is not of the same talk is not there."""
        counts, lengths = np.zeros((len(self.asked.words), len(self.places))), np.zeros(1)
        for offset in offsets:
            there = self._there(offset)
            counts = counts + self._counts(offset)
            lengths = lengths + self.asked.lengths(self.places, offset) * there
        mean = len(offsets) * self.asked.mean
        parts: Floats = self.asked.parts(counts, lengths, mean) / SCALE
        return parts

    def _counts(self, offset: int) -> Floats:
        if offset not in self._counted:
            counts = self.asked.counts(self.places, offset)
            self._counted[offset] = counts if not offset else counts * self._there(offset)
        return self._counted[offset]

    @cached_property
    def _counted(self) -> dict[int, Floats]:
        return {}

    def _there(self, offset: int) -> Mask:
        """Whether there is a turn of the same talk so many turns away."""
        if offset not in self._theres:
            ones = np.ones(len(self.places), np.bool_)
            beside = self.asked.beside(self.places, self.places + offset) if offset else ones
            self._theres[offset] = beside
        return self._theres[offset]

    @cached_property
    def _theres(self) -> dict[int, Mask]:
        return {}

    @cached_property
    def _turn(self) -> Floats:
        return self._bm25(0)

    @cached_property
    def _window(self) -> Floats:
        return self._bm25(-1, 0, 1)

    @cached_property
    def turn(self) -> Floats:
        return self._counting @ self._turn

    @cached_property
    def window(self) -> Floats:
        return self._counting @ self._window

    @cached_property
    def previous(self) -> Floats:
        return self._counting @ self._bm25(-1)

    @cached_property
    def next(self) -> Floats:
        return self._counting @ self._bm25(1)

    @cached_property
    def telling_turn(self) -> Floats:
        return self._telling @ self._turn

    @cached_property
    def telling_window(self) -> Floats:
        return self._telling @ self._window

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
        for counting, (places, counts) in zip(self._counting, asked.lists, strict=True):
            if counting and (asked.few or len(places) * EVERYWHERE < asked.end):
                inside = sessions[places] >= 0
                often = np.bincount(sessions[places][inside], counts[inside], n)
                held = (often > 0).sum()
                idf = np.log1p((n - held + 0.5) / (held + 0.5))
                total[:n] += idf * often * (K1 + 1) / (often + norm)
        found: Floats = total[mine] / SCALE
        return found

    @cached_property
    def session_best(self) -> Floats:
        """How well the best turn of the session fits: what is asked was talked about there."""
        fits = self.telling_turn + self.telling_window / 2
        sessions = self.asked.index.session[self.places]
        best = np.zeros(int(sessions.max(initial=-1)) + 2)
        np.maximum.at(best, sessions, fits)
        return np.where(sessions >= 0, best[sessions], fits)

    @cached_property
    def _held(self) -> Mask:
        return self._counts(0) > 0

    def _share(self, which: Mask) -> Floats:
        idf = self.asked.idf * which
        return (idf @ self._held) / max(float(idf.sum()), 1e-9)

    @cached_property
    def share(self) -> Floats:
        """Which share of the question's idf the turn has."""
        return self._share(self._counting)

    @cached_property
    def telling_share(self) -> Floats:
        return self._share(self._telling)

    @cached_property
    def words_held(self) -> Floats:
        return np.log1p(self._telling @ self._held.astype(np.float64))

    @cached_property
    def numbers_missing(self) -> Floats:
        """Numbers of the question that the turn does not have: room 13 is not room 14."""
        numbers = np.array([any(map(str.isdigit, w)) for w in self.asked.words], np.float64)
        untold = sum(any(map(str.isdigit, word)) for word in self.asked.untold)
        missing: Floats = untold + numbers.sum() - numbers @ self._held
        return missing

    @cached_property
    def _near(self) -> Floats:
        """(2, n): for the turn before and the turn itself, the share of the question's telling
        words that it does not have, but others that mean nearly the same."""
        asked, index = self.asked, self.asked.index
        n, rarest = len(self.places), float(np.log1p(asked.end + 0.5))
        wanted = np.concatenate([np.maximum(self.places - 1, 0), self.places])
        near, total = np.zeros(2 * n), 1e-9
        held = np.concatenate([self._counts(-1), self._counts(0)], axis=1) > 0
        at = {word: i for i, word in enumerate(asked.words)}
        for word in (*asked.words, *asked.untold):
            if word in index.named or word in FUNCTION_WORDS:
                continue
            weight = float(asked.idf[at[word]]) if word in at else rarest
            total += weight
            best = asked.having(*index.meanings.near(word, index.rows), wanted)
            if word in at:
                best[held[at[word]]] = 0.0
            near += weight * best
        parts = (near / total).reshape(2, n)
        parts[0] *= self._there(-1)
        return parts

    @cached_property
    def near(self) -> Floats:
        found: Floats = self._near[1]
        return found

    @cached_property
    def near_previous(self) -> Floats:
        found: Floats = self._near[0]
        return found

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
        named = set[int]().union(*self.named.values())
        if not named:
            return np.zeros(len(self.places))
        said = np.isin(speakers, list(named))
        return np.where(speakers == NOBODY, 0.0, np.where(said, 1.0, -1.0))

    def form(self, bit: int) -> Floats:
        """1 where the turn is put so."""
        return ((self.asked.index.form[self.places] & bit) > 0).astype(np.float64)

    @cached_property
    def answers(self) -> Floats:
        """1 where the turn before asks."""
        before = np.maximum(self.places - 1, 0)
        asks = (self.asked.index.form[before] & ASKS) * self._there(-1)
        return asks.astype(np.float64)

    @cached_property
    def said_then(self) -> Floats:
        """1 where it was said at a time that the question names."""
        if not self.asked.times:
            return np.zeros(len(self.places))
        said = self.asked.index.said[self.places]
        return said_in(self.asked.times, said).astype(np.float64)


EVERYWHERE = 10
"""In a large memory, a word that stands in a tenth of all turns tells no session from others."""
FEATURES: dict[str, Callable[[CandidateTurns], Floats]] = {
    "turn": lambda c: c.turn,
    "previous": lambda c: c.previous,
    "next": lambda c: c.next,
    "window": lambda c: c.window,
    "session": lambda c: c.session,
    "share": lambda c: c.share,
    "turn, telling words": lambda c: c.telling_turn,
    "window, telling words": lambda c: c.telling_window,
    "share, telling words": lambda c: c.telling_share,
    "words held": lambda c: c.words_held,
    "near words": lambda c: c.near,
    "near words, previous": lambda c: c.near_previous,
    "numbers missing": lambda c: c.numbers_missing,
    "best of the session": lambda c: c.session_best,
    "length": lambda c: c.length,
    "length, squared": lambda c: c.length**2,
    "speaker named": lambda c: c.by_named,
    "another named": lambda c: c.by_another,
    "speaker named, words": lambda c: c.by_named * c.turn,
    "another named, words": lambda c: c.by_another * c.turn,
    "speaker named, previous": lambda c: c.by_named * c.previous,
    "another named, previous": lambda c: c.by_another * c.previous,
    "speaker named, of oneself": lambda c: c.by_named * c.form(FIRST_PERSON),
    "another named, of the other": lambda c: c.by_another * c.form(SECOND_PERSON),
    "asks": lambda c: c.form(ASKS),
    "asks, words": lambda c: c.form(ASKS) * c.turn,
    "ends asking": lambda c: c.form(ENDS_ASKING),
    "answers": lambda c: c.answers,
    "answers, words asked": lambda c: c.answers * c.previous,
    "said then": lambda c: c.said_then,
}
"""By the names that weights and terms use."""


def measured(asked: TurnQuestion, places: Ints) -> Floats:
    """(features, n), in the order of `FEATURES`."""
    turns = CandidateTurns(asked, places)
    return np.array([feature(turns) for feature in FEATURES.values()])
