"""Which questions an experiment asks, and how one of them is chosen (Section 5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from memnn.errors import UnknownName
from memnn.simulator.actions import Action
from memnn.simulator.knowledge import Knowledge
from memnn.simulator.questions import Moment, StoryQuestion, WhereActor, WhereBefore, WhereObject
from memnn.simulator.tasks import JustDid
from memnn.simulator.world import World


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A type of experiment: what the actors may do and what is asked about it."""

    actions: str
    asks: tuple[type[StoryQuestion], ...]
    """The questions in the order they are tried; the last one always finds something to ask."""
    before_moves: int | None = None
    """How many of an actor's latest moves "before" may ask about; None: all of them."""


QUESTION_SETS: dict[str, QuestionSet] = {
    "actor-now": QuestionSet("go", (WhereActor,)),
    "actor": QuestionSet("go", (WhereBefore, WhereActor)),
    "actor-now+object": QuestionSet("go/get/drop", (WhereObject, WhereActor)),
    "actor+object": QuestionSet("go/get/drop", (WhereObject, WhereBefore, WhereActor)),
    "everything": QuestionSet("everything", (WhereObject, WhereBefore, WhereActor)),
    "describe": QuestionSet("everything", (JustDid,)),
}
"""`simulate` and `memnn simulate --ask` know these names; scripts ask whatever is asked here."""


def question_set(name: str) -> QuestionSet:
    if name not in QUESTION_SETS:
        raise UnknownName("question set", name, QUESTION_SETS)
    return QUESTION_SETS[name]


def choose(
    recent: Sequence[Action], ask: QuestionSet, world: World, knowledge: Knowledge, rng: Random
) -> StoryQuestion:
    """A question about what one of the recent statements mentions: the last 1..d actions."""
    action = rng.choice(recent)
    moment = Moment(world, knowledge, rng, ask.before_moves)
    for kind in ask.asks:
        question = kind.about(action, moment)
        if question is not None:
            return question
    raise AssertionError(f"nothing to ask about {action}: end the set with what always asks")
