"""Training for ordinary language, and the stories it learns from."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

from memnn.errors import TrainingError
from memnn.ordinary.examples import LEARNT
from memnn.ordinary.kept import rounded
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.train import _evened, _plain, mean_ordinary, train, train_ordinary, written
from memnn.ordinary.words import parts_of, tokens
from memnn.text.related import related_english
from memnn.text.vectors import english
from memnn.types import Question, Statement, Story
from tests.ordinary.written import some

pytest.importorskip("torch")
ONCE = OrdinaryRecipe(epochs=1)
OFTEN_READ = OrdinaryRecipe(epochs=1, literal=2)


def test_it_learns(toy):
    held = toy.model.card["held_back"]
    assert held["supports"] > 0.5, "about five statements are in view, a guess has one in five"


def test_the_same_seed_gives_the_same_model():
    first, second = (
        train_ordinary(questions=40, recipe=ONCE, stories=some(10)).model.id for _ in range(2)
    )
    assert first == second


def test_every_part_can_be_left_out():
    recipe = OrdinaryRecipe(
        epochs=1, hidden=0.0, unknown=0.0, noise=0.0, vectors=False, pronouns=False,
        unsupported=False,
    )  # fmt: skip
    net = train_ordinary(questions=40, recipe=recipe, stories=[])
    net.tell("Joe went to the kitchen. He is in the cellar.")
    found = net.O(Question("Where is Joe?"), net.memory)
    assert found.hops
    assert not any(hop.taken for hop in found.hops)


def test_stories_of_ones_own():
    lines = (Statement("Joe is in the cellar."), Question("Where is Joe?", None, "cellar", (1,)))
    model = train([Story(lines)] * 3, ONCE)
    assert model.card["questions"] == 3


def test_stories_without_supports_teach_nothing():
    bare = Story((Statement("Joe left."), Question("Where is Joe?", None, "", ())))
    with pytest.raises(TrainingError, match="no question has supports"):
        train([bare] * 3, ONCE)
    with pytest.raises(TrainingError, match="too few stories"):
        train([], ONCE)


def test_without_pytorch_training_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "memnn.ordinary.learning", None)
    lines = (Statement("Joe is in the cellar."), Question("Where is Joe?", None, "cellar", (1,)))
    with pytest.raises(TrainingError, match=re.escape("memnn[recurrent]")):
        train([Story(lines)] * 3, ONCE)


def test_written_stories_are_whole():
    """Every answer stands in its supports, or is one that is learnt or a number."""
    stories = written()
    assert some(25) == stories[:25]
    assert sum(1 for story in stories for _ in story.questions) > 5_000
    strange = []
    for story in stories:
        told = {line.id: line.text for line in story.lines if isinstance(line, Statement)}
        for question in story.questions:
            text = " ".join(t.text for id in question.supports for t in tokens(told[id]))
            for part in parts_of(question.answer or ""):
                words = " ".join(token.text for token in part)
                if f" {words} " not in f" {text} " and part[0].text not in LEARNT:
                    strange.append((story.source, question.text, question.answer))
            assert bool(question.answer) == bool(question.supports), question
    assert len(strange) < 0.03 * sum(1 for story in stories for _ in story.questions)


def test_a_network_that_was_trained_before_learns_on() -> None:
    first = train_ordinary(questions=40, recipe=ONCE, stories=some(10)).model
    more = train(some(20)[10:], OFTEN_READ, start=first)
    assert more.words[: len(first.words)] == first.words
    assert len(more.words) > len(first.words)
    assert more.learnt == first.learnt
    assert more.card["started_from"] == first.id
    assert more.id != first.id
    again = train(some(20)[10:], OFTEN_READ, start=first)
    assert again.id == more.id


def test_it_may_learn_on_with_words_of_one_meaning_together() -> None:
    plain = OrdinaryRecipe(epochs=1, related=False)
    first = train(some(10), plain)
    assert first.hearing.vectors is english()
    assert train(some(10), plain, start=first).hearing is first.hearing
    more = train(some(10), ONCE, start=first)
    assert more.hearing.vectors is related_english()
    with pytest.raises(TrainingError, match="have a mean"):
        mean_ordinary([first, more])
    with pytest.raises(TrainingError, match="of the same size"):
        train(some(10), OrdinaryRecipe(epochs=1, vectors=False), start=first)


def test_stories_are_learnt_from_among_others_unless_none_are_to_be() -> None:
    learnt = [train(some(20), OrdinaryRecipe(epochs=1, mixed=share)).id for share in (0, 0, 1)]
    assert learnt[0] == learnt[1] != learnt[2]


def test_the_mean_of_networks_that_learnt_on() -> None:
    first = train_ordinary(questions=40, recipe=ONCE, stories=some(10)).model
    more = train(some(20)[10:], OFTEN_READ, start=first)
    mean = mean_ordinary([first, more], questions=40, stories=some(40)).model
    for name, value in mean.reader.parameters.items():
        one, other = first.reader[name], more.reader[name]
        if name == "literal":  # words that were not read literally were all read as one
            one = np.concatenate([one, np.tile(one[0], (len(other) - len(one), 1))])
        np.testing.assert_allclose(value, rounded((one + other) / 2), rtol=2e-3, atol=1e-4)
    assert mean.card["mean_of"] == [first.id, more.id]
    assert "right" in mean.card["held_back"]
    other = train(some(40)[20:], ONCE)
    with pytest.raises(TrainingError, match="have a mean"):
        mean_ordinary([first, other])


def test_yes_is_learnt_from_as_often_as_no():
    said = [3, 4, 4, 4, 4, 5, -1, 4]
    given = [SimpleNamespace(say=one, number=i) for i, one in enumerate(said)]
    found = [example.say for example in _evened(given, {"yes": 3, "no": 4, "one": 5})]
    assert sorted(found) == [-1] + [3] * 5 + [4] * 5 + [5]
    assert found[: len(said)] == said
    assert _evened(given[1:], {"yes": 3, "no": 4}) == given[1:]
    assert _evened(given, {}) == given


def test_probabilities_are_not_of_stories_that_tempt():
    told, asked = Statement("Joe left.", 1), Question("Who left?", 2, "Joe", (1,))
    nothing = Question("Who stayed?", 3, "", ())
    plain = [Story((told, asked, asked, nothing), f"written, a{n}.txt", 1) for n in range(3)]
    tempting = [Story((told, asked, nothing), f"written, b{n}.txt", 1) for n in range(3)]
    assert _plain([*plain, *tempting]) == plain
    assert _plain(tempting) == tempting, "where there are no others"
