"""Passwords and codes keep their signs."""

from __future__ import annotations

import pytest

import memnn
from memnn.text.written import as_written


@pytest.mark.parametrize(
    ("words", "text", "whole"),
    [
        ("hunter2", "my password is hunter2!", "hunter2!"),
        ("Blue-Heron_42", "The wifi password is Blue-Heron_42!", "Blue-Heron_42!"),
        ("p@ss.word1", "It is “p@ss.word1!”.", "p@ss.word1!"),
        ("77 19", "The door code is 77#19#.", "77#19#"),
        ("x9", "The key is $x9$", "$x9$"),
        ("tom@example.com", "My email is tom@example.com.", "tom@example.com"),
        # Words and measures are only stressed, and what is not there stays as it is.
        ("7719", "My code is 7719!", "7719"),
        ("10km", "I ran 10km!", "10km"),
        ("Paris", "We are in Paris!", "Paris"),
        ("room", "We are in room B17!", "room"),
        ("yes", "We are in Paris!", "yes"),
        ("", "hunter2!", ""),
    ],
)
def test_codes(words, text, whole):
    assert as_written(words, text) == whole


def test_a_password_is_stored_and_answered_as_it_was_told():
    net = memnn.open()
    (slot,) = net.tell("The wifi password is Blue-Heron_42!")
    assert slot.text == "The wifi password is Blue-Heron_42!"
    assert net.ask("What is the wifi password?").text == "Blue-Heron_42!"
