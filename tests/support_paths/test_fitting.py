"""A training that was put away goes on as if nothing had happened; stories held back are judged."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isnan

import numpy as np
import pytest

import memnn
from memnn.errors import TrainingError
from memnn.stories import babi
from memnn.support_paths.fitting import Fitting
from memnn.support_paths.held_back import HeldBack
from memnn.support_paths.network import network
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit
from memnn.support_paths.trial import Best, Trial

QUICK = PathRecipe(bits=12, epochs=3, answer_epochs=4)
STORIES = memnn.simulate(statements=60, questions=30, story_length=5)
KEPT, HELD_BACK = STORIES[:-4], STORIES[-4:]


def put_away(course, *, make):
    """Away and up again, by way of JSON."""
    about, arrays = course.put_away()
    copy = {name: np.array(array) for name, array in arrays.items()}
    again = make()
    again.take_up(json.loads(json.dumps(about)), copy)
    return again


def finish(course):
    while not course.ended:
        course.next_epoch()
    return course


@pytest.mark.parametrize("epochs", range(1, 7))
def test_a_training_that_was_put_away_ends_with_the_same_model(epochs):
    whole = fit(STORIES, QUICK)
    half = Fitting(STORIES, QUICK)
    for _ in range(epochs):
        half.next_epoch()
    rest = put_away(half, make=lambda: Fitting(STORIES, QUICK))
    model = finish(rest).model()
    assert model.id == whole.id
    assert model.card["loss_O"] == whole.card["loss_O"]


@pytest.mark.parametrize("epochs", [2, 3, 5])
def test_so_does_a_trial(epochs):
    def make():
        return Trial(KEPT, QUICK, HELD_BACK)

    whole, half = make(), make()
    curve = []
    while not whole.ended:
        curve.append(whole.next_epoch())
    told = [half.next_epoch() for _ in range(epochs)]
    half = put_away(half, make=make)
    while not half.ended:
        told.append(half.next_epoch())
    assert list(map(str, told)) == list(map(str, curve))
    assert (half.answers, half.supports, half.recipe) == (
        whole.answers,
        whole.supports,
        whole.recipe,
    )


def test_no_model_before_R_has_learnt():
    with pytest.raises(TrainingError, match="not learnt"):
        Fitting(STORIES, QUICK).model()


def test_what_is_held_back_is_judged_as_evaluate_does(over_paths):
    stories = memnn.simulate(statements=100, questions=50, story_length=10, difficulty=2, seed=4)
    text = babi.dumps(stories).replace("Joe", "Zebedee")  # whom training never saw
    stories = babi.loads(text)
    model = over_paths.model
    held_back = HeldBack(stories, model.vocabulary, model.silence)
    search = over_paths.O.search
    result = memnn.evaluate(over_paths, stories)
    assert len(held_back) == result.questions == 50
    assert held_back.supports_right(model.A, search) == pytest.approx(result.support_accuracy)
    assert held_back.answers_right(model.R, model.recipe) == pytest.approx(result.accuracy)


def test_a_trial_measures_each_epoch():
    trial = Trial(KEPT, replace(QUICK, epochs=6, answer_epochs=12), HELD_BACK)
    curve = []
    while not trial.ended:
        curve.append(trial.next_epoch())
    assert not any(isnan(row.supports) for row in curve)
    assert isnan(curve[0].answers)
    assert 0 <= curve[-1].answers <= 1
    result = memnn.evaluate(network(trial.fitting.model()), HELD_BACK)
    assert result.accuracy == pytest.approx(curve[-1].answers)
    assert result.support_accuracy == pytest.approx(trial.supports)


def judged(*right, questions=100):
    best = Best(questions, calm=3, patience=4)
    for epoch, share in enumerate(right, start=1):
        best.add(epoch, share)
    return best


def test_it_ends_once_nothing_is_left_to_see():
    assert not judged(0.9, 1, 1).enough
    assert judged(0.9, 1, 1, 1).enough, "all right three times"
    assert not judged(0.5, 0.9, 0.8, 0.8, 0.8).enough
    assert judged(0.5, 0.9, 0.8, 0.8, 0.8, 0.9).enough, "four times none better"


def test_only_what_is_clearly_worse_shortens_training():
    assert not judged(0.8, 0.9, 0.88).passed, "that is chance"
    worse = judged(0.8, 0.9, 0.6)
    assert (worse.passed, worse.epoch) == (True, 2)
    assert judged(0.9, 0.8, 0.9).epoch == 3, "the latest of several that are best"


def test_the_recipe_has_fewer_epochs_where_more_made_it_worse():
    trial = Trial(KEPT, QUICK, HELD_BACK)
    assert trial.recipe == QUICK
    trial.O, trial.R = judged(0.9, 0.1), judged(0.2, 0.9, 0.9, 0.1)
    assert trial.recipe == replace(QUICK, epochs=1, answer_epochs=3)
    assert trial.answers == 0.9
