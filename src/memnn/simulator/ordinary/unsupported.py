"""Questions that nothing told answers: another attribute, another person, an unsaid reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memnn.simulator.ordinary.about_values import (
    action_named,
    attribute_named,
    deed_slots,
    holder_slot,
)
from memnn.simulator.ordinary.asking import Asker, Wondering
from memnn.simulator.ordinary.cast import PEOPLE, Entity
from memnn.simulator.ordinary.grammar import Mention, pick
from memnn.simulator.ordinary.language import Attribute
from memnn.simulator.ordinary.telling_of import verb


def unsupported(asker: Asker) -> Wondering | None:
    for _ in range(8):
        ask = pick(asker.rng, _WAYS)(asker)
        if ask is not None:
            return ask
    return None


def _none(kind: str, rule: str, slots: Mapping[str, Mention]) -> Wondering:
    return Wondering(f"unsupported-{kind}", rule, dict(slots), "", (), ("unknown",))


def _another_attribute(asker: Asker) -> Wondering | None:
    """Something of somebody who was spoken of, but was not told."""
    entity = pick(asker.rng, list(asker.stage.cast.of.values()))
    fit = [each for each in asker.language.attributes if entity.kind in each.of and each.plain]
    if not entity.mentioned or not fit or asker.known.is_counted(entity.key):
        return None
    attribute = pick(asker.rng, fit)
    if not _open(asker, entity.key, attribute):
        return None
    return _none("attribute", attribute.name, holder_slot(attribute, entity.mention))


def _open(asker: Asker, holder: str, attribute: Attribute) -> bool:
    """Whether nothing told comes near an answer."""
    told = {name for who, name in asker.known.values if who == holder}
    told |= {name for who, name in asker.known.stopped if who == holder}
    if told & {attribute.name, *attribute.hints}:
        return False
    return not any(attribute.name in attribute_named(asker, name).hints for name in told)


def _another_holder(asker: Asker) -> Wondering | None:
    """What was told of one is asked of another."""
    told = list(asker.known.values)
    if not told:
        return None
    attribute = attribute_named(asker, pick(asker.rng, told)[1])
    kind = pick(asker.rng, [kind for kind in attribute.of if kind != "self"])
    stranger = asker.stage.cast.draw(kind)
    return _none("holder", attribute.name, holder_slot(attribute, stranger.mention))


def _stranger(asker: Asker) -> Wondering | None:
    """Somebody or something that the story does not have."""
    draw, luck = asker.stage.cast.draw, asker.rng.random()
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


def _unplaced(asker: Asker) -> Wondering | None:
    """Where somebody is of whom everything but that was told."""
    people = [person for person in asker.stage.people if person.mentioned]
    if not people:
        return None
    person = pick(asker.rng, people)
    return None if _placed(asker, person) else _none(
        "place", "ask-where-person", {"who": person.mention}
    )  # fmt: skip


def _placed(asker: Asker, person: Entity) -> bool:
    """Whether anything told might be taken for where somebody is."""
    known, key = asker.known, person.key
    if key in known.place or key in known.either or any(who == key for who, _ in known.timed):
        return True
    for fact, _ in known.deeds:
        if key in fact and "where" in fact:
            return True
    return any(who == key and attribute_named(asker, name).is_place for who, name in known.values)


def _unsaid(asker: Asker) -> Wondering | None:
    """Why, when, how, with whom somebody went somewhere."""
    key = pick(asker.rng, list(asker.known.place) or [""])
    if not key or len(asker.known.place[key].ids) > 1:
        return None
    place = asker.known.place[key].what
    if (key, place) in asker.known.reasons:
        return None
    rule = pick(asker.rng, ("ask-unsaid-move", "ask-unsaid-move", "ask-why-went"))
    return _none("reason", rule, {"who": asker.of(key), "place": asker.of(place)})


def _unsaid_thing(asker: Asker) -> Wondering | None:
    thing = asker.any_of(asker.known.holder)
    if thing is None:
        return None
    holder = asker.of(asker.known.holder[thing.key].what)
    return _none("reason", "ask-unsaid-thing", {"who": holder, "thing": thing.mention})


def _unsaid_deed(asker: Asker) -> Wondering | None:
    """Something of a deed that was told without it, or another deed."""
    if not asker.known.deeds:
        return None
    fact, _ = pick(asker.rng, asker.known.deeds)
    slots = deed_slots(asker, fact)
    if asker.rng.random() < 0.3:
        same = action_named(asker, fact[2]).objects
        others = [each for each in asker.language.actions if each.objects == same]
        others = [each for each in others if each.name != fact[2]]
        if not others or same in PEOPLE:
            return None
        slots["do"] = verb(asker.stage, pick(asker.rng, others))
        return _none("deed", "ask-deed-who", slots)
    tail = pick(asker.rng, ("when", "where", "why", *action_named(asker, fact[2]).tails))
    near = {"with": ("tool",), "when": ("why",)}.get(tail, ())
    if any(each in fact[4::2] for each in (tail, *near)):
        return None
    return _none("deed", f"ask-deed-{tail}", slots)


def _unsaid_time(asker: Asker) -> Wondering | None:
    """Where somebody was at a time of which nothing was told."""
    if not asker.known.timed:
        return None
    key, _ = pick(asker.rng, list(asker.known.timed))
    time = asker.stage.cast.draw("moment")
    return _none("time", "ask-timed", {"who": asker.of(key), "time": time.mention})


def _lost(asker: Asker) -> Wondering | None:
    """Where a thing is that somebody lost."""
    known = asker.known
    thing = asker.any_of(
        key
        for key in known.had
        if key not in known.holder and key not in known.spot and key not in known.inside
    )
    if thing is None:
        return None
    rule = pick(asker.rng, ("ask-where-thing", "ask-who-has"))
    return _none("lost", rule, {"thing": thing.mention})


def _stopped(asker: Asker) -> Wondering | None:
    """What somebody's home is who no longer lives where they lived."""
    if not asker.known.stopped:
        return None
    holder, name = pick(asker.rng, list(asker.known.stopped))
    return _none("stopped", name, holder_slot(attribute_named(asker, name), asker.of(holder)))


def _never_given(asker: Asker) -> Wondering | None:
    """Who gave something that was not given."""
    given = {thing for _, _, thing, _ in asker.known.gave}
    things = asker.stage.pools["thing"]
    things = [thing for thing in things if thing.key not in given and thing.mentioned]
    if not things:
        return None
    giver = asker.stage.person()
    to, thing = asker.stage.other(giver), pick(asker.rng, things)
    slots = {"who": giver.mention, "to": to.mention, "thing": thing.mention}
    return _none("gift", "ask-who-gave", slots)


def _uncounted(asker: Asker) -> Wondering | None:
    """How many there are of something else, or how many somebody else has."""
    known = asker.known.amounts
    if not known:
        return None
    owner, thing = pick(asker.rng, list(known))
    if not owner or asker.rng.random() < 0.5:
        other = asker.stage.cast.draw("counted").mention
        slots = {"who": asker.of(owner), "it": other} if owner else {"it": other}
        return _none("number", "ask-amount-of" if owner else "ask-amount", slots)
    counted = {who for who, what in known if what == thing}
    people = [person for person in asker.stage.people if person.key not in counted]
    if not people:
        return None
    slots = {"who": pick(asker.rng, people).mention, "it": asker.of(thing)}
    return _none("number", "ask-amount-of", slots)


_WAYS: tuple[Callable[[Asker], Wondering | None], ...] = (
    _another_attribute, _another_attribute, _another_attribute, _another_holder, _another_holder,
    _stranger, _unplaced, _unsaid, _unsaid, _unsaid_thing, _unsaid_deed, _unsaid_deed,
    _unsaid_time, _lost, _stopped, _never_given, _uncounted, _uncounted,
)  # fmt: skip
