"""People who go from room to room: tasks 1, 11, 12 and 13."""

from __future__ import annotations

from collections.abc import Callable

from memnn.simulator.actions import Go
from memnn.simulator.twenty.meaning import GoOn, GoTogether, WherePerson, name
from memnn.simulator.twenty.plot import Plot, Scene, alternate


class _Walkers:
    """Where everybody was last said to be, with the facts that say so."""

    def __init__(self, scene: Scene) -> None:
        self.plot = Plot()
        self._rng = scene.rng
        self._people = scene.words.people
        self._places = scene.words.places
        self._difficulty = scene.difficulty
        self._at: dict[str, tuple[str, tuple[int, ...]]] = {}
        self._spoken_of: tuple[tuple[str, ...], int] | None = None
        self._moved: list[str] = []
        """Who went somewhere, as often as they did: two who go together are two."""

    def go(self) -> bool:
        (actor,), room = self._move(1)
        return self._told((actor,), room, self.plot.tell(Go(actor, room)))

    def go_together(self) -> bool:
        (first, second), room = self._move(2)
        return self._told((first, second), room, self.plot.tell(GoTogether(first, second, room)))

    def go_on(self, first: Callable[[], bool]) -> bool:
        """By turns somebody goes somewhere, and goes on as "she" or "they"."""
        if self._spoken_of is None:
            return first()
        who, named = self._spoken_of
        room = self._elsewhere(who)
        self._told(who, room, named, self.plot.tell(GoOn(who, room)))
        self._spoken_of = None
        return True

    def _move(self, people: int) -> tuple[tuple[str, ...], str]:
        who = tuple(self._rng.sample(self._people, people))
        return who, self._elsewhere(who)

    def _elsewhere(self, who: tuple[str, ...]) -> str:
        """A room that none of them is known to be in."""
        here = {self._at[person][0] for person in who if person in self._at}
        return self._rng.choice([room for room in self._places if room not in here])

    def _told(self, who: tuple[str, ...], room: str, *supports: int) -> bool:
        self._spoken_of = who, supports[0]
        self._moved += who
        for person in who:
            self._at[person] = (room, supports)
        return True

    def ask(self) -> bool:
        """Where is one of those who went somewhere lately?"""
        person = self._rng.choice(self._moved[-self._difficulty :])
        room, supports = self._at[person]
        self.plot.ask(WherePerson(person), name(room), *supports)
        return True


def one_person(scene: Scene) -> Plot:
    walkers = _Walkers(scene)
    alternate(walkers.go, walkers.ask)
    return walkers.plot


def two_together(scene: Scene) -> Plot:
    walkers = _Walkers(scene)
    alternate(walkers.go_together, walkers.ask)
    return walkers.plot


def pronoun(scene: Scene) -> Plot:
    walkers = _Walkers(scene)
    alternate(lambda: walkers.go_on(walkers.go), walkers.ask)
    return walkers.plot


def they(scene: Scene) -> Plot:
    walkers = _Walkers(scene)
    alternate(lambda: walkers.go_on(walkers.go_together), walkers.ask)
    return walkers.plot
