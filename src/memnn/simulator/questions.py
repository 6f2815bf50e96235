"""What can be asked, the true answer, its supports, and how questions are chosen (Section 5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from memnn.errors import UnknownName
from memnn.simulator.actions import Action, things_of
from memnn.simulator.knowledge import Knowledge
from memnn.simulator.world import World


@dataclass(frozen=True, slots=True)
class WhereActor:
    actor: str


@dataclass(frozen=True, slots=True)
class WhereObject:
    thing: str


@dataclass(frozen=True, slots=True)
class WhereBefore:
    actor: str
    room: str


@dataclass(frozen=True, slots=True)
class JustDid:
    """ "What did Joe just do?": the describing task that Appendix A looks forward to."""

    actor: str


Where: TypeAlias = WhereActor | WhereObject | WhereBefore
Asked: TypeAlias = Where | JustDid


def true_room(world: World, question: Where) -> str | None:
    """The answer, looked up in the world; None where there is none."""
    match question:
        case WhereActor(actor):
            return world.room_of(actor)
        case WhereObject(thing):
            return world.where(thing)
        case WhereBefore(actor, room):
            return world.room_before(actor, room)


def supports(knowledge: Knowledge, question: Asked) -> tuple[int, ...] | None:
    """The statements the answer follows from, in reasoning order; None if it does not follow."""
    if isinstance(question, JustDid):
        did = knowledge.last_action(question.actor)
        return None if did is None else (did[1],)
    match question:
        case WhereActor(actor):
            known = knowledge.where_actor(actor)
        case WhereObject(thing):
            known = knowledge.where_thing(thing)
        case WhereBefore(actor, room):
            known = knowledge.where_before(actor, room)
    return None if known is None else known.supports


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A type of experiment: what the actors may do and what is asked about it."""

    actions: str
    before: bool = False
    describe: bool = False
    before_moves: int | None = None
    """How many of an actor's latest moves "before" may ask about; None: all of them."""


QUESTION_SETS: dict[str, QuestionSet] = {
    "actor-now": QuestionSet("go"),
    "actor": QuestionSet("go", before=True),
    "actor-now+object": QuestionSet("go/get/drop"),
    "actor+object": QuestionSet("go/get/drop", before=True),
    "everything": QuestionSet("everything", before=True),
    "describe": QuestionSet("everything", describe=True),
}


def question_set(name: str) -> QuestionSet:
    if name not in QUESTION_SETS:
        raise UnknownName("question set", name, QUESTION_SETS)
    return QUESTION_SETS[name]


def choose(
    recent: Sequence[Action], ask: QuestionSet, world: World, knowledge: Knowledge, rng: Random
) -> Asked:
    """A question about what one of the recent statements mentions.

    `recent` holds the last 1..d actions. A thing is asked about if the story tells where it is
    (a thing that was only looked at may be unknown); otherwise the actor is, whose place is
    always known once they have acted.
    """
    action = rng.choice(recent)
    if ask.describe:
        return JustDid(action.actor)
    known = [t for t in things_of(action) if knowledge.where_thing(t) is not None]
    if known:
        return WhereObject(rng.choice(known))
    if ask.before:
        # Any room with a predecessor: were it always the latest, "before" would need no search.
        rooms = world.rooms_with_a_before(action.actor, ask.before_moves)
        if rooms and rng.random() < 0.5:
            return WhereBefore(action.actor, rng.choice(rooms))
    return WhereActor(action.actor)
