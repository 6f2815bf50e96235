"""What is neither told nor asked: taken for what it is, done, and never stored."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.small_talk import Notebook

from memnn.conversations import train_intents
from memnn.conversations.intents import intent_of, shipped
from memnn.conversations.small_talk import MOST_LISTED, about, heard
from memnn.text.vectors import english

ORDINARY = [
    "Thanks for asking, my mother is in hospital.",
    "Would you believe it, Lenny bought a vineyard!",
    "Forget-me-nots are my aunt's favourite flowers.",
    "Please remember that the gate code is 7719.",
    "The last thing Oleg said was goodbye.",
    "Don't forget that Mira arrives on Thursday.",
    "Mira told me everything about her new job.",
    "Hello, I'm Ines and I work at the harbour.",
    "Where is the ladder?",
    "What did Oleg tell Mira about the boat?",
    "Do you know where Mira lives?",
    "When did Ines move to Split?",
    "Who forgot the tickets?",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_what_only_begins_like_talk_is_told_or_asked(text):
    assert not intent_of(text).name
    assert list(heard(text)) == [(text, intent_of("x y z."))] or not next(heard(text))[1].name


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("hello", "hello"), ("Hey there!", "hello"), ("Thanks a lot.", "thanks"),
        ("thx", "thanks"), ("Good night!", "bye"), ("okay", "remark"), ("Haha!", "remark"),
        ("How are you today?", "well"), ("What can you do?", "self"),
        ("forget that", "forget"), ("Please delete the last one.", "forget"),
        ("Scratch that.", "forget"), ("FORGET WHAT I JUST SAID!", "forget"),
        ("What do you know so far?", "recall all"), ("list everything you know", "recall all"),
        ("undo", "undo"), ("Forget everything.", "forget all"), ("That's wrong.", "wrong"),
    ],
)  # fmt: skip
def test_talk(text, intent):
    assert intent_of(text).name == intent


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("What have I told you about Mira?", "Mira"),
        ("what do you know about mira", "mira"),
        ("Tell me everything you know about the old boat.", "the old boat"),
        ("What did I say about my landlord?", "my landlord"),
    ],
)
def test_a_recall_has_a_topic(text, topic):
    found = intent_of(text)
    assert (found.name, found.topic) == ("recall", topic)


def test_nothing_is_told_by_talk():
    notebook = Notebook(["Mira lives in Split."])
    for text in ("hello", "Thanks!", "What do you know so far?", "lol", "Forget everything."):
        notebook.say(text)
    assert [slot.text for slot in notebook.memory.scan()] == ["Mira lives in Split."]
    assert len(notebook.replies) == 5
    assert not notebook.asked
    assert all(reply.text for reply in notebook.replies)


def test_a_text_is_taken_apart():
    notebook = Notebook([])
    notebook.say("Hello! Mira lives in Split. Where is Oleg? Thanks!")
    assert [slot.text for slot in notebook.memory.scan()] == ["Mira lives in Split."]
    assert notebook.asked == 1
    assert [reply.text[:5] for reply in notebook.replies] == ["Hello", "You'r"]


def test_a_long_text_is_kept_whatever_it_says():
    text = " ".join(["Mira left.", "Forget that."] * 6)
    assert [(part, intent.name) for part, intent in heard(text)] == [(text, "")]


def test_recall_lists_what_was_told_with_ids():
    told = [
        "Mira lives in Split.", "She has two dogs.", "Oleg is a baker.", "Mira's boat is blue.",
        "I work with Oleg.", "My desk is red.",
    ]  # fmt: skip
    notebook = Notebook(told)
    assert [slot.id for slot in about(notebook, "Mira")] == [1, 2, 4]
    assert [slot.id for slot in about(notebook, "oleg", as_of=4)] == [3]
    assert [slot.id for slot in about(notebook, "me")] == [5, 6]
    assert about(notebook, "Helsinki") == []
    notebook.say("What have I told you about Helsinki?")
    assert "Helsinki" in notebook.replies[-1].text
    notebook.say("Forget what I said about Oleg.")
    assert [slot.id for slot in notebook.replies[-1].slots] == [3, 5]
    assert len(notebook.memory) == 6


def test_recall_of_much_says_how_much():
    notebook = Notebook([f"Mira counts {n}." for n in range(MOST_LISTED + 20)])
    notebook.say("What do you know?")
    reply = notebook.replies[-1]
    assert str(MOST_LISTED + 20) in reply.text
    assert [slot.id for slot in reply.slots] == list(range(21, MOST_LISTED + 21))


def test_forgetting_and_bringing_back():
    notebook = Notebook(["Mira lives in Split.", "Mira left."])
    notebook.say("forget that")
    assert [slot.text for slot in notebook.memory.scan()] == ["Mira lives in Split."]
    assert "[2] Mira left." in notebook.replies[-1].text
    notebook.say("undo")
    assert [slot.text for slot in notebook.memory.scan()] == ["Mira lives in Split.", "Mira left."]
    notebook.say("Oleg left. Undo!")
    assert notebook.replies[-1].slots[0].text == "Oleg left."
    for _ in range(3):
        notebook.say("forget that")
    assert len(notebook.memory) == 0
    assert not notebook.replies[-1].slots


def test_the_weights_are_those_of_the_file():
    """Whoever extends talk.txt runs `python -m memnn.conversations.train_intents`."""
    learnt = train_intents.train(train_intents.talk() + train_intents.questions(), english())
    kept = shipped()
    assert kept.intents == learnt.intents
    assert kept.known == learnt.known
    assert list(kept.rows) == list(learnt.rows)
    np.testing.assert_allclose(kept.weights, learnt.weights, atol=0.02)
    np.testing.assert_allclose(kept.topic_weights, learnt.topic_weights, atol=0.02)


@pytest.mark.parametrize(
    "text", ["Zoë left.", "Ali won.", "We lost.", "It rained.", "I won!", "Zork left."]
)
def test_what_may_be_a_fact_is_told(text):
    """A short sentence may look like a remark, and is not lost all the same."""
    assert intent_of(text).name == ""
