"""Training: the same seed gives the same network, and what cannot be learnt from is said."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import memnn
from memnn.errors import InputError, TrainingError
from memnn.stories import babi
from memnn.support_paths.learning import Mean
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit, train
from memnn.types import Question, Statement, Story

QUICK = PathRecipe(bits=12, epochs=2, answer_epochs=2)
STORIES = memnn.simulate(statements=40, questions=20, story_length=5)


def test_the_same_seed_gives_the_same_network():
    first = fit(STORIES, QUICK)
    assert fit(STORIES, QUICK).id == first.id
    assert fit(STORIES, replace(QUICK, seed=1)).id != first.id
    assert fit(STORIES[:-1], QUICK).id != first.id


def test_hops_are_those_of_the_questions_unless_told():
    assert fit(STORIES, QUICK).hops == 2
    assert fit(STORIES, replace(QUICK, hops=5)).hops == 5
    with pytest.raises(InputError, match="has 2 supporting statements, but hops is 1; leave it"):
        fit(STORIES, replace(QUICK, hops=1))


def test_held_back_stories_are_answered(over_paths):
    stories = memnn.simulate(statements=200, questions=100, story_length=10, difficulty=2, seed=9)
    result = memnn.evaluate(over_paths, stories)
    assert result.accuracy > 0.9
    assert result.support_accuracy > 0.9


def test_a_file_will_do(tmp_path):
    path = tmp_path / "stories.txt"
    path.write_text(babi.dumps(STORIES))
    assert train(path, QUICK).model.id == fit(STORIES, QUICK).id
    with pytest.raises(InputError, match="there is no file"):
        train(tmp_path / "none.txt", QUICK)


def test_the_recipe_says_which_network():
    assert memnn.train(STORIES, QUICK).model.id == fit(STORIES, QUICK).id
    assert memnn.train(STORIES, memnn.Recipe(epochs=1)).model.recipe == memnn.Recipe(epochs=1)


def test_progress_is_told_epoch_by_epoch():
    told = []
    model = fit(STORIES, QUICK, told.append)
    assert [p.epoch for p in told] == [1, 2, 3, 4]
    assert {p.epochs for p in told} == {4}
    assert math.isnan(told[0].loss_R)
    assert told[1].loss_O < told[0].loss_O
    assert (model.card["loss_O"], model.card["loss_R"]) == (told[-1].loss_O, told[-1].loss_R)


def test_training_ends_once_nothing_is_left_to_learn():
    told = []
    fit(babi.loads("1 joe went home\n2 where is joe?\thome\t1\n"), PathRecipe(bits=12), told.append)
    assert len(told) < PathRecipe().epochs + PathRecipe().answer_epochs


def test_the_mean_of_tables():
    mean = Mean.like((np.zeros(2, np.float32),))
    tables = (np.array([5, 5], np.float32),)
    assert mean.of(tables)[0] is tables[0]
    for n in (1, 3):
        mean.add((np.array([n, 0], np.float32),))
    assert mean.of(tables)[0].tolist() == [2, 0]


@pytest.mark.parametrize("rate", ["lr", "lr_embeddings", "lr_copies", "lr_order"])
def test_a_rate_that_is_far_too_large(rate):
    """Never a model with weights that are no numbers, or that no folder can hold."""
    with pytest.raises(TrainingError, match=r"diverged.*use a smaller lr"):
        fit(STORIES, replace(QUICK, **{rate: 1e6}, answer_epochs=30))


LONG = " ".join(f"w{n}" for n in range(1_000))
ODD = {
    "one question": "1 joe went home\n2 where is joe?\thome\t1\n",
    "no words": "1 ...\n2 ???\thome\t1\n",
    "an answer of punctuation": "1 joe went home\n2 where is joe?\t!\t1\n",
    "contradictions": "1 joe went home\n2 where is joe?\thome\t1\n3 where is joe?\taway\t1\n" * 3,
    "one word": "1 joe\n2 joe?\tjoe\t1\n",
    "long statements": f"1 {LONG}\n2 {LONG} again\n3 {LONG}?\tw5\t2\n",
    "unknown in answers": "1 joe went home\n2 where is joe?\tnowhere,home,nowhere\t1\n",
    "a support named twice": "1 joe went home\n2 where is joe?\thome\t1 1\n",
}


@pytest.mark.parametrize("name", ODD)
def test_odd_stories_can_be_learnt_from(name):
    net = train(babi.loads(ODD[name]), QUICK)
    assert np.isfinite(net.model.card["loss_O"])
    assert np.isfinite(net.model.card["loss_R"])
    net.tell("Joe went home.")
    assert net.ask("Where is Joe?").text


def test_contradictions_leave_it_in_doubt():
    net = train(babi.loads(ODD["contradictions"]), replace(QUICK, answer_epochs=30))
    net.tell("joe went home")
    answer = net.ask("Where is Joe?")
    assert answer.text in ("home", "away")
    assert 0.3 < answer.score < 0.7


def test_a_story_with_very_many_statements():
    told = [Statement(f"Joe{n} went to room{n % 50}.", n) for n in range(1, 10_001)]
    story = Story((*told, Question("Where is Joe9999?", 10_001, "room49", (9_999,))))
    model = fit([story], replace(QUICK, epochs=1, answer_epochs=1))
    assert model.card["statements"] == 10_000


@pytest.mark.parametrize("stories", [[], [Story(())]], ids=["no stories", "an empty story"])
def test_nothing_to_learn_from(stories):
    with pytest.raises(TrainingError, match="nothing to learn from"):
        fit(stories, QUICK)


def test_statements_alone():
    with pytest.raises(TrainingError, match="tale: there are no questions to learn from"):
        fit([Story((Statement("Joe went home."),), "tale")], QUICK)


@pytest.mark.parametrize(
    "wrong",
    [
        {"hops": 0},
        {"hops": 31},
        {"beam": 0},
        {"bits": 29},
        {"hidden": 1.5},
        {"lr": 0},
        {"seed": -1},
    ],
    ids=str,
)
def test_recipes_out_of_range(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        PathRecipe(**wrong)


@pytest.mark.parametrize("task", [4, 15])
def test_held_back_babi_stories(shared_data, task):
    (path,) = (shared_data / "babi" / "en").glob(f"qa{task}_*_train.txt")
    stories = babi.read(path)
    cut = len(stories) * 4 // 5
    net = train(stories[:cut], PathRecipe(bits=18))
    result = memnn.evaluate(net, stories[cut:])
    assert result.questions > 150
    assert result.accuracy > 0.98
    assert result.support_accuracy > 0.95
