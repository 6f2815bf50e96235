"""The store on disk answers as the memory in RAM does, whatever is done to them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings

import memnn
from memnn.memory.address import verify
from memnn.memory.sqlite import buckets
from memnn.memory.sqlite.database import Database
from memnn.memory.sqlite.store import SqliteStore
from tests.memory.operations import answer, sequences

SEQUENCES = 1_000


_connect = Database._connect


def connect_in_a_hurry(database, patience):
    """Without waiting for the disk: that what is written lasts is tested elsewhere."""
    connection = _connect(database, patience)
    connection.execute("PRAGMA synchronous=OFF")
    return connection


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("congruence") / "store.db"


@pytest.mark.parametrize("every", [1, 5, 1024], ids=lambda n: f"indexed-every-{n}")
def test_ram_and_sqlite_answer_the_same(path, monkeypatch, every):
    """Each sequence has a named memory of its own, in a store that the others use, too."""
    monkeypatch.setattr(buckets, "EVERY", every)
    monkeypatch.setattr(buckets, "CHUNK", 3)
    monkeypatch.setattr(Database, "_connect", connect_in_a_hurry)
    path = path.with_name(f"{every}.db")
    numbers = itertools.count()
    opened = [SqliteStore(path)]

    @settings(
        max_examples=SEQUENCES if every == 5 else SEQUENCES // 5,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(sequences)
    def run(sequence):
        name = f"{next(numbers)}"
        ram, disk = memnn.RamMemory(), opened[0].memory(name)
        for call in sequence:
            if call == ("reopen",):
                disk = opened[0].memory(name)
                continue
            grown = disk.deletions
            theirs, ours = answer(ram, call), answer(disk, call)
            assert ours == theirs, call
            assert disk.deletions >= grown

    try:
        run()
        assert next(numbers) >= (SEQUENCES if every == 5 else SEQUENCES // 5)
    finally:
        opened[0].close()
    assert verify(path).problems == []
