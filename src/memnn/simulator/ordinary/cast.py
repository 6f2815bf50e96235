"""Who and what a story is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from memnn.simulator.ordinary.grammar import Mention, pick
from memnn.simulator.ordinary.language import Language, Noun

_PRONOUNS = ("he", "she", "they")


@dataclass(slots=True, eq=False)
class Entity:
    """Somebody or something of a story, and how it can be named."""

    key: str
    """What it is called in an answer; no two of a story have the same."""
    kind: str
    noun: Noun
    pronoun: str = ""
    mention: Mention = field(init=False)
    mentioned: bool = False
    also: Noun | None = None
    """Another name of the same person."""

    def __post_init__(self) -> None:
        self.mention = self.noun.mention

    @property
    def is_speaker(self) -> bool:
        """Whether it is I, you or the user: never replaced by a pronoun."""
        return self.kind == "self"


class Cast:
    """Draws words for a story, none of which shares a word with another."""

    def __init__(self, language: Language, rng: Random) -> None:
        self._language, self._rng = language, rng
        self._words: set[str] = set()
        self.of: dict[str, Entity] = {}
        """Everybody and everything by key."""

    def draw(self, *classes: str) -> Entity:
        """Something new of one of the classes."""
        kind = classes[0] if len(classes) == 1 else pick(self._rng, classes)
        nouns = self._language.nouns[kind]
        for _ in range(50):
            noun = pick(self._rng, nouns)
            words = _words(noun.word)
            if self._words.isdisjoint(words):
                break
        self._words |= words
        return self._enter(noun, kind)

    def speaker(self, name: str) -> Entity:
        return self._enter(self._language.persons[name], "self")

    def _enter(self, noun: Noun, kind: str) -> Entity:
        key = str(noun.mention.forms.get("answer", noun.word))
        pronoun = noun.pronoun
        if pronoun == "they" and kind in ("kin", "trade"):
            pronoun = pick(self._rng, _PRONOUNS)
        entity = Entity(key, kind, noun, pronoun)
        self.of[key] = entity
        return entity

    def people(self, count: int) -> list[Entity]:
        """Mostly names; sometimes a role, and sometimes the one who speaks."""
        found: list[Entity] = []
        roles = "kin" in self._language.nouns
        while len(found) < count:
            luck = self._rng.random()
            if luck < 0.72 or not roles:
                found.append(self.draw("person"))
            elif luck < 0.84:
                found.append(self.draw("kin"))
            elif luck < 0.93:
                found.append(self.draw("trade"))
            elif not any(person.is_speaker for person in found) and self._language.persons:
                names = tuple(self._language.persons)
                name = names[0] if self._rng.random() < 0.6 else pick(self._rng, names)
                found.append(self.speaker(name))
        return found

    def several(self, count: int, *classes: str) -> list[Entity]:
        return [self.draw(*classes) for _ in range(count)]


def _words(text: str) -> set[str]:
    """The words of a name without their plural, so that "key" and "keys" never meet."""
    return {word[:-1] if word.endswith("s") else word for word in text.lower().split()}


def keys(entities: Sequence[Entity]) -> list[str]:
    return [entity.key for entity in entities]
