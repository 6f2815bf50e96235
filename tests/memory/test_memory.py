"""Every memory passes the public checks."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from itertools import count

import pytest

import memnn
from memnn.memory.protocol import timestamp
from memnn.memory.ram import RamStore
from memnn.memory.sqlite.store import SqliteStore
from memnn.testing import check_memory, check_store


def test_memory_in_ram():
    check_memory(memnn.RamMemory)


def test_memory_on_disk(tmp_path):
    numbers = count()
    check_memory(lambda: memnn.open_memory(tmp_path / f"{next(numbers)}.db"))


def test_named_memory_on_disk(tmp_path):
    """Memories of one store share nothing."""
    numbers = count()
    with SqliteStore(tmp_path / "store.db") as store:
        check_memory(lambda: store.memory(f"../{next(numbers)}"))


def test_store_in_ram():
    check_store(RamStore)


def test_store_on_disk(tmp_path):
    numbers = count()
    check_store(lambda: memnn.memory.open_store(tmp_path / f"{next(numbers)}.db"))


def test_a_memory_of_ones_own_needs_little():
    """What the protocol has a body for need not be written again."""

    class Own(memnn.memory.Memory):
        def __init__(self):
            self.ram = memnn.RamMemory()
            for name in ("write", "write_many", "read", "scan", "candidates", "delete", "close"):
                setattr(self, name, getattr(self.ram, name))

        last_id = property(lambda self: self.ram.last_id)
        deletions = property(lambda self: self.ram.deletions)

        def __len__(self):
            return len(self.ram)

    check_memory(Own)


def test_open_memory(tmp_path):
    assert len(memnn.open_memory(":memory:")) == 0
    path = tmp_path / "diary.db"
    with closing(memnn.open_memory(path)) as memory:
        memory.write("Joe went home.")
    with closing(memnn.open_memory(str(path), "other")) as memory:
        assert len(memory) == 0
    with closing(memnn.open_memory(str(path))) as memory:
        assert [slot.text for slot in memory.scan()] == ["Joe went home."]
    with pytest.raises(memnn.MemoryStoreError, match="no store at"):
        memnn.open_memory(tmp_path / "none.db", create=False)
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(memnn.InputError, match="milvus"):
        memnn.open_memory("redis://localhost")
    with pytest.raises(memnn.MemoryStoreError, match="str"):
        memnn.open_memory(5)


def test_times_sort_as_texts_do():
    early = datetime(9, 1, 1, tzinfo=UTC)
    assert timestamp(early) == "0009-01-01T00:00:00.000000Z"
    m = memnn.RamMemory()
    m.write("a", time="0999-01-01T00:00:00Z")
    m.write("b", time="1000-01-01T00:00:00Z")
    assert m.candidates("0999-06-01T00:00:00Z").tolist() == [1]
