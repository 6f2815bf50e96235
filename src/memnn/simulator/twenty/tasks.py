"""The twenty tasks by number: what each is called, what it asks of a reader, how it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from memnn.errors import InputError
from memnn.simulator.twenty import (
    carrying,
    giving,
    kinds,
    maps,
    motives,
    moving,
    shapes,
    sizes,
    times,
    whether,
)
from memnn.simulator.twenty.plot import Plot, Scene
from memnn.simulator.twenty.words import TaskWords

_MOST = {"places": 6, "things": 3, "kinds": 4, "colours": 4, "feelings": 4}
"""How many of a longer list a story draws for itself, people aside."""


@dataclass(frozen=True, slots=True)
class Task:
    number: int
    name: str
    description: str
    make: Callable[[Scene], Plot]
    people: int = 4
    """How many people a story has at most."""
    needs: Mapping[str, int] = field(default_factory=dict)
    """How many names of each list it takes at least."""

    def check(self, words: TaskWords) -> None:
        """InputError where the words do not suffice."""
        for key, number in self.needs.items():
            rows = getattr(words, key)
            names = [name for row in rows for name in row] if key == "sizes" else rows
            if len(names) < number:
                raise InputError(
                    f"task {self.number} needs at least {number} {key}, not {len(names)}"
                )

    def plot(self, words: TaskWords, rng: Random, difficulty: int) -> Plot:
        """A story in meanings; a long list of names gives every story a cast of its own."""
        most = {**_MOST, "people": self.people}
        cast = {key: _some(getattr(words, key), number, rng) for key, number in most.items()}
        return self.make(Scene(replace(words, **cast), rng, difficulty))


def _some(names: Any, most: int, rng: Random) -> Any:
    """As many of the names as there may be, tables with their values."""
    if isinstance(names, Mapping):
        chosen = rng.sample(list(names), min(most, len(names)))
        return {name: names[name] for name in chosen}
    return tuple(rng.sample(names, min(most, len(names))))


_WALK = {"people": 1, "places": 3}
_PAIRS = {"people": 2, "places": 3}
_CARRY = {"people": 1, "places": 2, "things": 1}
_GIVE = {"people": 2, "places": 2, "things": 1}
_PLACES = {"places": 3}
_ANIMALS = {"kinds": 2}

TASKS: dict[int, Task] = {
    task.number: task
    for task in (
        Task(1, "one fact", "where somebody went last", moving.one_person, needs=_WALK),
        Task(2, "two facts", "where a carried thing is", carrying.where_is_it, needs=_CARRY),
        Task(3, "three facts", "where a thing was before", carrying.where_was_it, needs=_CARRY),
        Task(4, "two arguments", "what lies north of what", maps.neighbours, needs=_PLACES),
        Task(5, "three arguments", "who gave what to whom", giving.three_arguments, needs=_GIVE),
        Task(6, "yes or no", "whether somebody is in a room", whether.yes_or_no, needs=_CARRY),
        Task(7, "counting", "how many things somebody carries", carrying.how_many, needs=_GIVE),
        Task(8, "lists", "which things somebody carries", carrying.what, needs=_CARRY),
        Task(9, "negation", "“no longer in the hallway”", whether.negation, needs=_WALK),
        Task(10, "uncertainty", "“either here or there”", whether.indefinite, needs=_WALK),
        Task(11, "pronouns", "“then she went”", moving.pronoun, needs=_WALK),
        Task(12, "and", "two people who go together", moving.two_together, needs=_PAIRS),
        Task(13, "they", "two people, then “they”", moving.they, needs=_PAIRS),
        Task(14, "times of day", "where somebody was before", times.before, needs=_WALK),
        Task(15, "deduction", "what a mouse fears", kinds.deduction, needs=_ANIMALS),
        Task(16, "induction", "a colour from others of a kind", kinds.induction, 5, {"people": 2}),
        Task(17, "positions", "what stands left of what", shapes.positions, needs={"shapes": 3}),
        Task(18, "sizes", "what fits inside what", sizes.bigger, needs={"sizes": 3}),
        Task(19, "routes", "two steps from place to place", maps.route, needs=_PLACES),
        Task(20, "motives", "why somebody went there", motives.motives),
    )
}
