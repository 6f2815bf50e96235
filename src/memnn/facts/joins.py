"""Pairs of triples that share an entity: what questions over two facts are made of."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence

from memnn.facts.triples import Triple

MOST_PER_ENTITY = 3
RAREST = 20
"""An entity that more triples speak of is too common to be meant by one of them."""


def _by_object(triple: Triple) -> tuple[str, ...]:
    return ("object", triple.relation.lower(), triple.object.lower())


def _by_subject(triple: Triple) -> tuple[str, ...]:
    return ("subject", triple.relation.lower(), triple.subject.lower())


def joined(triples: Sequence[Triple], chance: random.Random) -> list[tuple[int, int]]:
    """(first, second): the first leads to the second's subject, which no question names."""
    about: dict[str, list[int]] = defaultdict(list)
    names: dict[str, list[int]] = defaultdict(list)
    meant: Counter[tuple[str, ...]] = Counter()
    for i, triple in enumerate(triples):
        about[triple.subject.lower()].append(i)
        names[triple.subject.lower()].append(i)
        names[triple.object.lower()].append(i)
        meant[_by_object(triple)] += 1
        meant[_by_subject(triple)] += 1
    pairs = []
    for entity, seconds in about.items():
        firsts = names[entity]
        if not 2 <= len(firsts) <= RAREST:
            continue
        options = [
            (a, b)
            for a in firsts
            for b in seconds
            if a != b
            and triples[a].relation != triples[b].relation
            # "The one that wrote Emma" is one, "the one that is a country" is not.
            and meant[_by_object(triples[a]) if a in seconds else _by_subject(triples[a])] == 1
            and meant[_by_subject(triples[b])] == 1
        ]
        pairs += chance.sample(options, min(MOST_PER_ENTITY, len(options)))
    return pairs
