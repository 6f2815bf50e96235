"""Identities of words, rows of answers, and what an answer is made of."""

from __future__ import annotations

import time
from itertools import product

import pytest

from memnn.kernels.path_response import OTHER
from memnn.stories import babi
from memnn.support_paths.vocabulary import UNKNOWN, PathVocabulary, joined, parts
from memnn.types import Question, Statement, Story


def learnt(text):
    return PathVocabulary.learn(babi.loads(text))


ROOMS = "".join(
    f"{n} {name} {verb} to the {room}\n{n + 1} Where is {name}?\t{room}\t{n}\n"
    for n, (room, name, verb) in zip(
        range(1, 54, 2),
        product(["Kitchen", "garden", "hall"], ["Joe", "Ann", "Fred"], ["went", "ran", "got"]),
        strict=True,
    )
)


def test_words_have_identities_from_one_on():
    words = learnt("1 Joe went home\n2 Where is Joe?\thome\t1\n")
    assert words.words == ("joe", "went", "home", "where", "is")
    assert [words.identity(w) for w in ("joe", "is", "fred")] == [1, 5, UNKNOWN]
    assert len(words) == 6


def test_a_phrase_is_the_answer_that_it_ends_in():
    words = learnt(ROOMS)
    joe, went, kitchen = words.split("Joe went to the kitchen")
    identity = words.identity(kitchen)
    assert (joe, went, kitchen) == ("joe", "went", "to+the+kitchen")
    assert words.answer_of[identity] == words.rows_of("kitchen")[0] > OTHER
    assert words.said(identity) == "Kitchen"
    assert words.answer_of[UNKNOWN] == OTHER


def test_an_unknown_word_takes_the_beginning_of_phrases_with_it():
    words = learnt(ROOMS)
    *_, cellar = words.split("Joe went to the cellar")
    assert cellar.endswith("the+cellar")
    assert words.identity(cellar) == UNKNOWN
    assert words.split("cellar") == ["cellar"]


def test_words_are_said_as_people_write_them():
    words = learnt("1 Mary met joe\n2 MARY met Joe\n3 Mary met Joe\n4 Who?\tann\t1\n")
    assert [words.said(i) for i in (1, 2, 3)] == ["Mary", "met", "Joe"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [("Kitchen", ["kitchen"]), ("milk, apple", ["milk", "apple"]), ("n,n", ["n", "n"]),
     (" , ,", []), ("", []), ("living room", ["living room"])],
)  # fmt: skip
def test_an_answer_has_parts(answer, said):
    assert parts(answer) == said


def test_parts_are_joined_as_they_were():
    assert joined(parts("milk,apple")) == "milk,apple"


def test_an_answer_never_learnt():
    words = learnt("1 Joe went home\n2 Where is Joe?\thome\t1\n")
    with pytest.raises(ValueError, match="no answer"):
        words.rows_of("garden")


@pytest.mark.parametrize("text", ["İstanbul straße", "ΣΊΣΥΦΟΣ", "東京 へ", "ǅ ŉ", "кухня-2 don’t"])
def test_any_script(text):
    words = learnt(f"1 {text}\n2 {text.upper()}?\t{text.split()[0]}\t1\n")
    assert all(words.identity(word) for word in words.split(text))
    first = words.split(text)[0]
    assert words.answer_of[words.identity(first)] > OTHER


def test_a_long_statement_told_often_is_no_phrase_of_thousands():
    """Words beyond those that are read would take a round of joining each."""
    long = " ".join(f"w{n}" for n in range(1_200))
    text = "".join(f"{n} {long}\n" for n in range(1, 10)) + "10 what?\tw1\t1\n"
    start = time.process_time()
    words = learnt(text)
    assert time.process_time() - start < 2
    assert len(words.phrases.rounds) < 50


def test_signs_on_letters_belong_to_the_word():
    """Devanagari writes vowels as signs, which cut "किताब" in three."""
    told, asked = "राम किताब लाया।", "किताब कौन लाया?"
    story = Story((Statement(told, 1), Question(asked, 2, "राम", (1,))))
    learnt = PathVocabulary.learn([story] * 3)
    assert learnt.tokeniser == "words-2"
    assert learnt.split(told) == ["राम", "किताब", "लाया"]
    assert learnt.written(asked) == ["किताब", "कौन", "लाया"]
    assert learnt.said(learnt.identity("राम")) == "राम"


@pytest.mark.parametrize("text", ["Joe took Zoë's café-bar.", "ჯო წავიდა", "Mary moved."])
def test_other_texts_are_read_as_ever(text):
    story = Story((Statement(text, 1), Question("Where?", 2, "here", (1,))))
    assert PathVocabulary.learn([story]).tokeniser == "words-1"
