"""Lessons in a store: a row each, with a checksum; one goes with the first slot it names."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence

from memnn.memory.sqlite.checksums import Changed
from memnn.types import Lesson


def put(connection: sqlite3.Connection, key: int, lesson: Lesson) -> None:
    ids = json.dumps(lesson.ids)
    connection.execute(
        "INSERT OR REPLACE INTO lessons VALUES (?, ?, ?, ?, ?)",
        (key, lesson.as_of, lesson.question, ids, _crc(key, lesson.as_of, lesson.question, ids)),
    )


def all_of(connection: sqlite3.Connection, key: int) -> list[Lesson]:
    lessons = []
    for question, ids, as_of, fits in _rows(connection, key):
        if not fits:
            raise Changed(
                f"the lesson '{str(question)[:40]}' was changed on disk; take it back "
                "(memory.unteach) and teach it again, or use a backup"
            )
        lessons.append(Lesson(question, tuple(json.loads(ids)), as_of))
    return lessons


def remove(connection: sqlite3.Connection, key: int, question: str) -> None:
    connection.execute("DELETE FROM lessons WHERE memory = ? AND question = ?", (key, question))


def forget(connection: sqlite3.Connection, key: int, slots: Iterable[int]) -> None:
    """Delete the lessons that name one of these slots: they speak of what is gone."""
    gone = set(slots)
    connection.executemany(
        "DELETE FROM lessons WHERE memory = ? AND as_of = ? AND question = ?",
        [
            (key, as_of, question)
            for question, ids, as_of, fits in _rows(connection, key)
            if fits and not gone.isdisjoint(json.loads(ids))
        ],
    )


def damaged(connection: sqlite3.Connection, key: int, there: Sequence[int]) -> list[str]:
    """What is wrong with lessons, a line each."""
    slots, found = set(there), []
    for question, ids, as_of, fits in _rows(connection, key):
        about = f"the lesson '{question[:40]}' as of {as_of}"
        if not fits:
            found.append(f"{about} was changed; teach it again")
        elif not slots.issuperset(json.loads(ids)):
            found.append(f"{about} names a statement that is not there; teach it again")
    return found


def _rows(connection: sqlite3.Connection, key: int) -> list[tuple[str, str, int, bool]]:
    """Question, ids, moment, and whether they are as they were written."""
    rows = connection.execute(
        "SELECT question, ids, as_of, crc FROM lessons WHERE memory = ? ORDER BY as_of, question",
        (key,),
    )
    return [(q, ids, as_of, _crc(key, as_of, q, ids) == crc) for q, ids, as_of, crc in rows]


def guard(connection: sqlite3.Connection) -> None:
    """Let the checksums of an older version cover the memory, too."""
    rows = connection.execute("SELECT memory, as_of, question, ids, crc FROM lessons").fetchall()
    connection.executemany(
        "UPDATE lessons SET crc = ? WHERE memory = ? AND as_of = ? AND question = ?",
        [
            (_crc(key, as_of, question, ids), key, as_of, question)
            for key, as_of, question, ids, crc in rows
            if zlib.crc32(f"{as_of} {ids} {question}".encode()) == crc
        ],
    )


def _crc(key: int, as_of: int, question: str, ids: str) -> int:
    return zlib.crc32(f"{key} {as_of} {ids} {question}".encode())
