"""What was told as a member: an ordinary sentence found by its words, the newest of those that have
the same words of the question."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.dialogue.match_features import (
    Inquiry,
    Rows,
    fit,
    matched_rows,
    rows_of,
)
from memnn.dialogue.member import Finding, Member, Request
from memnn.facts.filed import FilingReader
from memnn.facts.lookup import Lookup
from memnn.facts.model import FactsModel
from memnn.facts.reading import Reading
from memnn.kernels.arrays import Ints
from memnn.memory import Memory
from memnn.memory.follow import Following
from memnn.types import Answer, Comparison, Hop, Slot

DEPTH = 12
MOST_HELD = 5_000
"""Sentences with a word of the question that are looked at."""
TOLD_BOW = 2.0
"""λ of the bag-of-words term over ordinary sentences."""


def told_lookup(model: FactsModel) -> Lookup:
    """O over ordinary sentences: words count for more, since most have no embedding, and which part
    of a triple they stand in counts for nothing."""
    layout = replace(model.layout, match=False, patterns=False)
    return Lookup(model.dictionary, layout, model.U_O, bow=TOLD_BOW)


class _Candidate(NamedTuple):
    """A sentence that may be meant."""

    slot: Slot
    place: int
    matched: frozenset[int]
    """The words of the question that it has."""
    score: float


class ToldMember(Member):
    """Answers with a sentence that was told."""

    name = "told"

    def __init__(self, model: FactsModel) -> None:
        self.lookup = told_lookup(model)
        self._filed = Following(partial(FilingReader, model.dictionary))

    def find(self, request: Request, memory: Memory) -> Finding | None:
        """The sentence that was told, the newest of those that say the same of the same."""
        asked = request.inquiry
        reading, rows, places = self._holding(asked, request.until, memory)
        if not len(places):
            return None
        search = self.lookup.search_rows(rows.all, rows.unknown, reading, k=DEPTH, places=places)
        found = search.found
        matched = matched_rows(rows, reading, [f.place for f in found])
        ids = [f.place + 1 if reading.ids is None else int(reading.ids[f.place]) for f in found]
        candidates = [
            _Candidate(slot, f.place, words, f.score)
            for f, slot, words in zip(found, memory.read(ids), matched, strict=True)
        ]
        first = candidates[0]
        # Those that say something of the same: the newest has the last word.
        best = max((c for c in candidates if c.matched == first.matched), key=lambda c: c.slot.id)
        hop = _hop(best, [c for c in candidates if c is not best], first.score - best.score)
        answer = Answer(best.slot.text, best.score, evidence=(hop,), source=self.name)
        # What it supersedes is no rival.
        behind = [c.score for c in candidates if c is not best and c.matched != first.matched]
        gap = (first.score - max(behind)) / max(first.score, 1e-6) if behind else 1.0
        fitted = fit(
            self.lookup,
            reading,
            asked,
            rows,
            best.place,
            best.slot.text,
            best.score,
            gap * best.score,
        )
        return Finding(self.name, answer, fitted.fit._asdict(), fitted.unmatched)

    def follow(self, memory: Memory) -> None:
        if memory.keeps_parts:
            self._filed(memory)

    def _holding(
        self, asked: Inquiry, until: int, memory: Memory
    ) -> tuple[Reading, Rows, NDArray[np.int32]]:
        """The sentences with a word of the question, by their places in a reading."""
        if not memory.keeps_parts:
            reading, end = self.lookup.read(memory, until)
            rows = rows_of(asked, reading)
            places = telling([_before(reading.held_by(row), end) for row in rows.content])
            return reading, rows, places.astype(np.int32)
        filed = self._filed(memory)
        rows = rows_of(asked, filed.reading())
        end = int(filed.ids.searchsorted(until, side="right"))
        places = telling(filed.held_by(rows.content, end))
        return filed.reading(places.tolist()), rows, np.arange(len(places), dtype=np.int32)


def _before(held: Sequence[int], end: int) -> Ints:
    return np.array(held[: bisect_left(held, end)], np.int64)


def telling(lists: Sequence[Ints]) -> Ints:
    """What is on any of some lists, in order. Where that is much, the shortest lists are taken, and
    of a single one that is long the end: a word that very many sentences have tells them not
    apart."""
    taken: list[Ints] = []
    n = 0
    for each in sorted(lists, key=len):
        n += len(each)
        if taken and n > MOST_HELD:
            break
        if len(each):
            taken.append(each[-MOST_HELD:])
    if len(taken) < 2:
        return taken[0] if taken else np.zeros(0, np.int64)
    return np.unique(np.concatenate(taken))


def _hop(best: _Candidate, rivals: list[_Candidate], newest: float) -> Hop:
    """The sentence and the next best; being the newest is a term like any other."""
    if not rivals:
        return Hop(1, best.slot, best.score)
    rival = max(rivals, key=lambda c: c.score)
    content = best.score - rival.score
    terms = {"words": content, "write time": newest}
    return Hop(
        1, best.slot, best.score, Comparison(rival.slot, rival.score, content, newest, terms)
    )
