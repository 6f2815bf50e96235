"""Every memory passes the public checks."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import memnn
from memnn.memory.protocol import timestamp
from memnn.testing import check_memory


@pytest.mark.parametrize("make", [memnn.RamMemory], ids=["ram"])
def test_memory(make):
    check_memory(make)


def test_open_memory():
    assert len(memnn.open_memory(":memory:")) == 0
    with pytest.raises(memnn.MemoryStoreError, match="diary"):
        memnn.open_memory("diary.db")
    with pytest.raises(memnn.MemoryStoreError, match="str"):
        memnn.open_memory(5)


def test_times_sort_as_texts_do():
    early = datetime(9, 1, 1, tzinfo=UTC)
    assert timestamp(early) == "0009-01-01T00:00:00.000000Z"
    m = memnn.RamMemory()
    m.write("a", time="0999-01-01T00:00:00Z")
    m.write("b", time="1000-01-01T00:00:00Z")
    assert m.candidates("0999-06-01T00:00:00Z").tolist() == [1]
