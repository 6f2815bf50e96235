"""What follows from facts, worked out a second time and in another way.

The simulator keeps its knowledge up to date statement by statement; here a question is answered by
looking back over the facts, newest first.
"""

from __future__ import annotations

from collections.abc import Sequence

from memnn.simulator.ordinary.meaning import Fact

_PLACING = ("at", "away", "either", "with")
_HANDLING = ("has", "gave", "lost", "dropped", "lies", "inside")
_NUMBERS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
]  # fmt: skip


def answer(facts: Sequence[Fact], meaning: tuple[str, ...]) -> str | None:
    """The answer, or none if the facts do not give one."""
    match meaning:
        case ("where", key):
            return _where(facts, key)
        case ("before", person, _):
            return _before(facts, person)
        case ("whether-at", person, place):
            return _whether_at(facts, person, place)
        case ("who-at", place):
            return ",".join(_people_at(facts, place))
        case ("count-at", place):
            return _NUMBERS[len(_people_at(facts, place))]
        case ("with-whom", person, place):
            return ",".join(each for each in _people_at(facts, place) if each != person)
        case ("who-has", thing):
            return _holder(facts, thing)
        case ("what-has", person):
            return ",".join(_things_of(facts, person))
        case ("count-has", person):
            return _NUMBERS[len(_things_of(facts, person))]
        case ("whether-has", person, thing):
            return "yes" if _holder(facts, thing) == person else "no"
        case ("what-gave", giver, to):
            return _last(f[3] for f in facts if f[:3] == ("gave", giver, to))
        case ("who-gave", thing, to):
            return _last(f[1] for f in facts if f[0] == "gave" and f[2:] == (to, thing))
        case ("who-received", thing, giver):
            return _last(f[2] for f in facts if f[:2] == ("gave", giver) and f[3] == thing)
        case ("in-what", thing):
            fact = _handled(facts, thing)
            return fact[2] if fact and fact[0] == "inside" else None
        case ("what-in", container):
            return ",".join(_contents(facts, container))
        case ("count-in", container):
            return _NUMBERS[len(_contents(facts, container))]
        case ("value", holder, name):
            return _value(facts, holder, name)
        case ("whether-value", holder, name, value):
            return "yes" if _value(facts, holder, name) == value else "no"
        case ("was-at", person, time):
            return _last(f[3] for f in facts if f[:3] == ("was-at", person, time))
        case ("when-at", person, place):
            return _last(f[2] for f in facts if f[:2] == ("was-at", person) and f[3] == place)
        case ("why", person, place):
            return _last(f[3] for f in facts if f[:3] == ("why", person, place))
        case ("same", name):
            return _last(f[1] for f in facts if f[0] == "same" and f[2] == name)
        case ("same-who", person):
            return _last(f[2] for f in facts if f[:2] == ("same", person))
        case ("did", tail, *deed):
            (found,) = [f for f in facts if f[0] == "did" and list(f[1:4]) == deed]
            return dict(zip(found[4::2], found[5::2], strict=True))[tail]
        case ("did-who", name, thing):
            return _last(f[1] for f in facts if f[0] == "did" and f[2:4] == (name, thing))
        case ("did-what", person, name):
            return _last(f[3] for f in facts if f[:3] == ("did", person, name))
        case ("whether-did", person, name, thing):
            return "yes" if any(f[:4] == ("did", person, name, thing) for f in facts) else "no"
        case ("amount", owner, thing):
            return _in_words(_count(facts, owner, thing))
        case ("any", owner, thing):
            return "yes" if _count(facts, owner, thing) else "no"
        case ("over", owner, thing, limit):
            return "yes" if (_count(facts, owner, thing) or 0) > int(limit) else "no"
        case ("who-more", one, other, thing):
            mine, theirs = (_count(facts, who, thing) or 0 for who in (one, other))
            return one if mine > theirs else other
        case ("together", one, other, thing):
            return _in_words(sum(_count(facts, who, thing) or 0 for who in (one, other)))
    raise AssertionError(meaning)


def _in_words(count: int | None) -> str | None:
    return None if count is None or not 0 <= count < len(_NUMBERS) else _NUMBERS[count]


def _count(facts: Sequence[Fact], owner: str, thing: str) -> int | None:
    """How many there are after these facts; nothing where they were never counted."""
    total = None
    for what, *fact in facts:
        if fact[:2] != [owner, thing]:
            continue
        if what == "counts":
            total = int(fact[2])
        elif what in ("more", "fewer") and total is not None:
            total += int(fact[2]) * (1 if what == "more" else -1)
    return total


def _last(found: object) -> str | None:
    every = list(found)  # type: ignore[call-overload]
    return every[-1] if every else None


def _where(facts: Sequence[Fact], key: str) -> str | None:
    """Where a person or a thing is after these facts."""
    for index in range(len(facts) - 1, -1, -1):
        match facts[index]:
            case ("at", person, place) if person == key:
                return place
            case ("with", person, other) if person == key:
                return _where(facts[:index], other)
            case ("away" | "either", person, *_) if person == key:
                return None
            case ("has", thing, person) | ("gave", _, person, thing) if thing == key:
                return _where(facts, person)
            case ("dropped", thing, person) if thing == key:
                return _where(facts[:index], person)
            case ("lies", thing, place) if thing == key:
                return place
            case ("lost", thing, _) if thing == key:
                return None
            case ("inside", thing, container) if thing == key:
                return _where(facts, container) or container
    return None


def _before(facts: Sequence[Fact], person: str) -> str | None:
    moves = [index for index, f in enumerate(facts) if f[0] in ("at", "with") and f[1] == person]
    places = [_where(facts[: index + 1], person) for index in moves]
    return places[-2] if len(places) > 1 else None


def _whether_at(facts: Sequence[Fact], person: str, place: str) -> str | None:
    placing = [f for f in facts if f[0] in _PLACING and f[1] == person]
    if not placing:
        return None
    last = placing[-1]
    if last[0] == "either":
        return "maybe" if place in last[2:] else "no"
    return "yes" if _where(facts, person) == place else "no"


def _people_at(facts: Sequence[Fact], place: str) -> list[str]:
    """In the order in which they got there."""
    came = {f[1]: index for index, f in enumerate(facts) if f[0] in _PLACING}
    return [each for each in sorted(came, key=came.__getitem__) if _where(facts, each) == place]


def _handled(facts: Sequence[Fact], thing: str) -> Fact | None:
    for fact in reversed(facts):
        if fact[0] in _HANDLING and thing == (fact[3] if fact[0] == "gave" else fact[1]):
            return fact
    return None


def _holder(facts: Sequence[Fact], thing: str) -> str | None:
    fact = _handled(facts, thing)
    return fact[2] if fact is not None and fact[0] in ("has", "gave") else None


def _touched(facts: Sequence[Fact]) -> list[str]:
    """All things in the order in which they were last handled."""
    last = {
        fact[3] if fact[0] == "gave" else fact[1]: index
        for index, fact in enumerate(facts)
        if fact[0] in _HANDLING
    }
    return sorted(last, key=last.__getitem__)


def _things_of(facts: Sequence[Fact], person: str) -> list[str]:
    return [thing for thing in _touched(facts) if _holder(facts, thing) == person]


def _contents(facts: Sequence[Fact], container: str) -> list[str]:
    inside = ("inside", container)
    found = []
    for thing in _touched(facts):
        fact = _handled(facts, thing)
        if fact is not None and (fact[0], fact[2]) == inside:
            found.append(thing)
    return found


def _value(facts: Sequence[Fact], holder: str, name: str) -> str | None:
    for fact in reversed(facts):
        if fact[0] in ("is", "stopped") and fact[1:3] == (holder, name):
            return fact[3] if fact[0] == "is" else None
    return None
