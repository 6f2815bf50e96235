"""R of any form: yes and no, numbers, lists, the same word twice, words never seen."""

from __future__ import annotations

from itertools import combinations, product

import pytest

import memnn
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import train
from memnn.types import Question, Statement, Story

NAMES = ("Joe", "Ann", "Fred", "Sue", "Max", "Eva")
ROOMS = ("kitchen", "garden", "office", "hall")
THINGS = ("milk", "apple", "ball", "hat")


def told(*texts):
    return [Statement(text, n) for n, text in enumerate(texts, start=1)]


def asked(statements, text, answer, *supports):
    return Story((*statements, Question(text, len(statements) + 1, answer, supports)))


def yes_or_no():
    for who, room, other in product(NAMES, ROOMS, ROOMS):
        answer = "yes" if room == other else "no"
        line = told(f"{who} went to the {room}.", f"The {THINGS[0]} fell.")
        yield asked(line, f"Is {who} in the {other}?", answer, 1)


def carried():
    """How many things, and which, in the order of telling."""
    counts = ("none", "one", "two", "three")
    for who, other in zip(NAMES, (*NAMES[1:], NAMES[0]), strict=True):
        for n in (1, 2, 3):
            for things in combinations(THINGS, n):
                lines = told(*(f"{who} took the {thing}." for thing in things))
                lines += [Statement(f"{other} slept.", n + 1)]
                supports = tuple(range(1, n + 1))
                yield asked(lines, f"What does {who} carry?", ",".join(things), *supports)
                yield asked(lines, f"How many does {who} carry?", counts[n], *supports)


def ways():
    """A path may go the same way twice."""
    for who, (room, way) in product(NAMES, zip(ROOMS, ("n,n", "n,s", "s", "s,s,s"), strict=True)):
        yield asked(told(f"{who} went to the {room}."), f"How did {who} go?", way, 1)


RECIPE = PathRecipe(bits=14)


@pytest.fixture(scope="module")
def nets():
    return {task: train(list(task()), RECIPE) for task in (yes_or_no, carried, ways)}


def ask(net, question, *texts):
    fresh = net.with_memory(memnn.RamMemory())
    for text in texts:
        fresh.tell(text)
    return fresh.ask(question)


@pytest.mark.parametrize("task", [yes_or_no, carried, ways])
def test_each_form_is_learnt(nets, task):
    assert memnn.evaluate(nets[task], list(task())).accuracy > 0.97


def test_yes_and_no_about_somebody_new(nets):
    for room, other in product(ROOMS, ROOMS):
        answer = ask(nets[yes_or_no], f"Is Zork in the {other}?", f"Zork went to the {room}.")
        assert answer.text == ("yes" if room == other else "no")


def test_lists_of_somebody_new(nets):
    for things in (("milk", "hat"), ("hat", "milk"), ("ball", "apple", "milk")):
        lines = [f"Zork took the {thing}." for thing in things]
        assert ask(nets[carried], "What does Zork carry?", *lines).text == ",".join(things)


def test_things_never_seen_are_said_as_they_were_told(nets):
    answer = ask(
        nets[carried], "What does Joe carry?", "Joe took the milk.", "Joe took the Zorkmid."
    )
    assert answer.text == "milk,Zorkmid"


def test_numbers(nets):
    lines = ["Zork took the milk.", "Zork took the hat."]
    assert ask(nets[carried], "How many does Zork carry?", *lines).text == "two"


def test_the_same_word_twice(nets):
    assert ask(nets[ways], "How did Joe go?", "Joe went to the kitchen.").text == "n,n"
    assert ask(nets[ways], "How did Ann go?", "Ann went to the hall.").text == "s,s,s"


def test_how_sure_it_is(nets):
    answer = ask(nets[ways], "How did Joe go?", "Joe went to the kitchen.")
    assert 0.5 < answer.score <= 1
    assert answer.probability is None


def test_nothing_told_is_no_answer(nets):
    answer = nets[ways].with_memory(memnn.RamMemory()).ask("How did Joe go?")
    assert (answer.abstained, answer.reason) == (True, "I have not been told anything yet")
