"""The world's facts as a member: what everybody knows, found by its words and its question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.dialogue.match_features import Inquiry, fit, rows_of
from memnn.dialogue.member import Finding, Member, Request
from memnn.facts.index import FactIndex, in_memory
from memnn.facts.model import FactsModel
from memnn.facts.triples import Triple
from memnn.kernels.arrays import Ints
from memnn.memory import Memory
from memnn.ordinary.hearing import KIND
from memnn.text.english import FUNCTION_WORDS
from memnn.text.sentences import QUESTION_WORDS
from memnn.types import Answer, Comparison, Hop, Slot

Asking = Mapping[str, Mapping[str, float]]
"""The words that relations are asked for with, and how often."""
MANY = 150
"""How many facts of the world are looked at, unless the rarest word alone is in more."""
OFTEN = 4.0
"""A question word that one wording in this many has is as usual as any."""
NEVER = 0.02
"""How often a relation is asked for with a word that none of its wordings has."""
PRONOUNS = KIND.keys() - {"there"}
"""Words for somebody or something that was spoken of before."""
WORLD_TIME = "2014-10-15T00:00:00.000000Z"
"""World facts were not told; they have the date of the paper."""


class _WorldFact(NamedTuple):
    """A fact of the world as it is needed to answer."""

    slot: Slot
    named: frozenset[str]
    """The words of its subject and object."""
    relation: int
    """Its place among those that can be asked for; -1 where nobody knows how."""
    usual: Mapping[str, float]
    """The words that such a fact is asked for with, and how often."""


class WorldMember(Member):
    """Answers with a fact that came with the network, whatever was told."""

    name = "world"

    def __init__(self, model: FactsModel, triples: Sequence[Triple], asking: Asking) -> None:
        self.lookup, self.asking = model.lookup(), asking
        self.dictionary = model.dictionary
        self._model, self._triples = model, triples
        self._known: dict[int, _WorldFact] = {}
        self._places = {relation: i for i, relation in enumerate(asking)}
        self._asked_with = _asked_with(asking)

    @cached_property
    def facts(self) -> FactIndex:
        """Made when the world is first asked: many a talk never does."""
        return in_memory(self._model, self._triples, WORLD_TIME)

    def find(self, request: Request, memory: Memory) -> Finding | None:
        if request.personal:
            return None
        asked = request.inquiry
        reading = self.facts.reading(self.dictionary)
        rows = rows_of(asked, reading)
        places = reading.holding(_telling(rows.content, reading.frequency), len(reading))
        if not len(places):
            return None
        found = self.lookup.search_rows(rows.all, rows.unknown, reading, k=2, places=places).found
        known = [self._know(f.place) for f in found]
        first = found[0]
        decisive = None
        gap = 1.0
        if len(found) > 1:
            gap = first.score - found[1].score
            decisive = Comparison(known[1].slot, found[1].score, gap, 0.0, {"words": gap})
        fitted = fit(
            self.lookup, reading, asked, rows, first.place, known[0].slot.text, first.score, gap,
            known[0].usual,
        )  # fmt: skip
        hop = Hop(1, known[0].slot, first.score, decisive, source=self.name)
        answer = Answer(hop.text, hop.score, evidence=(hop,), source=self.name)
        features = fitted.fit._asdict() | _asking(asked, known[0], self._asked_with)
        return Finding(self.name, answer, features, fitted.unmatched)

    def _know(self, place: int) -> _WorldFact:
        """A fact of the world, and how it is asked for."""
        known = self._known.get(place)
        if known is None:
            triple, normal = self.facts.triple(place), self.dictionary.normal
            usual = self.asking.get(triple.relation, {})
            known = self._known[place] = _WorldFact(
                Slot(place + 1, str(triple), WORLD_TIME, self.name),
                frozenset([*normal(triple.subject), *normal(triple.object)]),
                self._places.get(triple.relation, -1),
                {**dict.fromkeys(normal(triple.relation), 0.0), **usual},
            )
        return known


def _asked_with(asking: Asking) -> dict[str, NDArray[np.float64]]:
    """How much a word of a question speaks for each relation: log P(word | relation) above that
    of a relation which is never asked for with it."""
    found: dict[str, NDArray[np.float64]] = {}
    for place, words in enumerate(asking.values()):
        for word, share in words.items():
            gains = found.setdefault(word, np.zeros(len(asking) + 1))
            gains[place] = log1p(share / NEVER)
    return found


def _asking(
    asked: Inquiry, known: _WorldFact, asked_with: Mapping[str, NDArray[np.float64]]
) -> dict[str, float]:
    """Whether this is how one asks for such a fact: nobody asks for a place with "when", of what
    everybody knows hardly anybody speaks as "he", and "2+2" asks for no fact about 2."""
    rest = asking_words(word for word in asked.words if word not in known.named)
    asks = [word for word in rest if word.split()[0] in QUESTION_WORDS]
    telling = [word for word in rest if word in asks or word not in FUNCTION_WORDS]
    speak = [asked_with[word] for word in rest if word in asked_with]
    likely = sum(speak[1:], speak[0]) if speak else None
    content = [word for word in asked.words if word not in FUNCTION_WORDS]
    return {
        "numbers": sum(map(str.isdigit, content)) / max(1, len(content)),
        "pronoun": float(not PRONOUNS.isdisjoint(asked.said)),
        "relation": 0.0 if likely is None else float(likely[known.relation] - likely.max()),
        "asked_for": sum(word in known.usual for word in telling) / max(1, len(telling)),
        "asking": sum(word in known.usual for word in rest) / max(1, len(rest)),
        "question_word": min(
            (min(1.0, OFTEN * known.usual.get(word, 0.0)) for word in asks), default=1.0
        ),
    }


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


def asking_words(words: Iterable[str]) -> list[str]:
    """Words of a question; "how" is one with what follows it."""
    found: list[str] = []
    for word in words:
        if found and found[-1] == "how":
            found[-1] = f"how {word}"
        else:
            found.append(word)
    return found
