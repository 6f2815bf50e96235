"""The weights that come with the package are what the project's conversations teach."""

from __future__ import annotations

from importlib.resources import files
from itertools import chain

import numpy as np
import pytest

from memnn.conversations import train
from memnn.conversations.features import FEATURES
from memnn.conversations.labelled import groups, memories, ours
from memnn.conversations.scoring import LinearScorer, default_scorer
from memnn.conversations.search import Finder
from memnn.errors import TrainingError


@pytest.fixture(scope="module")
def labelled():
    return [train.examples(some) for some in groups(ours(), train.TOGETHER)]


def first(ranks):
    return np.mean(np.array(ranks) == 1)


def test_the_conversations_are_whole():
    found = ours()
    assert len(found) >= 40
    assert all(40 <= len(each.turns) <= 150 for each in found)
    kinds = {q.kind for each in found for q in each.questions}
    assert kinds == {"single", "temporal", "multi", "open", "none"}
    for each in found:
        assert len(each.questions) == len({q.question for q in each.questions}), each.name
        assert all((q.kind == "none") == (not q.supports) for q in each.questions), each.name
        assert all(0 <= p < len(each.turns) for q in each.questions for p in q.supports)


@pytest.mark.soak
def test_the_shipped_weights_are_learnt_from_them():
    assert default_scorer().weights == pytest.approx(train.train().weights, abs=0.02)


def test_words_in_general_are_counted_in_them():
    shipped = (files("memnn.conversations") / "words.json").read_text(encoding="utf-8")
    assert train.words_in_general(ours()) == shipped


def test_the_notes_of_users_are_whole():
    for user in memories():
        assert len(user.turns) >= 15
        assert {q.kind for q in user.questions} == {"single", "none"}
        assert all(0 <= p < len(user.turns) for q in user.questions for p in q.supports)


def test_what_is_learnt_holds_for_other_conversations(labelled):
    for held_back in range(2):
        rest = list(chain(*(e for i, e in enumerate(labelled) if i % 4 != held_back)))
        scorer = LinearScorer(train.fit(train.against_rivals(rest)))
        own = list(chain(*labelled[held_back::4]))
        words = LinearScorer({"turn": 1.0})
        assert first(train.ranks(scorer, own)) > first(train.ranks(words, own)) + 0.08


def test_the_finder_ranks_as_training_does(labelled):
    some = next(groups(ours(), 1))
    memory, finder = some[0].memory(), Finder()
    wanted = train.ranks(default_scorer(), train.examples(some))
    asked = [q for q in some[0].questions if q.supports]
    for q, rank in list(zip(asked, wanted, strict=True))[:20]:
        found = [slot.id - 1 for slot in finder(memory, q.question, k=len(memory))]
        assert min(found.index(place) for place in q.supports) + 1 == rank


def test_nothing_to_learn_from_is_said():
    with pytest.raises(TrainingError, match="nothing to learn from"):
        train.fit([])


def test_every_feature_has_a_weight():
    assert list(default_scorer().weights) == list(FEATURES)
