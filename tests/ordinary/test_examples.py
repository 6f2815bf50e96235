"""The order of supports, and which of them count."""

from __future__ import annotations

import numpy as np
import pytest

from memnn.ordinary.examples import encode
from memnn.ordinary.hearing import SCALARS, Hearing
from memnn.ordinary.lexicon import WordTable
from memnn.text.vectors import english
from memnn.types import Question, Statement, Story


def path_of(told, question, answer, supports):
    lines = (*map(Statement, told), Question(question, None, answer, supports))
    vectors = english()
    hearing = Hearing(vectors, np.zeros((0, vectors.dim + SCALARS), np.float32))
    [example] = encode([Story(lines)], WordTable({}, vectors), hearing, {"no": 2}, 4)
    return tuple(place + 1 for place in example.path)


@pytest.mark.parametrize("supports", [(1, 2), (2, 1)])
def test_what_is_superseded_is_no_support(supports):
    told = ["Joe is in the kitchen.", "Joe went to the cellar."]
    assert path_of(told, "Where is Joe?", "cellar", supports) == (2,)


@pytest.mark.parametrize("supports", [(1, 2), (2, 1)])
def test_the_statement_that_answers_is_found_last(supports):
    told = ["Mary went to the park.", "Mary took the milk."]
    assert path_of(told, "Where is the milk?", "park", supports) == (2, 1)


def test_a_link_that_the_question_does_not_name_stays():
    told = ["The ring is in the box.", "The box is in the chest.", "The chest is in the attic."]
    assert path_of(told, "Where is the ring?", "attic", (3, 2, 1)) == (1, 2, 3)


def test_what_was_before_is_answered_from_the_past():
    told = ["Joe is in the kitchen.", "Joe went to the cellar."]
    assert path_of(told, "Where was Joe before the cellar?", "kitchen", (1, 2)) == (2, 1)


def test_yes_and_no_rest_on_all_that_is_named():
    told = ["Joe is in the kitchen.", "Joe went to the cellar."]
    assert path_of(told, "Is Joe still in the kitchen?", "no", (2, 1)) == (1, 2)
