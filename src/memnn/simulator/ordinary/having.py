"""People take, give, lose and carry things, and put them somewhere."""

from __future__ import annotations

from memnn.simulator.ordinary.cast import Entity
from memnn.simulator.ordinary.grammar import pick
from memnn.simulator.ordinary.meaning import Fact
from memnn.simulator.ordinary.moving import going
from memnn.simulator.ordinary.stage import Scenery
from memnn.simulator.ordinary.telling import Clause


def _taking(stage: Scenery, person: Entity, past: bool = False) -> Clause | None:
    thing = stage.free()
    if thing is None:
        return None
    rule = "take-past" if past else "take"
    return Clause(rule, {"thing": thing}, (("has", thing.key, person.key),))


def take(stage: Scenery) -> bool:
    person = stage.person()
    clause = _taking(stage, person)
    if clause is None:
        return False
    if stage.rng.random() < 0.15 and not person.is_speaker:
        clause.slots = {"who": person, **clause.slots}
        clause.rule = "take-sentence"
        return stage.say(clause)
    return stage.say(clause, person)


def _placing(stage: Scenery, person: Entity, thing: Entity, than: str, past: bool) -> Clause:
    place = stage.place(than)
    facts = (("lies", thing.key, place.key), ("at", person.key, place.key))
    rule = "place-past" if past else "place"
    return Clause(rule, {"thing": thing, "place": place}, facts)


def drop(stage: Scenery) -> bool:
    """Something is put down: here, or at a place that is named."""
    person = stage.holding()
    if person is None:
        return False
    thing = stage.entity(pick(stage.rng, stage.known.held_by(person.key)))
    if person.key in stage.known.place and stage.rng.random() < 0.5:
        facts = (("dropped", thing.key, person.key),)
        return stage.say(Clause("drop", {"thing": thing}, facts), person)
    return stage.say(_placing(stage, person, thing, "", past=False), person)


def pack(stage: Scenery) -> bool:
    """Two to four things at once: taken, or put into something."""
    person, things = stage.person(), list[Entity]()
    for _ in range(stage.rng.randint(2, 4)):
        thing = stage.free()
        if thing is not None and thing not in things:
            things.append(thing)
    if len(things) < 2:
        return False
    if stage.rng.random() < 0.5:
        facts: tuple[Fact, ...] = tuple(("has", thing.key, person.key) for thing in things)
        return stage.say(Clause("take-many", {"things": things}, facts), person)
    into = stage.container()
    facts = tuple(("inside", thing.key, into.key) for thing in things)
    return stage.say(Clause("put-many", {"things": things, "into": into}, facts), person)


def lie(stage: Scenery) -> bool:
    thing, place = stage.free() or stage.container(), stage.place()
    facts = (("lies", thing.key, place.key),)
    return stage.say(Clause("lie", {"thing": thing, "place": place}, facts, in_full=("thing",)))


def lose(stage: Scenery) -> bool:
    person = stage.holding()
    if person is None:
        return False
    thing = stage.entity(pick(stage.rng, stage.known.held_by(person.key)))
    return stage.say(Clause("lose", {"thing": thing}, (("lost", thing.key, person.key),)), person)


def give(stage: Scenery) -> bool:
    person = stage.person()
    to = stage.other(person)
    mine = stage.known.held_by(person.key)
    thing = stage.entity(pick(stage.rng, mine)) if mine else stage.free()
    if thing is None:
        return False
    facts = (("gave", person.key, to.key, thing.key),)
    luck = stage.rng.random()
    if luck < 0.2:
        return stage.say(Clause("receive", {"thing": thing, "giver": person}, facts), to)
    if luck < 0.3 and not person.is_speaker:
        return stage.say(Clause("give-sentence", {"who": person, "thing": thing, "to": to}, facts))
    if luck < 0.65:
        clause = Clause("give", {"thing": thing, "to": to}, facts, in_full=("thing",))
        return stage.say(clause, person)
    return stage.say(Clause("give-to", {"thing": thing, "to": to}, facts), person)


def put(stage: Scenery) -> bool:
    """Into something that can be carried, or in or on a piece of furniture."""
    person = stage.person()
    mine = stage.known.held_by(person.key)
    thing = stage.entity(pick(stage.rng, mine)) if mine else stage.free()
    if thing is None:
        return False
    movable = stage.rng.random() < 0.65
    into = stage.container() if movable else stage.some("holder", most=3)
    rule = "put" if movable else "putting"
    facts = (("inside", thing.key, into.key),)
    clause = Clause(rule, {"thing": thing, "into": into}, facts)
    if stage.rng.random() < 0.25:
        clause.rule = f"{rule}-sentence"
        return stage.say(clause)
    return stage.say(clause, person)


def carry(stage: Scenery) -> bool:
    """A container, or another thing, is brought somewhere."""
    person, place = stage.person(), stage.place()
    thing = stage.container() if stage.rng.random() < 0.7 else stage.free()
    if thing is None:
        return False
    facts = (("lies", thing.key, place.key), ("at", person.key, place.key))
    return stage.say(Clause("carry", {"thing": thing, "place": place}, facts), person)


def several(stage: Scenery) -> bool:
    """Two or three things done, told in one sentence."""
    person = stage.person()
    went, took = going(stage, person, past=True), _taking(stage, person, past=True)
    if took is None:
        return False
    went.other_names = False
    parts = [went, took] if stage.rng.random() < 0.5 else [took, went]
    luck = stage.rng.random()
    thing = stage.entity(took.facts[0][1])
    if luck < 0.3:
        parts.append(_placing(stage, person, thing, went.facts[0][2], past=True))
    elif luck < 0.45:
        to = stage.other(person)
        facts = (("gave", person.key, to.key, thing.key),)
        parts.append(Clause("give-past", {"thing": thing, "to": to}, facts))
    stage.teller.join(person, parts)
    return True


def both(stage: Scenery) -> bool:
    """Two things taken at once, or two people doing each their own thing."""
    person, first, second = stage.person(), stage.free(), stage.free()
    if first is None or second is None:
        return False
    if first is not second:
        facts = (("has", first.key, person.key), ("has", second.key, person.key))
        slots = {"thing": first, "second": second}
        return stage.say(Clause("take-both", slots, facts, in_full=("second",)), person)
    other = stage.third()
    if other is None or other is person:
        return False
    one, two = going(stage, person, past=True), going(stage, other, past=True)
    one.other_names = two.other_names = False
    stage.teller.link(((person, one), (other, two)))
    return True
