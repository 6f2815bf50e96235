"""What held for every training question makes R silent where it fails."""

from __future__ import annotations

import json

import pytest

import memnn
from memnn.stories import babi
from memnn.stories import model as models
from memnn.stories.invariants import SENTENCES, Habits
from memnn.stories.network import network
from memnn.stories.train_invariants import OFTEN

UNTOLD = [
    ("Joe went to the kitchen.", "Where was Joe before the kitchen?"),
    ("Joe took the milk.", "Where is Joe?"),
    ("Joe took the milk. Fred went to the office.", "Where is Joe?"),
    ("Fred went to the office. Joe took the milk.", "Where is the milk?"),
    ("Joe went to the office. Fred went to the kitchen.", "Where was Joe before the kitchen?"),
    ("Joe dropped the milk. Joe went to the office.", "Where is the milk?"),
    ("Joe went to the office. Joe went to the garden.", "Where was Joe before the office?"),
]
RENAMED = {"Joe": "Ben", "Fred": "Zoe", "milk": "ring", "kitchen": "inn", "office": "cave"}


@pytest.mark.parametrize(("told", "asked"), UNTOLD)
def test_what_was_not_told_is_not_answered(net, told, asked):
    net.tell(told)
    answer = net.ask(asked)
    assert answer.abstained
    assert answer.reason
    assert answer.evidence, "it shows what came closest"


@pytest.mark.parametrize(("told", "asked"), UNTOLD)
def test_nor_about_names_it_never_saw(unseen, told, asked):
    for old, new in RENAMED.items():
        told, asked = told.replace(old, new), asked.replace(old, new)
    net = unseen.with_memory(memnn.RamMemory())
    net.tell(told)
    assert net.ask(asked).abstained


def test_silence_costs_no_answers(trained):
    """Short stories, where questions come soon after their facts."""
    stories = memnn.simulate(statements=1500, questions=500, story_length=15, seed=123)
    assert memnn.evaluate(trained, stories).abstained <= 0.005


def test_a_single_exception_is_enough():
    lines = "1 Joe went to the hut.\n2 Dan went to the inn.\n3 Where is Joe?\thut\t1\n"
    assert memnn.train(babi.loads(lines), memnn.Recipe(epochs=1)).model.habits.grounded
    lines += "4 Where is Dan?\thome\t2\n"
    habits = memnn.train(babi.loads(lines), memnn.Recipe(epochs=1)).model.habits
    assert not habits.grounded
    assert habits.fresh
    assert habits.about


def test_orders_are_learnt_when_seen_often(trained):
    backwards = trained.model.habits.backwards
    assert "where was _ before the _" in backwards
    assert "_ dropped the _" in backwards
    assert "_ got the _" not in backwards, "what is carried may have been moved since"
    barren = trained.model.habits.barren
    assert "_ took the _" in barren
    assert not any("went" in pattern for pattern in barren)
    short = memnn.simulate(statements=40, questions=OFTEN - 1, seed=1)
    assert not memnn.train(short, memnn.Recipe(epochs=1)).model.habits.backwards


def test_they_are_part_of_the_model(trained, tmp_path):
    models.save(trained.model, tmp_path / "m")
    habits = models.load(tmp_path / "m").habits
    assert habits == trained.model.habits
    assert all(getattr(habits, name) for name in SENTENCES)


def test_a_model_of_an_older_version_has_none(trained, tmp_path):
    models.save(trained.model, tmp_path / "m")
    file = tmp_path / "m" / "model.json"
    about = json.loads(file.read_text())
    del about["habits"]
    file.write_text(json.dumps(about))
    old = models.load(tmp_path / "m")
    assert old.habits == Habits()
    net = network(old)
    net.tell("Joe took the milk.")
    assert not net.ask("Where is Joe?").abstained


@pytest.mark.parametrize(
    "wrong", [{"grounded": 1}, {"now": [1]}, {"kinds": {"a": 2}}, {"kinds": 3}]
)
def test_damaged_habits(trained, tmp_path, wrong):
    models.save(trained.model, tmp_path / "m")
    file = tmp_path / "m" / "model.json"
    about = json.loads(file.read_text())
    about["habits"] |= wrong
    file.write_text(json.dumps(about))
    with pytest.raises(memnn.ModelError, match="damaged"):
        models.load(tmp_path / "m")
