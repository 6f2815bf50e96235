"""What the world's facts answer to questions of people whose other questions were never seen.

Everybody words things in their own way. So the questions of one writer are asked of a network that
learnt from the others alone, in turn; probabilities are then honest for somebody new. Facts are
taken away as well: what is then nearest is no answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memnn.dialogue.examples import TAKEN_AWAY, Example
from memnn.dialogue.member import Request
from memnn.dialogue.model import EnsembleModel
from memnn.dialogue.network import world_member
from memnn.dialogue.ranking import Ranking
from memnn.dialogue.world import Candidate, WorldMember, finding
from memnn.dialogue.written import Written
from memnn.facts.triples import Triple
from memnn.types import Question


class Looked(NamedTuple):
    """A question, the facts that the network found, and those that would answer."""

    question: str
    found: list[Candidate]
    golds: frozenset[str]
    supported: bool
    """Whether a fact that answers was there at all."""


def look(
    trial: EnsembleModel,
    asked: Sequence[Written],
    nothing: Sequence[str],
    chance: random.Random,
) -> Iterator[Looked]:
    """Questions with all facts there and with some taken away, and questions without any."""
    golds: dict[str, set[str]] = {}
    for _, question, triple in asked:
        golds.setdefault(question, set()).add(str(triple))
    facts = trial.triples
    fewer = chance.sample(facts, int((1 - TAKEN_AWAY) * len(facts)))
    for there in (facts, tuple(fewer)):
        member = _on(trial, there)
        known = {str(triple) for triple in there}
        for question, right in golds.items():
            yield _look(member, question, frozenset(right), not right.isdisjoint(known))
        if there is facts:
            for question in nothing:
                yield _look(member, question, frozenset(), False)


def _on(trial: EnsembleModel, triples: Sequence[Triple]) -> WorldMember:
    whole = world_member(trial)
    return WorldMember(trial.facts, triples, whole.asking, whole.kinds, whole.ranking)


def _look(member: WorldMember, text: str, golds: frozenset[str], supported: bool) -> Looked:
    request = Request(Question(text), 0, member.dictionary)
    return Looked(text, member.candidates(request), golds, supported)


def to_rank(looked: Sequence[Looked]) -> list[list[tuple[dict[str, float], bool]]]:
    """The candidates of each question, and which of them is right."""
    return [[(c.features, c.slot.text in each.golds) for c in each.found] for each in looked]


def examples_of(looked: Sequence[Looked], ranking: Ranking) -> list[Example]:
    """What is first of the candidates, and whether it is right."""
    examples = []
    for each in looked:
        if each.found:
            first = finding(each.found, ranking)
            right = first.answer.text in each.golds
            examples.append(Example(first.features, right, each.supported))
    return examples
