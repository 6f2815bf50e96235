"""How many of something there are or somebody has: counted once, then more or fewer."""

from __future__ import annotations

from memnn.simulator.ordinary.cast import Entity
from memnn.simulator.ordinary.grammar import Mention, pick
from memnn.simulator.ordinary.knowledge import Counted
from memnn.simulator.ordinary.meaning import Fact
from memnn.simulator.ordinary.stage import Scenery
from memnn.simulator.ordinary.telling import Clause

_CHANGES = 0.65
"""How often what was counted changes, rather than something else being counted."""
_OWNED = 0.6
_SHORT = 0.5
"""How often it is not said of what there are more or fewer, right after it was spoken of."""
_MOST_TOLD = 4
"""Statements that a number may be worked out from."""
_IN_FIGURES = 0.2


def amount(stage: Scenery) -> bool:
    """Something is counted, or what was counted becomes more or fewer."""
    if not stage.rules.has("amount"):
        return False
    known = stage.known.amounts
    changing = [at for at, learned in known.items() if len(learned.ids) < _MOST_TOLD]
    if changing and stage.rng.random() < _CHANGES:
        return _change(stage, pick(stage.rng, changing))
    thing = stage.some("counted", most=2)
    owner = stage.person() if stage.rng.random() < _OWNED else None
    at: Counted = (owner.key if owner else "", thing.key)
    if at in known or any(what == thing.key and not (who and owner) for who, what in known):
        return False
    count = stage.rng.randint(2, 9)
    return _say(stage, "amount", owner, thing, count, (("counts", *at, str(count)),))


def _change(stage: Scenery, at: Counted) -> bool:
    known = stage.known.amounts
    owner, thing = stage.entity(at[0]) if at[0] else None, stage.entity(at[1])
    now, most = int(known[at].what), len(stage.language.answers["numbers"]) - 1
    if stage.rng.random() < 0.5:
        if now >= most:
            return False
        count = stage.rng.randint(1, min(6, most - now))
        return _say(stage, "amount-more", owner, thing, count, (("more", *at, str(count)),))
    if now == 0:
        return False
    count = stage.rng.randint(1, now)
    facts: tuple[Fact, ...] = (("fewer", *at, str(count)),)
    others = [
        who
        for (who, what), learned in known.items()
        if owner and what == at[1] and who != at[0]
        if len(learned.ids) < _MOST_TOLD and int(learned.what) + count <= most
    ]
    if owner is not None and others and stage.rng.random() < 0.5:
        to = stage.entity(pick(stage.rng, others))
        facts += (("more", to.key, at[1], str(count)),)
        return _say(stage, "amount-given", owner, thing, count, facts, to)
    if count == now > 1 and stage.rng.random() < 0.7:
        return _say(stage, "amount-gone", owner, thing, count, (("counts", *at, "0"),))
    return _say(stage, "amount-fewer", owner, thing, count, facts)


def _say(
    stage: Scenery, rule: str, owner: Entity | None, thing: Entity, count: int,
    facts: tuple[Fact, ...], to: Entity | None = None,
) -> bool:  # fmt: skip
    """In words of what there is, or of what somebody has. A change by one is told in the short form
    alone: things are named in the plural."""
    if owner is not None:
        rule += "-of"
    clear = stage.known.last_counted == facts[0][1:3] and stage.teller.in_mind(thing)
    if clear and stage.rules.has(f"{rule}-short") and (count == 1 or stage.rng.random() < _SHORT):
        rule += "-short"
    elif count == 1:
        return False
    slots: dict[str, Entity | Mention] = {"number": number(stage, count), "it": thing}
    if to is not None:
        slots["to"] = to
    if (them := stage.language.pronouns.get("several")) is not None:
        slots["them"] = Mention(them.forms, them.agreement, thing.mention)
    thing.mentioned = True  # before it is named: "some keys" would be others
    clause = Clause(rule, slots, facts, in_full=("it", "to"))
    return stage.say(clause, owner)


def number(stage: Scenery, count: int) -> Mention:
    """In words, now and then in figures."""
    words = str(stage.language.answers["numbers"][count])
    said = str(count) if count > 1 and stage.rng.random() < _IN_FIGURES else words
    return Mention({"": said}, 0 if count == 1 else 1)
