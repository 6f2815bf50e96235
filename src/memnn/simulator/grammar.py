"""The simple grammar of Appendix A: from meaning to words, for statements and questions.

`rng=None` asks for the plainest wording, always the same: what a person would call the command.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, TypeVar

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
from memnn.simulator.questions import StoryQuestion
from memnn.simulator.world import WorldSpec


class Verb(NamedTuple):
    """One way to say an action: in a story (past), and as a request (base)."""

    past: str
    base: str


GO = (
    Verb("went to", "go to"),
    Verb("travelled to", "travel to"),
    Verb("moved to", "move to"),
    Verb("journeyed to", "journey to"),
)
GO_BACK = Verb("went back to", "go back to")
GET = (
    Verb("picked up", "pick up"),
    Verb("got", "get"),
    Verb("grabbed", "grab"),
    Verb("took", "take"),
)
DROP = (
    Verb("dropped", "drop"),
    Verb("left", "leave"),
    Verb("discarded", "discard"),
    Verb("put down", "put down"),
)
GIVE = (Verb("gave", "give"), Verb("handed", "hand"), Verb("passed", "pass"))
PUT = (Verb("put", "put"), Verb("placed", "place"))
GET_FROM = (Verb("took", "take"), Verb("got", "get"))
LOOK = (Verb("looked around", "look around"), Verb("took a look around", "take a look around"))
INVENTORY = (
    Verb("took an inventory", "take an inventory"),
    Verb("counted everything in hand", "count everything in hand"),
)
EXAMINE = (
    Verb("examined", "examine"),
    Verb("inspected", "inspect"),
    Verb("looked at", "look at"),
)

CONNECTORS = (
    ".",
    "and",
    "then",
    ", then",
    ";",
    ", later",
    ", after that",
    ", and then",
    ", next",
)
"""How Appendix A joins statements into the sentences of a word stream."""


@dataclass(frozen=True, slots=True)
class Wording:
    """How often the grammar leaves out an article, and adds "there" to a get or a drop."""

    article_omission: float = 0.1
    there: float = 0.1


USUAL = Wording()

T = TypeVar("T")


def _pick(options: Sequence[T], rng: Random | None) -> T:
    return options[0] if rng is None else rng.choice(options)


def _chance(probability: float, rng: Random | None) -> bool:
    return rng is not None and rng.random() < probability


def _the(name: str, wording: Wording, rng: Random | None) -> str:
    return name if _chance(wording.article_omission, rng) else f"the {name}"


def say(
    action: Action,
    spec: WorldSpec,
    *,
    rng: Random | None = None,
    wording: Wording = USUAL,
    been_there: bool = False,
) -> str:
    """An action in words, without a full stop; `been_there` allows "went back to"."""

    def the(name: str) -> str:
        return _the(name, wording, rng)

    def preposition(name: str) -> str:
        container = spec.container(name)
        return "in" if container is None else container.preposition

    def there() -> str:
        return " there" if _chance(wording.there, rng) else ""

    who = action.actor
    match action:
        case Go(_, room):
            verbs = (*GO, GO_BACK) if been_there else GO
            return f"{who} {_pick(verbs, rng).past} {the(room)}"
        case Get(_, thing):
            return f"{who} {_pick(GET, rng).past} {the(thing)}{there()}"
        case Drop(_, thing):
            return f"{who} {_pick(DROP, rng).past} {the(thing)}{there()}"
        case Give(_, thing, to):
            return f"{who} {_pick(GIVE, rng).past} {the(thing)} to {to}"
        case Put(_, thing, container):
            verb = _pick(PUT, rng).past
            return f"{who} {verb} {the(thing)} {preposition(container)} {the(container)}"
        case GetFrom(_, thing, container):
            return f"{who} {_pick(GET_FROM, rng).past} {the(thing)} from {the(container)}"
        case Look():
            return f"{who} {_pick(LOOK, rng).past}"
        case Inventory():
            return f"{who} {_pick(INVENTORY, rng).past}"
        case Examine(_, thing):
            return f"{who} {_pick(EXAMINE, rng).past} {the(thing)}"


def ask_in_words(
    question: StoryQuestion, *, rng: Random | None = None, wording: Wording = USUAL
) -> str:
    now = " now" if _chance(0.5, rng) else ""
    return question.in_words(lambda name: _the(name, wording, rng), now)


def connect(sentence: str, rng: Random) -> str:
    """A segment of a word stream: it begins with what joins it to the segment before."""
    return f"{rng.choice(CONNECTORS)} {sentence}"


def read_aloud(segments: Iterable[str]) -> str:
    """Consecutive segments of a stream as a person would write them: "Joe left, then Dan went." """
    stream = " ".join(segments)
    for mark in ".,;":
        stream = stream.replace(f" {mark}", mark)
    return f"{stream}." if stream else ""
