"""`memnn reproduce conversations`: our own conversations where LoCoMo's are not there."""

from __future__ import annotations

import numpy as np
import pytest

from memnn.paper import conversations as measured
from memnn.paper.plan import Size


@pytest.fixture(scope="module")
def cell():
    (cell,) = measured.CONVERSATIONS.cells(5, quick=True)
    return measured.measure_conversations(cell, Size.of(quick=True))


def test_the_table_has_all_systems_side_by_side(cell, monkeypatch):
    assert cell["data"] == "our own conversations"
    assert cell["rows"][measured.OURS]["all"][0] > cell["rows"][measured.BM]["all"][0]
    text = "\n".join(measured.show_conversations([cell]))
    assert "| BM25 |" in text
    assert "ms a question" in text
    assert "quoted" not in text, "those are of other conversations"
    assert "Declining was not measured" in text, "these taught it"
    assert f"over {cell['rival']} at rank one" in text


def test_a_library_that_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(measured, "find_spec", lambda name: None)
    assert measured.encoder() is None


def test_both_scores_count_by_their_spread():
    words, meanings = [[np.array([0.0, 1.0, 5.0])]], [[np.array([9.0, 1.0, 1.0])]]
    assert measured.together(words, meanings, 0.0)[0][0].argmax() == 2
    assert measured.together(words, meanings, 1.0)[0][0].argmax() == 0


def test_ranks_count_the_newest_of_equal_ones_first():
    talk = measured.read_talk(measured.ours()[0])
    scores = [np.zeros(len(talk.index)) for _ in talk.asked]
    newest = [len(talk.index) - max(right) for right in talk.right]
    assert measured.ranks_of(scores, talk) == newest
