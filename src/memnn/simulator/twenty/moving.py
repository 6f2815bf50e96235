"""People who go from room to room: tasks 1, 11, 12 and 13."""

from __future__ import annotations

from memnn.simulator.actions import Go
from memnn.simulator.twenty.meaning import GoOn, GoTogether, WherePerson, name
from memnn.simulator.twenty.plot import Plot, Setting, alternate


class _Walkers:
    """Where everybody was last said to be, with the facts that say so."""

    def __init__(self, setting: Setting) -> None:
        self.plot = Plot()
        self._rng = setting.rng
        self._people = setting.words.people
        self._places = setting.words.places
        self._difficulty = setting.difficulty
        self._at: dict[str, tuple[str, tuple[int, ...]]] = {}
        self._spoken_of: tuple[tuple[str, ...], int] | None = None

    def go(self) -> bool:
        (actor,), room = self._move(1)
        self._be([actor], room, self.plot.tell(Go(actor, room)))
        return True

    def go_together(self) -> bool:
        (first, second), room = self._move(2)
        self._be([first, second], room, self.plot.tell(GoTogether(first, second, room)))
        return True

    def go_on(self, people: int) -> bool:
        """By turns somebody goes somewhere, and goes on as "she" or "they"."""
        if self._spoken_of is None:
            self._moved(people)
        else:
            who, first = self._spoken_of
            room = self._elsewhere(who)
            self._be(who, room, first, self.plot.tell(GoOn(who, room)))
            self._spoken_of = None
        return True

    def _moved(self, people: int) -> None:
        if people == 1:
            self.go()
        else:
            self.go_together()
        ((id, fact),) = self.plot.recent(1)
        match fact:
            case Go(actor):
                self._spoken_of = (actor,), id
            case GoTogether(first, second):
                self._spoken_of = (first, second), id

    def _move(self, people: int) -> tuple[tuple[str, ...], str]:
        who = tuple(self._rng.sample(self._people, people))
        return who, self._elsewhere(who)

    def _elsewhere(self, who: tuple[str, ...]) -> str:
        """A room that none of them is known to be in."""
        here = {self._at[person][0] for person in who if person in self._at}
        return self._rng.choice([room for room in self._places if room not in here])

    def _be(self, who: list[str] | tuple[str, ...], room: str, *supports: int) -> None:
        for person in who:
            self._at[person] = (room, supports)

    def ask(self) -> bool:
        """Where is somebody of whom a recent fact speaks?"""
        _, fact = self._rng.choice(self.plot.recent(self._difficulty))
        match fact:
            case Go(actor):
                people: tuple[str, ...] = (actor,)
            case GoTogether(first, second):
                people = (first, second)
            case GoOn(people):
                pass
            case _:
                return False
        person = self._rng.choice(people)
        room, supports = self._at[person]
        self.plot.ask(WherePerson(person), name(room), *supports)
        return True


def one_person(setting: Setting) -> Plot:
    walkers = _Walkers(setting)
    alternate(walkers.go, walkers.ask)
    return walkers.plot


def two_together(setting: Setting) -> Plot:
    walkers = _Walkers(setting)
    alternate(walkers.go_together, walkers.ask)
    return walkers.plot


def pronoun(setting: Setting) -> Plot:
    walkers = _Walkers(setting)
    alternate(lambda: walkers.go_on(1), walkers.ask)
    return walkers.plot


def they(setting: Setting) -> Plot:
    walkers = _Walkers(setting)
    alternate(lambda: walkers.go_on(2), walkers.ask)
    return walkers.plot
