"""What happens in a story: each event is a clause with its facts, or none if it cannot happen."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from memnn.simulator.ordinary.cast import Entity
from memnn.simulator.ordinary.grammar import Mention, pick
from memnn.simulator.ordinary.language import Attribute
from memnn.simulator.ordinary.telling import Clause, Teller

Event = Callable[["Stage"], bool]
_FAR = ("city", "country")


class Stage:
    """The people, places and things of a story, and what they may do."""

    def __init__(self, teller: Teller, rng: Random) -> None:
        self.teller, self.rng = teller, rng
        cast, self.known = teller.cast, teller.known
        self.people = cast.people(rng.randint(2, 5))
        near = cast.several(rng.randint(3, 6), "place")
        self.places = near + (cast.several(2, "city") if rng.random() < 0.4 else [])
        self.things: list[Entity] = []
        self.containers: list[Entity] = []
        self.events: list[Entity] = []
        self.owned: list[Entity] = []

    def entity(self, key: str) -> Entity:
        return self.teller.cast.of[key]

    # --- who, what, where -------------------------------------------------------------------

    def person(self) -> Entity:
        return pick(self.rng, self.people)

    def third(self) -> Entity | None:
        """Somebody who is neither I nor you."""
        others = [person for person in self.people if not person.is_speaker]
        return pick(self.rng, others) if others else None

    def other(self, than: Entity) -> Entity:
        return pick(self.rng, [person for person in self.people if person is not than])

    def place(self, than: str | None = None) -> Entity:
        return pick(self.rng, [place for place in self.places if place.key != than])

    def near(self) -> Entity:
        return pick(self.rng, [place for place in self.places if place.kind not in _FAR])

    def thing(self) -> Entity:
        """A thing of the story, or a new one."""
        if len(self.things) < 2 or (len(self.things) < 6 and self.rng.random() < 0.3):
            self.things.append(self.teller.cast.draw("thing"))
        return pick(self.rng, self.things)

    def free(self) -> Entity | None:
        """A thing that nobody has and that is in nothing."""
        for _ in range(5):
            thing = self.thing()
            if thing.key not in self.known.holder and thing.key not in self.known.inside:
                return thing
        return None

    def container(self) -> Entity:
        if not self.containers or (len(self.containers) < 2 and self.rng.random() < 0.3):
            self.containers.append(self.teller.cast.draw("container"))
        return pick(self.rng, self.containers)

    # --- moving -----------------------------------------------------------------------------

    def going(self, person: Entity) -> Clause:
        here = self.known.place.get(person.key)
        place = self.place(here.what if here else None)
        reach = reach_of(place)
        be = self.rng.random() < 0.35
        rule = f"be-{reach}" if be else f"move-{reach}"
        return Clause(rule, {"place": place}, (("at", person.key, place.key),))

    def move(self) -> bool:
        person = self.person()
        clause = self.going(person)
        if self.rng.random() < 0.12 and not person.is_speaker:
            clause.slots = {"who": person, **clause.slots}
            clause.rule, clause.plain = "be-sentence", True
            self.teller.say(clause)
        else:
            self.teller.say(clause, person)
        return True

    def group(self) -> bool:
        others = [person for person in self.people if not person.is_speaker]
        if len(others) < 2:
            return False
        size = 3 if len(others) > 2 and self.rng.random() < 0.15 else 2
        group = self.rng.sample(others, size)
        return self._together(group)

    def _together(self, group: list[Entity]) -> bool:
        here = self.known.place.get(group[0].key)
        place = self.place(here.what if here else None)
        reach = reach_of(place)
        rule = pick(self.rng, (f"group-{reach}", f"move-{reach}", f"be-{reach}"))
        facts = tuple(("at", person.key, place.key) for person in group)
        self.teller.say(Clause(rule, {"place": place}, facts), group)
        return True

    def regroup(self) -> bool:
        """Those who were just named together go on together."""
        group = self.teller.group
        return bool(group) and self._together(list(group))

    def company(self) -> bool:
        there = [person for person in self.people if person.key in self.known.place]
        if not there:
            return False
        other = pick(self.rng, there)
        person = self.other(other)
        facts = (("with", person.key, other.key),)
        self.teller.say(Clause("company", {"other": other}, facts), person)
        return True

    def leave(self) -> bool:
        there = [person for person in self.people if person.key in self.known.place]
        if not there:
            return False
        person = pick(self.rng, there)
        place = self.entity(self.known.place[person.key].what)
        facts = (("away", person.key, place.key),)
        self.teller.say(Clause("away", {"place": place}, facts), person)
        return True

    def either(self) -> bool:
        person, place = self.third(), self.near()
        if person is None:
            return False
        others = [each for each in self.places if each is not place and each.kind not in _FAR]
        other = pick(self.rng, others)
        facts = (("either", person.key, place.key, other.key),)
        slots: dict[str, Entity | Mention] = {"place": place, "or": other}
        self.teller.say(Clause("either", slots, facts), person)
        return True

    # --- having -----------------------------------------------------------------------------

    def taking(self, person: Entity) -> Clause | None:
        thing = self.free()
        if thing is None:
            return None
        return Clause("take", {"thing": thing}, (("has", thing.key, person.key),))

    def take(self) -> bool:
        person = self.person()
        clause = self.taking(person)
        if clause is None:
            return False
        if self.rng.random() < 0.15 and not person.is_speaker:
            clause.slots = {"who": person, **clause.slots}
            clause.rule = "take-sentence"
            self.teller.say(clause)
        else:
            self.teller.say(clause, person)
        return True

    def dropping(self, person: Entity) -> Clause | None:
        mine = self.known.held_by(person.key)
        if not mine:
            return None
        thing = self.entity(pick(self.rng, mine))
        if person.key in self.known.place and self.rng.random() < 0.5:
            return Clause("drop", {"thing": thing}, (("dropped", thing.key, person.key),))
        place = self.place()
        facts = (("lies", thing.key, place.key), ("at", person.key, place.key))
        return Clause("place", {"thing": thing, "place": place}, facts)

    def drop(self) -> bool:
        holding = [person for person in self.people if self.known.held_by(person.key)]
        person = pick(self.rng, holding) if holding else self.person()
        clause = self.dropping(person)
        if clause is not None:
            self.teller.say(clause, person)
        return clause is not None

    def lie(self) -> bool:
        thing, place = self.free() or self.container(), self.place()
        self.teller.say(
            Clause("lie", {"thing": thing, "place": place}, (("lies", thing.key, place.key),))
        )
        return True

    def lose(self) -> bool:
        holding = [person for person in self.people if self.known.held_by(person.key)]
        if not holding:
            return False
        person = pick(self.rng, holding)
        thing = self.entity(pick(self.rng, self.known.held_by(person.key)))
        self.teller.say(
            Clause("lose", {"thing": thing}, (("lost", thing.key, person.key),)), person
        )
        return True

    def giving(self, person: Entity, to: Entity) -> Clause | None:
        mine = self.known.held_by(person.key)
        thing = self.entity(pick(self.rng, mine)) if mine else self.free()
        if thing is None:
            return None
        facts = (("gave", person.key, to.key, thing.key),)
        if self.rng.random() < 0.5:
            return Clause("give", {"thing": thing, "to": to}, facts, in_full=("thing",))
        return Clause("give-to", {"thing": thing, "to": to}, facts)

    def give(self) -> bool:
        person = self.person()
        to = self.other(person)
        clause = self.giving(person, to)
        if clause is None:
            return False
        luck = self.rng.random()
        if luck < 0.2:
            clause.rule, clause.slots = "receive", {**clause.slots, "giver": person}
            del clause.slots["to"]
            self.teller.say(clause, to)
        elif luck < 0.3 and not person.is_speaker:
            clause.rule, clause.slots = "give-sentence", {"who": person, **clause.slots}
            self.teller.say(clause)
        else:
            self.teller.say(clause, person)
        return True

    def put(self) -> bool:
        thing, person, into = self.free(), self.person(), self.container()
        if thing is None:
            return False
        clause = Clause("put", {"thing": thing, "into": into}, (("inside", thing.key, into.key),))
        if self.rng.random() < 0.25:
            clause.rule = "put-sentence"
            self.teller.say(clause)
        else:
            self.teller.say(clause, person)
        return True

    def carry(self) -> bool:
        """A container, or another thing, is brought somewhere."""
        person, place = self.person(), self.place()
        thing = self.container() if self.rng.random() < 0.7 else self.free()
        if thing is None:
            return False
        facts = (("lies", thing.key, place.key), ("at", person.key, place.key))
        self.teller.say(Clause("carry", {"thing": thing, "place": place}, facts), person)
        return True

    def several(self) -> bool:
        """Two or three things done, told in one sentence."""
        person = self.person()
        going, taking = self.going(person), self.taking(person)
        going.rule = going.rule.replace("be-", "move-")
        if taking is None:
            return False
        taking.rule = "take-past"
        parts = [going, taking] if self.rng.random() < 0.5 else [taking, going]
        if self.rng.random() < 0.3:
            place = self.place(self.entity_of(going))
            thing = taking.slots["thing"]
            assert isinstance(thing, Entity), "what is taken is a thing of the story"
            facts = (("lies", thing.key, place.key), ("at", person.key, place.key))
            parts.append(Clause("place", {"thing": thing, "place": place}, facts))
        self.teller.join(person, parts)
        return True

    @staticmethod
    def entity_of(clause: Clause) -> str:
        return clause.facts[0][2]

    # --- what is said besides ---------------------------------------------------------------

    def aside(self) -> bool:
        """Something about people of the story that changes nothing."""
        person = self.third()
        if person is None:
            return False
        rule = pick(self.rng, ("aside-place", "aside-person", "aside-thing"))
        slots: dict[str, Entity | Mention] = {"place": self.place(), "other": self.other(person)}
        if rule == "aside-thing":
            slots["thing"] = self.thing()
        wanted = rule.partition("-")[2].replace("person", "other")
        self.teller.say(Clause(rule, {wanted: slots[wanted]}, ()), person)
        return True

    def idle(self) -> bool:
        rule = "chat" if self.rng.random() < 0.2 else "idle"
        self.teller.finish(self.teller.rules.say(rule, {}, self.rng), ())
        return True

    # --- attributes -------------------------------------------------------------------------

    def holder_of(self, attribute: Attribute) -> Entity:
        """Somebody or something that has such an attribute, from the story if it can be."""
        pools = {"event": self.events, "big": self.owned, "thing": self.things}
        people = [person for person in self.people if person.kind in attribute.of]
        if "person" in attribute.of and people:
            return pick(self.rng, people)
        kind = pick(self.rng, attribute.of)
        pool = pools.setdefault(kind, self.containers if kind == "container" else self.people)
        if not pool or (len(pool) < 3 and self.rng.random() < 0.4):
            entity = self.teller.cast.draw(kind)
            entity.mentioned = True
            pool.append(entity)
        return pick(self.rng, [each for each in pool if each.kind == kind] or pool)

    def value_of(self, attribute: Attribute) -> tuple[str, Mention]:
        if attribute.value.startswith("<"):
            text = self.teller.rules.text(attribute.value[1:-1], self.rng)
            return text, Mention({"": text, "n": text})
        if attribute.value == "person" and self.rng.random() < 0.5:
            names = [person for person in self.people if person.kind == "person"]
            if names:
                person = pick(self.rng, names)
                return person.key, person.mention
        entity = self.teller.cast.draw(attribute.value)
        return entity.key, entity.mention

    def attribute(self) -> bool:
        chosen = self.chosen or self.teller.language.attributes
        return self.tell_value(pick(self.rng, chosen))

    chosen: list[Attribute] = []

    def tell_value(self, attribute: Attribute) -> bool:
        holder = self.holder_of(attribute)
        value, mention = self.value_of(attribute)
        at = (holder.key, attribute.name)
        before, rules = self.known.values.get(at), self.teller.rules
        name = attribute.name
        if before is not None and before.what == value:
            return False
        rule, facts = f"{name}-tell", (("is", holder.key, name, value),)
        luck = self.rng.random()
        if before is not None and luck < 0.1 and rules.has(f"{name}-stop"):
            old = self.mention_of(before.what)
            rule, mention = f"{name}-stop", old
            facts = (("stopped", holder.key, name, before.what),)
        elif luck < 0.18 and rules.has(f"{name}-aside") and not holder.is_speaker:
            rule, facts = f"{name}-aside", ()
        elif (before is not None or luck > 0.9) and rules.has(f"{name}-change"):
            rule = f"{name}-change" if self.rng.random() < 0.7 else rule
        slot = "it" if rules_use_it(attribute) else "who"
        slots: dict[str, Entity | Mention] = {slot: holder, "value": mention}
        self.teller.say(Clause(rule, slots, facts))
        return True

    def mention_of(self, key: str) -> Mention:
        found = self.teller.cast.of.get(key)
        return found.mention if found is not None else Mention({"": key, "n": key})


def reach_of(place: Entity) -> str:
    """Which wordings fit a place: one that is entered, one that is not, one far away."""
    if place.kind in _FAR:
        return "far"
    return "near" if place.noun.paradigm in ("room", "building") else "out"


def rules_use_it(attribute: Attribute) -> bool:
    """Whether the holder is a thing or an event, which wordings call `it`."""
    return not {"person", "kin", "trade", "self"} & set(attribute.of)
