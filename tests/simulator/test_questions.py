"""Questions find their own answers: one of one's own needs no other file to know of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Self

import pytest

from memnn.errors import InputError
from memnn.simulator import PAPER_WORLD, QUESTION_SETS, Knowledge, Teller, World
from memnn.simulator.actions import Action, Drop, Get, Give, Go
from memnn.simulator.question_sets import QuestionSet, choose
from memnn.simulator.questions import Moment, StoryQuestion, WhereActor

DOCS = Path(__file__).parent.parent.parent / "docs"


@dataclass(frozen=True)
class LastMoved(StoryQuestion):
    """ "Who moved the milk?": whoever last got, gave or dropped it."""

    thing: str

    @classmethod
    def about(cls, action: Action, moment: Moment) -> Self | None:
        return cls(action.thing) if isinstance(action, Get | Give | Drop) else None

    def in_words(self, the: Callable[[str], str], now: str) -> str:
        return f"Who moved {the(self.thing)}?"

    def answer(self, world: World, knowledge: Knowledge) -> str | None:
        return next((actor for actor, _ in self._moves(knowledge)), None)

    def supports(self, knowledge: Knowledge) -> tuple[int, ...] | None:
        return next(((id,) for _, id in self._moves(knowledge)), None)

    def _moves(self, knowledge: Knowledge):
        for action, id in knowledge.latest():
            if isinstance(action, Get | Give | Drop) and action.thing == self.thing:
                yield action.actor, id


def teller(**settings) -> Teller:
    told = Teller(World(PAPER_WORLD), Random(0), **settings)
    for action in (Go("Joe", "kitchen"), Go("Dan", "kitchen"), Get("Joe", "milk")):
        told.tell(action)
    return told


@pytest.mark.parametrize("sentences", [False, True])
def test_a_question_of_ones_own_is_asked(sentences: bool) -> None:
    told = teller(sentences=sentences)
    told.ask(LastMoved("milk"))
    told.tell(Give("Joe", "milk", "Dan"))
    told.tell(Drop("Dan", "milk"))
    told.ask(LastMoved("milk"))
    assert [(q.answer, q.supports) for q in told.story("test").questions] == [
        ("Joe", (3,)),
        ("Dan", (6,)),
    ]
    with pytest.raises(InputError, match=r"does not answer 'Who moved the apple\?'"):
        told.ask(LastMoved("apple"))


def test_a_set_asks_in_its_order() -> None:
    told = teller()
    ask = QuestionSet("go/get/drop", (LastMoved, WhereActor))
    for action, question in (
        (Get("Joe", "milk"), LastMoved("milk")),
        (Go("Dan", "kitchen"), WhereActor("Dan")),
    ):
        assert choose([action], ask, told.world, told.knowledge, Random(0)) == question


def test_every_set_is_documented() -> None:
    page = (DOCS / "simulator.md").read_text()
    assert all(f"| `{name}` |" in page for name in QUESTION_SETS)
