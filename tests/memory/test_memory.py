"""Every memory passes the public checks."""

from __future__ import annotations

import pytest

import memnn
from memnn.testing import check_memory


@pytest.mark.parametrize("make", [memnn.RamMemory], ids=["ram"])
def test_memory(make):
    check_memory(make)


def test_open_memory():
    assert len(memnn.open_memory(":memory:")) == 0
    with pytest.raises(memnn.MemoryStoreError, match="diary"):
        memnn.open_memory("diary.db")
