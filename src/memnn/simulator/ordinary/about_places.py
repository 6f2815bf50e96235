"""Questions about where people are and were, who is there, and why."""

from __future__ import annotations

from memnn.simulator.ordinary.asking import Asker, Wondering, united
from memnn.simulator.ordinary.grammar import pick


def where_person(asker: Asker) -> Wondering | None:
    person = asker.any_of(asker.known.place)
    if person is None:
        return None
    known = asker.known.place[person.key]
    if len(known.ids) > 1 and not asker.plain(known.ids):
        return None
    mention, ids = asker.named(person, known.ids)
    kind = "where-person" if len(ids) == 1 else "where-person-2"
    slots = {"who": mention}
    return Wondering(kind, "ask-where-person", slots, known.what, ids, ("where", person.key))


def before(asker: Asker) -> Wondering | None:
    """Where somebody was before the place they are at."""
    been = [key for key, trail in asker.known.trail.items() if len(trail) > 1]
    person = asker.any_of(key for key in been if key in asker.known.place)
    if person is None:
        return None
    trail = asker.known.trail[person.key]
    earlier, last = trail[-2:]
    ids = (*last.ids, *earlier.ids)
    if earlier.what == last.what or sum(step.what == last.what for step in trail) > 1:
        return None
    if len(ids) > 2 or not asker.plain(ids):
        return None
    slots = {"who": person.mention, "place": asker.of(last.what)}
    meaning = ("before", person.key, last.what)
    return Wondering("before", "ask-before", slots, earlier.what, ids, meaning)


def whether_at(asker: Asker) -> Wondering | None:
    known = asker.known
    person = asker.any_of([*known.place, *known.not_at, *known.either])
    if person is None:
        return None
    key = person.key
    if key in known.place:
        place, ids, answer = known.place[key].what, known.place[key].ids, "yes"
        if asker.rng.random() < 0.5:
            place, answer = asker.stage.place(place).key, "no"
    elif key in known.not_at:
        place, ids, answer = known.not_at[key].what, known.not_at[key].ids, "no"
    else:
        first, second, id = known.either[key]
        place, ids = pick(asker.rng, (first, second)), (id,)
        if asker.rng.random() < 0.3:
            place = asker.stage.place().key
        answer = "maybe" if place in (first, second) else "no"
    if not asker.plain(ids):
        return None
    slots = {"who": person.mention, "place": asker.of(place)}
    meaning = ("whether-at", key, place)
    return Wondering("whether-at", "ask-whether-at", slots, asker.says(answer), ids, meaning)


def who_at(asker: Asker) -> Wondering | None:
    """Who is somewhere, or how many are."""
    places = [known.what for known in asker.known.place.values()]
    if not places:
        return None
    place = pick(asker.rng, places)
    people = asker.known.people_at(place)
    ids = united(asker.known.place[person].ids for person in people)
    if not asker.plain(ids) or any(len(asker.known.place[each].ids) > 1 for each in people):
        return None
    slots = {"place": asker.of(place)}
    if asker.rng.random() < 0.2:
        count = asker.number(len(people))
        return Wondering("count-at", "ask-how-many-at", slots, count, ids, ("count-at", place))
    kind = "who-at" if len(people) == 1 else "list-at"
    return Wondering(kind, "ask-who-at", slots, asker.listed(people), ids, ("who-at", place))


def with_whom(asker: Asker) -> Wondering | None:
    """Who went along, where two went together."""
    person = asker.any_of(asker.known.place)
    if person is None:
        return None
    known = asker.known.place[person.key]
    others = [key for key in asker.known.people_at(known.what) if key != person.key]
    if len(others) != 1 or asker.known.place[others[0]].ids != known.ids or len(known.ids) > 1:
        return None
    slots = {"who": person.mention, "place": asker.of(known.what)}
    meaning = ("with-whom", person.key, known.what)
    return Wondering("with-whom", "ask-with-whom", slots, others[0], known.ids, meaning)


def timed(asker: Asker) -> Wondering | None:
    """Where somebody was at some time, or when they were there."""
    if not asker.known.timed:
        return None
    key, time = pick(asker.rng, list(asker.known.timed))
    known = asker.known.timed[key, time]
    places = [each.what for (who, _), each in asker.known.timed.items() if who == key]
    slots = {"who": asker.of(key), "time": asker.of(time), "place": asker.of(known.what)}
    if asker.rng.random() < 0.3 and places.count(known.what) == 1:
        meaning = ("when-at", key, known.what)
        return Wondering("when-at", "ask-when-at", slots, time, known.ids, meaning)
    return Wondering("where-then", "ask-timed", slots, known.what, known.ids, ("was-at", key, time))


def why_went(asker: Asker) -> Wondering | None:
    reasons = asker.known.reasons
    if not reasons:
        return None
    key, place = pick(asker.rng, list(reasons))
    here = asker.known.place.get(key)
    if here is None or here.ids != reasons[key, place].ids or not asker.plain(here.ids):
        return None
    slots = {"who": asker.of(key), "place": asker.of(place)}
    known = reasons[key, place]
    return Wondering("why", "ask-why-went", slots, known.what, known.ids, ("why", key, place))


def who_is(asker: Asker) -> Wondering | None:
    """Who my sister is, and who Anna is."""
    person = asker.any_of(asker.known.same)
    if person is None or person.also is None:
        return None
    known = asker.known.same[person.key]
    slots = {"also": person.also.mention, "who": person.mention}
    if asker.rng.random() < 0.6:
        return Wondering("who-is", "ask-same", slots, person.key, known.ids, ("same", known.what))
    meaning = ("same-who", person.key)
    return Wondering("who-is", "ask-same-who", slots, known.what, known.ids, meaning)
