"""O on a huge memory (§2): look only at the part that the question is about.

A hop reads the memories in the buckets of some names and walks over these alone. That the walk over
everything would end at the same support is proved for every hop, by what `pattern_bounds` knows of
the memories that were not read. With F = c + f and G = c - g as in `walk` of the kernels, and
β at least the content of every memory that was not read, t is the winner of both walks if

  1. β + f <= G_t on every side where unread memories newer than t may be: none of them beats t;
  2. F_t > β - g on every side where unread ones older than t may be: t beats each of them;
  3. F_t > G_i for all i read before t on a side where being newer hurts (f + g < 0).

For let i be the winner of the full walk when it comes to t. If i was not read, t beats it by 2. If
it was, then in the walk over what was read i took over, too, so that t beats it there and here; or
i lost to a winner b, G_i <= F_i <= G_b where being newer does not hurt, and whatever deposed b
there, be it t or one before t, beats i as well. After t nothing read beats it, nor others, by 1.

Where the proof fails the name that spoils it joins the buckets. When that leads nowhere, everything
is walked over: `Output.widened` says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.phi import M, T
from memnn.kernels.story_infer import (
    Doubles,
    Flags,
    add_input,
    by_side,
    most_content,
    score_bags,
    walk,
)
from memnn.layout import Layout
from memnn.memory import AsOf, Memory, resolve_as_of
from memnn.memory.follow import Following
from memnn.stories.contexts import Lexicon
from memnn.stories.dictionary import Dictionary
from memnn.stories.overview import Overview, OverviewReader
from memnn.stories.recipe import Recipe
from memnn.stories.superseding import Superseding
from memnn.stories.supports import Supports
from memnn.types import Hop, Output, Question

FIRST_LOOK = 256
"""How many of the newest memories of the buckets are read first; then twice as many."""
MOST_NAMES, MOST_READ, MOST_SHARE = 64, 4096, 0.02
"""Beyond these the full walk is cheaper than the proof that it is not needed."""
SLACK = 1e-4
"""Bounds and contents are sums in different orders: what is closer than this is not proved."""
BEFORE, AT, AFTER = range(3)


class Organised(Supports):
    """The same supports as the full walk, from a small part of the memory."""

    def __init__(
        self,
        dictionary: Dictionary,
        layout: Layout,
        U_O: Floats,
        recipe: Recipe,
        superseding: Superseding | None = None,
    ) -> None:
        super().__init__(dictionary, layout, U_O, recipe, superseding)
        self.overview = Following(partial(OverviewReader, dictionary, recipe))
        """The memory from afar, at one moment."""

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> Output:
        output = None if self.dictionary.indices else self._look(question, memory, as_of)
        if output is not None:
            return output
        return replace(super().__call__(question, memory, as_of), widened=True)

    def _look(self, question: Question, memory: Memory, as_of: AsOf) -> Output | None:
        """What the buckets prove; None where they do not."""
        view = self.overview(memory)
        last = _last(view, memory, as_of)
        if not view.first_id or view.first_id > last:
            return Output(question, ())
        lexicon = view.lexicon
        if lexicon.unseen and last < view.last_id:
            lexicon = self.overview.use(memory, lambda reader: reader.lexicon.until(last))
        question = Question(question.text, last + 1)
        x = np.array(lexicon.tokens(question.text), np.int64)
        missing = view.mentioned.missing(x.tolist(), last, self.dictionary)
        if missing or lexicon.unknown(question.text):
            return Output(question, (), missing, lexicon)  # R will say so, whatever was told
        search = _Search(self, memory, view, lexicon, question, x)
        hops: list[Hop] = []
        for _ in range(self.recipe.hops):
            hop = search.hop(len(hops) + 1)
            if hop is None:
                return None
            if hops and hop.id == hops[-1].id:
                break  # the same support again means stop
            hops.append(hop)
        return Output(question, tuple(hops), (), lexicon, looked_at=len(search.bags))

    def follow(self, memory: Memory) -> None:
        self.overview(memory)

    def prepare(self, memory: Memory) -> None:
        """Let the memory keep its overview, so that the next process answers at once."""
        self.overview.use(memory, lambda reader: reader.keep(memory))


def _last(view: Overview, memory: Memory, as_of: AsOf) -> int:
    """The id of the last memory that may be seen, or of one after it that is not there.

    What others told since the view was read came after the question.
    """
    limit = resolve_as_of(as_of)
    if isinstance(limit, str):
        ids = memory.candidates(as_of)
        limit = int(ids[-1]) if len(ids) else 0
    return view.last_id if limit is None else min(limit, view.last_id)


class _Search:
    """The hops of one question, and all that was read for them."""

    def __init__(
        self,
        O: Organised,  # noqa: E741
        memory: Memory,
        view: Overview,
        lexicon: Lexicon,
        question: Question,
        x: Ints,
    ) -> None:
        self.O, self.view, self.lexicon, self.question, self.x = O, view, lexicon, question, x
        self.memory, self.patterns = memory, view.patterns
        self.last = (question.id or 1) - 1
        self.contexts = lexicon.contexts()
        self.p = O._asked(x, self.contexts)
        self.supports: list[Ints] = []
        self.o: int | None = None
        self.bags: dict[int, Ints] = {}

    def hop(self, number: int) -> Hop | None:
        """The next support, or None where it cannot be proved."""
        O = self.O  # noqa: E741
        scores = _Scores(
            O._scores(self.p, self.x, self.supports, self.contexts),
            O.mode,
            self.p[O.columns[T] : O.columns[T] + 3] if O.columns[T] >= 0 else np.zeros(3, "f4"),
        )
        asked = self.view.names([self.x, *self.supports])
        barred = np.zeros(len(scores.e), np.bool_)
        most, _ = self._most(scores, barred)  # the content of what is in the buckets, but unread
        buckets: list[str] = []
        spoilers = asked
        while len(buckets) < MOST_NAMES:
            spoilers = [name for name in spoilers if not barred[name]]
            if not spoilers:
                return None
            rarest = min(spoilers, key=lambda name: self.view.mentions.get(name, 0))
            barred[rarest] = True
            buckets.append(self._bucket(rarest))
            ids = self.memory.candidates(self.last, buckets)
            if not self._holds(ids, rarest):
                return None
            if O.superseding is not None:
                ids = ids[O.superseding.standing(self.question.text, self.memory, ids, self.last)]
            walked = self._walk(ids, scores, most)
            if walked is None:
                return None
            outside, spoilers = self._most(scores, barred)
            if walked.beats(outside, newer=walked.t < self.last):
                return self._found(number, walked)
        return None

    def _most(self, scores: _Scores, barred: Flags) -> tuple[float, list[int]]:
        """β of the memories that no barred name is in, and the names in the one that has it."""
        spoilers = np.empty(100, np.int64)
        most, n = most_content(scores.e, barred, *self.patterns, spoilers)
        return most, spoilers[:n].tolist()

    def _bucket(self, name: int) -> str:
        words = self.O.dictionary.words
        own = name - len(self.O.dictionary)
        return words[name] if own < 0 else self.lexicon.words[own].lower()

    def _holds(self, ids: Ints, name: int) -> bool:
        """Whether the first statement that names it is there; else its bucket cannot be trusted."""
        first = self.view.mentioned.get(name, self.last + 1)
        place = int(np.searchsorted(ids, first))
        return first > self.last or (place < len(ids) and int(ids[place]) == first)

    def _walk(self, ids: Ints, scores: _Scores, most: float) -> _Walked | None:
        """Algorithm 1 over the newest of these memories: so many that no other can matter."""
        n = FIRST_LOOK
        while True:
            read = ids[-n:]
            if self.o is not None:
                read = np.union1d(read, [self.o])
            if not len(read):
                return None
            walked = self._walk_over(read, scores)
            unread = ids[:-n]
            if len(self.bags) > max(MOST_READ, MOST_SHARE * len(self.memory)):
                return None
            if not len(unread) or walked.beats(most, newer=bool(unread[-1] > walked.t)):
                return walked if walked.in_order() else None
            n *= 2

    def _walk_over(self, read: Ints, scores: _Scores) -> _Walked:
        self._read(read)
        bags = [self.bags[id] for id in read.tolist()]
        ptr = np.zeros(len(bags) + 1, np.int64)
        np.cumsum([len(bag) for bag in bags], out=ptr[1:])
        c = np.empty(len(bags), np.float32)
        score_bags(c, scores.e, ptr, np.concatenate(bags))
        o = len(read) if self.o is None else int(np.searchsorted(read, self.o))
        found, numbers = np.empty(2, np.int64), np.empty(3, np.float64)
        walk(c, np.arange(len(c), dtype=np.int32), o, scores.mode, scores.w, found, numbers)
        return _Walked(read, c, o, scores, found, numbers)

    def _read(self, ids: Ints) -> None:
        new = [id for id in ids.tolist() if id not in self.bags]
        as_sets = self.O.recipe.as_sets
        for slot in self.memory.read(new):
            tokens = self.lexicon.tokens(slot.text)
            # As `stories.bags` has them, so that sums come out the same to the last bit.
            self.bags[slot.id] = np.array(sorted(set(tokens) if as_sets else tokens), np.int64)

    def _found(self, number: int, walked: _Walked) -> Hop:
        O = self.O  # noqa: E741
        (hop,) = O._hops(self.memory, walked.read, walked.found[None], walked.numbers[None])
        self.o = hop.id
        self.supports.append(self.bags[hop.id])
        add_input(self.p, O.A, O.blocks, M, self.supports[-1], self.contexts)
        return replace(hop, hop=number)


class _Scores:
    """What decides a hop: the scores e of tokens, the weights w of time and what they come to."""

    def __init__(self, e: Floats, mode: int, w: Floats) -> None:
        self.e, self.mode, self.w = e, mode, w.copy()
        self.f, self.g = by_side(mode, self.w)


@dataclass(frozen=True)
class _Walked:
    """A walk over what was read, and what of the proof above can be said of its winner t."""

    read: Ints
    c: Floats
    o: int
    """The place of the last support, or the number of memories for a question."""
    scores: _Scores
    found: Ints
    numbers: Doubles

    @property
    def t(self) -> int:
        return int(self.read[self.found[0]])

    @property
    def _side(self) -> int:
        place = self.found[0]
        return BEFORE if place < self.o else AT if place == self.o else AFTER

    def beats(self, most: float, *, newer: bool) -> bool:
        """Sentences 1 and 2 for unread memories of at most this content.

        `newer` says that some may be newer than t; some may always be older.
        """
        f, g, t = self.scores.f, self.scores.g, self.found[0]
        F, G = self.c[t] + f[self._side], self.c[t] - g[self._side]
        asked = self.o == len(self.read)  # the question itself: nothing is after it
        above = [BEFORE] if asked else [BEFORE, AFTER] if t < self.o else [AFTER]
        below = [BEFORE, AFTER] if t > self.o else [BEFORE]
        return not (newer and any(most + f[s] > G - SLACK for s in above)) and all(
            most - g[s] < F - SLACK for s in below
        )

    def in_order(self) -> bool:
        """Sentence 3."""
        f, g, t = self.scores.f, self.scores.g, self.found[0]
        place = np.arange(t)
        side = np.where(place < self.o, BEFORE, np.where(place == self.o, AT, AFTER))
        hurt = (f + g)[side] < 0
        G = self.c[:t][hurt] - g[side][hurt]
        return bool((self.c[t] + f[self._side] - SLACK > G).all())
