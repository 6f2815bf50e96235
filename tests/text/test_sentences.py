"""Text that nobody would call a sentence is read all the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memnn.text.sentences import Sentences, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (". Joe left.", ["Joe left."]),
        ("Joe left. . Joe came.", ["Joe left.", "Joe came."]),
        ("Where? . Joe left.", ["Where?", "Joe left."]),
        (".\u3000a", ["a"]),
        (". . .", []),
    ],
)
def test_a_full_stop_may_stand_alone(text, sentences):
    assert split_sentences(text) == sentences


@given(st.text(st.sampled_from('.?!。 \t\x85\u3000)"aA1'), max_size=12))
def test_whatever_is_said_is_read(text):
    read = [x.text for x in Sentences()(text)]
    assert "".join(filter(str.isalnum, "".join(read))) == "".join(filter(str.isalnum, text))
