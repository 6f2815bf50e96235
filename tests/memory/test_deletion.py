"""What is deleted is gone: from answers at once, from the files' bytes after `compact`."""

from __future__ import annotations

import time
from contextlib import closing

import numpy as np
import pytest

import memnn
from memnn.memory.address import verify
from memnn.memory.sqlite import buckets
from memnn.memory.sqlite.store import SqliteStore
from tests.memory.conftest import Hashes

SECRET = "Xanthippe hid the zirconium"


def occurrences(folder, *needles):
    """Files that hold one of these bytes, whatever they are called."""
    return [
        (file.name, needle)
        for file in folder.iterdir()
        for needle in needles
        if needle in file.read_bytes()
    ]


class Marks:
    """Vectors that can be searched for in bytes."""

    id, dim = "marks", 4

    def embed(self, texts):
        return np.array(
            [[1234, 5678, 1357, 2468] if "Xanthippe" in t else [1, 2, 3, len(t)] for t in texts],
            np.float16,
        )


MARK = np.array([1234, 5678, 1357, 2468], np.float16).tobytes()


@pytest.mark.parametrize("every", [1, 1024], ids=["in-chunks", "in-no-chunk-yet"])
@pytest.mark.parametrize("whole", [False, True], ids=["statement", "whole-memory"])
def test_bytes_are_gone_after_compact(store, path, monkeypatch, every, whole):
    monkeypatch.setattr(buckets, "EVERY", every)
    memory, other = store.memory("Xanthippe's" if whole else "main"), store.memory("other")
    others = [f"Joe went to room {n}." for n in range(300)]
    memory.write_many(others[:100])
    secret = memory.write(SECRET)
    memory.write_many(others[100:])
    other.write_many(others)
    for m in (memory, other):
        m.vectors(Marks())
    needles = [b"Xanthippe", b"xanthippe", b"zirconium", MARK]
    assert {needle for _, needle in occurrences(path.parent, *needles)} >= {b"Xanthippe", MARK}
    kept = [slot for slot in memory.scan() if slot != secret]

    if whole:
        store.drop("Xanthippe's")
        kept = []
    else:
        memory.delete([secret.id])
    assert list(memory.scan()) == kept
    assert memory.candidates(buckets=["zirconium"]).tolist() == []
    store.compact()
    assert occurrences(path.parent, *needles) == []

    assert list(memory.scan()) == kept, "nothing else is touched"
    assert [slot.text for slot in other.scan()] == others
    for m in (memory, other):
        ids, array = m.vectors(Marks())
        assert ids.tolist() == m.candidates().tolist()
        assert np.array_equal(array, Marks().embed([s.text for s in m.scan()]).reshape(-1, 4))
        assert m.candidates(buckets=["joe"]).tolist() == ids.tolist()
    assert verify(path).problems == []
    store.close()
    assert occurrences(path.parent, *needles) == []


def test_left_over_vector_files_go_with_compact(store, path):
    memory = store.memory()
    memory.write_many(["a", "b"])
    memory.vectors(Hashes())
    (path.parent / "store.db-vectors-1-77").write_bytes(MARK)
    (file,) = [f for f in path.parent.glob("*-vectors-1-*") if not f.name.endswith("77")]
    with open(file, "ab") as end:
        end.write(MARK)  # what an embedding that was killed leaves behind
    store.compact()
    assert occurrences(path.parent, MARK) == []
    assert len(memory.vectors(Hashes()).ids) == 2


def test_a_reader_that_holds_old_bytes_is_said(store, path, monkeypatch):
    store.memory().write_many(["a", SECRET])
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    with SqliteStore(path) as other, other.database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM slots").fetchone() == (2,)
        store.memory().delete([2])
        with pytest.raises(memnn.MemoryStoreError, match="reading it"):
            store.compact()
    store.compact()
    assert occurrences(path.parent, b"Xanthippe") == []


def test_the_network_forgets(tmp_path, trained):
    """The bags, contexts and vectors of a network that answered before."""
    with closing(memnn.open_memory(tmp_path / "diary.db")) as memory:
        net = trained.with_memory(memory)
        net.tell("Joe went to the kitchen. Joe went to the garden.")
        assert net.ask("Where is Joe?").text == "garden"
        net.forget(2)
        assert net.ask("Where is Joe?").text == "kitchen"
        net.forget(1)
        assert net.ask("Where is Joe?").abstained
