"""Words that always go together become one, in training and later."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memnn.support_paths.phrases import JOINT, LEAST, Phrases, head


def texts(*rows, times=LEAST):
    return [row.split() for row in rows] * times


def test_a_word_that_always_follows_the_same_word_is_joined_to_it():
    learnt = Phrases.learn(
        texts("joe of chocolates", "ann of chocolates", "of joe", "of ann", "ann of milk", "milk")
    )
    assert learnt.join(["joe", "of", "chocolates"]) == ["joe", "of+chocolates"]
    assert learnt.join(["ann", "of", "milk"]) == ["ann", "of", "milk"]


def test_phrases_grow_round_by_round():
    learnt = Phrases.learn(texts("fits in the box of chocolates", "is in the suitcase", "in it"))
    *_, last = learnt.join(["fits", "in", "the", "box", "of", "chocolates"])
    assert last.endswith("box+of+chocolates")
    assert len(learnt.rounds) > 1


def test_what_is_always_followed_by_the_same_word_is_joined_to_it():
    learnt = Phrases.learn(texts("joe far from ann", "ann far from joe", "from joe", "from ann"))
    assert learnt.join(["joe", "far", "from", "ann"]) == ["joe", "far+from", "ann"]


def test_seldom_seen_words_are_not_joined():
    assert Phrases.learn(texts("box of chocolates", "of box", times=LEAST // 2 - 1)).rounds == ()


def test_a_word_at_the_beginning_follows_nothing():
    assert Phrases.learn(texts("joe joe", "ann joe", "joe ann")).rounds == ()


def test_a_known_word_after_another_word_stays_alone():
    learnt = Phrases.learn(texts("box of chocolates", "joe box", "of"))
    assert learnt.join(["milk", "chocolates"]) == ["milk", "chocolates"]


def test_the_head_is_the_last_word():
    assert head("box+of+chocolates") == "chocolates"
    assert head("joe") == "joe"


def test_json_there_and_back():
    learnt = Phrases.learn(texts("fits in the box of chocolates", "is in the suitcase", "in it"))
    assert Phrases.from_json(json.loads(json.dumps(learnt.to_json()))) == learnt


@pytest.mark.parametrize("wrong", [None, {}, [[]], [{"a": "b"}], [{"a": [1]}], "ab"], ids=str)
def test_json_of_something_else(wrong):
    with pytest.raises(ValueError, match="phrases"):
        Phrases.from_json(wrong)


WORDS = some.lists(some.sampled_from("abcde"), max_size=7)


@given(some.lists(WORDS, max_size=6), WORDS)
def test_joining_loses_no_word(training, text):
    learnt = Phrases.learn(training * LEAST)
    for words in (*training, text):
        assert JOINT.join(learnt.join(words)).split(JOINT) == (words or [""])


@given(some.lists(WORDS, max_size=6))
def test_there_is_nothing_left_to_join(training):
    joined = [Phrases.learn(training * LEAST).join(words) for words in training * LEAST]
    assert Phrases.learn(joined).rounds == ()
