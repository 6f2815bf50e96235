"""Places that lie north, south, east and west of each other: tasks 4 and 19."""

from __future__ import annotations

from memnn.simulator.twenty.meaning import Asking, Lies, OfWhat, Route, Way, WhatLies, name
from memnn.simulator.twenty.plot import Plot, Scene

STEPS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
_LEAVES = 3


def neighbours(scene: Scene) -> Plot:
    """Three places in a row; each fact is about the one in the middle.

    The question names the place that comes last in its fact, and asks for the first one, in the
    fact's words or the other way round.
    """
    rng, plot = scene.rng, Plot()
    middle, *ends = rng.sample(scene.words.places, 3)
    direction = rng.choice(list(STEPS))
    facts = []
    for end, way in zip(ends, (direction, OPPOSITE[direction]), strict=True):
        fact = Lies(end, way, middle)
        facts.append(fact if rng.random() < 2 / 3 else _reversed(fact))
    rng.shuffle(facts)
    ids = [plot.tell(fact) for fact in facts]
    fact, id = rng.choice(list(zip(facts, ids, strict=True)))
    ways: list[Asking] = [
        WhatLies(fact.direction, fact.of),
        OfWhat(fact.of, OPPOSITE[fact.direction]),
    ]
    plot.ask(rng.choice(ways), name(fact.place), id)
    return plot


def _reversed(fact: Lies) -> Lies:
    """The same seen from the other place."""
    return Lies(fact.of, OPPOSITE[fact.direction], fact.place)


def route(scene: Scene) -> Plot:
    """From one place by another to a third; the others lie beside these three, one step away.

    One goes only where a fact leads. Supports: the facts in the order of the way.
    """
    rng = scene.rng
    start, between, goal, *others = rng.sample(scene.words.places, len(scene.words.places))
    cells = {start: (0, 0)}

    def free(place: str) -> list[str]:
        x, y = cells[place]
        return [way for way, (dx, dy) in STEPS.items() if (x + dx, y + dy) not in cells.values()]

    def put(place: str, beside: str) -> Lies:
        way = rng.choice(free(beside))
        (x, y), (dx, dy) = cells[beside], STEPS[way]
        cells[place] = (x + dx, y + dy)
        return Lies(place, way, beside)

    steps = [put(between, start), put(goal, between)]
    facts = list(steps)
    for other in others[:_LEAVES]:
        beside = rng.choice([place for place in (start, between, goal) if free(place)])
        facts.append(put(other, beside))
    order = rng.sample(range(len(facts)), len(facts))
    plot = Plot()
    ids = {
        index: plot.tell(facts[index] if rng.random() < 0.5 else _reversed(facts[index]))
        for index in order
    }
    plot.ask(Route(start, goal), Way(tuple(step.direction for step in steps)), ids[0], ids[1])
    return plot
