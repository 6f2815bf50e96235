"""From facts to statements: who is named how, and what is joined in one sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from memnn.simulator.ordinary.cast import PEOPLE, Cast, Entity
from memnn.simulator.ordinary.grammar import Mention, Piece, Rules, spoken
from memnn.simulator.ordinary.knowledge import Understanding
from memnn.simulator.ordinary.language import Language
from memnn.simulator.ordinary.meaning import Fact, ToldLine

_PRONOUN = 0.4
_INDEFINITE = 0.3
_LEAD = 0.16
_TAIL = 0.12
_OTHER_NAME = 0.4
_PLACES = ("place", "city", "country")
_SPACES = re.compile(r" +(?=[ ,.])")
"""What is left where a choice said nothing."""


@dataclass(slots=True)
class Clause:
    """What is said of a subject, and what it means."""

    rule: str
    slots: Mapping[str, Entity | Sequence[Entity] | Mention]
    facts: tuple[Fact, ...]
    tails: tuple[str, ...] = ()
    """Rules of what is added at its end."""
    in_full: tuple[str, ...] = ()
    """Slots that no pronoun may fill."""
    plain: bool = False
    """Whether nothing else is put before or after it."""
    other_names: bool = False
    """Whether people may be called by their other names."""


class Narrator:
    """Tells statements one by one, and keeps in mind what was just spoken of."""

    def __init__(self, language: Language, rng: Random) -> None:
        self.language, self.rng = language, rng
        self.rules: Rules = language.rules
        self.cast = Cast(language, rng)
        self.known = Understanding()
        self.told: list[ToldLine] = []
        self.lines = 0
        """How many lines the story has, questions counted."""
        self._before: list[Entity] = []
        """Who and what the statement before is about."""
        self._now: list[Entity] = []
        self._group: tuple[Entity, ...] = ()
        self.said_as: set[tuple[int, str]] = set()
        """The statements that call somebody by their other name."""
        self._other: list[str] = []
        self._subject_is: Entity | None = None

    # --- mentions ---------------------------------------------------------------------------

    def name(self, entity: Entity, in_full: bool = False, other_names: bool = False) -> Mention:
        """How something is called here: in full, by a pronoun, or as something new."""
        pronoun = None if in_full else self._pronoun(entity)
        if pronoun is not None and self.rng.random() < _PRONOUN:
            form = self.language.pronouns[pronoun]
            named = Mention(form.forms, form.agreement, entity.called)
        elif not entity.mentioned and self.rng.random() < _INDEFINITE:
            named = entity.noun.first
        else:
            named = entity.mention
            if other_names and entity.also is not None and self.rng.random() < _OTHER_NAME:
                named = entity.also.mention
            entity.called = named
        if entity.also is not None and entity.called is entity.also.mention:
            self._other.append(entity.key)
        elif entity.owner is not None and entity.owner is self._subject_is and named is not None:
            named = self._own(entity, named)
        entity.mentioned = True
        self._now.append(entity)
        return named

    def _own(self, entity: Entity, named: Mention) -> Mention:
        """Somebody's own thing, where they are the subject: "her bike"."""
        assert entity.owner is not None, "only what is owned is one's own"
        pronoun = self.language.pronouns.get(entity.owner.pronoun)
        if named.stands_for is not None or pronoun is None or not pronoun.has("p"):
            return named
        full = str(entity.mention.forms[""])
        whose = str(entity.owner.mention.forms["p"])
        own = full.replace(whose, str(pronoun.forms["p"]), 1)
        forms = {**named.forms, "": own, "o": own, "a": own}
        return Mention(forms, named.agreement, named)

    def _pronoun(self, entity: Entity) -> str | None:
        """The pronoun that can only mean this entity, if there is one."""
        if entity.is_speaker or entity not in self._before or entity in self._now:
            return None
        if entity.kind in _PLACES:
            rivals = [other for other in self._before if other.kind in _PLACES]
            return "there" if len(rivals) == 1 and "there" in self.language.pronouns else None
        if not entity.pronoun or entity.pronoun not in self.language.pronouns:
            return None
        things = [other for other in self._before if other.kind not in PEOPLE]
        if len(things) > 1 and self._alike(entity.pronoun, "they"):
            return None  # all of them might be meant
        rivals = [
            other
            for other in {*self._before, *self._now}
            if self._alike(other.pronoun, entity.pronoun)
        ]
        return entity.pronoun if len(rivals) == 1 else None

    def in_mind(self, entity: Entity) -> bool:
        """Whether the statement before spoke of it."""
        return entity in self._before

    def _alike(self, pronoun: str, other: str) -> bool:
        """Whether two pronouns could be taken for each other: "they" of one and of several."""
        pronouns = self.language.pronouns
        if pronoun not in pronouns or other not in pronouns:
            return False
        return pronouns[pronoun].forms[""] == pronouns[other].forms[""]

    def people(self, group: Sequence[Entity]) -> Mention:
        """Several people as a subject: their names with "and", or "they" right after that."""
        together = tuple(group)
        text = self._joined([entity.mention.form("", self.rng) for entity in group])
        full = Mention({"": text, "o": text}, 1)
        self._now += group
        said = full
        if together == self._group and set(group) <= set(self._before) and self.rng.random() < 0.6:
            form = self.language.pronouns["they"]
            said = Mention(form.forms, form.agreement, full)
        for entity in group:
            entity.mentioned = True
        self._group = together
        return said

    @property
    def group(self) -> tuple[Entity, ...]:
        """Those who were just named together."""
        return self._group

    # --- sentences --------------------------------------------------------------------------

    def say(self, clause: Clause, subject: Entity | Sequence[Entity] | None = None) -> int:
        """One clause as a sentence of its own: a subject with what follows it, or all in one."""
        slots: dict[str, Mention] = {}
        if subject is not None:
            slots["who"] = self._subject(subject, clause.other_names)
        slots |= self._slots(clause)
        pieces: list[Piece] = [(slots["who"], "", 0.0), " "] if subject is not None else []
        said = self.rules.say(clause.rule, slots, self.rng)
        for tail in clause.tails:
            said += self.rules.say(tail, slots, self.rng)
        return self.finish(pieces + said, clause.facts, _manner(clause, subject, said))

    def join(self, subject: Entity, clauses: Sequence[Clause]) -> int:
        """Several things that somebody does, in one sentence."""
        who = self._subject(subject)
        parts: list[list[Piece]] = []
        facts: list[Fact] = []
        spoken_of = self._now
        self._now = []
        for clause in clauses:
            slots = {"who": who, **self._slots(clause)}
            parts.append(self.rules.say(clause.rule, slots, self.rng))
            facts += clause.facts
            spoken_of += self._now
            self._before, self._now = [*self._before, *self._now], []
        self._now = spoken_of
        rule = "join-two" if len(parts) == 2 else "join-three"
        joined: list[Piece] = []
        for piece in self.rules.say(rule, {"who": who, **_places(len(parts))}, self.rng):
            joined += parts[piece[0].agreement] if _is_place(piece) else [piece]
        return self.finish(joined, tuple(facts), "" if subject.is_speaker else "deed")

    def link(self, pairs: Sequence[tuple[Entity, Clause]]) -> int:
        """What two people do, in one sentence."""
        pieces: list[Piece] = []
        facts: tuple[Fact, ...] = ()
        between = self.rules.say("between", {}, self.rng)
        for subject, clause in pairs:
            who = self.name(subject)
            slots = {"who": who, **self._slots(clause)}
            pieces += [*(between if pieces else ()), (who, "", 0.0), " "]
            pieces += self.rules.say(clause.rule, slots, self.rng)
            facts += clause.facts
        return self.finish(pieces, facts, "deed")

    def _subject(self, subject: Entity | Sequence[Entity], other_names: bool = False) -> Mention:
        if isinstance(subject, Entity):
            self._subject_is = subject
            return self.name(subject, other_names=other_names)
        return self.people(subject)

    def _slots(self, clause: Clause) -> dict[str, Mention]:
        found: dict[str, Mention] = {}
        for slot, named in clause.slots.items():
            if isinstance(named, Mention):
                found[slot] = named
            elif isinstance(named, Entity):
                found[slot] = self.name(named, slot in clause.in_full, clause.other_names)
            else:
                found[slot] = self._listed(named)
        return found

    def _listed(self, things: Sequence[Entity]) -> Mention:
        """Several things with "and"."""
        named = [self.name(thing, in_full=True) for thing in things]
        said = self._joined([each.form("o", self.rng) for each in named])
        full = self._joined([(each.stands_for or each).form("o", self.rng) for each in named])
        return Mention({"": said, "o": said}, 1, Mention({"": full, "o": full}, 1))

    def _joined(self, forms: Sequence[str]) -> str:
        answers = self.language.answers
        return str(answers["comma_and"].join(forms[:-1]) + answers["and"] + forms[-1])

    def finish(self, pieces: list[Piece], facts: tuple[Fact, ...], manner: str = "") -> int:
        """Put something before or after it at times, and tell it."""
        if manner and self.rng.random() < _LEAD and self.rules.has(f"lead-{manner}"):
            pieces = self.rules.say(f"lead-{manner}", {}, self.rng) + pieces
        elif manner and self.rng.random() < _TAIL and self.rules.has(f"tail-{manner}"):
            pieces = pieces + self.rules.say(f"tail-{manner}", {}, self.rng)
        return self.tell(sentence(pieces), sentence(pieces, resolved=True), facts)

    def tell(self, text: str, resolved: str, facts: tuple[Fact, ...]) -> int:
        self.lines += 1
        id = self.lines
        self.told.append(ToldLine(id, text, resolved, facts))
        for fact in facts:
            self.known.learn(fact, id)
        for key in self._other:
            self.said_as.add((id, key))
        self._other, self._subject_is = [], None
        self._before, self._now = self._now, []
        if self._group and not set(self._group) <= set(self._before):
            self._group = ()
        return id

    def pause(self) -> None:
        """A question was asked: what was spoken of before is no longer in mind."""
        self.lines += 1
        self._before, self._group = [], ()


def sentence(pieces: Sequence[Piece], resolved: bool = False) -> str:
    """Pieces as a sentence that starts large and ends with a full stop."""
    text = _SPACES.sub("", spoken(pieces, resolved).strip())
    if text[-1] not in ".?!":
        text += "."
    return text[0].upper() + text[1:]


def _manner(
    clause: Clause, subject: Entity | Sequence[Entity] | None, said: Sequence[Piece]
) -> str:
    """What may be put around it: around a deed times of day, around a state only asides.

    What follows a subject tells a state if it starts with a word that agrees: is, has.
    """
    if clause.plain or (isinstance(subject, Entity) and subject.is_speaker):
        return ""
    return "deed" if subject is not None and isinstance(said[0], str) else "state"


def _places(count: int) -> dict[str, Mention]:
    """Slots that stand for the parts of a joined sentence."""
    return {str(index + 1): Mention({"part": ""}, index) for index in range(count)}


def _is_place(piece: Piece) -> bool:
    return not isinstance(piece, str) and "part" in piece[0].forms
