"""Several tasks in one file, in the shares asked for."""

from __future__ import annotations

from collections import Counter

import pytest

from memnn.errors import InputError
from memnn.simulator.twenty import TASKS, read_mixture, simulate_tasks


def shares(stories):
    counts = Counter()
    for story in stories:
        counts[int(story.source.split()[1].rstrip(","))] += len(list(story.questions))
    return dict(counts)


def test_mixtures_are_read():
    assert read_mixture("7") == {7: 1}
    assert read_mixture("1:3, 7 ,19:2") == {1: 3, 7: 1, 19: 2}
    assert read_mixture("all") == dict.fromkeys(range(1, 21), 1)


def test_weights_share_the_questions():
    assert shares(simulate_tasks("1:3,7:1,19", questions=50)) == {1: 30, 7: 10, 19: 10}
    assert shares(simulate_tasks({4: 2, 8: 1}, questions=10)) == {4: 7, 8: 3}
    assert shares(simulate_tasks("all", questions=200)) == dict.fromkeys(TASKS, 10)


def test_every_task_has_a_thousand_questions_unless_told_otherwise():
    assert shares(simulate_tasks("4,19:2")) == {4: 667, 19: 1333}


def test_stories_are_those_of_the_single_tasks_in_another_order():
    mixed = simulate_tasks("1,6", questions=40, seed=5)
    single = [*simulate_tasks(1, questions=20, seed=5), *simulate_tasks(6, questions=20, seed=5)]
    assert mixed != single
    assert sorted(map(repr, mixed)) == sorted(map(repr, single))


@pytest.mark.parametrize(
    ("tasks", "problem"),
    [
        ("21", "there is no task 21"),
        ("0", "there is no task 0"),
        ("one", "'one' is not a task"),
        ("", "is not a task"),
        ("1,,2", "is not a task"),
        ("1:x", "'1:x' is not a task"),
        ("1,1", "task 1 is named twice"),
        ("1:0", "the weight of task 1"),
        ("1:-1", "the weight of task 1"),
        ({}, "name a task"),
        ({"1": 1}, "there is no task"),
        ({1: 0.5}, "the weight of task 1"),
    ],
)
def test_what_is_no_mixture_is_said(tasks, problem):
    with pytest.raises(InputError, match=problem):
        simulate_tasks(tasks, questions=5)


@pytest.mark.parametrize(
    "given",
    [{"questions": 0}, {"questions": 2.5}, {"seed": "a"}, {"difficulty": 0}, {"difficulty": True}],
    ids=str,
)
def test_sizes_are_whole_numbers(given):
    (name,) = given
    with pytest.raises(InputError, match=f"{name} is a whole number"):
        simulate_tasks(1, **given)
