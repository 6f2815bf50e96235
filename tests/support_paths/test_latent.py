"""Training without supports: they are found from the answers alone."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import memnn
from memnn.errors import FormatError
from memnn.support_paths import latent, search
from memnn.support_paths.examples import encode
from memnn.support_paths.network import network
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.search import (
    SupportSearch,
    find_supports,
    supports_of,
    unsupported,
    with_supports,
)
from memnn.support_paths.train import fit
from memnn.support_paths.vocabulary import PathVocabulary
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


@pytest.fixture
def tried(rooms, monkeypatch):
    """What is tried, if (hops, start) explains so much; everything else explains nothing."""

    def tried(explained):
        seen = []

        def next_round(self):
            start = self.recipe.seed // search.SEEDS
            seen.append((self.hops, start))
            self.explained, self.ended = explained.get((self.hops, start), 0.0), True

        monkeypatch.setattr(latent.Guessing, "next_round", next_round)
        some = rooms[:20]  # with supports: nothing is to be found, so that the paths stay
        return find_supports(some, RECIPE).hops, seen

    return tried


def test_the_number_of_hops_that_explains_most_is_taken(tried):
    hops, seen = tried({(1, 0): 0.3, (2, 0): 0.7, (3, 0): 0.5})
    assert hops == 2
    assert seen == [(1, 0), (2, 0), (3, 0), (2, 1)], "the best again, from another start"


def test_nothing_else_is_tried_where_all_is_explained(tried):
    assert tried({(1, 0): 0.99}) == (1, [(1, 0)])


def test_more_hops_must_explain_clearly_more(tried):
    explained = {(1, 0): 0.90, (2, 0): 0.905, (3, 0): 0.6}
    hops, seen = tried(explained)
    assert hops == 1
    assert seen[3:] == [(2, 1)], "one hop finds the same again"
    assert tried({**explained, (2, 1): 0.99})[0] == 2


def test_a_loser_is_given_up(rooms, monkeypatch):
    """It is not followed to the end."""
    rounds = []

    def next_round(self):
        rounds.append(self.hops)
        self._exact = [0.9 if self.hops == 1 else 0.2] * latent.EXACT
        self.explained, self.ended = self._exact[0], self.hops == 1

    monkeypatch.setattr(latent.Guessing, "next_round", next_round)
    assert find_supports(rooms[:20], RECIPE).hops == 1
    assert rounds == [1, 2, 3]


def test_the_paths_of_the_best_round_are_kept(rooms):
    """What later rounds spoil is not what is learnt from."""
    vocabulary = PathVocabulary.learn(rooms[:8])
    examples = encode(bare(rooms)[:8], vocabulary, unsupported=True)
    guessing = latent.Guessing(examples, vocabulary, RECIPE, 1, latent.folds_of(rooms[:8]))
    for number, explained in enumerate((0.5, 0.9, 0.3), start=1):
        guessing.found.paths[:], guessing.explained = number, explained
        guessing._keep(exact=number == 1, last=False)
    guessing.found.paths[:], guessing.explained = 4, 0.4
    guessing._keep(exact=False, last=True)
    assert (guessing.explained, set(guessing.found.paths.ravel().tolist())) == (0.9, {2})
    guessing.found.paths[:], guessing.explained = 5, 0.95
    guessing._keep(exact=False, last=True)
    assert (guessing.explained, set(guessing.found.paths.ravel().tolist())) == (0.95, {5})


def test_progress_is_told_round_by_round(rooms, monkeypatch):
    monkeypatch.setattr(latent, "EXACT", 1)
    monkeypatch.setattr(latent, "FREE", 2)
    monkeypatch.setattr(search, "AGAIN", 0)
    monkeypatch.setattr(search, "LOST", 2.0)
    told = []
    find_supports(bare(rooms)[:4], RECIPE, hops=(1, 2), progress=told.append)
    first = [p.epoch for p in told if p.stage == "Finding 1 support"]
    assert first == [*range(1, len(first) + 1)]
    assert {p.stage for p in told} == {"Finding 1 support", "Finding 2 supports"}
    assert 0 <= told[-1].answers <= 1
    assert told[-1].epoch == told[-1].epochs


@pytest.mark.parametrize("rounds", [2, 7, 12, 20])
def test_a_search_that_was_put_away_goes_on_to_the_same_supports(rooms, monkeypatch, rounds):
    monkeypatch.setattr(latent, "EXACT", 2)
    monkeypatch.setattr(latent, "FREE", 1)
    monkeypatch.setattr(search, "EXPLAINED", 2.0)
    few = bare(rooms)[:6]

    def to_the_end(course):
        left = 0
        while not course.ended:
            course.next_epoch()
            left += 1
        return left, course.latent

    whole = SupportSearch(few, RECIPE, hops=(1, 2))
    for _ in range(rounds):
        if not whole.ended:
            whole.next_epoch()
    about, arrays = whole.put_away()
    about = json.loads(json.dumps(about))
    arrays = {name: array.copy() for name, array in arrays.items()}
    rest = SupportSearch(few, RECIPE, hops=(1, 2))
    rest.take_up(about, arrays)
    assert to_the_end(rest) == to_the_end(whole)


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
    monkeypatch.setattr(search, "EXPLAINED", 0.0)
    quick = PathRecipe(bits=12, epochs=1, answer_epochs=1)
    told = []
    model = fit(bare(rooms)[:4], quick, told.append)
    assert model.card["questions"] == len(supports_of(rooms[:4]))
    assert told[0].stage == "Finding 1 support"
