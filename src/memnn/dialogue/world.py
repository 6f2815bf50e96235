"""The world's facts as a member: what everybody knows, found by its words and its question.

The network finds a few facts, a ranking by all that speaks for each (`ranking`) chooses among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from memnn.dialogue.kinds import OBJECT, SUBJECT, Kinds
from memnn.dialogue.match_features import fit, rows_of
from memnn.dialogue.member import Finding, Member, Request
from memnn.dialogue.ranking import Ranking
from memnn.dialogue.world_features import (
    Asking,
    WorldFact,
    ask_of,
    asked_with,
    meanings,
    part_of,
    world_features,
)
from memnn.facts.index import FactIndex, in_memory
from memnn.facts.model import FactsModel
from memnn.facts.triples import Triple
from memnn.kernels.arrays import Ints
from memnn.memory import Memory
from memnn.types import Answer, Comparison, Hop, Slot

MANY = 150
"""How many facts of the world are looked at, unless the rarest word alone is in more."""
RANKED = 5
"""How many of them are ranked."""
LEAD = 6.0
"""From here on one fact is as far before the others as can be."""
WORLD_TIME = "2014-10-15T00:00:00.000000Z"
"""World facts were not told; they have the date of the paper."""


class Candidate(NamedTuple):
    """A fact that may be asked for."""

    slot: Slot
    score: float
    """Of the network."""
    features: dict[str, float]
    unmatched: tuple[str, ...]


class WorldMember(Member):
    """Answers with a fact that came with the network, whatever was told."""

    name = "world"

    def __init__(
        self,
        model: FactsModel,
        triples: Sequence[Triple],
        asking: Asking,
        kinds: Kinds | None = None,
        ranking: Ranking | None = None,
    ) -> None:
        self.lookup, self.asking = model.lookup(), asking
        self.dictionary = model.dictionary
        self.kinds, self.ranking = kinds, ranking or {}
        self._model, self._triples = model, triples
        self._known: dict[int, WorldFact] = {}
        self._places = {relation: i for i, relation in enumerate(asking)}
        self._asked_with = asked_with(asking)

    @cached_property
    def facts(self) -> FactIndex:
        """Made when the world is first asked: many a talk never does."""
        return in_memory(self._model, self._triples, WORLD_TIME)

    @cached_property
    def _weights(self) -> dict[str, float]:
        """What the words weigh that the network knows."""
        return dict(zip(self.dictionary.words, self.dictionary.weights, strict=True))

    def find(self, request: Request, memory: Memory) -> Finding | None:
        found = self.candidates(request)
        return finding(found, self.ranking) if found else None

    def candidates(self, request: Request) -> list[Candidate]:
        """The facts that the network finds, the best first."""
        if request.personal:
            return []
        asked = request.inquiry
        reading = self.facts.reading(self.dictionary)
        rows = rows_of(asked, reading)
        places = reading.holding(_telling(rows.content, reading.frequency), len(reading))
        if not len(places):
            return []
        k = RANKED if self.ranking or self.kinds is not None else 2
        found = self.lookup.search_rows(rows.all, rows.unknown, reading, k=k, places=places).found
        about = ask_of(asked, self._weights, self.kinds, self._asked_with)
        candidates = []
        for place, score in found:
            known = self._know(place)
            others = (
                found[1].score if place == found[0].place and len(found) > 1 else found[0].score
            )
            gap = score - others if len(found) > 1 else 1.0
            fitted = fit(
                self.lookup, reading, asked, rows, place, known.slot.text, score, gap, known.usual
            )
            features = fitted.fit._asdict() | world_features(about, known)
            candidates.append(Candidate(known.slot, score, features, fitted.unmatched))
        return candidates

    def _know(self, place: int) -> WorldFact:
        """A fact of the world, and how it is asked for."""
        known = self._known.get(place)
        if known is None:
            triple, normal = self.facts.triple(place), self.dictionary.normal
            usual = self.asking.get(triple.relation, {})
            subject, relation, object = (list(dict.fromkeys(normal(part))) for part in triple)
            kind = " ".join(normal(triple.relation))
            of = {} if self.kinds is None else self.kinds.place
            known = self._known[place] = WorldFact(
                Slot(place + 1, str(triple), WORLD_TIME, self.name),
                frozenset([*subject, *object]),
                frozenset([*subject, *relation, *object]),
                self._places.get(triple.relation, -1),
                {**dict.fromkeys(relation, 0.0), **usual},
                (part_of(subject, self._weights), part_of(object, self._weights)),
                meanings(dict.fromkeys([*subject, *relation, *object])),
                (of.get((kind, SUBJECT), -1), of.get((kind, OBJECT), -1)),
            )
        return known


def finding(found: Sequence[Candidate], ranking: Ranking) -> Finding:
    """The candidate that most speaks for; without a ranking, the network's first."""
    sums = [each.score for each in found]
    if ranking:
        sums = [sum(w * each.features[name] for name, w in ranking.items()) for each in found]
    first, *others = sorted(range(len(found)), key=lambda i: -sums[i])
    best, decisive, lead = found[first], None, LEAD
    if others:
        rival = others[0]
        lead = sums[first] - sums[rival]
        words = (ranking["score"] if ranking else 1.0) * (best.score - found[rival].score)
        terms = {"words": words, "how it is asked": lead - words} if ranking else {"words": words}
        decisive = Comparison(found[rival].slot, sums[rival], lead, 0.0, terms)
    hop = Hop(1, best.slot, sums[first], decisive, source=WorldMember.name)
    answer = Answer(hop.text, hop.score, evidence=(hop,), source=hop.source)
    features = {**best.features, "lead": min(lead, LEAD)}
    return Finding(hop.source, answer, features, best.unmatched)


def _telling(rows: list[int], frequency: Ints) -> list[int]:
    """The rarest words of a question: what only shares a common one with it is no answer."""
    some: list[int] = []
    n = 0
    for count, row in sorted((int(frequency[row]), row) for row in rows):
        n += count
        if some and n > MANY:
            break
        if count:
            some.append(row)
    return some
