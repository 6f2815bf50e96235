"""A question as it meets a memory at one moment: its words, how rare they are there, and BM25.

idf is of this memory until this moment, so that it follows what is told, and the past stays as it
was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memnn.conversations.index import NEVER, Held, Ints, TurnIndex, lemmas_of
from memnn.conversations.layout import NOBODY, Places, TurnLayout, norms_of
from memnn.conversations.meanings import Near
from memnn.conversations.rarity import idf, rarest
from memnn.conversations.times_asked import MOST_YEARS, said_in, spans_asked
from memnn.text.times import TimeSpan, asked_unit, names_time
from memnn.text.tokens import words_1

Floats = NDArray[np.float64]
Allowed = Callable[[Ints], NDArray[np.bool_]]
"""Which of these places may be found."""

K1, B = 0.9, 0.4
"""Published defaults of BM25 for short passages (Anserini's): length says little about a turn."""
FEW_TURNS = 5_000
"""Up to so many, all are scored at once; of more, only those that may be among the best."""
YEAR = 365.2425 * 24 * 3600 * 1e6
"""Microseconds."""
MOST_THEN = 1_000
"""Turns said at a time that are looked at though they share no word with the question."""
LONG_LIST, MOST_COMPLETED = 50_000, 20_000
"""Turns with a word that are not looked through for the best so far, and turns that may be among
the best that are few enough to be looked up one by one."""


class TurnQuestion:
    """A question over the first `end` turns of an index; only words that stand there count."""

    def __init__(self, text: str, index: TurnIndex, end: int) -> None:
        self.text, self.index, self.end = text, index, end
        self.few = end <= FEW_TURNS
        self.words: list[str] = []
        """The question's lemmas that were told, the rarest first."""
        self.lists: list[Held] = []
        self.untold: list[str] = []
        """Its lemmas that were not told."""
        found = []
        words = dict.fromkeys(form for token in words_1(text) for form in lemmas_of(token))
        index.fetch(words)
        for word in words:
            listed = index.held_by(word, end)
            if len(listed.places):
                found.append((len(listed.places), word, listed))
            else:
                self.untold.append(word)
        found.sort(key=lambda each: each[0])
        for _, word, listed in found:
            self.words.append(word)
            self.lists.append(listed)
        held: Floats = np.array([size for size, _, _ in found], np.float64)
        self.idf: Floats = idf(self.words, held, end)
        self.mean = max(float(index.words_until(end)) / end, 1.0) if end else 1.0
        """Words of a turn on average."""
        self.left: NDArray[np.bool_] | None = None
        """Of a small memory: which turns a filter leaves, if it leaves some out."""

    @cached_property
    def times(self) -> list[TimeSpan]:
        """The times that the question names: most name none."""
        if not names_time(self.text):
            return []
        said = self.index.said[: self.end]
        newest = int(said.max(initial=NEVER))
        last = 1970 if newest == NEVER else int(newest / YEAR) + 1970
        today = datetime.now(UTC).date()
        years = [y for y in range(last - MOST_YEARS, last + 2) if MINYEAR < y < MAXYEAR]
        return spans_asked(self.text, years, today)

    @cached_property
    def when(self) -> bool:
        """Whether it asks for a time."""
        return asked_unit(self.text) is not None

    @cached_property
    def _table(self) -> Floats | None:
        """(words, 1 + end + 1): how often each word stands in each turn, if those are few."""
        if not self.few:
            return None
        table = np.zeros((len(self.words), self.end + 2))
        for row, held in zip(table, self.lists, strict=True):
            row[1:-1][held.places] = held.counts
        return table

    def counts(self, places: Ints, offset: int = 0) -> Floats:
        """(words, n): how often each word stands in each turn, or so many turns from it."""
        if self._table is not None and -1 <= offset <= 1:
            if len(places) == self.end:  # all of them, in order
                return self._table[:, 1 + offset : 1 + offset + self.end]
            return self._table[:, places + (1 + offset)]
        wanted = places + offset
        found = np.zeros((len(self.words), len(wanted)))
        for row, (held, counts, _) in zip(found, self.lists, strict=True):
            at = held.searchsorted(wanted)
            at[at == len(held)] = 0
            there = held[at] == wanted
            row[there] = counts[at[there]]
        return found

    def rarest(self, word: str) -> float:
        """The idf of a word that was not told."""
        return rarest(word, self.end)

    def near(self, known: Sequence[Near], held: Sequence[int | None]) -> Floats:
        """(words, 1 + end), of a small memory: the highest value of a word near to each one that
        the turn before a place holds, 0 where it holds none, or the word itself: `held` is its row
        among the question's words."""
        best = np.zeros((len(known), 1 + self.end))
        if known:
            rows, values = (np.concatenate(parts) for parts in zip(*known, strict=True))
            of = np.repeat(np.arange(len(known)), [len(rows) for rows, _ in known])
            self.index.fetch_rows(rows.tolist())
            having, sizes = self.index.lists_of(rows, self.end)
            best[np.repeat(of, sizes), 1 + having] = np.repeat(values, sizes)
        told = [i for i, row in enumerate(held) if row is not None]
        if told and self._table is not None:
            best[told] *= self._table[[row for row in held if row is not None], :-1] == 0
        return best

    def having(self, known: Sequence[Near], places: Ints) -> tuple[Floats, Floats]:
        """(words, n) for the turns before these and for these: the highest value of a word near
        to each one that the turn holds, 0 where it holds none."""
        wanted = np.concatenate([np.maximum(places - 1, 0), places])
        self.index.fetch_rows(row for rows, _ in known for row in rows.tolist())
        best = np.zeros((len(known), len(wanted)))
        for row, (rows, values) in zip(best, known, strict=True):
            for near, value in zip(rows.tolist(), values.tolist(), strict=True):
                held = self.index.list_of(near, self.end).places
                if len(held):
                    at = held.searchsorted(wanted)
                    at[at == len(held)] = 0
                    row[held[at] == wanted] = value
        return best[:, : len(places)], best[:, len(places) :]

    def lengths(self, places: Ints, offset: int = 0) -> Floats:
        """How many words each turn has, or the one so many turns from it; 0 beyond the ends."""
        wanted = places + offset
        inside = (wanted >= 0) & (wanted < self.end)
        wanted = np.where(inside, wanted, 0)
        known = self._known_sizes
        if known is None:
            return np.where(inside, self.index.lengths(wanted), 0.0)
        found = known[wanted].astype(np.float64)
        new = inside & (found == 0)
        found[new] = self.index.lengths(wanted[new])
        return np.where(inside, found, 0.0)

    @cached_property
    def _known_sizes(self) -> Places | None:
        """How many words the turns have that hold a word, where that is kept beside the lists."""
        known = None
        for places, _, sizes in self.lists:
            if sizes is not None:
                known = np.zeros(self.end, np.int32) if known is None else known
                known[places] = sizes
        return known

    def parts(self, counts: Floats, lengths: Floats, mean: float | None = None) -> Floats:
        """(words, n): BM25 word by word, of texts with these counts and lengths."""
        norm = K1 * (1 - B + B * lengths / (self.mean if mean is None else mean))
        return self.idf[:, None] * counts * (K1 + 1) / (counts + norm)

    def holding(self) -> Ints:
        """The places of all turns that hold a word of the question, in order."""
        if self.few:
            there = np.zeros(self.end, np.bool_)
            for held in self.lists:
                there[held.places] = True
            return np.flatnonzero(there)
        lists = [held.places.astype(np.int64) for held in self.lists]
        return np.unique(np.concatenate(lists)) if lists else np.zeros(0, np.int64)

    def holding_or_beside(self) -> Ints:
        """Of a small memory: these, their neighbours, and what was said at a time asked for."""
        held = np.zeros(self.end, np.bool_)
        for each in self.lists:
            held[each.places] = True
        before, after = self.layout.joined
        there = held.copy()
        there[1:] |= held[:-1] & before[1:]
        there[:-1] |= held[1:] & after[:-1]
        there[self.then()] = True
        return np.flatnonzero(there)

    @cached_property
    def layout(self) -> TurnLayout:
        """What of these turns depends on no question."""
        return self.index.layouts.of(self.index, self.end)

    def then(self) -> Ints:
        """The places of turns that were said at a time that the question names, the newest."""
        if not self.times:
            return np.zeros(0, np.int64)
        return np.flatnonzero(said_in(self.times, self.index.said[: self.end]))[-MOST_THEN:]

    def beside(self, places: Ints, others: Ints) -> NDArray[np.bool_]:
        """Whether these others are turns of the same talk: somebody's, in the same session."""
        index, inside = self.index, (others >= 0) & (others < self.end)
        others = np.where(inside, others, 0)
        spoken = (index.speaker[places] != NOBODY) & (index.speaker[others] != NOBODY)
        together = index.session[places] == index.session[others]
        found: NDArray[np.bool_] = inside & spoken & together
        return found

    def best(self, k: int, allowed: Allowed) -> Ints:
        """The places of the k turns with the highest BM25 that are allowed, in no order.

        Words are taken from the rarest on. Once the rest together cannot lift a turn that has none
        of them among the best, only turns that were seen are looked up in the rest.
        """
        if not self.words:
            return np.zeros(0, np.int64)
        if self._table is not None:
            lengths = self.index.lengths(np.arange(self.end))
            every = self.parts(self._table[:, 1:-1], lengths).sum(axis=0)
            found: Ints = np.flatnonzero(every)
            found = found[allowed(found)]
            return found if len(found) <= k else found[highest(every[found], found, k)]
        rest, scores = self._rest(), np.zeros(self.end)
        least = 0.0
        for done, (places, counts, sizes) in enumerate(self.lists, start=1):
            norm = self._norms(places, sizes)
            norm += counts
            added = np.divide(counts, norm, out=norm)
            added *= self.idf[done - 1] * (K1 + 1)
            np.add.at(scores, places, added)  # quicker than to read, add and write
            if done == len(self.lists):
                break
            if len(places) <= LONG_LIST:
                least = _least(scores, places.astype(np.int64), allowed, k, least)
            if least > rest[done]:
                found = np.flatnonzero(scores >= least - rest[done])
                if len(found) <= MOST_COMPLETED:
                    return self._completed(found[allowed(found)], k)
        found = np.flatnonzero(scores > 0 if not least else scores >= least)
        found = found[allowed(found)]
        return found if len(found) <= k else found[highest(scores[found], found, k)]

    def _norms(self, places: Places, sizes: Places | None) -> Floats:
        """What the lengths of these turns add to their counts."""
        least, each = K1 * (1 - B), K1 * B / self.mean
        if sizes is None:
            return self.layout.norms(least, each).take(places)
        return norms_of(sizes, least, each)

    def _rest(self) -> Floats:
        """The most that the words from each one on can add to a score together."""
        most = np.array([float(counts.max()) for _, counts, _ in self.lists])
        bounds = self.idf * most * (K1 + 1) / (most + K1 * (1 - B))
        return np.append(np.cumsum(bounds[::-1])[::-1], 0.0)

    def _completed(self, places: Ints, k: int) -> Ints:
        """The best of what was seen, with the words that were not read for all."""
        if len(places) <= k:
            return places
        full = self.parts(self.counts(places), self.lengths(places)).sum(axis=0)
        return places[highest(full, places, k)]


def _least(scores: Floats, places: Ints, allowed: Allowed, k: int, least: float) -> float:
    """A score that k allowed turns have at least: of those that hold the word read last."""
    if len(places) < k:
        return least
    held = places[allowed(places)]
    if len(held) < k:
        return least
    return max(least, float(np.partition(scores[held], len(held) - k)[len(held) - k]))


def highest(scores: Floats, places: Ints, k: int) -> Ints:
    """Which k are the highest, the highest first; of equal ones the newest."""
    if len(scores) <= k:
        return np.lexsort((-places, -scores))
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    high: Ints = np.flatnonzero(scores >= least)
    return high[np.lexsort((-places[high], -scores[high]))[:k]]
