"""How probable it is that anything told answers a question."""

from __future__ import annotations

import numpy as np
import pytest

import memnn
from memnn.conversations.declining import default_declining
from memnn.conversations.labelled import Conversation, groups, ours
from memnn.conversations.scoring import Bm25, LinearScorer, default_scorer
from memnn.conversations.search import Filter, Finder
from memnn.conversations.train_declining import exchanged, fit_declining, judged, train_declining
from memnn.types import Turn


@pytest.fixture
def talk():
    memory = memnn.RamMemory()
    for speaker, text in [
        ("Ann", "I bought a red bicycle in Lisbon last week."),
        ("Bob", "How lovely! I am repainting the kitchen."),
        ("Ann", "Which colour do you paint it?"),
        ("Bob", "A pale yellow, my sister chose it."),
    ]:
        memory.write(text, turn=Turn(speaker, session="a"))
    return memory


def test_a_search_says_how_probable_an_answer_is(talk):
    found = Finder()(talk, "Where did Ann buy a bicycle?")
    assert found[0].id == 1
    assert 0.5 < found.probability <= 1
    other = Finder()(talk, "Where did Bob buy a bicycle?")
    assert other.probability < found.probability


def test_where_nothing_is_found_nothing_answers(talk):
    assert Finder()(talk, "zebra").probability == 0.0
    assert Finder()(memnn.RamMemory(), "Where is Ann?").probability == 0.0
    assert Finder()(talk, "bicycle", which=Filter(until="2001-01-01")).probability == 0.0


def test_a_scorer_without_features_does_not_say(talk):
    assert Finder(Bm25())(talk, "bicycle").probability is None


def test_other_weights_rank_and_leave_the_probability_as_it_is(talk):
    """Weights that lessons changed have another scale than those that this was learnt with."""
    other = LinearScorer({name: 7 * w for name, w in default_scorer().weights.items()})
    for question in ("Where did Ann buy a bicycle?", "Where did Bob buy a bicycle?"):
        assert Finder(other)(talk, question).probability == Finder()(talk, question).probability


@pytest.mark.soak
def test_the_shipped_weights_are_learnt():
    learnt, shipped = train_declining(), default_declining()
    for one, other in ((shipped.named, learnt.named), (shipped.unnamed, learnt.unnamed)):
        assert one.weights == pytest.approx(other.weights, abs=0.02)
        assert one.bias == pytest.approx(other.bias, abs=0.02)


def test_what_is_learnt_holds_for_other_conversations():
    some = list(groups(ours(), 1))
    rest = fit_declining(
        [e for i, t in enumerate(some) if i % 2 for e in judged(t, default_scorer())]
    )
    own = [e for i, t in enumerate(some) if not i % 2 for e in judged(t, default_scorer())]
    p = np.array([rest.probability(e.found) for e in own])
    answered = np.array([e.answered for e in own])
    least = np.quantile(p[answered], 0.2)
    assert (p[~answered] < least).mean() > 0.55


def test_names_are_exchanged_for_those_of_others():
    turns = tuple(("Hello.", Turn(name)) for name in ("Ann Lee", "Bob", "Assistant"))
    talk = Conversation("t", turns, ())
    assert exchanged("Where does Ann live?", talk) == "Where does Bob live?"
    assert exchanged("Where does Eve live?", talk) is None
    assert exchanged("Did Ann meet Bob?", talk) is None
