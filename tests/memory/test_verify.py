"""A byte that changed is found: no answer of a store changes without `verify` saying so."""

from __future__ import annotations

import random
import re
import sqlite3

import pytest

import memnn
from memnn.memory.address import verify
from memnn.memory.sqlite import buckets
from memnn.memory.sqlite.store import SqliteStore
from memnn.types import Turn
from tests.memory.conftest import Hashes

FLIPS = 200


@pytest.fixture
def full(path, monkeypatch):
    """A store with two memories, chunks, a tail, gaps, vectors, turns and lessons."""
    monkeypatch.setattr(buckets, "EVERY", 50)
    monkeypatch.setattr(buckets, "CHUNK", 60)
    with SqliteStore(path) as store:
        for name in ("main", "other"):
            memory = store.memory(name)
            memory.write_many([f"{name} joe went to room {n}" for n in range(120)])
            memory.vectors(Hashes())
            memory.delete([7, 100])
            memory.write_many(["one more", "and another"])
            turns = [
                Turn(f"speaker {n}", "2020-01-01T00:00:00Z", "s", {"n": n}) for n in range(120)
            ]
            memory.write_many([f"said in room {n}" for n in range(120)], turns=turns)
            for n in range(40):
                memory.teach(f"Who was in room {n}?", [n + 1] if n != 6 else [])
    return path


def contents(path):
    """Everything that a user can get out of a store."""
    with SqliteStore(path, create=False) as store:
        return {
            name: (
                list(memory.scan()),
                memory.last_id,
                len(memory),
                memory.candidates().tolist(),
                memory.lessons(),
                memory.frequencies(["joe", "room", "77"]),
                [memory.candidates(buckets=[b]).tolist() for b in ("joe", "room", "77", "more")],
            )
            for name in store.names()
            for memory in [store.memory(name)]
        }


def test_a_good_store_is_good(full):
    findings = verify(full)
    assert findings.ok
    assert findings.problems == findings.repaired == []


def test_flipped_bits_in_the_database(full):
    """Whatever bit flips: it is reported, or nothing that can be read has changed."""
    rng, good, expected = random.Random(0), full.read_bytes(), contents(full)
    reported = 0
    for _ in range(FLIPS):
        bad = bytearray(good)
        bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        full.write_bytes(bad)
        try:
            found = not verify(full).ok
        except memnn.MemoryStoreError:  # no store any more, or one of the future
            found = True
        reported += found
        if not found:
            assert contents(full) == expected
    assert reported > FLIPS // 4
    full.write_bytes(good)
    assert verify(full).ok


def test_a_changed_text_is_named(full):
    full.write_bytes(
        full.read_bytes().replace(b"main joe went to room 42", b"main joe went to room 43")
    )
    findings = verify(full)
    assert any("statement 43 was changed" in line for line in findings.problems)
    assert not verify(full, repair=True).ok, "text is the truth and cannot be made anew"


def test_a_flipped_byte_in_the_vectors_is_found_and_rebuilt(full):
    for file in sorted(full.parent.glob("*-vectors-*")):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    findings = verify(full)
    assert len(findings.problems) == 2
    assert all("vectors are damaged" in line for line in findings.problems)
    findings = verify(full, repair=True)
    assert findings.ok
    assert len(findings.repaired) == 2
    assert verify(full).ok
    with SqliteStore(full) as store:
        for name in ("main", "other"):
            ids, array = store.memory(name).vectors(Hashes())
            assert (array == Hashes().embed([s.text for s in store.memory(name).scan()])).all()
            assert ids.tolist() == store.memory(name).candidates().tolist()
    assert verify(full).ok


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ("UPDATE buckets SET first = first + 1 WHERE bucket = 'joe'", "buckets"),
        ("DELETE FROM buckets WHERE bucket = '77'", "buckets"),
        ("UPDATE memories SET indexed = 3", "row|buckets|pages"),
        ("UPDATE buckets SET ids = x'09ff' WHERE bucket = 'room'", "buckets"),
        ("UPDATE bucket_sizes SET count = count + 1", "buckets"),
        ("DELETE FROM bucket_sizes", "buckets"),
        ("UPDATE vectors SET until = until - 1", "vectors"),
        ("UPDATE pages SET crc = crc + 1", "pages"),
        ("DELETE FROM pages", "pages"),
        ("UPDATE memories SET count = count + 1", "row|counts"),
    ],
)
def test_what_can_be_made_anew_is_repaired(full, change, word):
    expected = contents(full)
    connection = sqlite3.connect(full)
    connection.execute(change)
    connection.commit()
    connection.close()
    findings = verify(full)
    assert not findings.ok
    assert all(re.search(word, line) for line in findings.problems)
    assert verify(full, repair=True).ok
    assert verify(full).ok
    assert contents(full) == expected


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM slots WHERE id = 5",
        "UPDATE memories SET name = 'mein' WHERE name = 'main'",
        "UPDATE memories SET last_id = 1",
        "UPDATE slots SET memory = 9 WHERE id = 5 AND memory = 1",
        "UPDATE slots SET time = time + 1 WHERE id = 5",
        "UPDATE slots SET id = 1000 WHERE id = 5",
    ],
)
def test_what_somebody_else_changed_is_found(full, change):
    connection = sqlite3.connect(full)
    connection.execute(change)
    connection.commit()
    connection.close()
    assert not verify(full).ok


def test_what_is_no_store_cannot_be_verified(tmp_path):
    (tmp_path / "a").write_text("hello " * 1_000)
    for name in ("a", "none"):
        with pytest.raises(memnn.MemoryStoreError):
            verify(tmp_path / name)
    assert not (tmp_path / "none").exists()
