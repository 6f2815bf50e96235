"""Search learns from lessons, keeps that with its memory, and never gets worse by it silently."""

from __future__ import annotations

import json
from contextlib import closing

import numpy as np
import pytest

import memnn
from memnn.conversations import learning
from memnn.conversations.labelled import ours
from memnn.conversations.scoring import LinearScorer, default_scorer
from memnn.conversations.search import Finder
from memnn.errors import InputError
from memnn.memory import RamMemory

THINGS = [f"{a}o{b}a{c}" for a in "bdgk" for b in "lmrt" for c in "xzpf"]


@pytest.fixture
def reversed_talk():
    """A memory where the shipped weights are wrong: who asks is the one that knows."""
    memory = RamMemory()
    for n, thing in enumerate(THINGS):
        for text, who in (
            (f"You know that the {thing} is in box {n}?", "Ann"),
            (f"The {thing} is in use.", "Bob"),
        ):
            memory.write(text, turn=memnn.types.Turn(speaker=who, session=thing))
    return memory


def taught(memory, right=0):
    for n, thing in enumerate(THINGS):
        memory.teach(f"Where is the {thing}?", [2 * n + 1 + right])


def test_lessons_are_learnt_and_used_from_then_on(reversed_talk):
    finder = Finder()
    assert [f.id for f in finder(reversed_talk, f"Where is the {THINGS[0]}?", k=1)] == [2]
    taught(reversed_talk)
    learnt = finder.learn(reversed_talk)
    assert learnt.kept
    assert learnt.lessons == len(THINGS)
    assert learnt.mean_after > learnt.mean_before
    other = Finder()  # another process would read the same
    assert other.scorer(reversed_talk).weights == learnt.weights
    assert default_scorer().weights != learnt.weights
    finder.unlearn(reversed_talk)
    assert finder.scorer(reversed_talk).weights == default_scorer().weights
    assert len(reversed_talk.lessons()) == len(THINGS)


def test_what_does_not_help_is_not_kept():
    talk = ours()[0]
    memory = talk.memory()
    rng = np.random.default_rng(1)
    for q in [q for q in talk.questions if q.supports][:20]:
        wrong = rng.integers(len(talk.turns))
        memory.teach(q.question, [int(wrong) + 1])
    finder = Finder()
    learnt = finder.learn(memory)
    if not learnt.kept:
        assert learnt.weights == default_scorer().weights
        assert finder.scorer(memory).weights == default_scorer().weights


def test_the_same_lessons_teach_the_same(reversed_talk):
    taught(reversed_talk)
    assert Finder().learn(reversed_talk) == Finder().learn(reversed_talk)


def test_a_deletion_ends_what_was_learnt(reversed_talk):
    finder = Finder()
    taught(reversed_talk)
    assert finder.learn(reversed_talk).kept
    reversed_talk.delete([1])
    assert Finder().scorer(reversed_talk).weights == default_scorer().weights
    again = finder.learn(reversed_talk)
    assert again.lessons == len(THINGS) - 1


def test_other_shipped_weights_take_lessons_not_weights(reversed_talk):
    taught(reversed_talk)
    Finder().learn(reversed_talk)
    newer = LinearScorer(
        {name: w + 0.1 for name, w in default_scorer().weights.items()}, default_scorer().spread
    )
    assert learning.learnt_scorer(reversed_talk, newer) is newer
    assert learning.learn(reversed_talk, Finder()._indices(reversed_talk), newer).lessons


def test_too_few_lessons_are_said(reversed_talk):
    reversed_talk.teach("Where is Joe?")  # nothing answers it
    with pytest.raises(InputError, match="teach at least 5"):
        Finder().learn(reversed_talk)


def test_what_is_broken_is_not_used(reversed_talk):
    for data in (b"{", b"[]", b"{}", json.dumps({"shipped": 1, "weights": {"x": 1}}).encode()):
        reversed_talk.keep(learning.NAME, data, reversed_talk.deletions)
        assert learning.learnt_scorer(reversed_talk, default_scorer()) is default_scorer()


def test_a_store_keeps_it(tmp_path, reversed_talk):
    with closing(memnn.open_memory(f"{tmp_path}/diary.db")) as memory:
        memory.write_slots(reversed_talk.scan())
        taught(memory)
        learnt = Finder().learn(memory)
        assert learnt.kept
    with closing(memnn.open_memory(f"{tmp_path}/diary.db")) as memory:
        assert Finder().scorer(memory).weights == learnt.weights
