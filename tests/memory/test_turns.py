"""Who said something and when, and lessons about questions: kept, checked, copied, and deleted."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys

import pytest

import memnn
from memnn.memory.address import verify
from memnn.memory.copy import copy, from_lines, to_lines, write_lines
from memnn.memory.sqlite.migrations import VERSION, migrate
from memnn.memory.sqlite.state import slot_crc
from memnn.memory.sqlite.store import SqliteStore
from memnn.types import Lesson, Turn
from tests.memory.older import memory_crc, take_back
from tests.memory.test_deletion import occurrences

SECRET = Turn("Xanthippe", "0399-05-07T12:00:00Z", "zirconium", {"where": "Piraeus"}, supersedes=1)
NEEDLES = [b"Xanthippe", b"zirconium", b"Piraeus", b"hemlock"]


@pytest.fixture
def told(store):
    memory = store.memory("told")
    memory.write_many(["Joe went home.", "Ann came."], turns=[None, Turn(speaker="Ann")])
    memory.write("He is gone.", turn=SECRET)
    memory.teach("Who drank the hemlock?", [3])
    memory.teach("Who came?", [2])
    memory.teach("Who slept?")
    return memory


@pytest.mark.parametrize("whole", [False, True], ids=["statement", "whole-memory"])
def test_bytes_are_gone_after_compact(store, path, told, whole):
    assert {needle for _, needle in occurrences(path.parent, *NEEDLES)} == set(NEEDLES)
    if whole:
        store.drop("told")
        assert told.lessons() == []
    else:
        told.delete([3])
        assert [lesson.question for lesson in told.lessons()] == ["Who came?", "Who slept?"]
    store.compact()
    assert occurrences(path.parent, *NEEDLES) == []
    assert verify(path).problems == []
    told.write("Xanthippe is back.")
    assert [slot.turn for slot in told.scan()][-1] is None


def test_a_lesson_that_was_taken_back_leaves_no_bytes(store, path, told):
    told.unteach("Who drank the hemlock?")
    store.compact()
    assert occurrences(path.parent, b"hemlock") == []


def test_a_copy_has_turns_and_lessons(told, tmp_path):
    others = [memnn.RamMemory(), memnn.open_memory(tmp_path / "other.db")]
    for other in others:
        assert copy(told, other) == 3
        assert copy(told, other) == 0, "a copy that goes on finds the same"
        assert list(other.scan()) == list(told.scan())
        assert other.lessons() == told.lessons()
        other.close()
    changed = memnn.RamMemory()
    changed.write_slots(told.read([1, 2]))
    changed.write("He is gone.", time=told.read([3])[0].time)
    with pytest.raises(memnn.InputError, match="other statements"):
        copy(told, changed)


def test_lines_of_json_have_turns_and_lessons(told, store):
    lines = list(to_lines(told))
    about = [json.loads(line) for line in lines]
    assert about[0].keys() == {"id", "text", "time"}, "nothing of what was not told"
    assert about[1]["speaker"] == "Ann"
    assert about[2]["said"] == "0399-05-07T12:00:00.000000Z"
    assert about[3] == {"question": "Who came?", "ids": [2], "as_of": 3}
    back = store.memory("back")
    write_lines(back, from_lines(lines, "file", 0))
    assert list(back.scan()) == list(told.scan())
    assert back.lessons() == told.lessons()
    assert list(to_lines(back)) == lines


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('{"text": "a", "speaker": ""}', "speaker"), ('{"text": "a", "said": "noon"}', "RFC 3339"),
        ('{"text": "a", "meta": [1]}', "meta"), ('{"text": "a", "supersedes": "x"}', "id"),
        ('{"question": "Who?", "ids": 5}', "list"), ('{"question": "Who?", "ids": [9]}', "after 1"),
        ('{"question": ""}', "nothing"),
    ],
)  # fmt: skip
def test_lines_that_are_wrong_are_named(line, word):
    with pytest.raises(memnn.InputError, match=f"file:2.*{word}"):
        from_lines(['{"text": "fine"}', line], "file", 0)


def test_a_line_about_what_is_not_there_writes_nothing(store):
    memory = store.memory()
    memory.write_many(["a", "b"])
    memory.delete([1])
    lines = from_lines(['{"text": "c"}', '{"question": "Who?", "ids": [1, 3]}'], "file", 2)
    with pytest.raises(memnn.InputError, match="no memory with id 1"):
        write_lines(memory, lines)
    assert len(memory) == 1


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ("UPDATE turns SET speaker = 'Joe' WHERE id = 2", "statement 2 was changed"),
        ("UPDATE turns SET said = said + 1 WHERE id = 3", "statement 3 was changed"),
        ("UPDATE turns SET meta = '{}' WHERE id = 3", "statement 3 was changed"),
        ("UPDATE turns SET supersedes = 2 WHERE id = 3", "statement 3 was changed"),
        ("DELETE FROM turns WHERE id = 2", "statement 2 was changed"),
        (
            "INSERT INTO turns VALUES (1, 1, 'Joe', NULL, NULL, NULL, NULL)",
            "statement 1 was changed",
        ),
        ("UPDATE lessons SET ids = '[1]' WHERE ids = '[2]'", "'Who came.' as of 3 was changed"),
        ("UPDATE lessons SET question = 'Who?' WHERE ids = '[2]'", "'Who.' as of 3 was changed"),
        ("UPDATE lessons SET memory = 7", "rows of lessons belong to no memory"),
    ],
)
def test_what_somebody_changed_is_found(store, path, told, change, word):
    assert verify(path).problems == []
    with store.database.writing() as connection:
        connection.execute(change)
    assert any(re.search(word, line) for line in verify(path).problems)


def test_an_older_memnn_that_deletes_leaves_turns_that_are_repaired(store, path, told):
    with store.database.writing() as connection:
        connection.execute("DELETE FROM slots WHERE id = 3")
        connection.execute("DELETE FROM lessons")
        connection.execute("UPDATE memories SET count = 2")
    assert any("1 turns are of statements" in line for line in verify(path).problems)
    assert any("1 turns are of statements" in line for line in verify(path, repair=True).repaired)
    with store.database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM turns").fetchone() == (1,)


KILLED = """
import os, sys
from memnn.memory.sqlite import migrations
step = migrations.STEPS[-1]
def half_way(connection):
    step(connection)
    connection.execute("INSERT INTO turns VALUES (1, 1, 'nobody', NULL, NULL, NULL, NULL)")
    connection.execute(f"PRAGMA user_version={len(migrations.STEPS)}")
    os._exit(9)
migrations.STEPS = (*migrations.STEPS[:-1], half_way)
from memnn.memory.sqlite.store import SqliteStore
SqliteStore(sys.argv[1])
"""


def test_a_migration_that_was_killed_is_taken_again(path):
    old = sqlite3.connect(path, isolation_level=None)
    old.execute("PRAGMA journal_mode=WAL")
    old.execute("BEGIN")
    migrate(old, VERSION - 1)
    crc = memory_crc("main", 1, 0, 1, 0)
    old.execute("INSERT INTO memories VALUES (1, 'main', 1, 0, 1, 0, ?, 0)", (crc,))
    row = (slot_crc(1, 0, "", "Joe left."), "Joe left.")
    old.execute("INSERT INTO slots VALUES (1, 1, 0, NULL, ?, ?)", row)
    old.execute("COMMIT")
    old.close()
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], env=env, check=False)
    assert done.returncode == 9
    with SqliteStore(path) as store:
        memory = store.memory()
        assert [(s.text, s.turn) for s in memory.scan()] == [("Joe left.", None)]
        memory.write("Ann came.", turn=Turn(speaker="Ann"))
        assert memory.read([2])[0].speaker == "Ann"
        assert memory.teach("Who came?", [2]) == Lesson("Who came?", (2,), 2)


def test_sizes_of_buckets_come_with_the_migration(path, monkeypatch):
    """A store in which a word is in several chunks, as version 4 left it."""
    from memnn.memory.sqlite import buckets

    monkeypatch.setattr(buckets, "EVERY", 1)
    monkeypatch.setattr(buckets, "CHUNK", 3)
    with SqliteStore(path) as store:
        memory = store.memory()
        for number in range(8):
            memory.write(f"joe {number}")
        memory.write("joe far away", id=1000)
        memory.delete([4])
        with store.database.writing() as connection:
            before = connection.execute("SELECT * FROM bucket_sizes").fetchall()
            assert [row[:3] for row in before] == [(1, "joe", 8)]
            take_back(connection, 4)
    with SqliteStore(path) as store:
        with store.database.reading() as connection:
            assert connection.execute("SELECT * FROM bucket_sizes").fetchall() == before
        assert store.memory().frequencies(["joe", "7", "tea"]) == {"joe": 8, "7": 1, "tea": 0}
    assert verify(path).problems == []


def test_a_turn_is_the_memorys_own(store):
    """What the caller does with the JSON afterwards is no business of the memory."""
    for memory in (memnn.RamMemory(), store.memory("own")):
        meta = {"tags": ["a"]}
        slot = memory.write("Joe left.", turn=Turn(meta=meta))
        meta["tags"].append("b")
        assert memory.read([slot.id])[0].turn == Turn(meta={"tags": ["a"]})
        assert {slot: 1}[slot], "a slot can be a key"
