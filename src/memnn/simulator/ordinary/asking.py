"""Questions before and after they are worded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memnn.simulator.ordinary.cast import Entity
from memnn.simulator.ordinary.grammar import Mention, pick, spoken
from memnn.simulator.ordinary.knowledge import Ids
from memnn.simulator.ordinary.meaning import AskedLine
from memnn.simulator.ordinary.stage import Scenery
from memnn.types import Question

_INDIRECT = 0.22
_OTHER_NAME = 0.5
_AS_USER = 0.4
"""How often what was told of the user is asked with "I"."""


@dataclass(frozen=True, slots=True)
class Wondering:
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

    def __init__(self, stage: Scenery) -> None:
        self.stage, self.rng = stage, stage.rng
        self.teller, self.known = stage.teller, stage.known
        self.language, self.rules = stage.language, stage.rules
        self.of = stage.mention_of

    def any_of(self, keys: Iterable[str]) -> Entity | None:
        found = list(keys)
        return self.stage.entity(pick(self.rng, found)) if found else None

    def says(self, answer: str) -> str:
        return str(self.language.answers[answer])

    @property
    def most(self) -> int:
        """The largest number that has a word."""
        return len(self.language.answers["numbers"]) - 1

    def number(self, count: int) -> str:
        numbers = self.language.answers["numbers"]
        return str(numbers[count]) if count < len(numbers) else str(count)

    def listed(self, keys: Sequence[str]) -> str:
        return self.says("comma").join(keys)

    def named(self, person: Entity, ids: Ids) -> tuple[Mention, Ids]:
        """How a question calls somebody, and what supports it then.

        Where the statement calls them otherwise, a reader has to know that both are the same.
        """
        if person.also is None:
            return self._as_asked(person), ids
        other = self.rng.random() < _OTHER_NAME
        mention = person.also.mention if other else person.mention
        if other != ((ids[0], person.key) in self.teller.said_as):
            ids = (*self.known.same[person.key].ids, *ids)
        return mention, ids

    def _as_asked(self, person: Entity) -> Mention:
        """Whoever is told of as the user may ask about themselves."""
        asked_as = person.noun.asked_as
        if asked_as and self.rng.random() < _AS_USER:
            return self.language.persons[asked_as].mention
        return person.mention

    def plain(self, ids: Ids) -> bool:
        """Whether these statements call nobody by their other name."""
        return not any(id in ids for id, _ in self.teller.said_as)

    def can(self, ask: Wondering) -> bool:
        """Whether the language has words for it."""
        return self.rules.has(f"{ask.rule}-direct") or self.rules.has(ask.rule)

    def word(self, ask: Wondering) -> AskedLine:
        """The question as a line of the story."""
        form = "clause" if self.rng.random() < _INDIRECT else "direct"
        rule = f"{ask.rule}-{form}"
        if not self.rules.has(rule):
            form, rule = "direct", f"{ask.rule}-direct"
        if not self.rules.has(rule):
            rule = ask.rule
        asked = spoken(self.rules.say(rule, ask.slots, self.rng)).strip()
        wrapped = self.rules.say(f"ask-{form}", {"q": Mention({"": asked})}, self.rng)
        text = spoken(wrapped).strip()
        text = text[0].upper() + text[1:]
        ids = tuple(dict.fromkeys(ask.ids))
        question = Question(text, self.teller.lines + 1, ask.answer, ids)
        return AskedLine(question, ask.kind, ask.meaning)


def united(lists: Iterable[Ids]) -> Ids:
    """All ids once, in order."""
    return tuple(dict.fromkeys(id for ids in lists for id in ids))
