"""Questions without a question mark, and with slips: asked, and no statement with them."""

from __future__ import annotations

import numpy as np
import pytest

from memnn.conversations import train_asking
from memnn.conversations.asking import is_asked, shipped
from memnn.conversations.small_talk import heard
from memnn.text.vectors import english


@pytest.mark.parametrize(
    "text",
    [
        "wher is joe", "wher does my brother tom live", "whre is the milk", "waht is my name",
        "wehn does the train leave", "whats my name", "wheres my bike", "hwo has the keys",
        "is dinner ready", "am i allergic to eggs", "does mira know oleg", "did we pay the rent",
        "wher do i live.", "Where is Joe", "Is it raining?",
    ],
)  # fmt: skip
def test_what_is_asked_without_its_mark(text):
    assert is_asked(text)
    ((said, intent),) = heard(text)
    assert (said.rstrip("?"), said[-1] == "?" or text[0] == "W") == (text.rstrip("?."), True)
    assert not intent.name


@pytest.mark.parametrize(
    "text",
    [
        "When I was ten I lived in Paris.", "when i was ten i lived in paris",
        "Where he lives there is no bus", "wher he lives there is no bus", "What I like is tea",
        "will is my brother", "may is my favourite month", "my brothr tom lives in manchestr",
        "joe is in the kitchen", "whisky is in the cupboard", "do come on friday, tom is here",
        "Is at home, says Mira.", "milk in fridge", "12", "",
    ],
)  # fmt: skip
def test_what_is_told(text):
    assert not is_asked(text)
    assert all(said == text for said, _ in heard(text))


def test_only_the_question_of_a_text_has_a_mark():
    parts = list(heard("Joe went to the kitchen.\nwher is joe\nmira lives in split"))
    assert [part for part, _ in parts] == [
        "Joe went to the kitchen.\nwher is joe?\nmira lives in split"
    ]


def test_the_weights_are_those_of_the_data():
    """Whoever extends it runs `python -m memnn.conversations.train_asking`."""
    learnt = train_asking.train(train_asking.said(), english())
    assert shipped().known == learnt.known
    assert list(shipped().rows) == list(learnt.rows)
    np.testing.assert_allclose(shipped().weights, learnt.weights, atol=0.02)
