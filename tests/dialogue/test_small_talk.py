"""What is neither told nor asked: taken for what it is, done, and never stored."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.small_talk import Notebook

from memnn.conversations import train_intents
from memnn.conversations.intents import intent_of, shipped
from memnn.conversations.small_talk import MOST_LISTED, about, heard
from memnn.text.vectors import english
from memnn.types import Answer, Hop, Slot

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


@pytest.mark.parametrize("text", ["forget 1", "Delete 1.", "forget number 1", "Forget [1]"])
def test_a_statement_is_forgotten_by_its_number(text):
    notebook = Notebook(["Clara is allergic to nuts.", "Clara lives in Bremen."])
    notebook.say(text)
    assert "[1] Clara is allergic to nuts." in notebook.replies[-1].text
    assert [slot.id for slot in notebook.memory.scan()] == [2]


def test_a_number_that_no_statement_has_deletes_nothing():
    notebook = Notebook(["The bread is on the table."])
    notebook.say("forget 99")
    assert "no statement with the number 99" in notebook.replies[-1].text
    assert [slot.id for slot in notebook.memory.scan()] == [1]


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


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Forget my locker code.", "my locker code"),
        ("forget that Bill is at school", "Bill is at school"),
        ("delete what I said about the dentist", "the dentist"),
        ("Please remove Oleg's phone number.", "Oleg's phone number"),
        ("Delete number 12", "12"),
    ],
)
def test_what_is_to_be_forgotten(text, topic):
    found = intent_of(text)
    assert (found.name, found.topic) == ("forget other", topic)


def test_what_is_named_is_forgotten_and_told_again():
    told = ["My locker code is 7719.", "My bike is red.", "Oleg's locker is green."]
    notebook = Notebook(told)
    notebook.say("Forget my locker code.")
    assert [slot.id for slot in notebook.memory.scan()] == [2, 3]
    assert "[1] My locker code is 7719." in notebook.replies[-1].text
    assert notebook.replies[-1].intent == "forget"
    notebook.say("undo")
    assert [slot.text for slot in notebook.memory.scan()] == [*told[1:], told[0]]
    notebook.say("Forget my zebra.")
    assert "nothing about my zebra" in notebook.replies[-1].text
    notebook.say("Delete number 3.")
    assert [slot.id for slot in notebook.memory.scan()] == [2, 4]


@pytest.mark.parametrize(
    ("choice", "left"),
    [("2", [1, 3]), ("1 and 2", [3]), ("number 1, please", [2, 3]), ("both", [3]),
     ("none", [1, 2, 3]), ("no", [1, 2, 3])],
)  # fmt: skip
def test_where_several_may_be_meant_it_is_asked_which(choice, left):
    notebook = Notebook(["Mira lives in Split.", "Mira has a boat.", "Oleg is a baker."])
    notebook.say("Forget what I said about Mira.")
    assert [slot.id for slot in notebook.replies[-1].slots] == [1, 2]
    assert len(notebook.memory) == 3
    notebook.say(choice)
    assert [slot.id for slot in notebook.memory.scan()] == left
    notebook.say("2")
    assert "2" in [slot.text for slot in notebook.memory.scan()], "nobody asks any more"


def test_a_part_of_what_was_told_is_not_forgotten_unasked():
    notebook = Notebook(["Oleg's number is 555 0192."])
    notebook.say("Forget Oleg's phone number.")
    assert len(notebook.memory) == 1
    notebook.say("yes")
    assert len(notebook.memory) == 0
    notebook.say("undo")
    assert len(notebook.memory) == 1


@pytest.mark.parametrize(
    "text",
    ["asdkjh qwe", "'; DROP TABLE facts;--", "lkwjer oiuwer", "<script>x()</script>", "fghjk"],
)
def test_nonsense_is_not_understood(text):
    notebook = Notebook([])
    notebook.say(text)
    assert notebook.replies[-1].text.startswith("I did not understand")
    assert len(notebook.memory) == 0


@pytest.mark.parametrize(
    "text",
    ["Zrinka lives in Krk.", "My password is asdf-77!", "wifi: hjk88", "42", "Lisbon", "Bob"],
)
def test_what_is_only_strange_is_told(text):
    assert intent_of(text).name == ""


def test_why():
    notebook = Notebook(["Mira took the ball.", "Mira went to Split."])
    notebook.say("Why?")
    assert "nothing to explain" in notebook.replies[-1].text
    hops = tuple(Hop(n, slot, 1.0) for n, slot in enumerate(notebook.memory.scan(), start=1))
    notebook.talk.follows(Answer("Split", 1.0, evidence=hops))
    notebook.say("How do you know?")
    assert [slot.id for slot in notebook.replies[-1].slots] == [1, 2]
    world = (Hop(1, Slot(1, "milk comes from cows", ""), 1.0, source="world"),)
    notebook.talk.follows(Answer("cows", 1.0, evidence=world))
    notebook.say("Why?")
    assert "milk comes from cows" in notebook.replies[-1].text
    assert not notebook.replies[-1].slots, "it was not told"
    notebook.talk.follows(Answer("I don't know", 0.0, True, reason="nobody said so"))
    notebook.say("Why?")
    assert "nobody said so" in notebook.replies[-1].text
