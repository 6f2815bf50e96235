"""Nothing acknowledged is lost, whenever the writer is killed, and nothing is half-written."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from memnn.memory.address import verify
from memnn.memory.sqlite import vectors
from memnn.memory.sqlite.store import SqliteStore

LONGEST_LIFE = 0.04
"""Seconds: some tens of commits."""


class Lengths:
    """An embedder that costs nothing: the length of a text, and of its first word."""

    id, dim = "lengths", 2

    def embed(self, texts):
        return np.array([(len(t), len(t.split()[0])) for t in texts], np.float16)


@pytest.mark.parametrize("kills", [40, pytest.param(400, marks=pytest.mark.soak)])
def test_a_killed_writer_loses_nothing(tmp_path, kills):
    """The driver runs in a process of its own: it forks a writer, and kills it."""
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


def drive(path: Path, kills: int) -> None:
    rng = random.Random(0)
    vectors.BATCH = 16
    acknowledged = 0
    for cycle in range(kills):
        name = f"memory {cycle % 10}"
        with SqliteStore(path) as store:
            before = {slot.id: slot.text for slot in store.memory(name).scan()}
        acks = kill_one(path, name, cycle, rng)
        acknowledged += len(acks)
        check(path, name, cycle, before, acks)
        if cycle % 20 == 0:
            assert verify(path).problems == [], cycle
    print(json.dumps({"killed": kills, "acknowledged": acknowledged}))


def kill_one(path: Path, name: str, cycle: int, rng: random.Random) -> list[list]:
    """Start a writer, kill it at a random moment; what it had acknowledged until then."""
    seed, life = rng.randrange(2**32), rng.uniform(0.0, LONGEST_LIFE)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            write_on(path, name, cycle, random.Random(seed), writer)
        finally:
            os._exit(9)  # it never ends by itself
    os.close(writer)
    if cycle % 4:  # the others may die while they open the store
        select.select([reader], [], [], 60)
    time.sleep(life)
    os.kill(child, signal.SIGKILL)
    with os.fdopen(reader) as pipe:
        lines = pipe.read().split("\n")
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the writer failed by itself"
    return [json.loads(line) for line in lines[:-1]]


def write_on(path: Path, name: str, cycle: int, rng: random.Random, pipe: int) -> None:
    """Every kind of write, each acknowledged when it returned."""
    memory = SqliteStore(path).memory(name)
    mine: list[int] = []
    for number in range(10**9):
        kind = rng.choice(["one", "one", "many", "delete", "embed"])
        parts = 1 if kind == "one" else rng.randrange(2, 400)
        texts = [f"{cycle} {number} {part} {parts} " + "x" * 20 for part in range(parts)]
        gone: list[int] = []
        if kind == "one":
            slots = [memory.write(texts[0])]
        elif kind == "many":
            slots = memory.write_many(texts)
        else:
            slots = []
            if kind == "delete" and mine:
                gone = [mine.pop(rng.randrange(len(mine)))]
                os.write(pipe, json.dumps(["deleting", number, gone, []]).encode() + b"\n")
                memory.delete(gone)
            elif kind == "embed":
                memory.vectors(Lengths())
        mine += [slot.id for slot in slots]
        ack = [kind, number, gone, [(slot.id, slot.text) for slot in slots]]
        os.write(pipe, json.dumps(ack).encode() + b"\n")


def check(path: Path, name: str, cycle: int, before: dict[int, str], acks: list[list]) -> None:
    with SqliteStore(path) as store:
        memory = store.memory(name)
        found = {slot.id: slot.text for slot in memory.scan()}
        expected = dict(before)
        begun = acks.pop()[2] if acks and acks[-1][0] == "deleting" else []
        acks = [ack for ack in acks if ack[0] != "deleting"]
        for _, _, gone, slots in acks:
            expected |= dict(slots)
            for id in gone:
                del expected[id]
        # One more may have been committed and not acknowledged: whole, or not at all.
        lost = {id: text for id, text in expected.items() if found.get(id) != text}
        more = [text.split()[:4] for id, text in sorted(found.items()) if id not in expected]
        assert set(lost) <= set(begun), f"lost {lost}, of which only {begun} was being deleted"
        assert not set(lost) & set(found), "changed"
        assert not (lost and more), "one operation at a time"
        if more:
            (number,) = {number for _, number, _, _ in more}
            assert int(number) == len(acks)
            assert [int(part) for _, _, part, _ in more] == list(range(int(more[0][3])))
        assert len(memory) == len(found)
        assert memory.candidates().tolist() == sorted(found)
        ids, array = memory.vectors(Lengths())
        assert ids.tolist() == sorted(found)
        assert np.array_equal(array, Lengths().embed([found[i] for i in ids])) or not found
        some = f"{cycle}"
        with_word = sorted(i for i, text in found.items() if some in text.split()[:4])
        assert memory.candidates(buckets=[some]).tolist() == with_word


if __name__ == "__main__":
    drive(Path(sys.argv[1]), int(sys.argv[2]))
