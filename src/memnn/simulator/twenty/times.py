"""Who went where at what time of day, not told in that order: task 14."""

from __future__ import annotations

from memnn.simulator.twenty.meaning import Fact, GoAt, PersonBefore, name
from memnn.simulator.twenty.plot import Plot, Scene, alternate

TIMES = ("yesterday", "morning", "afternoon", "evening")


class _Days:
    """Everybody goes somewhere at each time in turn; what is new since a question is shuffled."""

    def __init__(self, scene: Scene) -> None:
        self.plot = Plot()
        self._setting = scene
        self._days: dict[str, list[GoAt]] = {person: [] for person in scene.words.people}
        self._happened: list[GoAt] = []
        self._new: list[GoAt] = []

    def act(self) -> bool:
        rng = self._setting.rng
        people = [person for person, day in self._days.items() if len(day) < len(TIMES)]
        if not people:
            return False
        person = rng.choice(people)
        day = self._days[person]
        here = day[-1].room if day else None
        room = rng.choice([place for place in self._setting.words.places if place != here])
        day.append(GoAt(person, room, TIMES[len(day)]))
        self._happened.append(day[-1])
        self._new.append(day[-1])
        return True

    def ask(self) -> bool:
        """Where was somebody before a room: the latest time there, then the time before it."""
        rng = self._setting.rng
        known = [
            (there, before)
            for there in self._happened[-self._setting.difficulty :]
            if (before := self._before(there)) is not None
        ]
        if known:
            there, before = rng.choice(known)
            rng.shuffle(self._new)
            for fact in self._new:
                self.plot.tell(fact)
            self._new.clear()
            ids: dict[Fact, int] = {fact: id for id, fact in self.plot.recent(len(self._happened))}
            question = PersonBefore(there.actor, there.room)
            self.plot.ask(question, name(before.room), ids[there], ids[before])
        return bool(known)

    def _before(self, there: GoAt) -> GoAt | None:
        """What preceded the latest visit to a room, if this is the one."""
        day = self._days[there.actor]
        visits = [time for time, go in enumerate(day) if go.room == there.room]
        latest = visits[-1]
        return day[latest - 1] if latest and day[latest] is there else None


def before(scene: Scene) -> Plot:
    days = _Days(scene)
    alternate(days.act, days.ask)
    return days.plot
