"""Words that give way to others of their class."""

from __future__ import annotations

from benchmarks import word_swaps
from memnn.text.vectors import english


def test_a_word_like_it_that_was_not_seen():
    found = word_swaps.unseen_like("kitchen", {"kitchen"}, english())
    assert found is not None
    assert found != "kitchen"
    assert word_swaps.unseen_like("kitchen", {"kitchen", found}, english()) != found
    assert word_swaps.unseen_like("xqzzt", set(), english()) is None


def test_it_is_swapped_everywhere():
    case = {
        "told": ["Joe is in the kitchen."], "question": "Is the Kitchen warm?",
        "accept": ["kitchen"], "reject": [], "all": [], "decline": False,
    }  # fmt: skip
    now = word_swaps.swapped(case, "kitchen", "pantry")
    assert now["told"] == ["Joe is in the pantry."]
    assert now["question"] == "Is the Pantry warm?"
    assert now["accept"] == ["pantry"]
