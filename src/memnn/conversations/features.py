"""What a turn shows for a question, as numbers: words of it and of what was told next to it, who
said it, its form. One function a feature, each over all candidates at once.

Names of speakers are left out of the words that count, since whom a question is about is a feature
of its own. Small words count by how rare they are, as all do ("when" and "for" say what is wanted);
*telling* words are those that carry something by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np

from memnn.conversations.index import Ints
from memnn.conversations.layout import (
    ASKS,
    ENDS_ASKING,
    FIRST_PERSON,
    NOBODY,
    SECOND_PERSON,
    TIMED,
    Mask,
    SomeTurns,
    TurnLayout,
)
from memnn.conversations.question import K1, B, Floats, TurnQuestion
from memnn.conversations.times_asked import said_in
from memnn.text.english import FUNCTION_WORDS

SCALE = 5.0
"""BM25 of a turn that fits well: features are then of about the same size."""
MOST_NAMED = 1_000
"""A word in the names of more speakers than this names none of them: "user"."""


class CandidateTurns:
    """Some turns, and what several features need of them.

    Of a small memory all turns are looked at together, as slices of what is there: that is quicker
    than to pick some.
    """

    def __init__(self, asked: TurnQuestion, places: Ints) -> None:
        self.asked = asked
        self.places = np.arange(asked.end) if asked.few else places
        self._at: slice | Ints = slice(0, asked.end) if asked.few else places
        self.chosen: slice | Ints = places if asked.few else slice(None)

    def measured(self, names: Iterable[str]) -> Floats:
        """(names, n): these features of the places that were given."""
        return self.all_measured(names)[:, self.chosen]

    def all_measured(self, names: Iterable[str]) -> Floats:
        """(names, N): the same of all turns that were looked at, of which some were `chosen`."""
        rows = [FEATURES[name](self) for name in names]
        values: Floats = np.array(rows).reshape(len(rows), len(self.places))
        return values

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
        """Which of them carry something by themselves; all, if none of the question does."""
        words = self.asked.words
        telling: Mask = self._counting & np.array(
            [w not in FUNCTION_WORDS for w in words], np.bool_
        )
        return telling if telling.any() or self._untold[1] else self._counting

    @cached_property
    def _untold(self) -> tuple[float, float]:
        """What the words weigh that were not told, and those of them that tell."""
        weights = {w: self.asked.rarest(w) for w in self.asked.untold}
        return sum(weights.values()), sum(x for w, x in weights.items() if w not in FUNCTION_WORDS)

    @property
    def untold_telling(self) -> float:
        """What the question's telling words weigh that nobody said …"""
        return self._untold[1]

    @property
    def weight_telling(self) -> float:
        """… and all of them, told or not."""
        return float((self.asked.idf * self._telling).sum()) + self._untold[1]

    def _bm25(self, counts: Floats, lengths: Floats, turns: int = 1) -> Floats:
        """(2, n): of texts of so many turns, by the words that count and by those that tell."""
        norm = K1 * (1 - B + B / (turns * self.asked.mean) * lengths)
        weight = self.asked.idf * ((K1 + 1) / SCALE)
        found: Floats = (
            np.array([self._counting, self._telling]) * weight @ (counts / (counts + norm))
        )
        return found

    def _counts(self, offset: int) -> Floats:
        """(words, n): how often each stands so many turns away, in the same talk or not."""
        if offset not in self._counted:
            self._counted[offset] = self.asked.counts(self.places, offset)
        return self._counted[offset]

    @cached_property
    def _counted(self) -> dict[int, Floats]:
        return {}

    def _there(self, offset: int) -> Mask:
        """Whether there is a turn of the same talk just before (-1) or after (1)."""
        return self._theres[0 if offset < 0 else 1]

    @cached_property
    def _theres(self) -> tuple[Mask, Mask]:
        if self.asked.few:
            return self.asked.layout.joined
        before, after = (self.asked.beside(self.places, self.places + o) for o in (-1, 1))
        return before, after

    def _beside(self, of_turns: Floats, offset: int) -> Floats:
        """(2, n): BM25 of the turn just before or after, 0 where that is not of the same talk."""
        there = self._there(offset)
        if not self.asked.few:
            lengths = self.asked.lengths(self.places, offset)
            return self._bm25(self._counts(offset), lengths) * there
        found = np.zeros_like(of_turns)
        if offset < 0:
            found[:, 1:] = of_turns[:, :-1]
        else:
            found[:, :-1] = of_turns[:, 1:]
        found *= there
        return found

    @cached_property
    def layout(self) -> TurnLayout | SomeTurns:
        if self.asked.few:
            return self.asked.layout
        return SomeTurns(self.asked.index, self.places, self._lengths, self._there(-1))

    @cached_property
    def _lengths(self) -> Floats:
        few = self.asked.few
        return self.asked.layout.lengths if few else self.asked.lengths(self.places)

    @cached_property
    def _turn(self) -> Floats:
        return self._bm25(self._counts(0), self._lengths)

    @cached_property
    def _window(self) -> Floats:
        counts = self._counts(0)
        for offset in (-1, 1):
            counts = counts + self._counts(offset) * self._there(offset)
        if self.asked.few:
            return self._bm25(counts, self.asked.layout.window_lengths, turns=3)
        beside = [self.asked.lengths(self.places, o) * self._there(o) for o in (-1, 1)]
        return self._bm25(counts, self._lengths + sum(beside), turns=3)

    @cached_property
    def turn(self) -> Floats:
        found: Floats = self._turn[0]
        return found

    @cached_property
    def window(self) -> Floats:
        found: Floats = self._window[0]
        return found

    @cached_property
    def previous(self) -> Floats:
        found: Floats = self._beside(self._turn, -1)[0]
        return found

    @cached_property
    def next(self) -> Floats:
        found: Floats = self._beside(self._turn, 1)[0]
        return found

    @cached_property
    def telling_turn(self) -> Floats:
        found: Floats = self._turn[1]
        return found

    @cached_property
    def telling_window(self) -> Floats:
        found: Floats = self._window[1]
        return found

    @cached_property
    def session(self) -> Floats:
        """BM25 of the whole session; 0 where none is named."""
        asked, index = self.asked, self.asked.index
        lengths = asked.layout.session_lengths
        n = len(lengths)
        if not n:
            return np.zeros(len(self.places))
        sessions = index.session[: asked.end]
        norm = K1 * (1 - B + B * lengths / max(lengths.mean(), 1.0))
        sizes = np.array([len(held.places) for held in asked.lists])
        telling = self._counting & (asked.few | (sizes * EVERYWHERE < asked.end))
        lists = [each[:2] for each, tells in zip(asked.lists, telling, strict=True) if tells]
        often = np.zeros((len(lists), n))
        if lists:  # the first column is for turns without a session
            places, counts = (np.concatenate(parts) for parts in zip(*lists, strict=True))
            rows = np.repeat(np.arange(len(lists)) * (n + 1), [len(each) for each, _ in lists])
            flat = np.bincount(rows + sessions[places] + 1, counts, len(lists) * (n + 1))
            often[:] = flat.reshape(len(lists), n + 1)[:, 1:]
        held = np.count_nonzero(often, axis=1)
        idf = np.log1p((n - held + 0.5) / (held + 0.5)) * ((K1 + 1) / SCALE)
        total = np.append(idf @ (often / (often + norm)), 0.0)  # the last: without a session
        found: Floats = total[sessions[self._at]]
        return found

    @cached_property
    def session_best(self) -> Floats:
        """How well the best turn of the session fits: what is asked was talked about there."""
        fits = self._left(self.telling_turn + self.telling_window / 2)
        sessions = self.asked.index.session[self._at]
        best = np.zeros(int(sessions.max(initial=-1)) + 2)
        np.maximum.at(best, sessions, fits)
        return np.where(sessions >= 0, best[sessions], fits)

    def _left(self, fits: Floats) -> Floats:
        """Nothing where a filter leaves a turn out, or it was superseded."""
        return fits if self.asked.left is None else fits * self.asked.left

    @cached_property
    def _held(self) -> Floats:
        """(words, n): 1 where the turn has the word."""
        return (self._counts(0) > 0).astype(np.float64)

    def _share(self, which: Mask, untold: float) -> Floats:
        idf = self.asked.idf * which
        found: Floats = (idf @ self._held) / max(float(idf.sum()) + untold, 1e-9)
        return found

    @cached_property
    def share(self) -> Floats:
        """Which share of the question's idf the turn has."""
        return self._share(self._counting, self._untold[0])

    @cached_property
    def telling_share(self) -> Floats:
        every = self._telling is self._counting
        return self._share(self._telling, self._untold[0 if every else 1])

    @cached_property
    def words_held(self) -> Floats:
        return np.log1p(self._telling.astype(np.float64) @ self._held)

    @cached_property
    def newer(self) -> Floats:
        """How well a newer one fits, as far as this one does: what it says may no longer hold. Of
        what nobody said: in talk, who speaks of the same again goes on with it."""
        fits = self._left(self.telling_share + self.near)
        newer = np.zeros(len(fits) + 1)
        newer[:-1] = np.maximum.accumulate(fits[::-1])[::-1]
        found: Floats = np.minimum(newer[1:], fits)
        return found

    @cached_property
    def nobodys(self) -> Floats:
        """1 where a statement was told that nobody said."""
        return self.layout.nobodys

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
        at = {word: i for i, word in enumerate(asked.words)}
        wanted = [
            word
            for word in (*asked.words, *asked.untold)
            if word not in index.named and word not in FUNCTION_WORDS
        ]
        known = index.meanings.near(wanted, index.rows)
        weights = np.array([asked.idf[at[w]] if w in at else asked.rarest(w) for w in wanted])
        weights /= weights.sum() + 1e-9
        if asked.few:
            both = weights @ asked.near(known, [at.get(word) for word in wanted])
            return np.array([both[:-1] * self._there(-1), both[1:]])
        near = np.zeros((2, len(self.places)))
        told = [j for j, word in enumerate(wanted) if word in at]
        for i, best in enumerate(asked.having(known, self.places)):  # each is (words, n)
            best[told] *= self._counts(i - 1)[[at[wanted[j]] for j in told]] == 0
            near[i] = weights @ best
        near[0] *= self._there(-1)
        return near

    @cached_property
    def near(self) -> Floats:
        found: Floats = self._near[1]
        return found

    @cached_property
    def near_previous(self) -> Floats:
        found: Floats = self._near[0]
        return found

    @cached_property
    def by_named(self) -> Floats:
        """1 where the question names who said it."""
        return (self.said_by_named > 0).astype(np.float64)

    @cached_property
    def by_another(self) -> Floats:
        """1 where the question names somebody, and another said it."""
        return (self.said_by_named < 0).astype(np.float64)

    @cached_property
    def said_by_named(self) -> Floats:
        """1 where the question names who said it, -1 where it names others, 0 for nobody's."""
        speakers = self.asked.index.speaker[self._at]
        named = set[int]().union(*self.named.values())
        if not named:
            return np.zeros(len(self.places))
        said = np.isin(speakers, list(named))
        return np.where(speakers == NOBODY, 0.0, np.where(said, 1.0, -1.0))

    def form(self, bit: int) -> Floats:
        """1 where the turn is put so."""
        return self.layout.forms[bit]

    @cached_property
    def time_named(self) -> Floats:
        """1 where the question asks for a time, and the turn speaks of one."""
        return self.form(TIMED) if self.asked.when else np.zeros(len(self.places))

    @cached_property
    def said_then(self) -> Floats:
        """1 where it was said at a time that the question names."""
        if not self.asked.times:
            return np.zeros(len(self.places))
        said = self.asked.index.said[self._at]
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
    "newer, nobody's": lambda c: c.newer * c.nobodys,
    "near words": lambda c: c.near,
    "near words, previous": lambda c: c.near_previous,
    "numbers missing": lambda c: c.numbers_missing,
    "best of the session": lambda c: c.session_best,
    "length": lambda c: c.layout.log_lengths,
    "length, squared": lambda c: c.layout.log_lengths**2,
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
    "answers": lambda c: c.layout.answers,
    "answers, words asked": lambda c: c.layout.answers * c.previous,
    "said then": lambda c: c.said_then,
    "time asked, named": lambda c: c.time_named,
}
"""By the names that weights and terms use."""


def measured(asked: TurnQuestion, places: Ints) -> Floats:
    """(features, n), in the order of `FEATURES`."""
    return CandidateTurns(asked, places).measured(FEATURES)
