"""What people, things and events are like: attributes, families, and deeds."""

from __future__ import annotations

from memnn.simulator.ordinary.cast import PEOPLE, Entity
from memnn.simulator.ordinary.grammar import Mention, pick
from memnn.simulator.ordinary.language import Action, Attribute
from memnn.simulator.ordinary.meaning import Fact
from memnn.simulator.ordinary.stage import Scenery
from memnn.simulator.ordinary.telling import Clause


def of_people(attribute: Attribute) -> bool:
    """Whether people have it; wordings then call the holder `who`, else `it`."""
    return bool(set(PEOPLE) & set(attribute.of))


def _holder(stage: Scenery, attribute: Attribute) -> Entity | None:
    """Somebody or something that has such an attribute, from the story if it can be."""
    if of_people(attribute):
        people = [person for person in stage.people if person.kind in attribute.of]
        return pick(stage.rng, people) if people else None
    return stage.some(pick(stage.rng, attribute.of))


def value_of(stage: Scenery, attribute: Attribute) -> tuple[str, Mention]:
    if attribute.value.startswith("<"):
        text = stage.rules.text(attribute.value[1:-1], stage.rng)
        return text, Mention({"": text, "n": text})
    if attribute.value == "person" and stage.rng.random() < 0.4:
        names = [person for person in stage.people if person.kind == "person"]
        if names:
            person = pick(stage.rng, names)
            return person.key, person.mention
    entity = stage.cast.draw(attribute.value)
    return entity.key, entity.mention


CHANGES, OF_A_PORTRAIT = 0.4, 0.15
"""How often what was told before changes, where it can: else few stories would tell of a change."""
AS_CHANGE, IN_A_PORTRAIT = 0.1, 0.4
"""How often something is told as a change of what was not told before."""


def attribute(stage: Scenery) -> bool:
    """Something is told for the first time, changes, or no longer holds."""
    chosen = pick(stage.rng, stage.attributes)
    told = [at for at in stage.known.values if stage.rules.has(f"{at[1]}-change")]
    if told and stage.rng.random() < (OF_A_PORTRAIT if stage.portrait else CHANGES):
        key, named = pick(stage.rng, told)
        chosen = next(each for each in stage.language.attributes if each.name == named)
        holder: Entity | None = stage.entity(key)
    else:
        holder = _holder(stage, chosen)
    if holder is None:
        return False
    name, rules = chosen.name, stage.rules
    value, mention = value_of(stage, chosen)
    before = stage.known.values.get((holder.key, name))
    if chosen.value == "person" and holder.owner is not None:
        return False
    if value == holder.key or (before is not None and before.what == value):
        return False
    if before is not None and not rules.has(f"{name}-change"):
        return False  # a second allergy is no change of the first
    rule = f"{name}-tell"
    facts: tuple[Fact, ...] = (("is", holder.key, name, value),)
    luck = stage.rng.random()
    new = IN_A_PORTRAIT if stage.portrait else AS_CHANGE
    if before is not None and luck < 0.1 and rules.has(f"{name}-stop"):
        rule, mention = f"{name}-stop", stage.mention_of(before.what)
        facts = (("stopped", holder.key, name, before.what),)
    elif luck < 0.15 and rules.has(aside := _aside(name, holder)):
        rule, facts = aside, ()
    elif rules.has(f"{name}-change") and (before is not None or luck > 1 - new):
        rule = f"{name}-change" if stage.rng.random() < 0.75 else rule
    slot = "who" if of_people(chosen) else "it"
    holder.mentioned = True
    slots: dict[str, Entity | Mention] = {slot: holder, "value": mention}
    return stage.say(Clause(rule, slots, facts, plain=holder.is_speaker, other_names=True))


def _aside(name: str, holder: Entity) -> str:
    """What is said of somebody's past or wishes; one speaks otherwise of oneself."""
    return f"{name}-aside-self" if holder.is_speaker else f"{name}-aside"


def relate(stage: Scenery) -> bool:
    """Somebody is my sister: from now on both names are used."""
    named = [person for person in stage.people if person.kind == "person" and person.also is None]
    if not named or not stage.rules.has("same") or any(each.also for each in stage.people):
        return False
    person = pick(stage.rng, named)
    kin = stage.cast.relative(person.pronoun)
    if kin is None:
        return False
    also = str(kin.mention.forms["answer"])
    slots: dict[str, Entity | Mention] = {"who": person, "also": kin.mention}
    stage.say(Clause("same", slots, (("same", person.key, also),), in_full=("who",), plain=True))
    person.also = kin
    return True


# --- deeds -----------------------------------------------------------------------------------


def verb(stage: Scenery, action: Action) -> Mention:
    """One of the verbs for it, as a mention whose forms are the verb's."""
    forms = stage.rules.choose(action.verbs, stage.rng)
    return Mention({name: form.replace("~", " ") for name, form in forms.items()})


def deed(stage: Scenery) -> bool:
    """Somebody does something to something, with what may be said besides."""
    if not stage.language.actions:
        return False
    action = pick(stage.rng, stage.language.actions)
    person = stage.person()
    thing = _object(stage, action, person)
    if thing is None or any(fact[2:4] == (action.name, thing.key) for fact, _ in stage.known.deeds):
        return False
    said: list[tuple[str, str]] = []
    slots: dict[str, Entity | Mention] = {"object": thing, "do": verb(stage, action)}
    tails = _tails(stage, action)
    rules: list[str] = []
    for tail in tails:
        value, mention, rule = _tail(stage, tail, person)
        slots[tail] = mention
        said.append((tail, value))
        rules.append(rule)
    fact: Fact = ("did", person.key, action.name, thing.key, *[x for pair in said for x in pair])
    rule = "deed-past" if tails else "deed"
    clause = Clause(rule, slots, (fact,), in_full=("object", "with"), tails=tuple(rules))
    clause.plain = bool(tails)
    if stage.rng.random() < 0.12 and not person.is_speaker and not tails:
        clause.rule, clause.slots = "deed-passive", {"who": person, **slots}
        return stage.say(clause)
    return stage.say(clause, person)


def _object(stage: Scenery, action: Action, person: Entity) -> Entity | None:
    if action.objects in PEOPLE:
        others = [each for each in stage.people if each.kind == action.objects]
        others = [each for each in others if each is not person]
        if others and stage.rng.random() < 0.6:
            return pick(stage.rng, others)
    entity = stage.cast.draw(action.objects)
    if action.objects not in PEOPLE:
        entity.kind = "object"
    return entity


def _tails(stage: Scenery, action: Action) -> list[str]:
    tails = list(action.tails)
    stage.rng.shuffle(tails)
    count = pick(stage.rng, (0, 1, 1, 1, 1, 2))
    order = ("with", "tool", "pay", "where", "when", "why")
    return sorted(tails[:count], key=order.index)


def _tail(stage: Scenery, tail: str, person: Entity) -> tuple[str, Mention, str]:
    """What is said besides, how, and with which rule."""
    if tail == "why":
        text = stage.rules.text("reason-deed", stage.rng)
        return text, Mention({"": text}), "deed-why"
    if tail == "pay":
        text = stage.rules.text("money", stage.rng)
        return text, Mention({"": text}), "deed-pay"
    if tail == "with":
        other = stage.other(person)
        return other.key, other.mention, "deed-with"
    kind = {"when": "past", "where": "place", "tool": "tool"}[tail]
    entity = stage.cast.draw(kind)
    return entity.key, entity.mention, f"deed-{tail}"
