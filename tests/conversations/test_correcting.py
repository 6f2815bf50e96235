"""Corrections in one's own words: what was wrong is superseded, or it is said what to type."""

from __future__ import annotations

import pytest
from benchmarks.small_talk import Notebook

from memnn.conversations.correcting import Doubted, corrected
from memnn.conversations.intents import intent_of
from memnn.conversations.listing import listed
from memnn.types import Answer, Hop


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("No, it's Bristol", "Bristol"), ("no, that's wrong, it is green", "green"),
        ("no its bristol", "bristol"), ("No, it's in the cellar.", "in the cellar"),
        ("That's wrong, it's Oslo!", "Oslo"), ("Wrong, it was Mira.", "Mira"),
        ("Sorry, I meant Friday.", "Friday"), ("No, Split.", "Split"),
        ("It's not Leeds, it's Bristol.", "Bristol"), ("No, it's 4712.", "4712"),
        ("That's not right. It's under the mat.", "under the mat"),
        ("No, it's yellow, not green.", "yellow"),
    ],
)  # fmt: skip
def test_a_correction_says_what_is_right(text, right):
    found = intent_of(text)
    assert (found.name, found.topic) == ("correct", right)


@pytest.mark.parametrize(
    "text",
    [
        "No, Mira lives in Split.", "No, that's wrong, I live in Bristol.", "It's Friday today.",
        "No milk is left.", "Correction: I live in Bristol.", "He's in the garden.",
        "Actually, my favourite colour is green now.", "No, I sold the boat.",
    ],
)  # fmt: skip
def test_what_is_said_in_full_is_told(text):
    assert intent_of(text).name == ""


@pytest.mark.parametrize(
    ("told", "wrong", "right", "new"),
    [
        ("I live in Leeds.", "Leeds", "Bristol", "I live in Bristol."),
        ("I live in Leeds.", "leeds", "in Bristol", "I live in Bristol."),
        ("I live in Leeds.", "Leeds", "near Bristol", "I live near Bristol."),
        ("The key is in the drawer.", "drawer", "under the mat", "The key is under the mat."),
        ("He put it in the drawer.", "drawer", "under the bed", "He put it under the bed."),
        ("The key is in the drawer.", "drawer", "the cellar", "The key is in the cellar."),
        ("Tom is a teacher", "teacher", "an architect", "Tom is an architect"),
        ("Tom has the key.", "Tom", "ann", "Ann has the key."),
        ("My code is 4711.", "4711", "4712", "My code is 4712."),
        ("Leeds is near Leeds.", "Leeds", "Bristol", None),
        ("I live in Leeds.", "yes", "Bristol", None),
        ("I live in Leeds.", "I live in Leeds", "Bristol", None),
        ("I live in Leeds.", "", "Bristol", None),
        ("Its price (net) is 5+5.", "5+5", r"\1", r"Its price (net) is \1."),
    ],
)
def test_right_words_take_the_place_of_wrong_ones(told, wrong, right, new):
    assert corrected(Doubted(1, told, wrong), right) == new


def answered(notebook: Notebook, text: str, *ids: int) -> None:
    slots = notebook.memory.read(list(ids))
    hops = tuple(Hop(place, slot, 1.0) for place, slot in enumerate(slots, start=1))
    notebook.talk.follows(Answer(text, 1.0, evidence=hops))


def test_an_answer_is_put_right_and_back():
    notebook = Notebook(["I live in Leeds."])
    answered(notebook, "Leeds", 1)
    notebook.say("No, it's Bristol")
    (new,) = notebook.replies[-1].slots
    assert (new.text, new.turn.supersedes) == ("I live in Bristol.", 1)
    assert [slot.text for slot in listed(notebook.memory)] == ["I live in Bristol."]
    notebook.say("No, it's Bath.")
    assert [slot.text for slot in listed(notebook.memory)] == ["I live in Bath."]
    notebook.say("undo")
    assert [slot.text for slot in listed(notebook.memory)] == ["I live in Bristol."]
    notebook.say("forget that")
    assert listed(notebook.memory) == [], "what it replaced does not come back"


@pytest.mark.parametrize(
    "said",
    [
        "Is it Bristol?", "is it in Bristol", "Are you sure it's Leeds?", "So it's Bristol?",
        "No, it's fine.", "No, it's because of the traffic.", "No, it used to be Bristol.",
        "Yes, it's Leeds.", "No, it's Leeds.",
    ],
)  # fmt: skip
def test_what_puts_nothing_right(said):
    notebook = Notebook(["I live in Leeds."])
    answered(notebook, "Leeds", 1)
    notebook.say(said)
    assert "I live in Leeds." in [slot.text for slot in listed(notebook.memory)]
    assert not any(slot.turn and slot.turn.supersedes for slot in notebook.memory.scan())


def test_what_was_taken_back_is_not_put_right():
    notebook = Notebook([])
    notebook.say("The meeting is on Monday. Sorry, I meant Friday.")
    notebook.say("undo")
    notebook.say("Sorry, I meant Tuesday.")
    assert notebook.memory.newest(1)[0].text == "Sorry, I meant Tuesday.", "it is kept"


def test_what_was_just_told_is_put_right():
    notebook = Notebook([])
    notebook.say("The meeting is on Monday. Sorry, I meant Friday.")
    assert [slot.text for slot in listed(notebook.memory)] == ["The meeting is on Friday."]
    notebook.say("Mira has a boat.\nNo, it's Bristol.")  # nothing in it is a town
    assert notebook.memory.newest(1)[0].text == "No, it's Bristol."


@pytest.mark.parametrize("ids", [(), (1, 2)])
def test_what_cannot_be_put_right_is_said_plainly(ids):
    notebook = Notebook(["Joe took the milk.", "Joe went to the kitchen."])
    answered(notebook, "kitchen", *ids)
    notebook.say("No, it's the garden.")
    assert len(notebook.memory) == 2
    assert "say it in full" in notebook.replies[-1].text


def test_a_statement_that_is_gone_is_not_put_right():
    notebook = Notebook(["I live in Leeds."])
    answered(notebook, "Leeds", 1)
    notebook.memory.delete([1])
    notebook.say("No, it's Bristol.")
    assert len(notebook.memory) == 0
    assert "say it in full" in notebook.replies[-1].text
