"""What pronouns are taken for."""

from __future__ import annotations

import numpy as np
import pytest

from memnn.ordinary.hearing import SCALARS, Hearing, learn
from memnn.ordinary.words import tokens
from memnn.text.vectors import english
from memnn.types import Question, Statement, Story

MEN, WOMEN = ("John", "Peter", "Paul", "Henry"), ("Mary", "Anna", "Julie", "Emma")
PLACES = ("kitchen", "garden", "office", "cellar")


def told():
    """Stories in which a pronoun follows two people, and the same with it replaced."""
    stories, resolved = [], []
    for i in range(60):
        man, woman = MEN[i % 4], WOMEN[i // 4 % 4]
        here, there = PLACES[i % 4], PLACES[(i + 1) % 4]
        who, pronoun = (man, "he") if i % 2 else (woman, "she")
        first, second = (man, woman) if i // 2 % 2 else (woman, man)
        texts = [
            f"{first} is in the {here}.",
            f"{second} went to the {here}.",
            f"Then {pronoun} went to the {there}.",
            "It was late.",
        ]
        lines = [Statement(text, id) for id, text in enumerate(texts, start=1)]
        question = Question(f"Where is {who}?", 5, there, (3,))
        stories.append(Story((*lines, question)))
        resolved.append([*texts[:2], texts[2].replace(pronoun, who), texts[3]])
    return stories, resolved


def heard(hearing, *texts):
    listener = hearing.listen()
    return [listener.hear(tokens(text)) for text in texts][-1]


@pytest.mark.parametrize("labelled", [True, False])
def test_who_is_meant_is_learnt(labelled):
    stories, resolved = told()
    hearing = learn(stories, english(), resolved if labelled else None)
    found = heard(hearing, "Robert is here.", "Susan left.", "Now she sleeps.")
    assert [token.form for token in found.resolved] == ["Now", "Susan", "sleeps"]
    assert [tuple(each) for each in found.taken] == [("she", "Susan")]
    again = heard(hearing, "Susan left.", "Robert is here.", "She sleeps.")
    assert again.taken[0].meant == "Susan"


def test_what_stands_for_nothing_stays():
    hearing = learn(*told()[:1], english(), told()[1])
    assert heard(hearing, "Susan left the kitchen.", "It was cold.").taken == []


def test_without_anything_learnt_nothing_is_taken():
    hearing = Hearing(english(), np.zeros((0, english().dim + SCALARS), np.float32))
    assert heard(hearing, "Susan left.", "She sleeps.").taken == []
