"""The embedded store: names, freshness, sharing, migrations, and what it refuses."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import zlib
from itertools import pairwise

import numpy as np
import pytest

import memnn
from memnn.memory.address import verify
from memnn.memory.sqlite import buckets
from memnn.memory.sqlite.migrations import APPLICATION, VERSION, migrate
from memnn.memory.sqlite.state import micros, slot_crc, time_text
from memnn.memory.sqlite.store import SqliteStore
from tests.memory.older import memory_crc, take_back

NAMES = [
    "main",
    "../../etc/passwd",
    "C:\\x",
    "a/b",
    "Grüße",
    "'; DROP TABLE slots; --",
    "%00",
    " x",
]


def texts(memory):
    return [slot.text for slot in memory.scan()]


def test_names_are_isolated_and_no_paths(store, path):
    for name in NAMES:
        memory = store.memory(name)
        memory.write_many([f"told to {name}", "and more"])
        memory.delete([2])
    assert store.names() == sorted(NAMES)
    for name in NAMES:
        memory = store.memory(name)
        assert texts(memory) == [f"told to {name}"]
        assert memory.last_id == 2
        assert memory.candidates(buckets=["told"]).tolist() == [1]
    assert {file.name for file in path.parent.iterdir()} <= {
        "store.db", "store.db-wal", "store.db-shm"
    }  # fmt: skip


@pytest.mark.parametrize("name", ["", "  ", "a\0b", "a\nb", "\ud800", "x" * 201, None, 5])
def test_names_that_are_none(store, name):
    with pytest.raises(memnn.InputError, match="name of a memory"):
        store.memory(name)


def test_a_memory_that_is_only_read_leaves_no_trace(store):
    memory = store.memory("typo")
    assert (len(memory), memory.last_id, memory.candidates().tolist()) == (0, 0, [])
    assert memory.candidates(buckets=["a"]).tolist() == []
    assert store.names() == []


def test_two_handles_see_each_other_at_once(path):
    with SqliteStore(path) as one, SqliteStore(path) as other:
        a, b = one.memory(), other.memory()
        for number in range(5):
            a.write(f"statement {number} of joe")
            assert b.last_id == len(b) == number + 1
            assert b.candidates().tolist() == a.candidates().tolist()
            assert b.candidates(buckets=["joe"]).tolist() == a.candidates().tolist()
        before = a.deletions
        b.delete([3])
        assert a.deletions > before
        assert a.candidates().tolist() == a.candidates(buckets=["joe"]).tolist() == [1, 2, 4, 5]


def test_a_memory_deleted_and_begun_anew_is_no_old_acquaintance(path):
    with SqliteStore(path) as one, SqliteStore(path) as other:
        memory = one.memory()
        memory.write_many(["old joe", "old fred"])
        memory.candidates(), memory.candidates(buckets=["old"])
        before = memory.deletions
        other.drop("main")
        assert (len(memory), memory.last_id, texts(memory)) == (0, 0, [])
        assert memory.deletions > before
        other.memory().write_many(["new joe", "new fred"])
        assert memory.deletions > before
        assert memory.candidates(buckets=["old"]).tolist() == []
        assert memory.candidates(buckets=["new"]).tolist() == [1, 2]
        with pytest.raises(memnn.InputError, match="no memory 'none'"):
            other.drop("none")


def test_ids_are_not_used_again_after_reopening(path):
    with SqliteStore(path) as store:
        store.memory().write_many(["a", "b"])
        store.memory().delete([2])
    with SqliteStore(path) as store:
        assert store.memory().write("c").id == 3


def test_chunks_hold_what_is_put_into_them(store, monkeypatch):
    """Words in every memory, in few, in one; ids with gaps of every width."""
    monkeypatch.setattr(buckets, "EVERY", 100)
    memory, told = store.memory(), {}
    id = 0
    slots = []
    for number in range(3_000):
        id += {0: 1, 1: 200, 2: 50_000}.get(number % 700, 1) if number < 2_990 else 2**40
        words = {"all", f"w{number % 7}", f"rare{number}"}
        slots.append(memnn.Slot(id, " ".join(sorted(words)), "2001-01-01T00:00:00Z"))
        told[id] = words
    for start in range(0, len(slots), 50):
        memory.write_slots(slots[start : start + 50])
    memory.delete(gone := [i for i in told if i % 11 == 0])
    for i in gone:
        del told[i]
    for bucket in ("all", "w3", "rare5", "rare2999", "none"):
        expected = [i for i, words in told.items() if bucket in words]
        assert memory.candidates(buckets=[bucket]).tolist() == expected
    both = memory.candidates(buckets=["w1", "w2", "rare5"]).tolist()
    assert both == [i for i, words in told.items() if words & {"w1", "w2", "rare5"}]
    assert verify(store.path).problems == []


def test_many_threads_write_and_read(store):
    memory, errors, mine = store.memory(), [], {}

    def work(number):
        try:
            mine[number] = []
            for turn in range(40):
                slot = memory.write(f"thread {number} turn {turn}")
                mine[number].append(slot)
                assert memory.read([slot.id]) == [slot]
                assert slot.id in memory.candidates(buckets=[f"{number}"])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(s.id for slots in mine.values() for s in slots) == list(range(1, 321))
    assert all(a.id < b.id for slots in mine.values() for a, b in pairwise(slots))


def test_one_refused_write_leaves_those_that_wait_with_it_alone(store):
    memory = store.memory()
    memory.write("first", id=5)
    results = []

    def write(id):
        try:
            results.append(memory.write("x", id=id).id)
        except memnn.InputError:
            results.append("refused")

    with store._writes._turn:  # all wait, and then share one commit
        threads = [threading.Thread(target=write, args=(id,)) for id in (3, 4, None, None)]
        for thread in threads:
            thread.start()
        while len(store._writes._waiting) < 4:
            pass
    for thread in threads:
        thread.join()
    assert sorted(map(str, results)) == ["6", "7", "refused", "refused"]
    assert memory.candidates().tolist() == [5, 6, 7]


WRITER = """
import sys
from memnn.memory.sqlite.store import SqliteStore
with SqliteStore(sys.argv[1]) as store:
    for turn in range(60):
        store.memory().write(f"writer {sys.argv[2]} turn {turn}")
"""


def test_several_writing_processes_wait_for_each_other(path):
    """They also make the store at the same time."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(n)], env=env, stderr=subprocess.PIPE
        )
        for n in range(4)
    ]
    for writer in writers:
        _, err = writer.communicate(timeout=600)
        assert writer.returncode == 0, err.decode()
    with SqliteStore(path) as store:
        slots = list(store.memory().scan())
    assert [slot.id for slot in slots] == list(range(1, 241))
    for n in range(4):
        turns = [slot.text for slot in slots if slot.text.startswith(f"writer {n} ")]
        assert turns == [f"writer {n} turn {turn}" for turn in range(60)]


def test_a_fork_and_a_closed_store_are_said(store):
    memory = store.memory()
    child = os.fork()
    if child == 0:
        try:
            memory.write("a")
        except memnn.MemoryStoreError as error:
            os._exit(0 if "forked" in str(error) else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    store.close()
    with pytest.raises(memnn.MemoryStoreError, match="closed"):
        memory.write("a")


@pytest.mark.parametrize("version", range(1, VERSION))
def test_an_old_store_opens(path, version):
    """A store as each earlier version left it, with statements, gets what it lacks."""
    old = sqlite3.connect(path, isolation_level=None)
    old.execute("PRAGMA journal_mode=WAL")
    old.execute("BEGIN")
    migrate(old, version)
    time = micros(memnn.memory.protocol.parse_time("2001-01-01T00:00:00Z"))
    old.execute(
        "INSERT INTO memories (name, last_id, last_time, count, deletions, crc)"
        " VALUES ('main', 9, ?, 2, 1, ?)",
        (time, memory_crc("main", 9, time, 2, 1)),
    )
    for id, text in ((2, "Joe went home."), (7, "Joe left.")):
        row = (id, time, None, slot_crc(id, time, "", text), text)
        old.execute("INSERT INTO slots VALUES (1, ?, ?, ?, ?, ?)", row)
    old.execute("UPDATE changes SET deletions = 1")
    if version > 1:
        old.execute("UPDATE memories SET indexed = 7")
        for word, ids in (("joe", [2, 7]), ("went", [2]), ("home", [2]), ("left", [7])):
            chunk = buckets.encode(np.array(ids))
            old.execute("INSERT INTO buckets VALUES (1, ?, ?, ?)", (word, ids[0], chunk))
    if version > 3:
        kept = b"an overview"
        old.execute("INSERT INTO kept VALUES (1, 'o', ?, ?)", (zlib.crc32(kept), kept))
    if version > 4:
        crc = zlib.crc32(b"9 [7] Who left?")
        old.execute("INSERT INTO lessons VALUES (1, 9, 'Who left?', '[7]', ?)", (crc,))
    old.execute("COMMIT")
    old.close()
    with SqliteStore(path) as store:
        memory = store.memory()
        assert texts(memory) == ["Joe went home.", "Joe left."]
        assert memory.candidates(buckets=["joe"]).tolist() == [2, 7]
        assert memory.candidates(buckets=["left"]).tolist() == [7]
        assert memory.write("Fred left.").id == 10
        assert memory.candidates(buckets=["left"]).tolist() == [7, 10]
        assert memory.kept("o") == (b"an overview" if version > 3 else None)
        assert len(memory.lessons()) == (version > 4)
    assert verify(path).problems == []


def test_what_an_old_store_had_lost_is_not_blessed(path):
    """The step that brings checksums for pages takes over none that did not fit."""
    with SqliteStore(path) as store:
        store.memory().write_many([f"joe went to room {n}" for n in range(3_000)])
        with store.database.writing() as connection:
            connection.execute("UPDATE slots SET text = 'joe went nowhere' WHERE id = 1500")
            take_back(connection, 5)
    with SqliteStore(path) as store:
        memory = store.memory()
        assert len(memory.candidates(buckets=["joe"])) == 3_000
        for read in (lambda: list(memory.pages()), lambda: list(memory.scan())):
            with pytest.raises(memnn.errors.DamagedStore, match="statement 1500 of memory 'main'"):
                read()
        memory.delete([1500])
        assert sum(len(ids) for ids, _ in memory.pages()) == 2_999
    assert verify(path).problems == []


def test_a_newer_store_is_refused(path):
    SqliteStore(path).close()
    newer = sqlite3.connect(path)
    newer.execute(f"PRAGMA user_version={VERSION + 1}")
    newer.close()
    data = path.read_bytes()
    with pytest.raises(memnn.MemoryStoreError, match=rf"version {VERSION + 1} .* newer memnn"):
        SqliteStore(path)
    assert path.read_bytes() == data


def test_paths_that_are_no_store(tmp_path):
    (tmp_path / "text").write_text("Joe went home.\n" * 1_000)
    (tmp_path / "short").write_bytes(b"\0")
    (tmp_path / "folder").mkdir()
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE a (b)")
    other.commit()
    other.close()
    for name in ("text", "short", "folder", "other.db"):
        before = None if name == "folder" else (tmp_path / name).read_bytes()
        with pytest.raises(memnn.MemoryStoreError, match="not a memory store") as refusal:
            SqliteStore(tmp_path / name)
        assert "\n" not in str(refusal.value)
        assert before is None or (tmp_path / name).read_bytes() == before
    for bad in ("", "a\0b", tmp_path / "no" / "folder" / "x.db", tmp_path / ("x" * 300)):
        with pytest.raises(memnn.MemoryStoreError):
            SqliteStore(bad)
    (tmp_path / "empty").touch()
    with pytest.raises(memnn.MemoryStoreError, match="empty"):
        SqliteStore(tmp_path / "empty", create=False)
    with SqliteStore(tmp_path / "empty") as store:  # as a temporary file is made
        store.memory().write("a")
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "empty",
        "folder",
        "other.db",
        "short",
        "text",
    ]


def test_full_disk(small_disk):
    path = small_disk / "store.db"
    with SqliteStore(path) as store:
        memory, told = store.memory(), []

        def fill():
            for number in range(10_000):
                text = f"{number} " + "x" * 9_000
                memory.write(text)
                told.append(text)

        with pytest.raises(memnn.MemoryStoreError, match="disk is full"):
            fill()
        assert told
        assert texts(memory) == told, "what was acknowledged is there, and no more"
        with pytest.raises(memnn.MemoryStoreError, match="disk is full"):
            memory.write_many(["y" * 9_000] * 300)
        subprocess.run(["mount", "-o", "remount,size=9m", str(small_disk)], check=True)
        memory.write("there is room again")
        store.compact()
        assert texts(memory)[-1] == "there is room again"
    assert verify(path).problems == []


def test_full_disk_while_embedding(small_disk):
    class Wide:
        id, dim = "wide", 4_000

        def embed(self, texts):
            import numpy as np

            return np.ones((len(texts), self.dim), np.float16)

    path = small_disk / "store.db"
    with SqliteStore(path) as store:
        memory = store.memory()
        memory.write_many([f"statement {n}" for n in range(500)])
        with pytest.raises(memnn.MemoryStoreError, match=r"vectors .* No space"):
            memory.vectors(Wide())
        memory.write("usable")
        assert len(memory) == 501
    assert verify(path).problems == []


def test_read_only_folder(small_disk):
    path = small_disk / "store.db"
    with SqliteStore(path) as store:
        store.memory().write("a")
    remount = ["mount", "-o", "remount,ro", str(small_disk)]
    subprocess.run(remount, check=True)
    for where in (path, small_disk / "new.db"):
        with pytest.raises(memnn.MemoryStoreError, match="can be written"):
            SqliteStore(where).memory().write("b")
    subprocess.run([*remount[:2], "remount,rw", str(small_disk)], check=True)
    with SqliteStore(path) as store:
        store.memory().write("c")
        assert texts(store.memory()) == ["a", "c"]


def test_a_folder_without_permission(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(memnn.MemoryStoreError, match="can be written"):
            SqliteStore(tmp_path / "store.db")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("text", ["a\0b", "x" * 2**20, "\ud800", ""])
def test_texts_that_cannot_be_kept(store, text):
    memory = store.memory()
    for call in (memory.write, lambda t: memory.write_many(["fine", t])):
        with pytest.raises(memnn.InputError):
            call(text)
    assert len(memory) == 0
    assert store.names() == []


def test_times_are_kept_to_the_microsecond():
    for text in (
        "0001-01-01T00:00:00.000001Z",
        "2026-02-28T23:59:59.999999Z",
        "9999-12-31T23:59:59.999999Z",
    ):
        assert time_text(micros(memnn.memory.protocol.parse_time(text))) == text


def test_source_is_kept(store):
    memory = store.memory()
    memory.write("a", source="diary.txt")
    memory.write_many(["b"], source="letter")
    memory.write("c")
    assert [slot.source for slot in memory.scan()] == ["diary.txt", "letter", ""]


def test_the_file_says_what_it_is(store):
    with store.database.reading() as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA secure_delete").fetchone() == (1,)
