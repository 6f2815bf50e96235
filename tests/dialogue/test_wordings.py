"""Ways to ask for the facts that ship."""

from __future__ import annotations

import pytest

from memnn.dialogue.wordings import worded, wordings, world
from memnn.errors import FormatError
from memnn.facts.triples import Triple


def test_every_relation_of_the_world_can_be_asked_for():
    ways = wordings()
    relations = {triple.relation for triple in world()}
    assert set(ways) <= relations, "a wording that nothing is asked with"
    assert len(relations - set(ways)) <= 1
    assert all(worded(triple, ways) for triple in world() if triple.relation in ways)


def test_wordings_name_one_part_and_ask_for_the_other():
    ways = wordings("eats|eat\twhat does {s} eat\neat\twho eats {o}\n")
    assert worded(Triple("a cow", "eat", "grass"), ways) == [
        "what does cow eat?",
        "who eats grass?",
    ]
    assert "how many legs does spider have?" in worded(Triple("a spider", "has", "eight legs"), {})
    for bad in ("eats what does {s} eat", "eats\twhat", "eats\t{s} {o}"):
        with pytest.raises(FormatError, match=":1: a wording is"):
            wordings(bad)
