"""Questions about how many there are, how many somebody has, and who has more."""

from __future__ import annotations

from memnn.simulator.ordinary.asking import Asker, Wondering, united
from memnn.simulator.ordinary.counting import number
from memnn.simulator.ordinary.grammar import Mention, pick
from memnn.simulator.ordinary.knowledge import Counted


def _slots(asker: Asker, at: Counted) -> dict[str, Mention]:
    owner, thing = at
    who = {"who": asker.of(owner)} if owner else {}
    return {**who, "it": asker.of(thing)}


def amount(asker: Asker) -> Wondering | None:
    """How many there are now."""
    known = asker.known.amounts
    worked_out = [at for at, learned in known.items() if len(learned.ids) > 1]
    if not known:
        return None
    at = pick(asker.rng, worked_out if worked_out and asker.rng.random() < 0.7 else list(known))
    left = "-left" if at in asker.known.fewer and asker.rng.random() < 0.5 else ""
    rule = f"ask-amount{left}-of" if at[0] else f"ask-amount{left}"
    count, ids = asker.number(int(known[at].what)), known[at].ids
    return Wondering("amount", rule, _slots(asker, at), count, ids, ("amount", *at))


def whether(asker: Asker) -> Wondering | None:
    """Whether there are so many, any, or more than so many."""
    known = asker.known.amounts
    if not known:
        return None
    none_left = [at for at, learned in known.items() if learned.what == "0"]
    at = pick(asker.rng, none_left if none_left and asker.rng.random() < 0.5 else list(known))
    count, of = int(known[at].what), "-of" if at[0] else ""
    slots, ids = _slots(asker, at), known[at].ids
    if count == 0 or asker.rng.random() < 0.3:
        answer = asker.says("yes" if count else "no")
        return Wondering("whether-any", f"ask-amount-any{of}", slots, answer, ids, ("any", *at))
    if count < 3:
        return None  # "more than two" at least: things are named in the plural
    limit = max(2, min(asker.most, count + pick(asker.rng, (-3, -2, -1, 0, 1, 2))))
    slots["number"] = number(asker.stage, limit)
    answer, meaning = asker.says("yes" if count > limit else "no"), ("over", *at, str(limit))
    return Wondering("whether-over", f"ask-amount-over{of}", slots, answer, ids, meaning)


def two(asker: Asker) -> Wondering | None:
    """How many two people have together, and which of them has more."""
    known = asker.known.amounts
    pairs = [
        (one, other)
        for one in known
        for other in known
        if one[0] and other[0] and one[0] != other[0] and one[1] == other[1]
    ]
    if not pairs:
        return None
    one, other = pick(asker.rng, pairs)
    if asker.stage.entity(one[0]).is_speaker:
        one, other = other, one
    mine, theirs = (int(known[at].what) for at in (one, other))
    ids = united((known[one].ids, known[other].ids))
    slots = {**_slots(asker, one), "other": asker.of(other[0])}
    if asker.rng.random() < 0.5:
        if mine == theirs:
            return None
        more = one if mine > theirs else other
        meaning = ("who-more", one[0], other[0], one[1])
        return Wondering("who-more", "ask-amount-who-more", slots, more[0], ids, meaning)
    if not mine or not theirs or mine + theirs > asker.most:
        return None
    count, meaning = asker.number(mine + theirs), ("together", one[0], other[0], one[1])
    return Wondering("together", "ask-amount-together", slots, count, ids, meaning)
