"""Sentence answers and the rule of Appendix F."""

from __future__ import annotations

import pytest

from memnn.simulator import (
    PAPER_WORLD,
    WorldSpec,
    is_correct_answer,
    is_correct_sentence,
    sentence_answers,
    simulate,
)
from memnn.simulator.questions import Where, WhereActor, WhereBefore, WhereObject
from memnn.types import Question

SPEC = WorldSpec(
    actors=("Bill", "Joe", "Ann"), rooms=("kitchen", "bathroom", "living_room"), women=("Ann",)
)


@pytest.mark.parametrize(
    "sentence",
    [
        "Kitchen",
        "In the kitchen",
        "Bill is in the kitchen",
        "He is in the kitchen",
        "I think Bill is in the kitchen",
        "kitchen I believe",
        "He was in the kitchen.",
    ],
)
def test_what_the_paper_allows(sentence: str) -> None:
    assert is_correct_sentence(sentence, subject="Bill", location="kitchen", spec=SPEC)


@pytest.mark.parametrize(
    "sentence",
    [
        "Joe is in the kitchen",
        "It is in the kitchen",
        "She is in the kitchen",
        "Bill is in the bathroom I believe",
        "Bill",
        "I think he is",
        "kitchen bathroom",
        "Sauron is in the kitchen",
        "the milk is in the kitchen",
        "in the kitchen with Joe",
        "kitchenette",
        "",
    ],
)
def test_what_the_paper_forbids(sentence: str) -> None:
    assert not is_correct_sentence(sentence, subject="Bill", location="kitchen", spec=SPEC)


def test_pronouns_fit_the_subject() -> None:
    def judge(sentence: str, subject: str) -> bool:
        return is_correct_sentence(sentence, subject=subject, location="kitchen", spec=SPEC)

    assert judge("she is in the kitchen", "Ann")
    assert not judge("he is in the kitchen", "Ann")
    assert judge("it is in the kitchen", "milk")
    assert not judge("he is in the kitchen", "milk")
    assert judge("the milk is in the kitchen", "milk")


def test_a_room_of_two_words() -> None:
    for sentence in ("living room I believe", "he is in the living_room"):
        assert is_correct_sentence(sentence, subject="Joe", location="living_room", spec=SPEC)
    assert not is_correct_sentence("living", subject="Joe", location="living_room", spec=SPEC)


@pytest.mark.parametrize("asked", [WhereActor("Ann"), WhereObject("milk"), WhereBefore("Joe", "x")])
def test_every_variant_is_correct_and_wrong_everywhere_else(asked: Where) -> None:
    subject = asked.thing if isinstance(asked, WhereObject) else asked.actor
    variants = sentence_answers(asked, "kitchen", SPEC)
    assert len(set(variants)) == 25
    for sentence in variants:
        assert is_correct_sentence(sentence, subject=subject, location="kitchen", spec=SPEC)
        assert not is_correct_sentence(sentence, subject=subject, location="bathroom", spec=SPEC)
        names = any(word in sentence.split() for word in (subject, SPEC.pronoun(subject)))
        assert names != is_correct_sentence(
            sentence,
            subject="football" if subject == "Ann" else "Ann",
            location="kitchen",
            spec=SPEC,
        )


def test_wording_of_the_variants() -> None:
    now = sentence_answers(WhereActor("Joe"), "kitchen", SPEC)
    assert {"kitchen", "the kitchen", "in the kitchen", "he is in the kitchen I believe"} <= set(
        now
    )
    before = sentence_answers(WhereBefore("Ann", "bathroom"), "kitchen", SPEC)
    assert "I think she was in the kitchen" in before
    assert not any(" is " in sentence for sentence in before)
    assert "I believe it is in the kitchen" in sentence_answers(
        WhereObject("milk"), "kitchen", SPEC
    )


@pytest.mark.parametrize("ask", ["actor+object", "everything"])
def test_simulated_sentences_are_accepted_and_other_rooms_rejected(ask: str) -> None:
    (story,) = simulate(statements=700, questions=300, ask=ask, sentences=True, stream=True)
    answers = set()
    for question in story.questions:
        assert question.answer is not None
        answers.add(question.answer)
        assert is_correct_answer(question.answer, question)
        (room,) = [room for room in PAPER_WORLD.rooms if room in question.answer]
        assert is_correct_answer(room, question)
        other = next(r for r in PAPER_WORLD.rooms if r != room)
        assert not is_correct_answer(question.answer.replace(room, other), question)
    assert len(answers) > 100


def test_a_question_that_cannot_be_judged_is_never_right() -> None:
    assert not is_correct_answer("kitchen", Question("What is love?", answer="kitchen"))
    assert not is_correct_answer("kitchen", Question("Where is Joe?"))
    assert not is_correct_answer("kitchen", Question("Where is Joe?", answer="the moon"))


@pytest.mark.parametrize(
    ("sentence", "right"),
    [
        ("Kitchen", True),
        ("In the kitchen", True),
        ("Bill is in the kitchen", True),
        ("He is in the kitchen", True),
        ("I think Bill is in the kitchen", True),
        ("Joe is in the kitchen", False),
        ("It is in the kitchen", False),
        ("Bill is in the bathroom I believe", False),
        ("Joe's in the kitchen", False),
        ("Sauron went to the kitchen", False),
        ("Bill is not in the kitchen", False),
        ("Bill is in the kitchen or the office", False),
    ],
)
def test_the_paper_s_examples_need_no_world(sentence, right):
    """Appendix F's own, and some that must not slip through; Bill is nobody the world knows."""
    assert is_correct_sentence(sentence, subject="Bill", location="kitchen") is right
