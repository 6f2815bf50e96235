"""What was overtaken is left out of "now", and nothing of it is lost."""

from __future__ import annotations

import pytest

import memnn
from memnn.stories.invariants import Habits
from memnn.stories.network import network
from memnn.stories.superseding import Superseding

STORY = (
    "Joe went to the kitchen. Fred moved to the office. Joe took the milk. "
    "Joe travelled to the garden. Joe dropped the milk. Joe went to the office."
)


@pytest.fixture(params=[False, True], ids=["walk", "organised"])
def now(trained, request):
    return network(trained.model, organised=request.param, superseding=True)


def test_marks_follow_from_what_was_told(now):
    now.tell(STORY)
    marks = now.O.superseding.marks
    assert marks(now.memory) == {1: 4, 4: 6}
    now.forget(4)
    assert marks(now.memory) == {1: 6}
    now.tell("Joe went to the office.")
    assert marks(now.memory) == {1: 6, 6: 7}, "a repeated statement is the newer one"


def test_only_questions_about_now_do_without(now):
    now.tell(STORY)
    seen = now.O.superseding.standing
    ids = now.memory.candidates()
    assert ids[seen("Where is Joe?", now.memory, ids, 6)].tolist() == [2, 3, 5, 6]
    assert ids[:5][seen("Where is Joe?", now.memory, ids[:5], 5)].tolist() == [2, 3, 4, 5]
    for question in ("Where was Joe before the office?", "Where is the milk?"):
        assert ids[seen(question, now.memory, ids, 6)].tolist() == [1, 2, 3, 4, 5, 6]


def test_history_stays_askable(now):
    now.tell(STORY)
    assert now.ask("Where is Joe?").text == "office"
    assert now.ask("Where is the milk?").text == "garden"
    assert now.ask("Where was Joe before the office?").text == "garden"
    assert now.ask("Where is Joe?", as_of=4).text == "garden"
    assert now.ask("Where is Joe?", as_of=3).text == "kitchen"
    assert len(now.memory) == 6


def test_it_is_off_unless_asked(trained):
    assert network(trained.model).O.superseding is None


def test_the_answers_of_a_whole_story_stay(trained):
    story = memnn.simulate(statements=700, questions=300, seed=77)
    plain = memnn.evaluate(network(trained.model), story)
    marked = memnn.evaluate(network(trained.model, superseding=True), story)
    assert (marked.accuracy, marked.support_accuracy) == (plain.accuracy, plain.support_accuracy)


def test_different_questions_are_different_kinds(trained):
    habits = Habits(
        kinds={"_ is in the _": "where is _", "_ is _": "how is _"},
        now=frozenset(["where is _", "how is _"]),
    )
    dictionary = trained.model.dictionary
    memory = memnn.RamMemory()
    memory.write_many(["Joe is green.", "Joe went to the office.", "Joe is red."])
    assert Superseding(dictionary, habits).marks(memory) == {1: 3}
