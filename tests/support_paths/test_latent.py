"""Training without supports: they are found from the answers alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import memnn
from memnn.errors import FormatError
from memnn.support_paths import latent
from memnn.support_paths.latent import find_supports, supports_of, unsupported, with_supports
from memnn.support_paths.network import network
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit
from memnn.types import Question, Statement, Story

RECIPE = PathRecipe(bits=16)


def bare(stories):
    """The same stories without supports."""
    return with_supports(stories, [()] * len(supports_of(stories)))


@pytest.fixture(scope="module")
def rooms():
    """Who is where, mostly with one support: the newest statement about that person."""
    return memnn.simulate(
        statements=400, questions=200, story_length=6, difficulty=1, ask="actor", seed=3
    )


@pytest.fixture(scope="module")
def found(rooms):
    return find_supports(bare(rooms), RECIPE, hops=(1,))


def test_the_supports_of_one_hop_are_found(rooms, found):
    assert found.hops == 1
    assert found.explained > 0.9
    pairs = zip(supports_of(found.stories), supports_of(rooms), strict=True)
    assert np.mean([new == true for new, true in pairs if len(true) == 1]) > 0.9


def test_a_network_learns_from_what_was_found(found):
    model = fit(found.stories, RECIPE)
    asked = memnn.simulate(
        statements=100, questions=50, story_length=6, difficulty=1, ask="actor", seed=4
    )
    result = memnn.evaluate(network(model), asked)
    assert result.accuracy > 0.9
    assert result.support_accuracy > 0.75, (
        "some have a second one, which their answer can do without"
    )


def test_the_same_seed_finds_the_same(rooms, monkeypatch):
    monkeypatch.setattr(latent, "EXACT", 1)
    few = bare(rooms)[:8]
    first = supports_of(find_supports(few, RECIPE, hops=(2,)).stories)
    assert supports_of(find_supports(few, RECIPE, hops=(2,)).stories) == first
    other = find_supports(few, replace(RECIPE, seed=1), hops=(2,))
    assert supports_of(other.stories) != first


def test_supports_that_are_given_stay(rooms, monkeypatch):
    monkeypatch.setattr(latent, "EXACT", 1)
    some = rooms[:8]
    given = supports_of(some)
    half = with_supports(some, [ids if n % 2 else () for n, ids in enumerate(given)])
    assert unsupported(half) == (len(given) + 1) // 2
    new = supports_of(find_supports(half, RECIPE, hops=(3,)).stories)
    assert new[1::2] == given[1::2]
    assert all(new)


def test_the_number_of_hops_that_explains_most_is_taken(rooms, monkeypatch):
    explained, tried = {1: 0.3, 2: 0.7, 3: 0.5}, []

    def run(self, progress):
        self.explained = explained[self.hops]
        tried.append((self.hops, self.recipe.seed))

    monkeypatch.setattr(latent.Guessing, "run", run)
    some = rooms[:3]  # with supports: nothing is to be found, so that the paths stay
    assert find_supports(some, RECIPE).hops == 2
    assert [hops for hops, _ in tried] == [1, 2, 3, 2, 2], "the best again, from other starts"
    assert len(set(tried)) == 5
    explained[1] = 0.99
    tried.clear()
    assert find_supports(some, RECIPE).hops == 1
    assert len(tried) == 1, "there is nothing to be gained"


def test_progress_is_told_round_by_round(rooms, monkeypatch):
    monkeypatch.setattr(latent, "EXACT", 1)
    monkeypatch.setattr(latent, "AGAIN", 0)
    told = []
    find_supports(bare(rooms)[:4], RECIPE, hops=(1, 2), progress=told.append)
    rounds = latent.CONNECTED + 1 + latent.FREE
    assert [p.epoch for p in told] == 2 * [*range(1, rounds + 1)]
    assert {p.stage for p in told} == {"Finding 1 support", "Finding 2 supports"}
    assert 0 <= told[-1].answers <= 1


def test_one_question_and_one_statement():
    story = Story((Statement("Joe is home."), Question("Where is Joe?", answer="home")))
    found = find_supports([story], RECIPE, hops=(1, 2, 3))
    assert supports_of(found.stories) == [[1]]


def test_a_question_before_anything_was_told():
    story = Story((Question("Where is Joe?", answer="home"), Statement("Joe is home.")))
    with pytest.raises(FormatError, match="no statement before the question"):
        find_supports([story], RECIPE)


def test_fit_finds_what_is_missing(rooms, monkeypatch):
    monkeypatch.setattr(latent, "EXACT", 1)
    monkeypatch.setattr(latent, "HOPS", (1,))
    quick = PathRecipe(bits=12, epochs=1, answer_epochs=1)
    told = []
    model = fit(bare(rooms)[:4], quick, told.append)
    assert model.card["questions"] == len(supports_of(rooms[:4]))
    assert told[0].stage == "Finding 1 support"
