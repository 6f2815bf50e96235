"""What was told as a member: an ordinary sentence found by its words, the newest where two differ.

Until these weights are learned they are set by hand, each a share of the best score.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from memnn.dialogue.match_features import (
    fit,
    kind,
    matched_rows,
    missing_names,
    rows_of,
    topic,
    traits,
)
from memnn.dialogue.member import Finding, Member, Request
from memnn.facts.lookup import Lookup
from memnn.facts.model import FactsModel
from memnn.memory import Memory
from memnn.text.lemmas import near
from memnn.types import Answer, Comparison, Hop, Slot

CLOSE = 0.35
"""A newer sentence with the same words of the question wins if its score is less than this share
behind: then the two say different things of the same, and the older no longer holds."""
DEPTH = 12
TOLD_BOW = 2.0
"""λ of the bag-of-words term over ordinary sentences."""
FITTING_KIND, OTHER_NAME, OTHER_THING, TOPIC = 0.2, 0.3, 0.3, 0.1
"""What it counts among sentences, as a share of the best score: that a question for a time, place
or number finds one; that it names someone, or speaks of something, that the sentence does not have;
and that it has the sentence's first word."""
TERMS = ("words", "kind", "names", "things", "topic")
"""What the score of a sentence is the sum of."""
REACH = CLOSE + 2 * FITTING_KIND + OTHER_NAME + OTHER_THING + TOPIC
"""What is further behind than this share of the best score cannot be the answer."""


def told_lookup(model: FactsModel) -> Lookup:
    """O over ordinary sentences: words count for more, since most have no embedding, and which part
    of a triple they stand in counts for nothing."""
    layout = replace(model.layout, match=False, patterns=False)
    return Lookup(model.dictionary, layout, model.U_O, bow=TOLD_BOW)


class _Candidate(NamedTuple):
    """A sentence, and what its score is the sum of."""

    slot: Slot
    place: int
    matched: frozenset[int]
    """The words of the question that it has."""
    terms: tuple[float, ...]
    """By the names of `TERMS`."""
    score: float
    """Their sum."""


class ToldMember(Member):
    """Answers with a sentence that was told."""

    name = "told"

    def __init__(self, model: FactsModel) -> None:
        self.lookup = told_lookup(model)

    def find(self, request: Request, memory: Memory) -> Finding | None:
        """The sentence that was told, the newest of those that say the same of the same."""
        asked = request.inquiry
        reading, end = self.lookup.read(memory, request.until)
        rows = rows_of(asked, reading)
        places = reading.holding(rows.content, end)
        if not len(places):
            return None
        search = self.lookup.search_rows(rows.all, rows.unknown, reading, k=DEPTH, places=places)
        best_score = search.found[0].score
        reach = best_score - REACH * abs(best_score)
        found = [f for f in search.found if f.score >= reach]
        matched = matched_rows(rows, reading, [f.place for f in found])
        row = reading.words.row
        things = [{row.get(near(word, row), -1) for word in thing} for thing in asked.things]
        if things:  # what has none of the things that the question is about says nothing of them
            about = set().union(*things)
            kept = [i for i, words in enumerate(matched) if words & about]
            found, matched = [found[i] for i in kept], [matched[i] for i in kept]
            if not found:
                return None
        ids = [f.place + 1 if reading.ids is None else int(reading.ids[f.place]) for f in found]
        size = abs(found[0].score)
        candidates = []
        for f, slot, words in zip(found, memory.read(ids), matched, strict=True):
            told = traits(slot.text)
            terms = (
                f.score,
                size * FITTING_KIND * kind(asked, told),
                -size * OTHER_NAME * missing_names(asked, told),
                -size * OTHER_THING * sum(words.isdisjoint(t) for t in things),
                size * TOPIC * (topic(reading, f.place) in words),
            )
            candidates.append(_Candidate(slot, f.place, words, terms, sum(terms)))
        first = max(candidates, key=lambda c: c.score)
        # Those that are close and say something of the same: the newest has the last word.
        close = [c for c in candidates if c.score >= first.score - CLOSE * size]
        best = max((c for c in close if c.matched == first.matched), key=lambda c: c.slot.id)
        newest = CLOSE * size if best is not first else 0.0
        hop = _hop(best, [c for c in candidates if c is not best], newest)
        score = best.terms[0]
        answer = Answer(best.slot.text, score, evidence=(hop,), source=self.name)
        # What it supersedes is no rival.
        behind = [c.score for c in candidates if c is not best and c.matched != first.matched]
        gap = (first.score - max(behind)) / max(first.score, 1e-6) if behind else 1.0
        fitted = fit(
            self.lookup, reading, asked, rows, best.place, best.slot.text, score, gap * score
        )
        return Finding(self.name, answer, fitted.fit._asdict(), fitted.unmatched)


def _hop(best: _Candidate, rivals: list[_Candidate], newest: float) -> Hop:
    """The sentence and the next best; being the newest is a term like any other."""
    if not rivals:
        return Hop(1, best.slot, best.score)
    rival = max(rivals, key=lambda c: c.score)
    ahead = [mine - its for mine, its in zip(best.terms, rival.terms, strict=True)]
    content = sum(ahead)
    terms = {name: value for name, value in zip(TERMS, ahead, strict=True) if value}
    terms["write time"] = newest
    return Hop(
        1, best.slot, best.score, Comparison(rival.slot, rival.score, content, newest, terms)
    )
