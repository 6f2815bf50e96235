"""What follows from being of a kind: tasks 15 and 16."""

from __future__ import annotations

from memnn.simulator.twenty.meaning import (
    Fears,
    HasColour,
    IsA,
    WhatFeared,
    WhichColour,
    name,
)
from memnn.simulator.twenty.plot import Plot, Scene

QUESTIONS = 4


def deduction(scene: Scene) -> Plot:
    """Every kind is afraid of another, and the story tells so before it tells who is of it.

    Supports: who one is, then whom that kind fears.
    """
    rng, plot = scene.rng, Plot()
    kinds = list(scene.words.kinds)
    fears = {kind: rng.choice([other for other in kinds if other != kind]) for kind in kinds}
    kind_of = {person: rng.choice(kinds) for person in scene.words.people}
    feared: dict[str, int] = {}
    known: dict[str, int] = {}
    while len(known) < len(kind_of) or len(feared) < len(kinds):
        new: list[Fears | IsA] = [Fears(kind, fears[kind]) for kind in kinds if kind not in feared]
        new += [IsA(p, k) for p, k in kind_of.items() if k in feared and p not in known]
        match rng.choice(new):
            case Fears(kind) as fact:
                feared[kind] = plot.tell(fact)
            case IsA(person) as fact:
                known[person] = plot.tell(fact)
    for _ in range(QUESTIONS):
        person = rng.choice(scene.words.people)
        kind = kind_of[person]
        plot.ask(WhatFeared(person), name(fears[kind]), known[person], feared[kind])
    return plot


def induction(scene: Scene) -> Plot:
    """Everybody's kind and colour are told, but for the colour of the last.

    Kinds have a colour, and about half of their members have it. The answer is that of the member
    who was named last. Supports: the kind asked about, the member's kind, its colour. As in bAbI,
    nobody is asked about who has exactly two fellows.
    """
    rng, plot = scene.rng, Plot()
    people, kinds = scene.words.people, list(scene.words.kinds)
    order = _turns(scene)
    asked = order[-1]
    while True:
        kind_of = {person: rng.choice(kinds) for person in people}
        fellows = list(kind_of.values()).count(kind_of[asked]) - 1
        if fellows and (fellows != 2 or len(people) < 4):
            break
    colours = {kind: rng.choice(scene.words.colours) for kind in kinds}
    named: dict[str, int] = {}
    coloured: dict[str, tuple[str, int]] = {}
    for person in order[:-1]:
        kind = kind_of[person]
        if person not in named:
            named[person] = plot.tell(IsA(person, kind))
        else:
            usual = rng.random() < 0.5
            colour = colours[kind] if usual else rng.choice(scene.words.colours)
            coloured[person] = colour, plot.tell(HasColour(person, colour))
    fellow = [p for p in named if kind_of[p] == kind_of[asked] and p != asked][-1]
    colour, id = coloured[fellow]
    plot.ask(WhichColour(asked), name(colour), named[asked], named[fellow], id)
    return plot


def _turns(scene: Scene) -> list[str]:
    """Everybody twice, whoever is not through taking a turn at random."""
    order: list[str] = []
    while left := [person for person in scene.words.people if order.count(person) < 2]:
        order.append(scene.rng.choice(left))
    return order
