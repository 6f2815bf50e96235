"""Executable text (Appendix A): "joe go kitchen; joe get milk; where milk?" becomes a story.

Names need not be declared. What a name is follows from where it stands: who acts is an actor,
where one goes is a room, what is put something in is a container, the rest are objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Literal, TypeAlias

from memnn.errors import InputError
from memnn.simulator.actions import (
    Action,
    Drop,
    Examine,
    Get,
    GetFrom,
    Give,
    Go,
    Inventory,
    Look,
    Put,
)
from memnn.simulator.grammar import Wording
from memnn.simulator.questions import Asked, JustDid, WhereActor, WhereBefore, WhereObject
from memnn.simulator.story import Teller
from memnn.simulator.world import FURNISHED_WORLD, Container, Preposition, World, WorldSpec
from memnn.types import Story

Role: TypeAlias = Literal["actor", "room", "thing", "container"]

_NAME = r"(?:the )?([^\s;?]+)"
_FORMS: dict[str, tuple[str, tuple[Role | Literal["word", "any"], ...]]] = {
    "go": (rf"{_NAME} go (?:to )?{_NAME}", ("actor", "room")),
    "get": (rf"{_NAME} get {_NAME}", ("actor", "thing")),
    "get from": (rf"{_NAME} get {_NAME} from {_NAME}", ("actor", "thing", "container")),
    "put": (rf"{_NAME} put {_NAME} (in|on) {_NAME}", ("actor", "thing", "word", "container")),
    "give": (rf"{_NAME} give {_NAME} to {_NAME}", ("actor", "thing", "actor")),
    "drop": (rf"{_NAME} drop {_NAME}", ("actor", "thing")),
    "look": (rf"{_NAME} look", ("actor",)),
    "inventory": (rf"{_NAME} inventory", ("actor",)),
    "examine": (rf"{_NAME} examine {_NAME}", ("actor", "thing")),
    "where before": (rf"where (?:was )?{_NAME} before {_NAME}\s*\??", ("actor", "room")),
    "where": (rf"where (?:is )?{_NAME}\s*\??", ("any",)),
    "what": (rf"what (?:did )?{_NAME}(?: just do| do)?\s*\??", ("actor",)),
}
"""Every form a step may take, and what the names in it are."""

_A = {"actor": "an actor", "room": "a room", "thing": "a thing", "container": "a container"}
_HELP = (
    "write e.g. 'joe go kitchen', 'joe get milk', 'joe get milk from basket', "
    "'joe put milk in basket', 'joe give milk to fred', 'joe drop milk', 'joe look', "
    "'joe inventory', 'joe examine milk', 'where milk?' or 'where joe before office?'"
)


@dataclass(frozen=True, slots=True)
class _Step:
    """One parsed step: its form and the words that fill it."""

    number: int
    text: str
    form: str
    words: tuple[str, ...]

    def error(self, reason: str) -> InputError:
        return _error(self.number, self.text, reason)


def _error(number: int, text: str, reason: str) -> InputError:
    return InputError(f"step {number} '{text}': {reason}")


def _parse(script: str) -> list[_Step]:
    texts = [" ".join(text.split()) for text in re.split(r"[;\n]", script)]
    steps = []
    for number, text in enumerate(filter(None, texts), start=1):
        for form, (pattern, _) in _FORMS.items():
            match = re.fullmatch(pattern, text.rstrip(". "), flags=re.IGNORECASE)
            if match is not None:
                steps.append(_Step(number, text, form, match.groups()))
                break
        else:
            raise _error(number, text, f"not understood; {_HELP}")
    return steps


class _Cast:
    """Who and what the steps speak of: the role and the spelling of every name."""

    def __init__(self, steps: list[_Step]) -> None:
        self._roles: dict[str, Role] = {}
        self._spelling: dict[str, str] = {}
        self._prepositions: dict[str, str] = {}
        for step in steps:
            for role, word in self._names(step):
                self._add(step, role, word)
            if step.form == "put":
                *_, preposition, container = step.words
                self._prepositions.setdefault(container.lower(), preposition.lower())

    @staticmethod
    def _names(step: _Step) -> Iterator[tuple[Role, str]]:
        for role, word in zip(_FORMS[step.form][1], step.words, strict=True):
            if role != "word" and role != "any":
                yield role, word

    def _add(self, step: _Step, role: Role, word: str) -> None:
        key = word.lower()
        known = self._roles.get(key, role)
        if known != role:
            # A thing that is used as a container anywhere is one throughout.
            if {known, role} != {"thing", "container"}:
                raise step.error(f"'{word}' is used both as {_A[known]} and as {_A[role]}")
            role = "container"
        self._roles[key] = role
        spelling = word.capitalize() if role == "actor" and word.islower() else word
        self._spelling.setdefault(key, spelling)

    def spec(self, women: tuple[str, ...]) -> WorldSpec:
        known = {word.lower() for word in women}
        return WorldSpec(
            actors=self._all("actor"),
            objects=self._all("thing"),
            rooms=self._all("room"),
            containers=tuple(self._container(name) for name in self._all("container")),
            women=tuple(name for name in self._all("actor") if name.lower() in known),
        )

    def _all(self, role: Role) -> tuple[str, ...]:
        return tuple(self._spelling[key] for key, has in self._roles.items() if has == role)

    def _container(self, name: str) -> Container:
        """Furniture we know stands still; any other container is what the story makes of it."""
        furniture = FURNISHED_WORLD.container(name.lower())
        if furniture is not None:
            return replace(furniture, name=name)
        preposition: Preposition = "on" if self._prepositions.get(name.lower()) == "on" else "in"
        return Container(name, preposition)

    def role(self, word: str) -> Role | None:
        return self._roles.get(word.lower())

    def name(self, word: str) -> str:
        return self._spelling[word.lower()]


def run(
    script: str,
    *,
    seed: int = 0,
    stream: bool = False,
    sentences: bool = False,
    reports: bool = False,
    women: tuple[str, ...] = (),
    article_omission: float = 0.0,
    there: float = 0.0,
) -> Story:
    """Act out a story written as commands, and answer the questions in it from the world.

    Things start "anywhere": whoever gets one first finds it where they are. An impossible step
    raises InputError with the number of the step and the reason. With `reports`, looking says
    what was seen.
    """
    steps = _parse(script)
    cast = _Cast(steps)
    spec = cast.spec(women)
    teller = Teller(
        World(spec),
        Random(seed),
        wording=Wording(article_omission, there),
        stream=stream,
        sentences=sentences,
        reports=reports,
    )
    for step in steps:
        meaning = _meaning(step, cast, spec)
        try:
            if isinstance(meaning, WhereActor | WhereObject | WhereBefore | JustDid):
                teller.ask(meaning)
            else:
                teller.tell(meaning)
        except InputError as error:
            raise step.error(str(error)) from None
    return teller.story("script")


def _meaning(step: _Step, cast: _Cast, spec: WorldSpec) -> Action | Asked:
    if step.form == "where":
        return _where(step, cast)
    if step.form == "put":
        actor, thing, preposition, container = step.words
        known = spec.container(cast.name(container))
        if known is not None and known.preposition != preposition.lower():
            raise step.error(f"things go {known.preposition} the {known.name}")
        return Put(cast.name(actor), cast.name(thing), cast.name(container))
    names = [cast.name(word) for word in step.words]
    match step.form, names:
        case "go", [actor, room]:
            return Go(actor, room)
        case "get", [actor, thing]:
            return Get(actor, thing)
        case "get from", [actor, thing, container]:
            return GetFrom(actor, thing, container)
        case "give", [actor, thing, to]:
            return Give(actor, thing, to)
        case "drop", [actor, thing]:
            return Drop(actor, thing)
        case "examine", [actor, thing]:
            return Examine(actor, thing)
        case "look", [actor]:
            return Look(actor)
        case "inventory", [actor]:
            return Inventory(actor)
        case "where before", [actor, room]:
            return WhereBefore(actor, room)
        case "what", [actor]:
            return JustDid(actor)
    raise AssertionError(f"a form without a meaning: {step.form}")


def _where(step: _Step, cast: _Cast) -> Asked:
    (word,) = step.words
    role = cast.role(word)
    if role is None:
        raise step.error(f"nothing in the story is called '{word}'")
    if role == "room":
        raise step.error(f"'{word}' is a room; ask where an actor or a thing is")
    name = cast.name(word)
    return WhereActor(name) if role == "actor" else WhereObject(name)
