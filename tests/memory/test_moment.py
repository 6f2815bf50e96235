"""What a thread asks a memory for once, and when it asks again."""

from __future__ import annotations

import numpy as np
import pytest

from memnn.memory.milvus import moment
from memnn.memory.milvus.moment import OneMoment
from memnn.memory.protocol import Changes
from memnn.types import Slot


class Asked:
    """What was looked up."""

    def __init__(self):
        self.moment, self.log = OneMoment(), []

    def slots(self, ids):
        self.log.append(ids)
        return {id: Slot(id, f"text {id}", "", "") for id in ids}

    def look(self, changes, *ids):
        """The lookups of a moment with these changes."""
        self.log = []
        with self.moment.of(lambda: Changes(*changes)):
            assert [self.moment.slots(ids, self.slots)[id].id for id in ids] == list(ids)
            self.moment.ids("all", lambda: self.log.append("ids") or np.arange(3))
            self.moment.counted(lambda: self.log.append("count") or 3)
        return self.log


def test_what_was_seen_holds_until_something_changes():
    asked = Asked()
    assert asked.look((3, 0), 1, 2) == [[1, 2], "ids", "count"]
    assert asked.look((3, 0), 1, 2, 3) == [[3]]
    assert asked.look((4, 0), 1, 2, 3) == ["ids", "count"]
    assert asked.look((4, 1), 1, 3) == [[1, 3], "ids", "count"]


def test_outside_of_a_moment_nothing_is_remembered():
    asked = Asked()
    asked.look((3, 0), 1)
    asked.log = []
    for _ in range(2):
        asked.moment.slots([1], asked.slots)
    assert asked.log == [[1], [1]]
    with asked.moment.of(lambda: Changes(3, 0)):
        asked.moment.end()  # this thread writes
        asked.moment.slots([1], asked.slots)
    assert asked.log == [[1], [1], [1]]


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(moment, "MOST_SLOTS", 3)
    asked = Asked()
    asked.look((3, 0), 1, 2)
    assert asked.look((3, 0), 2, 3, 4) == [[3, 4]]
    assert asked.look((3, 0), 2, 3, 4) == []
    assert asked.look((3, 0), 1) == [[1]]


@pytest.mark.parametrize("most", [0, 3])
def test_long_lists_are_asked_for_again(monkeypatch, most):
    monkeypatch.setattr(moment, "LONG_LIST", most)
    asked = Asked()
    asked.look((3, 0))
    assert asked.look((3, 0)) == ([] if most else ["ids"])
