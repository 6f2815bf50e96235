"""Slow, obvious readers: each task's answers and supports found anew from the sentences alone.

A reader gets the statements before a question, as (id, text), and nothing of the simulator. It
starts from the first line at every question. What it does not understand fails loudly.
"""

from __future__ import annotations

import re

GO = "(?:went to|went back to|moved to|travelled to|journeyed to)"
GET = "(?:got|took|grabbed|picked up)"
DROP = "(?:dropped|left|discarded|put down)"
GIVE = "(?:gave|handed|passed)"
NUMBERS = ["none", "one", "two", "three"]


def parse(text, **patterns):
    """The name of the pattern that a sentence has, and its names."""
    for name, pattern in patterns.items():
        match = re.fullmatch(pattern, text.strip())
        if match:
            return name, *match.groups()
    raise AssertionError(f"not understood: {text}")


def deeds(statements):
    for id, text in statements:
        yield (
            id,
            *parse(
                text,
                go=rf"(\w+) {GO} the (\w+)\.",
                get=rf"(\w+) {GET} the (\w+)(?: there)?\.",
                drop=rf"(\w+) {DROP} the (\w+)(?: there)?\.",
                give=rf"(\w+) {GIVE} the (\w+) to (\w+)\.",
            ),
        )


# --- people and things that move --------------------------------------------------------------


def task_1(statements, question):
    _, who = parse(question, where=r"Where is (\w+)\?")
    goes = [(id, room) for id, _, actor, room in deeds(statements) if actor == who]
    return goes[-1][1], (goes[-1][0],)


def journey(statements, thing):
    """Where a thing was, one room after another, with the goes that took it there.

    Whoever is first seen to let go of it had it before.
    """
    handled = [(id, *deed) for id, *deed in deeds(statements) if thing in deed[1:]]
    holder = handled[0][2] if handled[0][1] in ("drop", "give") else None
    rooms, last = {}, None
    trail = []
    for id, kind, actor, *rest in deeds(statements):
        if kind == "go":
            rooms[actor] = (id, rest[0])
            if actor == holder:
                trail.append(rooms[actor])
        elif rest[0] == thing:
            holder = {"get": actor, "drop": None, "give": rest[-1]}[kind]
            last = id
            where = rooms.get(actor)
            if where and trail[-1:] != [where]:
                trail.append(where)
    return last, trail


def task_2(statements, question):
    _, thing = parse(question, where=r"Where is the (\w+)\?")
    last, trail = journey(statements, thing)
    return trail[-1][1], (last, trail[-1][0])


def task_3(statements, question):
    _, thing, room = parse(question, where=r"Where was the (\w+) before the (\w+)\?")
    last, trail = journey(statements, thing)
    place = max(place for place, (_, there) in enumerate(trail) if there == room)
    return trail[place - 1][1], (last, trail[place][0], trail[place - 1][0])


def task_5(statements, question):
    kind, *names = parse(
        question,
        what=r"What did (\w+) give to (\w+)\?",
        gave_to=r"Who gave the (\w+) to (\w+)\?",
        gave=r"Who gave the (\w+)\?",
        received=r"Who received the (\w+)\?",
        to_whom=r"Who did (\w+) give the (\w+) to\?",
    )
    for id, deed, *rest in reversed(list(deeds(statements))):
        if deed == "give":
            actor, thing, to = rest
            known, answer = {
                "what": ([actor, to], thing),
                "gave_to": ([thing, to], actor),
                "gave": ([thing], actor),
                "received": ([thing], to),
                "to_whom": ([actor, thing], to),
            }[kind]
            if known == names:
                return answer, (id,)
    raise AssertionError(question)


def task_6(statements, question):
    _, who, room = parse(question, there=r"Is (\w+) in the (\w+)\?")
    goes = [deed for deed in deeds(statements) if deed[1:3] == ("go", who)]
    id, _, _, there = goes[-1]
    return "yes" if there == room else "no", (id,)


def hands(statements, who):
    """What passed through somebody's hands: for each thing when, and whether it is there now."""
    held, ids = {}, {}
    for id, kind, actor, *rest in deeds(statements):
        if kind == "go" or who not in (actor, *rest):
            continue
        thing = rest[0]
        held[thing] = kind == "get" or (kind == "give" and rest[1] == who)
        ids.setdefault(thing, []).append(id)
    return [thing for thing in ids if held[thing]], ids


def task_7(statements, question):
    _, who = parse(question, many=r"How many objects is (\w+) carrying\?")
    held, ids = hands(statements, who)
    return NUMBERS[len(held)], tuple(sorted(id for each in ids.values() for id in each))


def task_8(statements, question):
    _, who = parse(question, what=r"What is (\w+) carrying\?")
    held, ids = hands(statements, who)
    return ",".join(held) or "nothing", tuple(id for each in ids.values() for id in each)


def told_of(statements, who):
    for id, text in reversed(statements):
        kind, actor, *rooms = parse(
            text,
            there=rf"(\w+) (?:{GO}|is in) the (\w+)\.",
            gone=r"(\w+) is (?:not|no longer) in the (\w+)\.",
            either=r"(\w+) is either in the (\w+) or the (\w+)\.",
        )
        if actor == who:
            return id, kind, rooms
    raise AssertionError(who)


def task_9(statements, question):
    _, who, room = parse(question, there=r"Is (\w+) in the (\w+)\?")
    id, kind, rooms = told_of(statements, who)
    if kind == "gone":
        assert room in rooms, "that somebody left a room says nothing of the others"
        return "no", (id,)
    inside = "maybe" if kind == "either" else "yes"
    return inside if room in rooms else "no", (id,)


task_10 = task_9


def task_11(statements, question):
    """Also 12 and 13: pronouns are whoever was named last."""
    _, who = parse(question, where=r"Where is (\w+)\?")
    where, named = {}, ((), 0)
    for id, text in statements:
        kind, *names = parse(
            text,
            on=rf"(?:Then|Afterwards|After that|Following that) (?:s?he|they) {GO} the (\w+)\.",
            two=rf"(\w+) and (\w+) {GO} the (\w+)\.",
            one=rf"(\w+) {GO} the (\w+)\.",
        )
        *people, room = names
        if kind == "on":
            people, first = named
            supports = (first, id)
        else:
            named, supports = (people, id), (id,)
        for person in people:
            where[person] = (room, supports)
    return where[who]


task_12 = task_13 = task_11


def task_14(statements, question):
    times = ["yesterday", "this morning", "this afternoon", "this evening"]
    _, who, room = parse(question, before=r"Where was (\w+) before the (\w+)\?")
    day = []
    for id, text in statements:
        _, early, actor, place, late = parse(
            text, at=rf"(?:(Yesterday|This \w+) )?(\w+) {GO} the (\w+)(?: (yesterday|this \w+))?\."
        )
        if actor == who:
            day.append((times.index((early or late).lower()), place, id))
    day.sort()
    latest = max(place for place, (_, there, _) in enumerate(day) if there == room)
    return day[latest - 1][1], (day[latest][2], day[latest - 1][2])


# --- geometry ----------------------------------------------------------------------------------

STEPS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
SIDES = {"above": (0, 1), "below": (0, -1), "to the left of": (-1, 0), "to the right of": (1, 0)}
BACK = {"north": "south", "south": "north", "east": "west", "west": "east"}


def ways(statements):
    """Every step one can take: from a place in a direction to a place, and who says so."""
    for id, text in statements:
        _, place, way, of = parse(text, lies=r"The (\w+) is (\w+) of the (\w+)\.")
        yield of, way, place, id
        yield place, BACK[way], of, id


def task_4(statements, question):
    kind, one, two = parse(
        question, what=r"What is (\w+) of the (\w+)\?", of=r"What is the (\w+) (\w+) of\?"
    )
    known, way = (two, one) if kind == "what" else (one, BACK[two])
    found = [(to, id) for start, step, to, id in ways(statements) if (start, step) == (known, way)]
    ((answer, id),) = found
    return answer, (id,)


def task_19(statements, question):
    _, start, goal = parse(question, route=r"How do you go from the (\w+) to the (\w+)\?")
    steps = list(ways(statements))
    found = [
        (one, two, first, second)
        for place, one, between, first in steps
        for other, two, end, second in steps
        if (place, other, end) == (start, between, goal)
    ]
    ((one, two, first, second),) = found
    return f"{one[0]},{two[0]}", (first, second)


def task_17(statements, question):
    side = "(above|below|to the left of|to the right of)"
    _, shape, asked, other = parse(question, stands=rf"Is the ([\w ]+?) {side} the ([\w ]+)\?")
    offsets, ids = {}, {}
    facts = [
        (id, *parse(text, stands=rf"The ([\w ]+?) {side} the ([\w ]+)\.")[1:])
        for id, text in [(id, text.replace(" is ", " ", 1)) for id, text in statements]
    ]
    (middle,) = set.intersection(*({one, two} for _, one, _, two in facts))
    for id, one, where, two in facts:
        dx, dy = SIDES[where]
        end, sign = (one, 1) if two == middle else (two, -1)
        offsets[end], ids[end] = (sign * dx, sign * dy), id
    (x, y), (of_x, of_y), (dx, dy) = offsets[shape], offsets[other], SIDES[asked]
    apart = dx * (x - of_x) + dy * (y - of_y)
    return "yes" if apart > 0 else "no", (ids[shape], ids[other])


def sizes(statements):
    for id, text in statements:
        kind, one, two = parse(
            text,
            bigger=r"The ([\w ]+) is bigger than the ([\w ]+)\.",
            fits=r"The ([\w ]+) fits inside the ([\w ]+)\.",
        )
        yield id, *((one, two) if kind == "bigger" else (two, one))


def task_18(statements, question):
    kind, one, two = parse(
        question,
        bigger=r"Is the ([\w ]+) bigger than the ([\w ]+)\?",
        fits=r"Does the ([\w ]+) fit in the ([\w ]+)\?",
    )
    big, small = (one, two) if kind == "bigger" else (two, one)

    def linked(upper, lower):
        pairs = [
            (max(i, j), i, j)
            for i, top, middle in sizes(statements)
            for j, other, bottom in sizes(statements)
            if (top, bottom) == (upper, lower) and middle == other
        ]
        return min(pairs)[1:] if pairs else None

    if down := linked(big, small):
        return "yes", down
    up, low = linked(small, big)
    return "no", (low, up)


# --- kinds and motives -------------------------------------------------------------------------


def task_15(statements, question):
    singular = {"mice": "mouse", "sheep": "sheep", "wolves": "wolf", "cats": "cat"}
    _, who = parse(question, fears=r"What is (\w+) afraid of\?")
    fears, is_a = {}, {}
    for id, text in statements:
        kind, one, two = parse(
            text, fears=r"(\w+) are afraid of (\w+)\.", is_a=r"(\w+) is a (\w+)\."
        )
        if kind == "fears":
            fears[singular[one.lower()]] = (singular[two], id)
        else:
            is_a[one.lower()] = (two, id)
    animal, id = is_a[who.lower()]
    return fears[animal][0], (id, fears[animal][1])


def task_16(statements, question):
    _, who = parse(question, colour=r"What color is (\w+)\?")
    is_a, colours = {}, {}
    for id, text in statements:
        kind, one, two = parse(text, is_a=r"(\w+) is a (\w+)\.", colour=r"(\w+) is (\w+)\.")
        (is_a if kind == "is_a" else colours)[one] = (two, id)
    animal, id = is_a[who]
    fellow = max((i, one) for one, (kind, i) in is_a.items() if kind == animal and one != who)[1]
    return colours[fellow][0], (id, is_a[fellow][1], colours[fellow][1])


def task_20(statements, question):
    leads = {"tired": "bedroom", "bored": "garden", "hungry": "kitchen", "thirsty": "kitchen"}
    kind, who = parse(
        question, where=r"Where will (\w+) go\?", why=r"Why did (\w+) (?:go to|get) the \w+\?"
    )
    for id, text in reversed(statements):
        match = re.fullmatch(r"(\w+) is (\w+)\.", text)
        if match and match[1].lower() == who.lower():
            return leads[match[2]] if kind == "where" else match[2], (id,)
    raise AssertionError(question)


TWINS = {number: globals()[f"task_{number}"] for number in range(1, 21)}
