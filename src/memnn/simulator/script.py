"""Executable text (Appendix A): "joe go kitchen; joe get milk; where milk?" becomes a story.

Names need not be declared. What a name is follows from where it stands: who acts is an actor,
where one goes is a room, what is put something in is a container, the rest are objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from random import Random

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
from memnn.simulator.forms import NAME, Form, Role
from memnn.simulator.grammar import Wording
from memnn.simulator.question_sets import QUESTION_SETS
from memnn.simulator.questions import StoryQuestion, WhereActor, WhereObject
from memnn.simulator.story import Teller
from memnn.simulator.world import FURNISHED_WORLD, Container, Preposition, World, WorldSpec
from memnn.types import Story

_ACTIONS: dict[Form, type[Action]] = {
    Form("joe go kitchen", rf"{NAME} go (?:to )?{NAME}", ("actor", "room")): Go,
    Form("joe get milk", rf"{NAME} get {NAME}", ("actor", "thing")): Get,
    Form(
        "joe get milk from basket",
        rf"{NAME} get {NAME} from {NAME}",
        ("actor", "thing", "container"),
    ): GetFrom,
    Form(
        "joe put milk in basket",
        rf"{NAME} put {NAME} (in|on) {NAME}",
        ("actor", "thing", "word", "container"),
    ): Put,
    Form(
        "joe give milk to fred", rf"{NAME} give {NAME} to {NAME}", ("actor", "thing", "actor")
    ): Give,
    Form("joe drop milk", rf"{NAME} drop {NAME}", ("actor", "thing")): Drop,
    Form("joe look", rf"{NAME} look", ("actor",)): Look,
    Form("joe inventory", rf"{NAME} inventory", ("actor",)): Inventory,
    Form("joe examine milk", rf"{NAME} examine {NAME}", ("actor", "thing")): Examine,
}
_WHERE = Form("where milk?", rf"where (?:is )?{NAME}\s*\??", ("any",))
"""Whether it is about an actor or a thing is known once the whole script is."""
_QUESTIONS: dict[Form, type[StoryQuestion]] = {
    kind.form: kind for ask in QUESTION_SETS.values() for kind in ask.asks if kind.form is not None
}

_A = {"actor": "an actor", "room": "a room", "thing": "a thing", "container": "a container"}
_EXAMPLES = [f"'{form.example}'" for form in (*_ACTIONS, _WHERE, *_QUESTIONS)]
_HELP = f"write e.g. {', '.join(_EXAMPLES[:-1])} or {_EXAMPLES[-1]}"


@dataclass(frozen=True, slots=True)
class _Step:
    """One parsed step: its form and the words that fill it."""

    number: int
    text: str
    form: Form
    words: tuple[str, ...]

    @property
    def preposition(self) -> str | None:
        """The word of it that is no name."""
        roles = self.form.roles
        return self.words[roles.index("word")].lower() if "word" in roles else None

    def error(self, reason: str) -> InputError:
        return _error(self.number, self.text, reason)


def _error(number: int, text: str, reason: str) -> InputError:
    return InputError(f"step {number} '{text}': {reason}")


def _parse(script: str) -> list[_Step]:
    texts = [" ".join(text.split()) for text in re.split(r"[;\n]", script)]
    steps = []
    for number, text in enumerate(filter(None, texts), start=1):
        for form in (*_ACTIONS, _WHERE, *_QUESTIONS):
            match = re.fullmatch(form.pattern, text.rstrip(". "), flags=re.IGNORECASE)
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
            if step.preposition is not None:
                self._prepositions.setdefault(step.words[-1].lower(), step.preposition)

    @staticmethod
    def _names(step: _Step) -> Iterator[tuple[Role, str]]:
        for role, word in zip(step.form.roles, step.words, strict=True):
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

    def names(self, step: _Step) -> list[str]:
        return [self.name(word) for _, word in self._names(step)]


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
        happen: Callable[[], object]
        if step.form in _ACTIONS:
            happen = partial(teller.tell, _action(step, cast, spec))
        else:
            happen = partial(teller.ask, _question(step, cast))
        try:
            happen()
        except InputError as error:
            raise step.error(str(error)) from None
    return teller.story("script")


def _action(step: _Step, cast: _Cast, spec: WorldSpec) -> Action:
    names = cast.names(step)
    container = spec.container(names[-1])
    if step.preposition and container and container.preposition != step.preposition:
        raise step.error(f"things go {container.preposition} the {container.name}")
    return _ACTIONS[step.form](*names)


def _question(step: _Step, cast: _Cast) -> StoryQuestion:
    if step.form in _QUESTIONS:
        return _QUESTIONS[step.form](*cast.names(step))
    (word,) = step.words
    role = cast.role(word)
    if role is None:
        raise step.error(f"nothing in the story is called '{word}'")
    if role == "room":
        raise step.error(f"'{word}' is a room; ask where an actor or a thing is")
    name = cast.name(word)
    return WhereActor(name) if role == "actor" else WhereObject(name)
