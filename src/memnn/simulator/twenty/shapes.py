"""Shapes beside, above and below each other: task 17."""

from __future__ import annotations

from memnn.simulator.twenty.meaning import DoesStand, Stands, Truth
from memnn.simulator.twenty.plot import Plot, Scene

SIDES = {"above": (0, 1), "below": (0, -1), "left": (-1, 0), "right": (1, 0)}
OPPOSITE = {"above": "below", "below": "above", "left": "right", "right": "left"}
QUESTIONS = 8


def positions(scene: Scene) -> Plot:
    """Two shapes stand on different sides of a third, and are compared with each other.

    Supports: the fact about the shape named first, then the other.
    """
    rng, plot = scene.rng, Plot()
    middle, *ends = rng.sample(scene.words.shapes, 3)
    sides = dict(zip(ends, rng.sample(list(SIDES), 2), strict=True))
    ids = {}
    for end in rng.sample(ends, 2):
        fact = Stands(end, sides[end], middle)
        if rng.random() < 0.5:
            fact = Stands(middle, OPPOSITE[sides[end]], end)
        ids[end] = plot.tell(fact)

    def holds(asked: DoesStand) -> bool:
        (x, y), (of_x, of_y) = SIDES[sides[asked.shape]], SIDES[sides[asked.of]]
        dx, dy = SIDES[asked.side]
        return (x - of_x) * dx + (y - of_y) * dy > 0

    questions = [DoesStand(one, side, two) for one, two in (ends, ends[::-1]) for side in SIDES]
    for _ in range(QUESTIONS):
        true = rng.random() < 0.5
        asked = rng.choice([question for question in questions if holds(question) == true])
        plot.ask(asked, Truth.of(true), ids[asked.shape], ids[asked.of])
    return plot
