"""One wrong letter in a question."""

from __future__ import annotations

from collections import Counter

import pytest

import memnn
from memnn import default
from memnn.text.spelling import alike, mended, neighbours
from memnn.text.vectors import english

TOLD = Counter(["jonathan", "kitchen", "mary", "umbrella", "car", "zorblax"])


def told(words):
    return {word: TOLD[word] for word in words}


KNOWN = default.ensemble().words


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("Where is Jonathon?", "Where is Jonathan?"),
        ("Whre is the umbrela?", "Where is the umbrella?"),
        ("Wheres the umbrella?", "Where's the umbrella?"),
        ("Why dont they come?", "Why don't they come?"),
        ("Is Zorblaxx here?", "Is Zorblax here?"),
        ("What is the captial of France?", "What is the capital of France?"),
        ("where is Marry?", "where is Mary?"),
        # What is known, short, a name that nobody told, or no word at all, is left alone.
        ("Where is Joan?", None),
        ("Where is Carl?", None),
        ("Is Barry here?", None),
        ("Marry who?", None),
        ("Where is Zed?", None),
        ("Where is Gollum?", None),
        ("Is Zorblax in room B52?", None),
        ("Où est le café?", None),
        ("???", None),
        # Forms of known words, several words as one, and what is no word that people type.
        ("Where are the microscopes?", None),
        ("Who eats crisps and crickets?", None),
        ("Where is the zorb-blaxen?", None),
        (f"Where is {'a' * 10_000}?", None),
        ("Wo ist denn eigentlich unser Regenschirm geblieben?", None),
        # What the world's facts are about.
        ("Which country uses the metical?", None),
        ("What is feta made from?", None),
        ("Which country uses the meticall?", "Which country uses the metical?"),
    ],
)
def test_questions(question, read):
    text, taken = mended(question, told, english(), KNOWN)
    assert text == (read or question)
    assert bool(taken) == (read is not None)
    for wrong, right in taken:
        assert wrong in question
        assert right in text


def test_a_name_that_looks_like_a_told_one_is_suggested():
    net = memnn.open()
    net.tell("Mary is in the kitchen. The park is closed. Anna sings.")
    answer = net.ask("where is Marry?")
    assert (answer.text, answer.read_as) == ("kitchen", (("Marry", "Mary"),))
    answer = net.ask("Where is Gerald?")
    assert answer.abstained
    assert "did you mean" not in answer.reason
    answer = net.ask("Where is Marc?")
    assert answer.abstained
    assert answer.reason.endswith("did you mean Mary?")
    assert "Park" not in net.ask("Where is Mark?").reason
    assert alike("Where is Hanna?", lambda words: {"anna": 1} if "anna" in words else {}) == (
        ("Hanna", "Anna"),
    )


def test_neighbours_are_one_slip_away():
    left_out, swapped, added, wrong = neighbours("abc")
    assert {"abxc", "abcc", "zabc"} <= left_out
    assert swapped == {"bac", "acb"}
    assert added == {"ab", "ac", "bc"}
    assert {"xbc", "axc", "abx"} <= wrong
    assert len(left_out) == 26 * 4 - 3
    assert len(wrong) == 25 * 3 + 1


def test_no_word_of_the_worlds_facts_is_changed():
    for triple in default.ensemble().triples:
        question = f"What about {' '.join(triple).lower()}?"
        assert mended(question, told, english(), KNOWN)[1] == ()


def test_the_past_is_asked_with_the_words_of_the_past():
    net = memnn.open()
    net.tell("Ben is in Rome.")
    before = net.ask("Where is Zorblaxx?", as_of=1)
    assert before.read_as == ()
    net.tell("Zorblax is in Oslo.")
    assert net.ask("Where is Zorblaxx?").read_as
    assert net.ask("Where is Zorblaxx?", as_of=1) == before


def test_the_answer_says_what_was_read():
    net = memnn.open()
    net.tell("Jonathan went to the kitchen.")
    answer = net.ask("Where is Jonathon?")
    assert (answer.text, answer.read_as) == ("kitchen", (("Jonathon", "Jonathan"),))
    assert answer.to_dict()["read_as"] == {"Jonathon": "Jonathan"}
    assert net.ask("Where is Jonathan?").read_as == ()
    assert "kitchen" in {reason.answer for reason in net.reasons("Where is Jonathon?")}
