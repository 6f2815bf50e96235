"""Columns that are read block by block look like arrays."""

from __future__ import annotations

import numpy as np
import pytest

from memnn.errors import MemoryStoreError
from memnn.memory import columns, shelves
from memnn.memory.columns import FarColumn, FarColumns
from memnn.memory.shelves import NONE, Shelves
from tests.memory.in_parts import InParts

A, B = np.arange(20) ** 2, -np.arange(20) * 2**40


@pytest.fixture
def far(monkeypatch):
    """Two segments, the second shorter than its last block, and a tail of three."""
    monkeypatch.setattr(shelves, "BLOCK", 4)
    memory = InParts()
    kept = Shelves(memory, "x", memory.deletions)
    for end in (10, 17):
        kept.add(NONE, (end,), lambda a, b: b"", lambda a, b: _blocks(a[0] if a else 0, b[0]))
    found = FarColumns.unread(kept.lists, {"a": np.int32, "b": np.int64})
    memory.asked = 0
    return memory, kept, found


def _blocks(first, last):
    return columns.packed([A[first:last], B[first:last]])


def test_what_is_wanted_is_read_once(far):
    memory, _, found = far
    a, b = FarColumn(found, "a", A[17:]), FarColumn(found, "b", B[17:])
    places = np.array([19, 11, 0, 11, 18, 9])
    assert len(a) == 20
    assert a[places].tolist() == A[places].tolist()
    assert memory.asked == 3
    assert b[places].tolist() == B[places].tolist()
    assert (a[11], b[16]) == (121, B[16])
    assert memory.asked == 4
    for part in (slice(None), slice(3, 18), slice(18, None), slice(5), slice(5, 5)):
        assert b[part].tolist() == B[part].tolist()
    assert memory.asked == 5
    assert a[np.zeros(0, np.int64)].tolist() == []


def test_what_is_kept_later_is_here(far):
    memory, kept, found = far
    kept.add(NONE, (20,), lambda a, b: b"", lambda a, b: _blocks(a[0], b[0]))
    grown = found.grown(kept.lists, {"a": A[17:], "b": B[17:]})
    before = memory.asked
    column = FarColumn(grown, "a", A[:0])
    assert column[17:].tolist() == A[17:].tolist()
    assert memory.asked == before
    assert column[:].tolist() == A.tolist()


def test_a_damaged_block_is_said(far):
    memory, _, found = far
    memory.parts = dict.fromkeys(memory.parts, b"x")
    with pytest.raises(MemoryStoreError, match="damaged"):
        found.have(np.array([1]))
