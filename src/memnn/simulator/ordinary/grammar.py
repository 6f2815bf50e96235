"""Wordings: templates from data files, compiled once, and filled with mentions.

A template is text with four kinds of marks, so that a language needs no code of its own:

- `{who}` is a slot, `{who.o}` another form of what fills it ("I", "me"); forms are named in the
  language's data;
- `[is|are|am]` agrees with the first slot of the sentence, `[thing:is|are]` with another;
- `(again|at last|)` is one of the three;
- `<walk>` is an entry of the rule of that name, `<walk.past>` one form of a verb, `<5..90>` a
  number. A verb like `pick~up` lets its object in: "picked it up".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

from memnn.errors import InputError

T = TypeVar("T")
Node = tuple[str, Any, Any]
Piece = Any
"""A text, a mention with a form, or a mention with the words that agree with it."""

_MARKS = re.compile(r"[{<\[(]")
_CLOSING = {"{": "}", "<": ">", "[": "]", "(": ")"}


@dataclass(slots=True, eq=False)
class Mention:
    """How somebody or something is named in a sentence, in every form of the language."""

    forms: Mapping[str, str | tuple[str, ...]]
    agreement: int = 0
    """Which of the words between brackets agree with it."""
    stands_for: Mention | None = None
    """What a pronoun stands for."""

    def form(self, name: str, rng: Random) -> str:
        found = self.forms.get(name)
        if found is None:
            if self.stands_for is not None:
                return self.stands_for.form(name, rng)
            found = self.forms[""]
        return found if isinstance(found, str) else pick(rng, found)

    def has(self, name: str) -> bool:
        return name in self.forms


def pick(rng: Random, options: Sequence[T]) -> T:
    """One of them; faster than `Random.choice`."""
    return options[int(rng.random() * len(options))]


@dataclass(frozen=True, slots=True)
class Template:
    text: str
    nodes: tuple[Node, ...]


def compiled(text: str, source: str) -> Template:
    return Template(text, _parse(text, source))


def _parse(text: str, source: str) -> tuple[Node, ...]:
    nodes: list[Node] = []
    place = 0
    while mark := _MARKS.search(text, place):
        if mark.start() > place:
            nodes.append(("text", text[place : mark.start()], None))
        end = _end(text, mark.start(), source)
        nodes.append(_node(mark.group(), text[mark.start() + 1 : end], source))
        place = end + 1
    if place < len(text):
        nodes.append(("text", text[place:], None))
    return tuple(nodes)


def _end(text: str, start: int, source: str) -> int:
    """Where the mark that starts here closes; marks of one kind may nest."""
    opening, closing = text[start], _CLOSING[text[start]]
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == opening) - (text[place] == closing)
        if not depth:
            return place
    raise InputError(f"{source}: '{text}' has a '{opening}' that is never closed")


def _node(mark: str, inside: str, source: str) -> Node:
    if mark == "{":
        slot, _, form = inside.partition(".")
        return ("slot", slot, form)
    if mark == "<":
        if numbers := re.fullmatch(r"(\d+)\.\.(\d+)(?:/(\d+))?", inside):
            low, high, step = (int(part or 1) for part in numbers.groups())
            return ("number", range(low, high + 1, step), None)
        rule, _, form = inside.partition(".")
        return ("rule", rule, form)
    if mark == "[":
        name, colon, words = inside.partition(":")
        options = tuple((words if colon else inside).split("|"))
        return ("agree", name if colon else "", options)
    return ("choice", tuple(_parse(part, source) for part in _options(inside)), None)


def _options(inside: str) -> list[str]:
    """The parts between bars, leaving bars within inner marks alone."""
    parts, depth = [""], 0
    for letter in inside:
        depth += (letter in "{<[(") - (letter in "}>])")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


@dataclass(slots=True)
class Rules:
    """What may be chosen for every rule, as far as it is not held out."""

    entries: Mapping[str, Sequence[Any]]
    """Templates, or tables of forms."""
    used: dict[str, set[str]] | None = field(default=None)
    """Where somebody wants to know, the entries chosen so far."""

    def has(self, rule: str) -> bool:
        return rule in self.entries

    def choose(self, rule: str, rng: Random) -> Any:
        try:
            options = self.entries[rule]
        except KeyError:
            raise InputError(f"no wording file of the language has '{rule}'") from None
        return options[int(rng.random() * len(options))]

    def say(self, rule: str, slots: Mapping[str, Mention], rng: Random) -> list[Piece]:
        """A sentence, or a part of one, in pieces: `spoken` makes text of them."""
        pieces: list[Piece] = []
        self._fill(self.choose(rule, rng).nodes, slots, rng, pieces)
        return pieces

    def text(self, rule: str, rng: Random) -> str:
        return spoken(self.say(rule, {}, rng))

    def _fill(
        self,
        nodes: tuple[Node, ...],
        slots: Mapping[str, Mention],
        rng: Random,
        pieces: list[Piece],
    ) -> None:
        parted = ""
        for place, (kind, what, more) in enumerate(nodes):
            if kind == "text":
                pieces.append(what)
            elif kind == "slot":
                pieces.append((_filler(slots, what), more, rng.random()))
                pieces.append(parted)
                parted = ""
            elif kind == "agree":
                pieces.append((_filler(slots, what or next(iter(slots))), more, None))
            elif kind == "choice":
                self._fill(pick(rng, what), slots, rng, pieces)
            elif kind == "number":
                pieces.append(str(pick(rng, what)))
            elif more:
                verb, _, particle = self.choose(f"verb {what}", rng)[more].partition("~")
                pieces.append(verb)
                if particle and _parts(nodes, place, slots, rng):
                    parted = " " + particle
                elif particle:
                    pieces.append(" " + particle)
            else:
                self._fill(self.choose(what, rng).nodes, slots, rng, pieces)


def _parts(nodes: tuple[Node, ...], place: int, slots: Mapping[str, Mention], rng: Random) -> bool:
    """Whether a verb lets its object in before its particle: "picked it up"."""
    if len(nodes) < place + 3 or nodes[place + 1][1] != " " or nodes[place + 2][0] != "slot":
        return False
    return _filler(slots, nodes[place + 2][1]).stands_for is not None or rng.random() < 0.25


def _filler(slots: Mapping[str, Mention], name: str) -> Mention:
    try:
        return slots[name]
    except KeyError:
        known = ", ".join(slots)
        raise InputError(f"a wording uses {{{name}}}, but only {known} can be used here") from None


def spoken(pieces: Sequence[Piece], resolved: bool = False) -> str:
    """Pieces as text; `resolved` says what pronouns stand for instead of them."""
    words: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            words.append(piece)
            continue
        mention, what, luck = piece
        if resolved and mention.stands_for is not None:
            mention = mention.stands_for
        if luck is None:
            words.append(what[mention.agreement if mention.agreement < len(what) else -1])
        else:
            words.append(_form(mention, what, luck))
    return "".join(words)


def _form(mention: Mention, name: str, luck: float) -> str:
    found = mention.forms.get(name)
    if found is None:
        if mention.stands_for is not None:
            return _form(mention.stands_for, name, luck)
        found = mention.forms[""]
    return found if isinstance(found, str) else found[int(luck * len(found))]
