"""What a question about a story is, and the paper's three: where is A, where is O, where was A
before R (Section 5.2).

A question is its meaning. It finds its own answer and supports, and says itself in words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import ClassVar, NamedTuple, Protocol, Self

from memnn.simulator.actions import Action, things_of
from memnn.simulator.answers import place_sentences
from memnn.simulator.forms import NAME, Form
from memnn.simulator.knowledge import Knowledge, Known
from memnn.simulator.world import World, WorldSpec


class Moment(NamedTuple):
    """What a question is drawn from: the world as it is, and what the story has told of it."""

    world: World
    knowledge: Knowledge
    rng: Random
    before_moves: int | None = None
    """How many of an actor's latest moves "before" may ask about; None: all of them."""


class StoryQuestion(Protocol):
    """A question about a story. Inherit from this class: what has a body here is a default."""

    form: ClassVar[Form | None] = None
    """How a script asks it, if it can."""

    @classmethod
    def about(cls, action: Action, moment: Moment) -> Self | None:
        """A question about what an action mentions; None where it gives no occasion for one."""

    def in_words(self, the: Callable[[str], str], now: str) -> str:
        """The question as text. `the` adds an article to a name; `now` is " now" or empty."""

    def answer(self, world: World, knowledge: Knowledge) -> str | None:
        """The true answer, looked up in the world; None where there is none."""

    def supports(self, knowledge: Knowledge) -> tuple[int, ...] | None:
        """The statements it follows from, in reasoning order; None if it does not follow."""

    def sentences(self, answer: str, spec: WorldSpec) -> list[str]:
        """Every way to give the answer in a sentence; none where it is one already."""
        return []


class Where(StoryQuestion, Protocol):
    """A question whose answer is a room."""

    verb: ClassVar[str] = "is"

    @property
    def name(self) -> str:
        """Who or what is looked for."""

    @property
    def subject(self) -> str:
        """The same as the subject of a sentence."""
        return self.name

    def known(self, knowledge: Knowledge) -> Known | None:
        """What a reader of the story knows of it."""

    def supports(self, knowledge: Knowledge) -> tuple[int, ...] | None:
        known = self.known(knowledge)
        return None if known is None else known.supports

    def sentences(self, answer: str, spec: WorldSpec) -> list[str]:
        return place_sentences(answer, self.subject, spec.pronoun(self.name), self.verb)


@dataclass(frozen=True, slots=True)
class WhereActor(Where):
    actor: str

    @property
    def name(self) -> str:
        return self.actor

    @classmethod
    def about(cls, action: Action, moment: Moment) -> Self:
        return cls(action.actor)  # whoever has acted is somewhere, and the story says where

    def in_words(self, the: Callable[[str], str], now: str) -> str:
        return f"Where is {self.actor}{now}?"

    def answer(self, world: World, knowledge: Knowledge) -> str | None:
        return world.room_of(self.actor)

    def known(self, knowledge: Knowledge) -> Known | None:
        return knowledge.where_actor(self.actor)


@dataclass(frozen=True, slots=True)
class WhereObject(Where):
    thing: str

    @property
    def name(self) -> str:
        return self.thing

    @property
    def subject(self) -> str:
        return f"the {self.thing}"

    @classmethod
    def about(cls, action: Action, moment: Moment) -> Self | None:
        """A thing is asked about if the story tells where it is: one only looked at may not be."""
        knowledge = moment.knowledge
        known = [thing for thing in things_of(action) if knowledge.where_thing(thing) is not None]
        return cls(moment.rng.choice(known)) if known else None

    def in_words(self, the: Callable[[str], str], now: str) -> str:
        return f"Where is {the(self.thing)}{now}?"

    def answer(self, world: World, knowledge: Knowledge) -> str | None:
        return world.where(self.thing)

    def known(self, knowledge: Knowledge) -> Known | None:
        return knowledge.where_thing(self.thing)


@dataclass(frozen=True, slots=True)
class WhereBefore(Where):
    actor: str
    room: str
    verb: ClassVar[str] = "was"
    form: ClassVar[Form | None] = Form(
        "where joe before office?",
        rf"where (?:was )?{NAME} before {NAME}\s*\??",
        ("actor", "room"),
    )

    @property
    def name(self) -> str:
        return self.actor

    @classmethod
    def about(cls, action: Action, moment: Moment) -> Self | None:
        """Any room with a predecessor: were it always the latest, it would need no search."""
        rooms = moment.world.rooms_with_a_before(action.actor, moment.before_moves)
        if rooms and moment.rng.random() < 0.5:
            return cls(action.actor, moment.rng.choice(rooms))
        return None

    def in_words(self, the: Callable[[str], str], now: str) -> str:
        return f"Where was {self.actor} before {the(self.room)}?"

    def answer(self, world: World, knowledge: Knowledge) -> str | None:
        return world.room_before(self.actor, self.room)

    def known(self, knowledge: Knowledge) -> Known | None:
        return knowledge.where_before(self.actor, self.room)


def sentence_answers(question: StoryQuestion, answer: str, spec: WorldSpec) -> list[str]:
    """Every way to say the true answer."""
    return question.sentences(answer, spec) or [answer]
