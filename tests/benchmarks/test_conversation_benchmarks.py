"""The benchmarks of conversations, on almost nothing."""

from __future__ import annotations

from datetime import date

import numpy as np

from benchmarks import searching, small_talk, teaching, user_memories, when
from memnn.conversations.labelled import memories, ours
from memnn.conversations.scoring import default_scorer


def test_lessons_are_measured():
    talk = next(iter(ours()))
    rng = np.random.default_rng(0)
    found = list(teaching.measured(talk, default_scorer(), 5, 1, rng))
    assert [kind for kind, _, _ in found] == list(teaching.KINDS)
    assert all(-100 <= gain <= 100 for _, gain, _ in found)


def test_gold_answers_are_times():
    span = when.gold_span("7 May 2023", date(2023, 5, 8))
    assert span is not None
    assert when.gold_span("a sunset", date(2023, 5, 8)) is None


def test_what_small_talk_is_to_do():
    case = {"told": ["Ann lives in Oslo."], "say": "hello", "expect": "reply", "about": []}
    right, notebook = small_talk.is_right(case)
    assert right
    assert [slot.text for slot in notebook.memory.scan()] == case["told"]


def test_searching_is_measured_on_a_store(tmp_path):
    found = searching.measured(60, 3, tmp_path)
    assert found["turns"] == 60
    assert found["ms a question"] > 0


def test_notes_are_measured():
    found = user_memories.measured(memories()[:1], user_memories.reading())
    assert 0 <= user_memories.weight_of_reading(memories()[:1]) <= user_memories.WEIGHTS[-1]
    assert 0 <= found["right first"] <= found["among three"] <= 1
