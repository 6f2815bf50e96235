"""Two writers of one store are killed, at any moment of whatever they do."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from memnn.errors import MemoryStoreError
from memnn.memory.address import verify
from memnn.memory.sqlite import buckets, sealed, vectors
from memnn.memory.sqlite.store import SqliteStore
from tests.memory.acknowledged import Ledger, Lengths, write_on

LONGEST_LIFE = 0.2
KINDS = ("one", "one", "one", "many", "delete", "delete", "embed", "compact")


@pytest.mark.parametrize("kills", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_two_killed_writers_lose_nothing(tmp_path, kills):
    """The driver runs in a process of its own: it forks writers, and kills them."""
    done = subprocess.run(
        [sys.executable, __file__, str(tmp_path / "store.db"), str(kills)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["killed"] == kills
    assert report["acknowledged"] > kills
    assert verify(tmp_path / "store.db").problems == []


def test_vectors_that_another_process_replaces_while_they_are_loaded(path, monkeypatch):
    """Another process compacts between the query and the opening of the file."""
    with SqliteStore(path) as one, SqliteStore(path) as two:
        memory = one.memory()
        memory.write_many(["Joe left.", "Ann came.", "Dan slept."])
        memory.vectors(Lengths())
        memory.delete([2])
        mapped = vectors._mapped

        def replaced(*arguments):
            monkeypatch.setattr(vectors, "_mapped", mapped)
            with suppress(MemoryStoreError):  # that somebody still reads the old state
                two.compact()
            return mapped(*arguments)

        monkeypatch.setattr(vectors, "_mapped", replaced)
        ids, array = memory.vectors(Lengths())
        assert ids.tolist() == [1, 3]
        assert np.array_equal(array, Lengths().embed(["Joe left.", "Dan slept."]))


def drive(path: Path, kills: int, seed: int = 0) -> None:
    rng = random.Random(seed)
    vectors.BATCH, buckets.EVERY, buckets.CHUNK, sealed.ROWS = 16, 64, 40, 32
    ledgers = [Ledger() for _ in range(5)]
    for cycle in range(0, kills, 2):
        number = cycle // 2 % len(ledgers)
        ledger = ledgers[number]
        for lines in kill_two(path, f"memory {number}", cycle, rng):
            ledger.add(lines)
        with SqliteStore(path) as store:
            memory = store.memory(f"memory {number}")
            ledger.check(memory)
            ids, array = memory.vectors(Lengths())
            texts = [slot.text for slot in memory.scan()]
            assert ids.tolist() == memory.candidates().tolist()
            assert np.array_equal(array, Lengths().embed(texts)) or not texts
        if cycle % 20 == 0:
            assert verify(path).problems == [], cycle
    done = sum(ledger.acknowledged for ledger in ledgers)
    failed = sum((ledger.failed for ledger in ledgers), Counter())
    assert {what.partition(":")[0] for what in failed} <= {"embed", "compact"}, failed
    print(json.dumps({"killed": kills, "acknowledged": done, "failed": failed}))


def kill_two(path: Path, name: str, cycle: int, rng: random.Random) -> list[list[str]]:
    """Start two writers, and kill one after the other; what each said until then."""
    pipes, children = [], []
    for who in range(2):
        seed = rng.randrange(2**32)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                live(path, name, f"{cycle} {who}", random.Random(seed), writer)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(9)  # it never ends by itself
        os.close(writer)
        pipes.append(reader)
        children.append(child)
    if cycle % 8:  # the others may die while they open the store
        for reader in pipes:
            select.select([reader], [], [], 60)
    for child in rng.sample(children, 2):
        time.sleep(rng.uniform(0.0, LONGEST_LIFE))
        os.kill(child, signal.SIGKILL)
    said = []
    for reader, child in zip(pipes, children, strict=True):
        with os.fdopen(reader) as pipe:
            said.append(pipe.read().split("\n")[:-1])
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), "the writer failed by itself"
    return said


def live(path: Path, name: str, life: str, rng: random.Random, pipe: int) -> None:
    store = SqliteStore(path)
    memory = store.memory(name)
    write_on(
        lambda: memory, life, rng, pipe,
        kinds=KINDS, compact=lambda memory: store.compact(), dims=(2, 2, 3),
    )  # fmt: skip


if __name__ == "__main__":
    drive(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if sys.argv[3:] else 0)
