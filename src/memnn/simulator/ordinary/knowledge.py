"""What a reader knows after each statement, and which statements taught it."""

from __future__ import annotations

from dataclasses import dataclass, field

from memnn.simulator.ordinary.meaning import Fact

Ids = tuple[int, ...]
Counted = tuple[str, str]
"""Whose things are counted, or nobody's, and what they are."""


@dataclass(frozen=True, slots=True)
class Learned:
    """A place, a holder, a value, with the statements it is known from, in reasoning order."""

    what: str
    ids: Ids


@dataclass(slots=True)
class Understanding:
    place: dict[str, Learned] = field(default_factory=dict)
    """Where everybody is."""
    trail: dict[str, list[Learned]] = field(default_factory=dict)
    """Where everybody has been, in order."""
    not_at: dict[str, Learned] = field(default_factory=dict)
    """What somebody has left for nobody knows where."""
    either: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    holder: dict[str, Learned] = field(default_factory=dict)
    """Who has what."""
    had: dict[str, Learned] = field(default_factory=dict)
    """Who lost what or gave it away last."""
    spot: dict[str, Learned] = field(default_factory=dict)
    """Where things lie."""
    inside: dict[str, Learned] = field(default_factory=dict)
    gave: list[tuple[str, str, str, int]] = field(default_factory=list)
    values: dict[tuple[str, str], Learned] = field(default_factory=dict)
    changed: set[tuple[str, str]] = field(default_factory=set)
    """Values that were another before."""
    stopped: dict[tuple[str, str], Learned] = field(default_factory=dict)
    deeds: list[tuple[Fact, int]] = field(default_factory=list)
    timed: dict[tuple[str, str], Learned] = field(default_factory=dict)
    """Where somebody was at some time."""
    reasons: dict[tuple[str, str], Learned] = field(default_factory=dict)
    """Why somebody went somewhere."""
    same: dict[str, Learned] = field(default_factory=dict)
    """The other names of people."""
    amounts: dict[Counted, Learned] = field(default_factory=dict)
    fewer: set[Counted] = field(default_factory=set)
    """What became less once."""
    last_counted: Counted | None = None
    taken_at: dict[str, int] = field(default_factory=dict)
    """The statements that told last that somebody took a thing, maybe among others."""

    def learn(self, fact: Fact, id: int) -> None:
        match fact:
            case ("at", person, place):
                self._went(person, Learned(place, (id,)))
            case ("with", person, other):
                known = self.place[other]
                self._went(person, Learned(known.what, (id, *known.ids)))
            case ("away", person, place):
                self._forget(person)
                self.not_at[person] = Learned(place, (id,))
            case ("either", person, place, other):
                self._forget(person)
                self.either[person] = (place, other, id)
            case ("has", thing, person):
                self._taken(thing)
                self.holder[thing] = Learned(person, (id,))
                self.taken_at[thing] = id
            case ("gave", giver, person, thing):
                self._taken(thing)
                self.had[thing] = Learned(giver, (id,))
                self.holder[thing] = Learned(person, (id,))
                self.gave.append((giver, person, thing, id))
            case ("lost", thing, person):
                self._taken(thing)
                self.had[thing] = Learned(person, (id,))
            case ("dropped", thing, person):
                self._taken(thing)
                self.had[thing] = Learned(person, (id,))
                if person in self.place:
                    known = self.place[person]
                    self.spot[thing] = Learned(known.what, (id, *known.ids))
            case ("lies", thing, place):
                self._taken(thing)
                self.spot[thing] = Learned(place, (id,))
            case ("inside", thing, container):
                self._taken(thing)
                self.inside[thing] = Learned(container, (id,))
            case ("is", holder, attribute, value):
                if (holder, attribute) in self.values:
                    self.changed.add((holder, attribute))
                self.values[holder, attribute] = Learned(value, (id,))
                self.stopped.pop((holder, attribute), None)
            case ("stopped", holder, attribute, value):
                self.values.pop((holder, attribute), None)
                self.stopped[holder, attribute] = Learned(value, (id,))
            case ("was-at", person, time, place):
                self.timed[person, time] = Learned(place, (id,))
            case ("why", person, place, reason):
                self.reasons[person, place] = Learned(reason, (id,))
            case ("same", person, name):
                self.same[person] = Learned(name, (id,))
            case ("counts", owner, thing, count):
                self.last_counted = owner, thing
                if self.last_counted in self.amounts:
                    self.fewer.add(self.last_counted)
                self.amounts[self.last_counted] = Learned(count, (id,))
            case ("more" | "fewer" as change, owner, thing, count):
                self._counted((owner, thing), int(count) * (1 if change == "more" else -1), id)
            case ("did", *_):
                self.deeds.append((fact, id))

    def _counted(self, at: Counted, more: int, id: int) -> None:
        self.last_counted, before = at, self.amounts[at]
        self.amounts[at] = Learned(str(int(before.what) + more), (*before.ids, id))
        if more < 0:
            self.fewer.add(at)

    def _forget(self, person: str) -> None:
        self.place.pop(person, None)
        self.not_at.pop(person, None)
        self.either.pop(person, None)

    def _went(self, person: str, known: Learned) -> None:
        self._forget(person)
        self.place[person] = known
        self.trail.setdefault(person, []).append(known)

    def _taken(self, thing: str) -> None:
        self.holder.pop(thing, None)
        self.spot.pop(thing, None)
        self.inside.pop(thing, None)

    def is_counted(self, thing: str) -> bool:
        return any(what == thing for _, what in self.amounts)

    def lost_since(self, person: str, ids: Ids) -> bool:
        """Whether one of these statements gave somebody a thing that they no longer have, too."""
        lost = [thing for thing, known in self.had.items() if known.what == person]
        return any(self.taken_at.get(thing) in ids for thing in lost)

    def held_by(self, person: str) -> list[str]:
        """What somebody has, in the order it was told."""
        mine = [
            (known.ids[0], thing) for thing, known in self.holder.items() if known.what == person
        ]
        return [thing for _, thing in sorted(mine, key=lambda pair: pair[0])]

    def contents(self, container: str) -> list[str]:
        inside = [
            (known.ids[0], thing) for thing, known in self.inside.items() if known.what == container
        ]
        return [thing for _, thing in sorted(inside, key=lambda pair: pair[0])]

    def people_at(self, place: str) -> list[str]:
        there = [
            (known.ids[0], person) for person, known in self.place.items() if known.what == place
        ]
        return [person for _, person in sorted(there, key=lambda pair: pair[0])]

    def where(self, thing: str) -> Learned | None:
        """Where a thing is: where it lies, where its holder is, or where its container is."""
        if thing in self.spot:
            return self.spot[thing]
        if thing in self.holder:
            known = self.holder[thing]
            holder = self.place.get(known.what)
            return holder and Learned(holder.what, (*known.ids, *holder.ids))
        if thing in self.inside:
            known = self.inside[thing]
            outer = self.where(known.what)
            return known if outer is None else Learned(outer.what, (*known.ids, *outer.ids))
        return None
