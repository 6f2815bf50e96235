"""Questions about what people and things are like, and about what was done."""

from __future__ import annotations

from memnn.simulator.ordinary.asking import Asker, Wondering
from memnn.simulator.ordinary.grammar import Mention, pick
from memnn.simulator.ordinary.knowledge import Ids
from memnn.simulator.ordinary.language import Action, Attribute
from memnn.simulator.ordinary.meaning import Fact
from memnn.simulator.ordinary.telling_of import of_people, value_of, verb

CHANGED, OF_A_PORTRAIT = 0.5, 0.15
"""How often what has changed is asked about rather than anything else, where something has."""


def attribute_named(asker: Asker, name: str) -> Attribute:
    return next(each for each in asker.language.attributes if each.name == name)


def action_named(asker: Asker, name: str) -> Action:
    return next(each for each in asker.language.actions if each.name == name)


def holder_slot(attribute: Attribute, holder: Mention) -> dict[str, Mention]:
    return {"who" if of_people(attribute) else "it": holder}


def value(asker: Asker) -> Wondering | None:
    told = list(asker.known.values)
    if not told:
        return None
    changed = [at for at in told if at in asker.known.changed]
    if changed and asker.rng.random() < (OF_A_PORTRAIT if asker.stage.portrait else CHANGED):
        told = changed
    holder, name = pick(asker.rng, told)
    known = asker.known.values[holder, name]
    attribute = attribute_named(asker, name)
    mention, ids = asker.named(asker.stage.entity(holder), known.ids)
    slots = holder_slot(attribute, mention)
    if asker.rules.has(f"{name}-whether") and asker.rng.random() < 0.2:
        return _whether(asker, attribute, holder, slots, ids)
    kind = f"value-{name}" if len(ids) == 1 else "value-2"
    return Wondering(kind, name, slots, known.what, ids, ("value", holder, name))


def _whether(
    asker: Asker, attribute: Attribute, holder: str, slots: dict[str, Mention], ids: Ids
) -> Wondering:
    known = asker.known.values[holder, attribute.name].what
    value, mention = known, asker.of(known)
    if asker.rng.random() < 0.5:
        for _ in range(5):
            value, mention = value_of(asker.stage, attribute)
            if value not in (known, holder):
                break
    answer = asker.says("yes" if value == known else "no")
    rule, meaning = f"{attribute.name}-whether", ("whether-value", holder, attribute.name, value)
    return Wondering("whether-value", rule, {**slots, "value": mention}, answer, ids, meaning)


def stopped(asker: Asker) -> Wondering | None:
    """Whether somebody still lives where they no longer live."""
    gone = [at for at in asker.known.stopped if asker.rules.has(f"{at[1]}-whether")]
    if not gone:
        return None
    holder, name = pick(asker.rng, gone)
    known = asker.known.stopped[holder, name]
    attribute = attribute_named(asker, name)
    mention, ids = asker.named(asker.stage.entity(holder), known.ids)
    slots = {**holder_slot(attribute, mention), "value": asker.of(known.what)}
    meaning = ("whether-value", holder, name, known.what)
    return Wondering("whether-value", f"{name}-whether", slots, asker.says("no"), ids, meaning)


def deed_slots(asker: Asker, fact: Fact) -> dict[str, Mention]:
    _, who, name, thing = fact[:4]
    do = verb(asker.stage, action_named(asker, name))
    return {"who": asker.of(who), "object": asker.of(thing), "do": do}


def deed(asker: Asker) -> Wondering | None:
    """Who did it, to what, when, where, why, with what: as far as it was told."""
    if not asker.known.deeds:
        return None
    fact, id = pick(asker.rng, asker.known.deeds)
    _, who, name, thing, *said = fact
    slots = deed_slots(asker, fact)
    luck = asker.rng.random()
    if said and luck < 0.5:
        index = 2 * int(asker.rng.random() * (len(said) // 2))
        tail, answer = said[index], said[index + 1]
        asked = ("did", tail, who, name, thing)
        return Wondering(f"deed-{tail}", f"ask-deed-{tail}", slots, answer, (id,), asked)
    if luck < 0.7:
        return Wondering("deed-who", "ask-deed-who", slots, who, (id,), ("did-who", name, thing))
    if luck < 0.85:
        mine = [each for each, _ in asker.known.deeds if each[1:3] == (who, name)]
        if len(mine) > 1:
            return None
        person = asker.stage.entity(thing).kind != "object"
        rule = "ask-deed-whom" if person else "ask-deed-what"
        return Wondering("deed-what", rule, slots, thing, (id,), ("did-what", who, name))
    answer = "yes"
    if asker.rng.random() < 0.5:
        other = asker.stage.other(asker.stage.entity(who))
        if other.key == thing or other.key in said:
            return None
        slots["who"], who, answer = other.mention, other.key, "no"
    meaning = ("whether-did", who, name, thing)
    return Wondering("whether-did", "ask-deed-whether", slots, asker.says(answer), (id,), meaning)
