"""What is about who asks, and what was told, is no matter of the world's."""

from __future__ import annotations

import pytest

import memnn
from memnn import default
from memnn.dialogue.network import Ensemble
from memnn.dialogue.personal import learn, personal, worldly


@pytest.mark.parametrize(
    "question",
    [
        "Which city do I live in?", "What is my sister's name?", "Where did we go last summer?",
        "How old am I?", "Who gave me the book?",
    ],
)  # fmt: skip
def test_about_who_asks(question):
    assert personal(question)
    answer = memnn.open().ask(question)
    assert answer.abstained


@pytest.mark.parametrize(
    "question",
    ["Which money do I need in Peru?", "Where would I find a fish?", "Where do fish live?"],
)
def test_about_the_world(question):
    assert not personal(question)


def test_it_is_learnt():
    found = learn(["Where did I go?", "What did we eat?"] * 6, worldly()[:40])
    assert found["words"]["did i"] > 0 > found["words"].get("would i", -1.0)


def test_a_thing_that_was_told_is_no_matter_of_the_worlds():
    net = memnn.open()
    assert net.ask("What is a vet?").source == "world"
    net.tell("The vet gave our goat an injection.")
    assert net.ask("What is the vet's bill?").source != "world"


def test_without_the_world(tmp_path):
    asked = "What is the capital of France?"
    assert memnn.open().ask(asked).source == "world"
    assert memnn.open(world=False).ask(asked).abstained
    folder = Ensemble(default.ensemble()).save(tmp_path / "model")
    assert memnn.load(folder).ask(asked).source == "world"
    assert memnn.load(folder, world=False).ask(asked).abstained
