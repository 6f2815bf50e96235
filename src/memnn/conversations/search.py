"""Search: the turns that answer a question, among those that a filter leaves."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.conversations.declining import default_declining
from memnn.conversations.index import NEVER, Ints, TurnIndex, as_text, micros
from memnn.conversations.layout import NOBODY
from memnn.conversations.learning import Learnt, forget, learn, learnt_scorer
from memnn.conversations.question import Floats, TurnQuestion, highest
from memnn.conversations.scoring import Terms, TurnScorer, default_scorer
from memnn.conversations.turn_reader import TurnReader
from memnn.errors import InputError
from memnn.memory import AsOf, Memory, resolve_as_of
from memnn.memory.by_memory import ByMemory
from memnn.memory.follow import Following, at_one_moment
from memnn.memory.present import hidden
from memnn.memory.protocol import check_text, parse_time
from memnn.memory.turns import meta_text
from memnn.types import FoundSlot
from memnn.types.found import FoundSlots

MOST_FOUND = 1_000
MOST_NEIGHBOURS = 10
LOOK_AGAIN = 1.0
"""Seconds after which another process may have learnt something."""
READ_AT_ONCE = 32
"""Notes that a reader looks at: all of a small memory, the best of a larger one."""
EVEN = 0.5
"""Rather an answer than none."""
UNLIKELY = 8.0
"""Less probable than by this power of e is as good as not read."""
AS_READ = "as read"
Moment = str | datetime | None
Reads = Callable[[str, Memory, Ints, AsOf], tuple[Floats, float]]
"""How much each of some statements, by their ids, seems to be the one that answers a question, as
logarithms, and how probable it is that any does."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Filter:
    """What may be found. `since` and `until` are of the time said, or written where none is."""

    as_of: AsOf = None
    since: Moment = None
    until: Moment = None
    speaker: str | None = None
    meta: Mapping[str, Any] | None = None
    history: bool = False
    """Whether what was superseded may be found, too."""


class Finder:
    """Finds turns in any number of memories, from any number of threads."""

    def __init__(self, scorer: TurnScorer | None = None, reads: Reads | None = None) -> None:
        self._given, self._reads = scorer, reads
        self._indices = Following(TurnReader)
        self._learnt: ByMemory[tuple[float, TurnScorer]] = ByMemory()

    def __reduce__(self) -> tuple[type[Finder], tuple[TurnScorer | None, Reads | None]]:
        return Finder, (self._given, self._reads)  # another process reads its memories itself

    def scorer(self, memory: Memory) -> TurnScorer:
        """The one that was given, or what the memory has learnt, looked up now and then."""
        if self._given is not None:
            return self._given
        known = self._learnt.get(memory)
        if known is None or monotonic() - known[0] > LOOK_AGAIN:
            known = self._learnt[memory] = monotonic(), learnt_scorer(memory, default_scorer())
        return known[1]

    def follow(self, memory: Memory) -> None:
        """Read on in a memory before it is asked for."""
        self._indices(memory)

    def learn(self, memory: Memory) -> Learnt:
        """Learn from a memory's lessons, see `learning`."""
        try:
            return learn(memory, self._indices(memory), default_scorer())
        finally:
            self._learnt.pop(memory)

    def unlearn(self, memory: Memory) -> None:
        """Go back to the shipped weights; lessons stay."""
        forget(memory)
        self._learnt.pop(memory)

    def __call__(
        self,
        memory: Memory,
        question: str,
        k: int = 10,
        which: Filter = Filter(),  # noqa: B008 it is frozen
        neighbours: int = 0,
    ) -> FoundSlots:
        """The k turns that fit a question best, the best first; of equal ones the newest."""
        check_text(question)
        _check_number("k", k, 1, MOST_FOUND)
        _check_number("neighbours", neighbours, 0, MOST_NEIGHBOURS)
        return at_one_moment(memory, lambda: self._find(memory, question, k, which, neighbours))

    def _find(
        self, memory: Memory, question: str, k: int, which: Filter, neighbours: int
    ) -> FoundSlots:
        index = self._indices(memory)
        end = _end(memory, index, which.as_of)
        asked = TurnQuestion(question, index, end)
        passing = _Passing(memory, index, end, which)
        if asked.few and not passing.everything:
            asked.left = passing(np.arange(end))
        scorer = self.scorer(memory)
        places = self._candidates(asked, k, passing, scorer)
        terms_of = scorer(asked, places)
        scores = terms_of.scores()
        read, answers = np.zeros(len(places)), None
        if self._reads is not None and scorer.read:
            read, answers = self._as_read(self._reads, memory, asked, which, places, scores)
            read = scorer.read * read
        order = highest(scores + read, places, k)
        if asked.few and answers is not None and answers < EVEN:  # by its words alone
            order = order[np.isin(places[order], asked.holding_or_beside())]
        slots = memory.read(index.ids[places[order]].tolist())
        found = FoundSlots()
        found.probability = _probability(terms_of, scorer) if answers is None else answers
        columns = terms_of.of(order).T.tolist()
        for slot, place, column, added in zip(
            slots, places[order], columns, read[order].tolist(), strict=True
        ):
            terms = {name: v for name, v in zip(terms_of.names, column, strict=True) if v}
            if added:
                terms[AS_READ] = added
            near = passing.beside(int(place), neighbours) if neighbours else []
            beside = tuple(memory.read(near)) if near else ()
            found.append(FoundSlot(slot, sum(terms.values()), terms, beside))
        return found

    @staticmethod
    def _as_read(
        reads: Reads, memory: Memory, asked: TurnQuestion, which: Filter, places: Ints,
        scores: Floats,
    ) -> tuple[Floats, float | None]:  # fmt: skip
        """What a reader says of the best, if they are statements that nobody said, as notes are: it
        has learnt from such. 0 is said of all others."""
        read, answers = np.zeros(len(places)), None
        best = np.sort(highest(scores, places, READ_AT_ONCE))
        if len(best) and (asked.index.speaker[places[best]] == NOBODY).all():
            ids = asked.index.ids[places[best]]
            found, answers = reads(asked.text, memory, ids, which.as_of)
            read[best] = np.maximum(found + UNLIKELY, 0.0)
        return read, answers

    def _candidates(
        self, asked: TurnQuestion, k: int, passing: _Passing, scorer: TurnScorer
    ) -> Ints:
        """What the scorer is to look at: turns that share a word with the question, the best of
        them where they are many, and what was told next to them; few notes that can be read are
        looked at whatever words they have."""
        wants = scorer.wants
        if not wants:
            return asked.best(k, passing)
        if asked.few:
            places = asked.holding_or_beside()
            if self._reads is not None and scorer.read and asked.end <= READ_AT_ONCE:
                notes = asked.index.speaker[: asked.end] == NOBODY
                places = np.arange(asked.end) if notes.all() else places
            return places[passing(places)]
        best = asked.best(max(wants, k), passing)
        asked.index.fetch_turns(best)
        near = [(best + offset)[asked.beside(best, best + offset)] for offset in (-1, 1)]
        places = np.unique(np.concatenate([best, asked.then(), *near]))
        return places[passing(places)]


def _probability(terms: Terms, scorer: TurnScorer) -> float | None:
    """That something answers, by the weights that this was learnt with, whatever ranked the turns:
    those that lessons changed have another scale."""
    shipped = default_scorer()
    if scorer is not shipped and terms.weights is not None:
        weights = np.array([shipped.weights.get(name, 0.0) for name in terms.names])
        terms = terms._replace(weights=weights)
    return default_declining()(terms)


class _Passing:
    """Which places a filter leaves."""

    def __init__(self, memory: Memory, index: TurnIndex, end: int, which: Filter) -> None:
        self.index, self.end, self.which = index, end, which
        gone = () if which.history else hidden(memory, which.as_of)
        self.hidden: Ints = index.ids.searchsorted(np.array(sorted(gone), np.int64))
        self.speaker = None
        if which.speaker is not None:
            self.speaker = index.speakers.get(which.speaker, -2)
        self.since, self.written_since = _bound(memory, index, which.since, later=False)
        self.until, self.written_until = _bound(memory, index, which.until, later=True)
        self.meta = None if which.meta is None else _holding(index, which.meta, end)

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        bounds = (self.speaker, self.meta, self.since, self.until)
        return not len(self.hidden) and all(each is None for each in bounds)

    def __call__(self, places: Ints) -> NDArray[np.bool_]:
        left = np.ones(len(places), np.bool_)
        if len(self.hidden):
            left &= ~np.isin(places, self.hidden)
        if self.speaker is not None:
            left &= self.index.speaker[places] == self.speaker
        if self.meta is not None:
            left &= np.isin(places, self.meta)
        if self.since is not None or self.until is not None:
            said = self.index.said[places]
            unsaid = said == NEVER
            if self.since is not None:
                left &= np.where(unsaid, places >= self.written_since, said >= self.since)
            if self.until is not None:
                left &= np.where(unsaid, places < self.written_until, said <= self.until)
        return left

    def beside(self, place: int, most: int) -> list[int]:
        """The ids of what was told just before and after, in the same session."""
        near: Ints = np.arange(max(place - most, 0), min(place + most + 1, self.end))
        near = near[(near != place) & ~np.isin(near, self.hidden)]
        near = near[self.index.session[near] == self.index.session[place]]
        ids: list[int] = self.index.ids[near].tolist()
        return ids


def _end(memory: Memory, index: TurnIndex, as_of: AsOf) -> int:
    """How many turns there were at a moment."""
    limit = resolve_as_of(as_of)
    if limit is None:
        return len(index)
    if isinstance(limit, str):
        ids = memory.candidates(limit)
        limit = int(ids[-1]) if len(ids) else 0
    return int(index.ids.searchsorted(limit, side="right"))


def _bound(
    memory: Memory, index: TurnIndex, moment: Moment, *, later: bool
) -> tuple[int | None, int]:
    """A bound in microseconds, and the place that it is among times of writing."""
    if moment is None:
        return None, 0
    when = moment_of(moment, later=later)
    if later:
        return micros(when), _end(memory, index, when)
    if when <= datetime.min.replace(tzinfo=UTC):
        return micros(when), 0
    return micros(when), _end(memory, index, when - timedelta(microseconds=1))


def moment_of(moment: str | datetime, *, later: bool = False) -> datetime:
    """A time; a mere date is its first moment in UTC, or its last."""
    if isinstance(moment, str) and _DAY.fullmatch(moment.strip()):
        moment = moment.strip() + ("T23:59:59.999999Z" if later else "T00:00:00Z")
    try:
        when = parse_time(moment) if isinstance(moment, str) else moment
        if not isinstance(when, datetime) or when.tzinfo is None:
            raise InputError
        return when.astimezone(UTC)
    except (InputError, OverflowError):
        raise InputError(
            f"'{str(moment)[:40]}' is not a time; "
            "give a date such as 2023-05-08, or an RFC 3339 time"
        ) from None


def _holding(index: TurnIndex, meta: Mapping[str, Any], end: int) -> Ints:
    """The places whose JSON has all of these values."""
    meta_text(meta)  # refuses what is no JSON
    found: Ints | None = None
    for key, value in meta.items():
        held: Ints = np.array(index.meta.get((key, as_text(value)), ()), np.int64)
        held = held[: int(held.searchsorted(end))]
        found = held if found is None else np.intersect1d(found, held)
    return np.arange(end) if found is None else found


def _check_number(name: str, value: int, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{name} must be a whole number from {least} to {most:,}")
