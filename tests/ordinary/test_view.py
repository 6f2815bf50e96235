"""Which statements of a long memory are in view of a question."""

from __future__ import annotations

import sys
from threading import Thread

import pytest

from memnn.ordinary.heard import MOST, HeardTexts
from memnn.ordinary.lexicon import WordTable
from memnn.ordinary.words import tokens
from memnn.text.vectors import english

OTHERS = ["Mike", "Bob", "Tom", "Jim", "Bill", "Steve", "Dave"]
ASIDE = [f"Page {n} of the manual is about engine {n}." for n in range(30)]


def heard(texts, hearing):
    found = HeardTexts(WordTable({}, english()), hearing)
    for text in texts:
        found.hear(tokens(text))
    return found


def view(texts, question, hearing, n=None):
    found = heard(texts, hearing)
    n = len(texts) if n is None else n
    return found.in_view(found.asked(tokens(question), n), n)


def test_what_is_named_comes_before_what_is_like_it(hearing):
    joe = [f"Joe is in room {n}." for n in range(31)]
    texts = [*joe, *(f"{name} is in the garden." for name in OTHERS * 2), *ASIDE]
    found = view(texts, "Where is Joe?", hearing)
    assert len(found) <= MOST
    assert set(range(22, 31)) <= set(found), "the newest of Joe"


def test_words_that_mean_much_the_same_are_found(hearing):
    texts = ["The physician lives next door.", *ASIDE]
    assert 0 in view(texts, "Where is the doctor?", hearing)


def test_what_was_told_later_does_not_change_an_earlier_view(hearing):
    texts = ["The physician lives next door.", *ASIDE]
    later = [f"The {who} came." for who in ("nurse", "surgeon", "dentist", "patient", "hospital")]
    then = view(texts, "Where is the doctor?", hearing)
    assert view(texts + later, "Where is the doctor?", hearing, len(texts)) == then


@pytest.mark.parametrize("question", ["Where is Xyzzyx?", "Who?", "Is it?"])
def test_a_question_without_meaning_gets_the_newest(question, hearing):
    found = view(ASIDE, question, hearing)
    assert found == list(range(len(ASIDE) - MOST, len(ASIDE)))


def test_a_memory_may_be_heard_by_another_thread_meanwhile(hearing):
    texts = heard(ASIDE, hearing)
    asked = texts.asked(tokens("Where is the doctor?"), len(ASIDE))
    wrong: list[Exception] = []

    def look() -> None:
        try:
            while hearer.is_alive():
                texts.in_view(asked, len(ASIDE))
        except Exception as error:
            wrong.append(error)

    def hear() -> None:
        for n in range(3_000):
            texts.hear(tokens(f"Doctor{n} met nurse{n} near hospital{n}."))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        hearer = Thread(target=hear)
        looking = Thread(target=look)
        hearer.start()
        looking.start()
        hearer.join()
        looking.join()
    finally:
        sys.setswitchinterval(before)
    assert not wrong
