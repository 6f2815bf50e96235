"""Who and what is there for things to happen to."""

from __future__ import annotations

from random import Random

from memnn.simulator.ordinary.cast import Entity, people
from memnn.simulator.ordinary.grammar import Mention, pick
from memnn.simulator.ordinary.language import Attribute
from memnn.simulator.ordinary.telling import Clause, Narrator

_OWNED = 0.25
"""How many things are somebody's: "my keys", "Anna's bike"."""


class Scenery:
    """The people, places and things of a story."""

    def __init__(self, teller: Narrator, rng: Random) -> None:
        self.teller, self.rng = teller, rng
        self.cast, self.known = teller.cast, teller.known
        self.language, self.rules = teller.language, teller.rules
        self.people = people(self.cast, rng.randint(2, 5))
        near = self.cast.several(rng.randint(3, 6), "place")
        self.places = near + (self.cast.several(2, "city") if rng.random() < 0.4 else [])
        self.pools: dict[str, list[Entity]] = {"thing": [], "container": [], "holder": []}
        self.attributes: list[Attribute] = list(self.language.attributes)
        """What this story may tell of people and things."""
        self.portrait = False
        """Whether it tells much of few people."""

    def sits(self, people: int) -> None:
        """From now on it is about so many of the people, and about what they are like alone."""
        self.portrait, self.people = True, self.people[:people]
        kinds = {person.kind for person in self.people}
        self.attributes = [each for each in self.attributes if kinds & set(each.of)]

    def say(self, clause: Clause, subject: Entity | None = None) -> bool:
        """Tell it, if the language has words for it."""
        if not self.rules.has(clause.rule):
            return False
        self.teller.say(clause, subject)
        return True

    def entity(self, key: str) -> Entity:
        return self.cast.of[key]

    def mention_of(self, key: str) -> Mention:
        found = self.cast.of.get(key)
        return found.mention if found is not None else Mention({"": key, "n": key})

    # --- people -----------------------------------------------------------------------------

    def person(self) -> Entity:
        return pick(self.rng, self.people)

    def third(self) -> Entity | None:
        """Somebody who is neither I nor you."""
        others = [person for person in self.people if not person.is_speaker]
        return pick(self.rng, others) if others else None

    def other(self, than: Entity) -> Entity:
        return pick(self.rng, [person for person in self.people if person is not than])

    def placed(self) -> Entity | None:
        """Somebody of whom it is known where they are."""
        there = [person for person in self.people if person.key in self.known.place]
        return pick(self.rng, there) if there else None

    def holding(self) -> Entity | None:
        """Somebody who has something."""
        found = [person for person in self.people if self.known.held_by(person.key)]
        return pick(self.rng, found) if found else None

    # --- places -----------------------------------------------------------------------------

    def place(self, than: str | None = None) -> Entity:
        return pick(self.rng, [place for place in self.places if place.key != than])

    def near(self, than: Entity | None = None) -> Entity:
        near = [place for place in self.places if place.noun.reach != "far" and place is not than]
        return pick(self.rng, near)

    # --- things -----------------------------------------------------------------------------

    def some(self, kind: str, most: int = 3, growing: float = 0.4) -> Entity:
        """Something of this kind from the story, or something new."""
        pool = self.pools.setdefault(kind, [])
        if not pool or (len(pool) < most and self.rng.random() < growing):
            pool.append(self._new(kind))
        return pick(self.rng, pool)

    def _new(self, kind: str) -> Entity:
        entity = self.cast.draw(kind)
        if kind in ("thing", "big", "container", "ride") and self.rng.random() < _OWNED:
            owner = self.person()
            if owner.kind != "trade":
                entity = self.cast.owned(entity, owner)
        return entity

    def thing(self) -> Entity:
        return self.some("thing", most=6, growing=0.35)

    def free(self) -> Entity | None:
        """A thing that nobody has and that is in nothing."""
        for _ in range(5):
            thing = self.thing()
            if thing.key not in self.known.holder and thing.key not in self.known.inside:
                return thing
        return None

    def container(self) -> Entity:
        return self.some("container", most=2, growing=0.3)
