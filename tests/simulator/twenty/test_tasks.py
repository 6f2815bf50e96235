"""Every task tells the truth: a reader who starts from the sentences comes to the same answers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memnn.simulator.twenty import TASKS, simulate_tasks
from memnn.stories import babi
from memnn.types import Question
from tests.simulator.twenty.twins import TWINS

QUESTIONS = 150
SEEDS = range(4)
EVERY = pytest.mark.parametrize("number", TASKS)


def asked(number, seed, questions=QUESTIONS, **given):
    """Every question with the statements before it."""
    for story in simulate_tasks(number, questions=questions, seed=seed, **given):
        said = []
        for line in story.lines:
            if isinstance(line, Question):
                yield list(said), line
            else:
                said.append((line.id, line.text))


def test_there_are_twenty_with_names_of_their_own():
    assert list(TASKS) == list(range(1, 21)) == list(TWINS)
    assert len({task.name for task in TASKS.values()}) == 20
    assert all(task.number == number and task.description for number, task in TASKS.items())


def test_the_documentation_lists_them():
    page = (Path(__file__).parents[3] / "docs" / "simulator.md").read_text()
    for number, task in TASKS.items():
        assert f"\n| {number} | {task.name} | " in page


@EVERY
def test_a_slow_reader_finds_the_same_answers_and_supports(number):
    for seed in SEEDS:
        for said, question in asked(number, seed):
            assert TWINS[number](said, question.text) == (question.answer, question.supports), said


@EVERY
def test_the_supports_suffice(number):
    for seed in SEEDS:
        for said, question in asked(number, seed):
            supports = [line for line in said if line[0] in question.supports]
            assert TWINS[number](supports, question.text)[0] == question.answer, supports


@EVERY
def test_the_seed_decides_every_byte(number):
    def text(seed):
        return babi.dumps(simulate_tasks(number, questions=40, seed=seed))

    assert text(3) == text(3)
    assert text(3) != text(4)


@EVERY
def test_a_longer_file_begins_with_the_shorter_one(number):
    short, long = (simulate_tasks(number, questions=n, seed=1) for n in (20, 40))
    assert babi.dumps(long).startswith(babi.dumps(short))


@EVERY
def test_files_are_read_back(number):
    text = babi.dumps(simulate_tasks(number, questions=50))
    stories = babi.loads(text)
    assert babi.dumps(stories) == text
    assert sum(len(list(story.questions)) for story in stories) == 50


# What bAbI's stories look like, and ours with them.

SHAPES = {
    1: {"..q..q..q..q..q"},
    4: {"..q"},
    9: {"..q..q..q..q..q"},
    10: {"..q..q..q..q..q"},
    11: {"..q..q..q..q..q"},
    12: {"..q..q..q..q..q"},
    13: {"..q..q..q..q..q"},
    15: {"........qqqq"},
    16: {".........q"},
    17: {"..qqqqqqqq"},
    19: {".....q"},
    20: {".q" * n for n in range(9, 13)},
}


@pytest.mark.parametrize("number", SHAPES)
def test_where_the_questions_stand(number):
    *stories, _ = simulate_tasks(number, questions=200, seed=2)  # the last may be cut short
    shapes = {
        "".join("q" if isinstance(line, Question) else "." for line in story.lines)
        for story in stories
    }
    assert shapes <= SHAPES[number]


@pytest.mark.parametrize("number", [2, 3, 5, 6, 7, 8, 14])
def test_questions_wait_until_there_is_something_to_ask(number):
    *stories, _ = simulate_tasks(number, questions=200, seed=2)
    for story in stories:
        told = 0
        for line in story.lines:
            if isinstance(line, Question):
                assert told % 2 == 0
                assert told >= 2
                told = 0
            else:
                told += 1
        assert told == 0, "a story ends with a question"


@pytest.mark.parametrize(
    ("number", "answers"),
    [(6, {"yes", "no"}), (9, {"yes", "no"}), (17, {"yes", "no"}), (18, {"yes", "no"}),
     (10, {"yes", "no", "maybe"}), (7, {"none", "one", "two"})],
)  # fmt: skip
def test_answers_are_balanced(number, answers):
    counts = Counter(question.answer for _, question in asked(number, 0, 600))
    assert answers <= set(counts)
    if len(answers) == 2 and number != 9:
        assert 0.42 < counts["yes"] / 600 < 0.58


@pytest.mark.parametrize("number", [1, 2, 3, 5, 6, 9, 10])
def test_difficulty_is_how_far_back_the_first_support_may_lie(number):
    for difficulty in (2, 5):
        back = []
        for said, question in asked(number, 0, difficulty=difficulty):
            ids = [id for id, _ in said]
            back.append(len(ids) - ids.index(question.supports[0]))
        assert max(back) == difficulty


def test_nobody_asks_what_only_a_get_would_tell():
    for said, question in asked(2, 0):
        first, second = question.supports
        deed = dict(said)[first]
        held = any(verb in deed for verb in ("got", "took", "grabbed", "picked up"))
        assert (first < second) == held


def test_lists_are_in_the_order_of_the_first_get():
    answers = {question.answer for _, question in asked(8, 0, 1000)}
    assert {"apple,milk", "milk,apple", "nothing"} <= answers


def test_times_are_told_out_of_order():
    earlier = [q.supports[0] < q.supports[1] for _, q in asked(14, 0, 300)]
    assert 0.1 < sum(earlier) / len(earlier) < 0.5


def test_routes_may_go_the_same_way_twice():
    answers = {question.answer for _, question in asked(19, 0, 300)}
    assert {"n,n", "e,s", "w,w"} <= answers
    assert not {"n,s", "s,n", "e,w", "w,e"} & answers
