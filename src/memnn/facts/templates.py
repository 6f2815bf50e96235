"""Pseudo-questions from triples, so that triples alone are enough to train on (§5.1).

The questions need not be good English: the network reads them as bags of words. What counts is
which words a question has in common with its fact, and which question word goes with what.
"""

from __future__ import annotations

import random
import re

from memnn.facts.triples import Triple

_NUMBER = re.compile(r"\d")
_PLACE = ("in", "at", "to", "from", "near", "on", "into", "through")
_TIME = ("in", "on", "until", "since", "before", "after", "during")
_LOOSE = (*_PLACE, "of", "for", "with", "as", "by")
_BEING = ("be", "is", "are", "was", "were")
_ARTICLES = ("a", "an", "the")
DROPPED = 0.1
"""People leave words out: each one is lost with this chance."""
DESCRIBED = 0.3
"""How often what something is ("Ewing is a city in Kentucky") is asked for by its name alone."""


def pseudo_questions(triple: Triple, rng: random.Random) -> tuple[str, str]:
    """One question for the object and one for the subject of a triple."""
    return _for_object(triple, rng), _for_subject(triple, rng)


def _for_object(triple: Triple, rng: random.Random) -> str:
    relation = triple.relation.split()
    last = relation[-1] if relation else ""
    describes = len(relation) > 1 and relation[0] in _BEING and relation[1] in _ARTICLES
    if describes and rng.random() < DESCRIBED:
        return f"{rng.choice(('what', 'what', 'who'))} {relation[0]} {triple.subject}?"
    if last in _TIME and (_NUMBER.search(triple.object) or rng.random() < 0.2):
        asking = "when"
    elif last in _PLACE and rng.random() < 0.6:
        asking = "where"
    else:
        asking = rng.choice(("what", "what", "who", "whom", "which"))
    if last in _LOOSE and rng.random() < 0.3:
        relation = relation[:-1]  # "where was Milne born", not "where was Milne born in"
    doing = ["does"] if rng.random() < 0.4 else []
    return _said([asking, *doing], [*triple.subject.split(), *relation], rng)


def _for_subject(triple: Triple, rng: random.Random) -> str:
    asking = rng.choice(("who", "what", "who", "what", "which"))
    return _said([asking], [*triple.relation.split(), *triple.object.split()], rng)


def _said(asking: list[str], words: list[str], rng: random.Random) -> str:
    kept = [word for word in words if rng.random() >= DROPPED] or words
    return " ".join([*asking, *kept]) + "?"


def two_hop_question(first: Triple, second: Triple, rng: random.Random) -> str:
    """A question whose answer is the second triple's object, found by way of the first.

    The two share an entity that the question does not name: the subject of the second.
    ("Where was the author of Winnie-the-Pooh born?": Milne wrote it, Milne was born in London.)
    """
    relation = second.relation.split()
    last = relation[-1] if relation else ""
    asking = (
        "when"
        if last in _TIME and _NUMBER.search(second.object)
        else (
            "where"
            if last in _PLACE and rng.random() < 0.6
            else rng.choice(("what", "who", "which"))
        )
    )
    if last in _LOOSE and rng.random() < 0.3:
        relation = relation[:-1]
    other = [*first.relation.split()]
    entity = first.object if first.subject == second.subject else first.subject
    return _said([asking], [*relation, "the", "one", "that", *other, *entity.split()], rng)
