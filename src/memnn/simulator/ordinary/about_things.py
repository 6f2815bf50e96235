"""Questions about things: where they are, who has them, who gave them, what is in what."""

from __future__ import annotations

from memnn.simulator.ordinary.asking import Asker, Wondering, united
from memnn.simulator.ordinary.grammar import pick

_FAR = 0.6
"""How often a thing is asked for that takes more than one statement to find, if there is one."""


def where_thing(asker: Asker) -> Wondering | None:
    known = asker.known
    handled = [*known.holder, *known.spot, *known.inside]
    far = [key for key in handled if (there := known.where(key)) and len(set(there.ids)) > 1]
    thing = asker.any_of(far if far and asker.rng.random() < _FAR else handled)
    if thing is None:
        return None
    found = known.where(thing.key)
    if found is None or not asker.plain(found.ids):
        return None
    kind = "where-thing" if len(set(found.ids)) == 1 else "where-thing-2"
    slots = {"thing": thing.mention}
    return Wondering(kind, "ask-where-thing", slots, found.what, found.ids, ("where", thing.key))


def who_has(asker: Asker) -> Wondering | None:
    thing = asker.any_of(asker.known.holder)
    if thing is None:
        return None
    known = asker.known.holder[thing.key]
    given = any(id == known.ids[0] for *_, id in asker.known.gave)
    rule = "ask-who-took" if not given and asker.rng.random() < 0.3 else "ask-who-has"
    slots = {"thing": thing.mention}
    return Wondering("who-has", rule, slots, known.what, known.ids, ("who-has", thing.key))


def what_has(asker: Asker) -> Wondering | None:
    """What somebody has, or how many things."""
    person = asker.any_of(sorted({known.what for known in asker.known.holder.values()}))
    if person is None:
        return None
    things = asker.known.held_by(person.key)
    ids = united(asker.known.holder[thing].ids for thing in things)
    slots = {"who": person.mention}
    if asker.known.lost_since(person.key, ids):
        return None
    if asker.rng.random() < 0.3:
        count, meaning = asker.number(len(things)), ("count-has", person.key)
        return Wondering("count-has", "ask-count-has", slots, count, ids, meaning)
    kind, answer = "what-has" if len(things) == 1 else "list-has", asker.listed(things)
    return Wondering(kind, "ask-what-has", slots, answer, ids, ("what-has", person.key))


def whether_has(asker: Asker) -> Wondering | None:
    thing = asker.any_of([*asker.known.holder, *asker.known.had])
    if thing is None:
        return None
    holder, had = asker.known.holder.get(thing.key), asker.known.had.get(thing.key)
    if holder is not None and (had is None or asker.rng.random() < 0.6):
        person, ids, answer = holder.what, holder.ids, "yes"
        if asker.rng.random() < 0.3:
            person, answer = asker.stage.other(asker.stage.entity(person)).key, "no"
    elif had is not None and holder is not None and holder.what != had.what:
        person, ids, answer = had.what, holder.ids, "no"
    elif had is not None and holder is None and thing.key not in asker.known.inside:
        newest = asker.known.spot.get(thing.key, had)
        person, ids, answer = had.what, newest.ids[:1], "no"
    else:
        return None
    slots = {"who": asker.of(person), "thing": thing.mention}
    meaning = ("whether-has", person, thing.key)
    return Wondering("whether-has", "ask-whether-has", slots, asker.says(answer), ids, meaning)


def gave(asker: Asker) -> Wondering | None:
    """Who gave what to whom."""
    if not asker.known.gave:
        return None
    giver, to, thing, id = pick(asker.rng, asker.known.gave)
    same = [gift for gift in asker.known.gave if gift[2] == thing]
    between = [gift for gift in asker.known.gave if gift[:2] == (giver, to)]
    slots = {"who": asker.of(giver), "to": asker.of(to), "thing": asker.of(thing)}
    luck = asker.rng.random()
    if luck < 0.3 and len(between) == 1:
        meaning = ("what-gave", giver, to)
        return Wondering("what-gave", "ask-what-gave", slots, thing, (id,), meaning)
    holder = asker.known.holder.get(thing)
    if len(same) > 1 or holder is None or holder.ids != (id,):
        return None
    if luck < 0.65:
        return Wondering("who-gave", "ask-who-gave", slots, giver, (id,), ("who-gave", thing, to))
    meaning = ("who-received", thing, giver)
    return Wondering("who-received", "ask-who-received", slots, to, (id,), meaning)


def inside(asker: Asker) -> Wondering | None:
    """What a thing is in, what is in something, and how many things are."""
    thing = asker.any_of(asker.known.inside)
    if thing is None:
        return None
    known = asker.known.inside[thing.key]
    into = asker.stage.entity(known.what)
    if into.kind != "container":
        slots = {"thing": thing.mention}
        meaning = ("in-what", thing.key)
        return Wondering("where-put", "ask-where-holder", slots, known.what, known.ids, meaning)
    luck = asker.rng.random()
    if luck < 0.3:
        slots, meaning = {"thing": thing.mention}, ("in-what", thing.key)
        return Wondering("in-what", "ask-in-what", slots, known.what, known.ids, meaning)
    things = asker.known.contents(known.what)
    ids = united(asker.known.inside[each].ids for each in things)
    slots = {"into": into.mention}
    if luck < 0.5:
        count, meaning = asker.number(len(things)), ("count-in", known.what)
        return Wondering("count-in", "ask-count-in", slots, count, ids, meaning)
    kind = "what-in" if len(things) == 1 else "list-in"
    return Wondering(kind, "ask-what-in", slots, asker.listed(things), ids, ("what-in", known.what))
