"""Questions with their answers and supports, read from what a reader knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memnn.simulator.ordinary.cast import Entity
from memnn.simulator.ordinary.events import Stage, rules_use_it
from memnn.simulator.ordinary.grammar import Mention, pick, spoken
from memnn.simulator.ordinary.knowledge import Ids, Known
from memnn.simulator.ordinary.meaning import Asked
from memnn.types import Question


@dataclass(frozen=True, slots=True)
class Ask:
    """A question before it is worded."""

    kind: str
    rule: str
    """With `-direct` and `-clause` the rules that word it."""
    slots: dict[str, Mention]
    answer: str
    ids: Ids
    meaning: tuple[str, ...]


class Asker:
    """Asks about a story at its present state."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.rng = stage, stage.rng
        self.teller, self.known = stage.teller, stage.known
        self.language = stage.teller.language
        self.answers = self.language.answers

    # --- one of each kind -------------------------------------------------------------------

    def where_person(self) -> Ask | None:
        person = self._any(self.known.place)
        if person is None:
            return None
        known = self.known.place[person.key]
        return Ask("where-person", "ask-where-person", {"who": person.mention}, known.what,
                   known.ids, ("where", person.key))  # fmt: skip

    def where_thing(self) -> Ask | None:
        things = [*self.known.holder, *self.known.spot, *self.known.inside]
        thing = self._any(things)
        if thing is None:
            return None
        known = self.known.where(thing.key)
        if known is None:
            return None
        kind = "where-thing" if len(known.ids) == 1 else "where-carried"
        return Ask(kind, "ask-where-thing", {"thing": thing.mention}, known.what,
                   known.ids, ("where", thing.key))  # fmt: skip

    def before(self) -> Ask | None:
        been = [key for key, trail in self.known.trail.items() if len(trail) > 1]
        person = self._any(been)
        if person is None or person.key not in self.known.place:
            return None
        trail = self.known.trail[person.key]
        earlier, last = trail[-2:]
        if earlier.what == last.what or sum(step.what == last.what for step in trail) > 1:
            return None
        slots = {"who": person.mention, "place": self.stage.mention_of(last.what)}
        return Ask("before", "ask-before", slots, earlier.what, (*last.ids, *earlier.ids),
                   ("before", person.key, last.what))  # fmt: skip

    def whether_at(self) -> Ask | None:
        person = self._any([*self.known.place, *self.known.not_at, *self.known.either])
        if person is None:
            return None
        key = person.key
        if key in self.known.place:
            known = self.known.place[key]
            place, ids = known.what, known.ids
            answer = "yes"
            if self.rng.random() < 0.5:
                place, answer = self.stage.place(place).key, "no"
        elif key in self.known.not_at:
            known = self.known.not_at[key]
            place, ids, answer = known.what, known.ids, "no"
        else:
            first, second, id = self.known.either[key]
            place, ids, answer = pick(self.rng, (first, second)), (id,), "maybe"
            if self.rng.random() < 0.3:
                place, answer = self.stage.place().key, "no"
                if place in (first, second):
                    answer = "maybe"
        slots = {"who": person.mention, "place": self.stage.mention_of(place)}
        return Ask("whether-at", "ask-whether-at", slots, self.answers[answer], ids,
                   ("whether-at", key, place))  # fmt: skip

    def who_at(self) -> Ask | None:
        places = [known.what for known in self.known.place.values()]
        if not places:
            return None
        place = pick(self.rng, places)
        people = self.known.people_at(place)
        ids = _united(self.known.place[person].ids for person in people)
        slots = {"place": self.stage.mention_of(place)}
        if self.rng.random() < 0.2 and len(people) < len(self.answers["numbers"]):
            return Ask("count-at", "ask-how-many-at", slots, self.answers["numbers"][len(people)],
                       ids, ("count-at", place))  # fmt: skip
        kind = "who-at" if len(people) == 1 else "list-at"
        return Ask(kind, "ask-who-at", slots, self._listed(people), ids, ("who-at", place))

    def with_whom(self) -> Ask | None:
        """Who went along, where two went together."""
        person = self._any(self.known.place)
        if person is None:
            return None
        known = self.known.place[person.key]
        others = [key for key in self.known.people_at(known.what) if key != person.key]
        if len(others) != 1 or self.known.place[others[0]].ids != known.ids or len(known.ids) > 1:
            return None
        slots = {"who": person.mention, "place": self.stage.mention_of(known.what)}
        return Ask("with-whom", "ask-with-whom", slots, others[0], known.ids,
                   ("with-whom", person.key, known.what))  # fmt: skip

    def who_has(self) -> Ask | None:
        thing = self._any(self.known.holder)
        if thing is None:
            return None
        known = self.known.holder[thing.key]
        return Ask("who-has", "ask-who-has", {"thing": thing.mention}, known.what, known.ids,
                   ("who-has", thing.key))  # fmt: skip

    def what_has(self) -> Ask | None:
        holders = {known.what for known in self.known.holder.values()}
        person = self._any(sorted(holders))
        if person is None:
            return None
        things = self.known.held_by(person.key)
        ids = _united(self.known.holder[thing].ids for thing in things)
        slots = {"who": person.mention}
        if self.rng.random() < 0.3:
            return Ask("count-has", "ask-count-has", slots, self.answers["numbers"][len(things)],
                       ids, ("count-has", person.key))  # fmt: skip
        kind = "what-has" if len(things) == 1 else "list-has"
        return Ask(kind, "ask-what-has", slots, self._listed(things), ids,
                   ("what-has", person.key))  # fmt: skip

    def whether_has(self) -> Ask | None:
        thing = self._any([*self.known.holder, *self.known.had])
        if thing is None:
            return None
        holder, had = self.known.holder.get(thing.key), self.known.had.get(thing.key)
        if holder is not None and (had is None or self.rng.random() < 0.6):
            person, ids, answer = holder.what, holder.ids, "yes"
            if self.rng.random() < 0.3:
                person, answer = self.stage.other(self.stage.entity(person)).key, "no"
        elif had is not None and (holder is None or holder.what != had.what):
            newest = holder or had
            person, ids, answer = had.what, newest.ids, "no"
        else:
            return None
        slots = {"who": self.stage.mention_of(person), "thing": thing.mention}
        return Ask("whether-has", "ask-whether-has", slots, self.answers[answer], ids,
                   ("whether-has", person, thing.key))  # fmt: skip

    def gave(self) -> Ask | None:
        if not self.known.gave:
            return None
        giver, to, thing, id = pick(self.rng, self.known.gave)
        same = [gift for gift in self.known.gave if gift[2] == thing]
        between = [gift for gift in self.known.gave if gift[:2] == (giver, to)]
        of = self.stage.mention_of
        slots = {"who": of(giver), "to": of(to), "thing": of(thing)}
        luck = self.rng.random()
        if luck < 0.3 and len(between) == 1:
            return Ask("what-gave", "ask-what-gave", slots, thing, (id,),
                       ("what-gave", giver, to))  # fmt: skip
        if len(same) > 1:
            return None
        if luck < 0.65:
            return Ask("who-gave", "ask-who-gave", slots, giver, (id,), ("who-gave", thing, to))
        return Ask("who-received", "ask-who-received", slots, to, (id,),
                   ("who-received", thing, giver))  # fmt: skip

    def inside(self) -> Ask | None:
        thing = self._any(self.known.inside)
        if thing is None:
            return None
        known = self.known.inside[thing.key]
        luck = self.rng.random()
        of = self.stage.mention_of
        if luck < 0.3:
            return Ask("in-what", "ask-in-what", {"thing": thing.mention}, known.what, known.ids,
                       ("in-what", thing.key))  # fmt: skip
        things = self.known.contents(known.what)
        ids = _united(self.known.inside[each].ids for each in things)
        slots = {"into": of(known.what)}
        if luck < 0.5:
            return Ask("count-in", "ask-count-in", slots, self.answers["numbers"][len(things)],
                       ids, ("count-in", known.what))  # fmt: skip
        kind = "what-in" if len(things) == 1 else "list-in"
        return Ask(kind, "ask-what-in", slots, self._listed(things), ids,
                   ("what-in", known.what))  # fmt: skip

    def value(self) -> Ask | None:
        told = [*self.known.values] or []
        if not told:
            return None
        holder, name = pick(self.rng, told)
        known = self.known.values[holder, name]
        rules = self.teller.rules
        attribute = next(each for each in self.language.attributes if each.name == name)
        slots = self.value_slots(attribute.name, self.stage.mention_of(holder))
        if rules.has(f"{name}-whether") and self.rng.random() < 0.2:
            return self._whether_value(holder, name, known, slots)
        return Ask(f"value-{name}", name, slots, known.what, known.ids, ("value", holder, name))

    def value_slots(self, name: str, holder: Mention) -> dict[str, Mention]:
        attribute = next(each for each in self.language.attributes if each.name == name)
        return {"it" if rules_use_it(attribute) else "who": holder}

    def _whether_value(
        self, holder: str, name: str, known: Known, slots: dict[str, Mention]
    ) -> Ask:
        attribute = next(each for each in self.language.attributes if each.name == name)
        value, answer = known.what, "yes"
        mention = self.stage.mention_of(value)
        if self.rng.random() < 0.5:
            for _ in range(5):
                value, mention = self.stage.value_of(attribute)
                if value != known.what:
                    break
            answer = "yes" if value == known.what else "no"
        return Ask("whether-value", f"{name}-whether", {**slots, "value": mention},
                   self.answers[answer], known.ids, ("whether-value", holder, name, value))  # fmt: skip

    # --- words ------------------------------------------------------------------------------

    def word(self, ask: Ask) -> Asked:
        """The question as a line of the story."""
        rules = self.teller.rules
        if ask.rule.endswith("-whether"):
            form, rule = "direct", ask.rule
        else:
            form = "clause" if self.rng.random() < 0.22 else "direct"
            rule = f"{ask.rule}-{form}"
            if not rules.has(rule):
                form, rule = "direct", f"{ask.rule}-direct"
        asked = spoken(rules.say(rule, ask.slots, self.rng)).strip()
        wrapped = spoken(rules.say(f"ask-{form}", {"q": Mention({"": asked})}, self.rng)).strip()
        text = wrapped[0].upper() + wrapped[1:]
        ids = tuple(dict.fromkeys(ask.ids))
        question = Question(text, self.teller.lines + 1, ask.answer, ids)
        return Asked(question, ask.kind, ask.meaning)

    def _any(self, keys: object) -> Entity | None:
        found = list(keys)  # type: ignore[call-overload]
        return self.stage.entity(pick(self.rng, found)) if found else None

    def _listed(self, keys: Sequence[str]) -> str:
        return str(self.answers["comma"]).join(keys)

    def supported(self) -> Ask | None:
        for _ in range(6):
            kinds = _WAYS
            ask = pick(self.rng, kinds)(self)
            if ask is not None:
                return ask
        return None


_WAYS: tuple[Callable[[Asker], Ask | None], ...] = (
    Asker.where_person, Asker.where_person, Asker.where_person, Asker.where_thing,
    Asker.where_thing, Asker.where_thing, Asker.before, Asker.whether_at, Asker.who_at,
    Asker.with_whom, Asker.who_has, Asker.what_has, Asker.whether_has, Asker.gave, Asker.gave,
    Asker.inside, Asker.value, Asker.value, Asker.value, Asker.value,
)  # fmt: skip


def _united(lists: object) -> Ids:
    """All ids once, in order."""
    return tuple(dict.fromkeys(id for ids in lists for id in ids))  # type: ignore[attr-defined]
