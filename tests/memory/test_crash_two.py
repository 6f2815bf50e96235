"""Two processes tell, delete, embed and compact the same memory and are killed: nothing that was
acknowledged is lost, nothing deleted is back, nothing is there twice."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from memnn.errors import MemoryStoreError
from memnn.memory.address import verify
from memnn.memory.sqlite import buckets, sealed, vectors
from memnn.memory.sqlite.store import SqliteStore
from tests.memory.test_crash import Lengths

FEW, MANY = 16, 200
WRITERS = 2
LONGEST_LIFE = 0.15
"""Seconds: long enough for a compaction."""
KINDS = ["one"] * 6 + ["many"] * 3 + ["delete"] * 4 + ["embed", "compact"]


def run(path, kills):
    """The driver runs in a process of its own: it forks the writers, and kills them."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.memory.test_crash_two", str(path), str(kills)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["killed"] == kills
    assert verify(path).problems == []
    return report


def test_two_killed_writers_lose_nothing(tmp_path):
    assert run(tmp_path / "store.db", FEW)["writes"] > FEW


@pytest.mark.soak
def test_two_writers_killed_two_hundred_times(tmp_path):
    print(run(tmp_path / "store.db", MANY))


def drive(path: Path, kills: int) -> None:
    vectors.BATCH, buckets.EVERY, buckets.CHUNK, sealed.ROWS = 16, 64, 40, 32
    rng = random.Random(0)
    there: dict[int, str] = {}
    counted = dict.fromkeys(("one", "many", "delete", "embed", "compact"), 0)
    writes = 0
    for cycle in range(kills // WRITERS):
        told = kill_all(path, cycle, rng)
        for acks in told:
            for kind, *_ in acks:
                counted[kind] = counted.get(kind, 0) + 1
        writes += sum(len(slots) for acks in told for _, _, _, slots in acks)
        there = check(path, there, told, cycle)
        if cycle % 10 == 9:
            assert verify(path).problems == [], cycle
    counted.pop("deleting", None)
    print(json.dumps({"killed": kills, "writes": writes, "acknowledged": counted}))


def kill_all(path: Path, cycle: int, rng: random.Random) -> list[list[list]]:
    """Start the writers, kill each at a moment of its own; what each had acknowledged."""
    children = []
    for number in range(WRITERS):
        seed = rng.randrange(2**32)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                write_on(path, f"{cycle}.{number}", random.Random(seed), writer)
            finally:
                os._exit(9)  # it never ends by itself
        os.close(writer)
        children.append((child, reader))
    select.select([reader for _, reader in children], [], [], 60)
    told = []
    for child, reader in rng.sample(children, WRITERS):
        time.sleep(rng.uniform(0.0, LONGEST_LIFE))
        os.kill(child, signal.SIGKILL)
        with os.fdopen(reader) as pipe:
            lines = pipe.read().split("\n")
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), f"a writer failed by itself: {lines[-3:]}"
        told.append([json.loads(line) for line in lines[:-1]])
    return told


def write_on(path: Path, me: str, rng: random.Random, pipe: int) -> None:
    """Every kind of write, each acknowledged when it returned."""
    store = SqliteStore(path)
    memory = store.memory()
    mine: list[int] = []
    for number in range(10**9):
        kind = rng.choice(KINDS)
        parts = {"one": 1, "many": rng.randrange(2, 90)}.get(kind, 0)
        texts = [f"{me} {number} {part} {parts} " + "x" * 20 for part in range(parts)]
        gone: list[int] = []
        slots = memory.write_many(texts) if texts else []
        if kind == "delete" and mine:
            gone = [mine.pop(rng.randrange(len(mine)))]
            os.write(pipe, json.dumps(["deleting", number, gone, []]).encode() + b"\n")
            memory.delete(gone)
        elif kind == "embed":
            memory.vectors(Lengths())
        elif kind == "compact":
            with suppress(MemoryStoreError):  # the other one is reading
                store.compact()
        mine += [slot.id for slot in slots]
        ack = [kind, number, gone, [(slot.id, slot.text) for slot in slots]]
        os.write(pipe, json.dumps(ack).encode() + b"\n")


def check(path: Path, before: dict[int, str], told: list[list[list]], cycle: int) -> dict[int, str]:
    expected, begun = dict(before), set()
    for acks in told:
        if acks and acks[-1][0] == "deleting":
            begun |= set(acks.pop()[2])
        for _, _, gone, slots in acks:
            expected |= {int(id): text for id, text in slots}
            for id in gone:
                expected.pop(id, None)
    with SqliteStore(path) as store:
        memory = store.memory()
        slots = list(memory.scan())
        found = {slot.id: slot.text for slot in slots}
        assert len(found) == len(slots) == len({slot.text for slot in slots}), "nothing is twice"
        lost = {id for id, text in expected.items() if found.get(id) != text}
        assert lost <= begun, f"lost {sorted(lost - begun)[:5]}"
        assert not lost & found.keys(), "changed"
        gone = {id for acks in told for _, _, ids, _ in acks for id in ids}
        assert not gone & found.keys(), "back"
        more: dict[tuple[str, str], list[str]] = {}
        for id, text in sorted(found.items()):
            if id not in expected:
                me, number, part, parts = text.split()[:4]
                assert me.startswith(f"{cycle}."), "back from an earlier life"
                more.setdefault((me, number), []).append(part)
                assert int(parts) > 0
        assert len(more) <= WRITERS, "one more each may be there and not acknowledged"
        for (me, number), parts_there in more.items():
            size = next(t.split()[3] for t in found.values() if t.startswith(f"{me} {number} "))
            assert parts_there == [str(n) for n in range(int(size))], "whole, or not at all"
        assert len(memory) == len(found)
        assert memory.candidates().tolist() == sorted(found)
        ids, array = memory.vectors(Lengths())
        assert ids.tolist() == sorted(found)
        assert not found or np.array_equal(
            array, Lengths().embed([found[i] for i in sorted(found)])
        )
        assert [id for some, _ in memory.pages() for id in some.tolist()] == sorted(found)
    return found


if __name__ == "__main__":
    drive(Path(sys.argv[1]), int(sys.argv[2]))
