"""Questions that nothing told answers: another attribute, another person, an unsaid reason."""

from __future__ import annotations

from collections.abc import Callable

from memnn.simulator.ordinary.asking import Ask, Asker
from memnn.simulator.ordinary.grammar import pick
from memnn.simulator.ordinary.language import Attribute

_WHERE = ("home", "work", "venue", "origin")
"""Attributes whose value might be taken for where somebody is."""


def unsupported(asker: Asker) -> Ask | None:
    for _ in range(8):
        ask = pick(asker.rng, _WAYS)(asker)
        if ask is not None:
            return ask
    return None


def _none(kind: str, rule: str, slots: dict[str, object]) -> Ask:
    return Ask(f"unsupported-{kind}", rule, slots, "", (), ("unknown",))  # type: ignore[arg-type]


def _another_attribute(asker: Asker) -> Ask | None:
    """Something of somebody who was spoken of, but was not told."""
    known = [entity for entity in asker.teller.cast.of.values() if entity.mentioned]
    if not known:
        return None
    entity = pick(asker.rng, known)
    fit = [
        attribute
        for attribute in asker.language.attributes
        if entity.kind in attribute.of and attribute.plain
    ]
    if not fit:
        return None
    attribute = pick(asker.rng, fit)
    if not _open(asker, entity.key, attribute):
        return None
    slots = asker.value_slots(attribute.name, entity.mention)
    return _none("attribute", attribute.name, dict(slots))


def _open(asker: Asker, holder: str, attribute: Attribute) -> bool:
    """Whether nothing told comes near an answer."""
    told = {name for who, name in asker.known.values if who == holder}
    told |= {name for who, name in asker.known.stopped if who == holder}
    near = {attribute.name, *attribute.hints}
    return not told & near and not any(
        attribute.name in other.hints for other in asker.language.attributes if other.name in told
    )


def _another_holder(asker: Asker) -> Ask | None:
    """What was told of one is asked of another."""
    told = list(asker.known.values)
    if not told:
        return None
    _, name = pick(asker.rng, told)
    attribute = next(each for each in asker.language.attributes if each.name == name)
    kinds = [kind for kind in attribute.of if kind != "self"]
    stranger = asker.teller.cast.draw(pick(asker.rng, kinds))
    return _none("holder", name, dict(asker.value_slots(name, stranger.mention)))


def _stranger(asker: Asker) -> Ask | None:
    """Somebody or something that the story does not have."""
    draw, luck = asker.teller.cast.draw, asker.rng.random()
    if luck < 0.35:
        return _none("person", "ask-where-person", {"who": draw("person").mention})
    if luck < 0.55:
        return _none("thing", "ask-where-thing", {"thing": draw("thing").mention})
    if luck < 0.75:
        return _none("thing", "ask-who-has", {"thing": draw("thing").mention})
    person = draw("person").mention
    if luck < 0.85:
        return _none("person", "ask-what-has", {"who": person})
    place = asker.stage.place().mention
    return _none("person", "ask-whether-at", {"who": person, "place": place})


def _unplaced(asker: Asker) -> Ask | None:
    """Where somebody is of whom everything but that was told."""
    known = asker.known
    people = [
        person
        for person in asker.stage.people
        if person.mentioned
        and person.key not in known.place
        and person.key not in known.either
        and not any((person.key, name) in known.values for name in _WHERE)
    ]
    if not people:
        return None
    return _none("place", "ask-where-person", {"who": pick(asker.rng, people).mention})


def _unsaid(asker: Asker) -> Ask | None:
    """Why, when, how, with whom somebody went somewhere."""
    places = [key for key, known in asker.known.place.items() if len(known.ids) == 1]
    if not places:
        return None
    key = pick(asker.rng, places)
    of = asker.stage.mention_of
    slots = {"who": of(key), "place": of(asker.known.place[key].what)}
    return _none("reason", "ask-unsaid-move", dict(slots))


def _unsaid_thing(asker: Asker) -> Ask | None:
    if not asker.known.holder:
        return None
    thing = pick(asker.rng, list(asker.known.holder))
    of = asker.stage.mention_of
    slots = {"who": of(asker.known.holder[thing].what), "thing": of(thing)}
    return _none("reason", "ask-unsaid-thing", dict(slots))


def _lost(asker: Asker) -> Ask | None:
    """Where a thing is that somebody lost."""
    known = asker.known
    lost = [
        key
        for key in known.had
        if key not in known.holder and key not in known.spot and key not in known.inside
    ]
    if not lost:
        return None
    rule = pick(asker.rng, ("ask-where-thing", "ask-who-has"))
    return _none("lost", rule, {"thing": asker.stage.mention_of(pick(asker.rng, lost))})


def _stopped(asker: Asker) -> Ask | None:
    """What somebody's home is who no longer lives where they lived."""
    if not asker.known.stopped:
        return None
    holder, name = pick(asker.rng, list(asker.known.stopped))
    slots = asker.value_slots(name, asker.stage.mention_of(holder))
    return _none("stopped", name, dict(slots))


def _never_given(asker: Asker) -> Ask | None:
    """Who gave something that was not given."""
    given = {thing for _, _, thing, _ in asker.known.gave}
    things = [thing for thing in asker.stage.things if thing.key not in given and thing.mentioned]
    if not things:
        return None
    first = asker.stage.person()
    slots = {
        "who": first.mention,
        "to": asker.stage.other(first).mention,
        "thing": pick(asker.rng, things).mention,
    }
    return _none("gift", "ask-who-gave", dict(slots))


_WAYS: tuple[Callable[[Asker], Ask | None], ...] = (
    _another_attribute, _another_attribute, _another_attribute, _another_holder, _another_holder,
    _stranger, _unplaced, _unsaid, _unsaid, _unsaid_thing, _lost, _stopped, _never_given,
)  # fmt: skip
