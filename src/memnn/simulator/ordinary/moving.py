"""People go places: alone, in groups, to where somebody is, and away."""

from __future__ import annotations

from memnn.simulator.ordinary.cast import Entity
from memnn.simulator.ordinary.grammar import Mention, pick
from memnn.simulator.ordinary.stage import Scenery
from memnn.simulator.ordinary.telling import Clause

_STATE = 0.35
_SENTENCE = 0.12
_REASON = 0.07


def going(stage: Scenery, person: Entity, past: bool = False) -> Clause:
    """Somebody goes somewhere else, or is there."""
    here = stage.known.place.get(person.key)
    place = stage.place(here.what if here else None)
    how = "past" if past else "be" if stage.rng.random() < _STATE else "move"
    facts = (("at", person.key, place.key),)
    return Clause(f"{how}-{place.noun.reach}", {"place": place}, facts, other_names=True)


def move(stage: Scenery) -> bool:
    person = stage.person()
    luck = stage.rng.random()
    clause = going(stage, person, past=luck < _REASON)
    if luck < _REASON:
        return _with_reason(stage, person, clause)
    if luck < _SENTENCE + _REASON and not person.is_speaker and stage.rules.has("be-sentence"):
        clause.slots = {"who": person, **clause.slots}
        clause.rule, clause.plain = "be-sentence", True
        return stage.say(clause)
    return stage.say(clause, person)


def _with_reason(stage: Scenery, person: Entity, clause: Clause) -> bool:
    """Somebody goes somewhere, and it is told why."""
    rule, how = pick(stage.rng, (("reason-move", "move-because"), ("purpose", "move-for")))
    if not stage.rules.has(how):
        return stage.say(clause, person)
    why = stage.rules.text(rule, stage.rng)
    _, who, place = clause.facts[0]
    clause.facts += (("why", who, place, why),)
    clause.tails = (how,)
    clause.slots = {**clause.slots, "why": Mention({"": why})}
    return stage.say(clause, person)


def group(stage: Scenery) -> bool:
    others = [person for person in stage.people if not person.is_speaker]
    if len(others) < 2:
        return False
    size = 3 if len(others) > 2 and stage.rng.random() < 0.15 else 2
    return _together(stage, stage.rng.sample(others, size))


def regroup(stage: Scenery) -> bool:
    """Those who were just named together go on together."""
    return bool(stage.teller.group) and _together(stage, list(stage.teller.group))


def _together(stage: Scenery, group: list[Entity]) -> bool:
    here = stage.known.place.get(group[0].key)
    place = stage.place(here.what if here else None)
    rule = f"{pick(stage.rng, ('group', 'move', 'be'))}-{place.noun.reach}"
    facts = tuple(("at", person.key, place.key) for person in group)
    stage.teller.say(Clause(rule, {"place": place}, facts), group)
    return True


def company(stage: Scenery) -> bool:
    """Somebody joins somebody whose place is known."""
    other = stage.placed()
    if other is None:
        return False
    person = stage.other(other)
    if person.also is not None or other.also is not None:
        return False
    return stage.say(
        Clause("company", {"other": other}, (("with", person.key, other.key),)), person
    )


def leave(stage: Scenery) -> bool:
    person = stage.placed()
    if person is None:
        return False
    place = stage.entity(stage.known.place[person.key].what)
    return stage.say(Clause("away", {"place": place}, (("away", person.key, place.key),)), person)


def either(stage: Scenery) -> bool:
    person, place = stage.third(), stage.near()
    if person is None:
        return False
    other = stage.near(than=place)
    facts = (("either", person.key, place.key, other.key),)
    return stage.say(Clause("either", {"place": place, "or": other}, facts), person)


def timed(stage: Scenery) -> bool:
    """Where somebody was at some time in the past."""
    person, place = stage.third(), stage.place()
    if person is None:
        return False
    moments = [stage.some("moment", most=4, growing=0.6) for _ in range(3)]
    free = [each for each in moments if (person.key, each.key) not in stage.known.timed]
    if not free or person.key in stage.known.place:
        return False
    facts = (("was-at", person.key, free[0].key, place.key),)
    slots: dict[str, Entity | Mention] = {"who": person, "time": free[0], "place": place}
    return stage.say(Clause("timed", slots, facts, plain=True, in_full=("time",)))


def aside(stage: Scenery) -> bool:
    """Something about people of the story that changes nothing."""
    person = stage.third()
    if person is None:
        return False
    what = pick(stage.rng, ("place", "other", "thing"))
    if what == "place":
        about = stage.place()
    else:
        about = stage.other(person) if what == "other" else stage.thing()
    return stage.say(Clause(f"aside-{what}", {what: about}, (), in_full=("place",)), person)


def idle(stage: Scenery) -> bool:
    """Small talk, or a sentence about anything."""
    rule = "chat" if stage.rng.random() < 0.2 else "idle"
    stage.teller.finish(stage.rules.say(rule, {}, stage.rng), ())
    return True
