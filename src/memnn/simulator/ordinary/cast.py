"""Who and what a story is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from memnn.simulator.ordinary.grammar import Mention, pick
from memnn.simulator.ordinary.language import Language, Noun

PEOPLE = ("person", "kin", "trade", "self")


@dataclass(slots=True, eq=False)
class Entity:
    """Somebody or something of a story, and how it can be named."""

    key: str
    """What it is called in an answer; no two of a story have the same."""
    kind: str
    noun: Noun
    pronoun: str = ""
    mention: Mention = field(init=False)
    called: Mention = field(init=False)
    """How it was last called in full."""
    mentioned: bool = False
    also: Noun | None = None
    """Another name of the same person."""
    owner: Entity | None = None

    def __post_init__(self) -> None:
        self.mention = self.called = self.noun.mention

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
        pronoun = pick(self._rng, noun.pronouns) if noun.pronouns else ""
        entity = Entity(key, kind, noun, pronoun)
        self.of[key] = entity
        return entity

    def owned(self, thing: Entity, owner: Entity) -> Entity:
        """The same thing as somebody's: "my keys", "Anna's bike"."""
        whose = owner.mention.forms.get("p")
        if whose is None:
            return thing
        name = f"{whose} {thing.noun.word}"
        forms = {**thing.mention.forms, "": name, "o": name, "a": name}
        mention = Mention(forms, thing.mention.agreement)
        noun = Noun(name, thing.noun.paradigm, mention, mention, thing.noun.pronouns)
        del self.of[thing.key]
        entity = Entity(thing.key, thing.kind, noun, thing.pronoun)
        entity.owner = owner
        self.of[thing.key] = entity
        return entity

    def relative(self, pronoun: str) -> Noun | None:
        """A word for a relative of that pronoun that nobody of the story has."""
        for _ in range(20):
            noun = pick(self._rng, self._language.nouns["kin"])
            if pronoun in noun.pronouns and self._words.isdisjoint(_words(noun.word)):
                self._words |= _words(noun.word)
                return noun
        return None

    @property
    def language(self) -> Language:
        return self._language

    @property
    def rng(self) -> Random:
        return self._rng

    def several(self, count: int, *classes: str) -> list[Entity]:
        return [self.draw(*classes) for _ in range(count)]


def people(cast: Cast, count: int) -> list[Entity]:
    """Mostly names; sometimes a role, and sometimes the one who speaks."""
    found: list[Entity] = []
    language, rng = cast.language, cast.rng
    while len(found) < count:
        luck = rng.random()
        if luck < 0.72 or "kin" not in language.nouns:
            found.append(cast.draw("person"))
        elif luck < 0.84:
            found.append(cast.draw("kin"))
        elif luck < 0.92:
            found.append(cast.draw("trade"))
        elif language.persons and not any(person.is_speaker for person in found):
            names = tuple(language.persons)
            found.append(cast.speaker(names[0] if rng.random() < 0.6 else pick(rng, names)))
    return found


def _words(text: str) -> set[str]:
    """The words of a name without their plural, so that "key" and "keys" never meet."""
    return {word[:-1] if word.endswith("s") else word for word in text.lower().split()}
