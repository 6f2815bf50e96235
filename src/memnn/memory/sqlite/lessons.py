"""Lessons in a store: a row each, with a checksum; one goes with the first slot it names."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence

from memnn.types import Lesson


def put(connection: sqlite3.Connection, key: int, lesson: Lesson) -> None:
    ids = json.dumps(lesson.ids)
    connection.execute(
        "INSERT OR REPLACE INTO lessons VALUES (?, ?, ?, ?, ?)",
        (key, lesson.as_of, lesson.question, ids, _crc(lesson.as_of, lesson.question, ids)),
    )


def all_of(connection: sqlite3.Connection, key: int) -> list[Lesson]:
    rows = connection.execute(
        "SELECT question, ids, as_of FROM lessons WHERE memory = ? ORDER BY as_of, question", (key,)
    )
    return [Lesson(question, tuple(json.loads(ids)), as_of) for question, ids, as_of in rows]


def remove(connection: sqlite3.Connection, key: int, question: str) -> None:
    connection.execute("DELETE FROM lessons WHERE memory = ? AND question = ?", (key, question))


def forget(connection: sqlite3.Connection, key: int, slots: Iterable[int]) -> None:
    """Delete the lessons that name one of these slots: they speak of what is gone."""
    gone = set(slots)
    connection.executemany(
        "DELETE FROM lessons WHERE memory = ? AND as_of = ? AND question = ?",
        [
            (key, lesson.as_of, lesson.question)
            for lesson in all_of(connection, key)
            if not gone.isdisjoint(lesson.ids)
        ],
    )


def damaged(connection: sqlite3.Connection, key: int, there: Sequence[int]) -> list[str]:
    """What is wrong with lessons, a line each."""
    slots, found = set(there), []
    for as_of, question, ids, crc in connection.execute(
        "SELECT as_of, question, ids, crc FROM lessons WHERE memory = ?", (key,)
    ):
        about = f"the lesson '{question[:40]}' as of {as_of}"
        if _crc(as_of, question, ids) != crc:
            found.append(f"{about} was changed; teach it again")
        elif not slots.issuperset(json.loads(ids)):
            found.append(f"{about} names a statement that is not there; teach it again")
    return found


def _crc(as_of: int, question: str, ids: str) -> int:
    return zlib.crc32(f"{as_of} {ids} {question}".encode())
