"""When nothing is said: what training questions always had, and this one lacks."""

from __future__ import annotations

import json

import pytest

from memnn.stories import babi
from memnn.support_paths.silence import Silence
from memnn.support_paths.vocabulary import PathVocabulary


def learnt(text):
    stories = babi.loads(text)
    split = PathVocabulary.learn(stories).split
    return Silence.learn(stories, split), split


WHERE = """1 joe went home
2 ann went out
3 where is joe?\thome\t1
4 where is ann?\tout\t2
"""
IS = """1 joe went home
2 is joe out?\tno\t1
3 ann went out
"""


def test_who_was_never_mentioned_is_missing():
    silence, split = learnt(WHERE)
    assert silence.missing(split("where is joe?"), {"joe", "home"}) == []
    assert silence.missing(split("where is fred?"), {"joe", "home"}) == ["fred"]
    assert silence.missing(split("where is ann?"), {"joe", "home"}) == ["ann"]


def test_words_of_questions_alone_are_not_what_they_are_about():
    silence, _ = learnt(WHERE)
    assert silence.asking == {"where", "is"}
    assert silence.form(["where", "is", "fred"]) == "where is _"


def test_where_training_answered_without_a_mention_no_silence_follows():
    silence, split = learnt(IS)
    assert silence.missing(split("is joe in the attic?"), {"joe"}) == ["in", "the", "attic"]
    assert silence.missing(split("is joe out?"), {"joe"}) == []
    assert silence.missing(split("is ann home?"), {"joe"}) == []  # of the same form


def test_a_word_that_was_missing_in_several_forms_is_excused():
    silence, split = learnt(IS + "1 joe went home\n2 was joe out?\tno\t1\n3 was ann out?\tno\t1\n")
    assert "out" in silence.excused
    assert silence.missing(split("where is joe out?"), {"joe"}) == ["where"]


def test_json_there_and_back():
    silence, _ = learnt(IS)
    assert Silence.from_json(json.loads(json.dumps(silence.to_json()))) == silence


@pytest.mark.parametrize("wrong", [{"asking": "ab"}, {"asking": [1]}, {"forms": None}], ids=str)
def test_json_of_something_else(wrong):
    silence, _ = learnt(IS)
    with pytest.raises(ValueError, match="lists of strings"):
        Silence.from_json(silence.to_json() | wrong)
