"""What is bigger than what, by way of a third thing: task 18."""

from __future__ import annotations

from memnn.simulator.twenty.meaning import Bigger, IsBigger, Truth
from memnn.simulator.twenty.plot import Plot, Scene, alternate

STATEMENTS = 5
QUESTIONS = 5


def bigger(scene: Scene) -> Plot:
    """Supports lead from the thing that the question calls big to the one it calls small.

    So "yes" goes down from big to small and "no" goes up. Where several pairs of facts would do,
    the pair that was complete first is the support; bAbI's own choice among them has no rule that
    one could see.
    """
    rng, plot = scene.rng, Plot()
    rows = scene.words.sizes
    order = [name for row in rows for name in rng.sample(row, len(row))]
    told: dict[Bigger, int] = {}

    def act() -> bool:
        small, big = sorted(rng.sample(range(len(order)), 2))
        fact = Bigger(order[big], order[small])
        id = plot.tell(fact)
        told.setdefault(fact, id)
        return True

    def links() -> dict[tuple[str, str], tuple[int, int]]:
        """Every pair that two facts join, with the upper and the lower of the two."""
        found = [
            (max(upper, lower), upper, lower, fact.big, other.small)
            for fact, upper in told.items()
            for other, lower in told.items()
            if fact.small == other.big
        ]
        return {(big, small): (up, low) for _, up, low, big, small in sorted(found, reverse=True)}

    def ask() -> bool:
        known = links()
        for _ in range(QUESTIONS if known else 0):
            (big, small), (upper, lower) = rng.choice(list(known.items()))
            if rng.random() < 0.5:
                plot.ask(IsBigger(big, small), Truth.YES, upper, lower)
            else:
                plot.ask(IsBigger(small, big), Truth.NO, lower, upper)
        return bool(known)

    alternate(act, ask, questions=1, statements=STATEMENTS)
    return plot
