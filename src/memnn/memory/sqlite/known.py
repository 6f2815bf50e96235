"""What a process remembers of a memory between questions: its ids, and the newest texts.

Both are those of one key, which no other memory ever has, and start afresh with a deletion. This is
no `memory.follow` cache: that one asks a memory what changed, and this is what a memory answers
with. It must fit the state that was read in the same transaction, not a later one.
"""

from __future__ import annotations

import sqlite3
import threading
from bisect import bisect_right
from collections.abc import Iterable

import numpy as np

from memnn.memory.protocol import parse_time
from memnn.memory.sqlite import buckets
from memnn.memory.sqlite.buckets import Ids
from memnn.memory.sqlite.checksums import statement_changed, statements_changed
from memnn.memory.sqlite.state import MemoryRow, checked_rows, micros


class KnownIds:
    """Ids and the buckets of what is in no chunk yet, for any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ids_of: tuple[int, int] | None = None
        self._ids = np.zeros(64, np.int64)
        self._count = self._last = 0
        self._tail_of: tuple[int, int, int] | None = None
        self._tail: dict[str, list[int]] = {}
        self._tail_last = 0

    def ids(self, connection: sqlite3.Connection, state: MemoryRow) -> Ids:
        with self._lock:
            if self._ids_of != (state.key, state.deletions):
                self._ids_of = (state.key, state.deletions)
                self._ids = np.zeros(max(64, state.count), np.int64)
                self._count = self._last = 0
            new = state.count - self._count
            if new > 0:
                if state.count > len(self._ids):
                    more = np.zeros(max(state.count, 2 * len(self._ids)), np.int64)
                    more[: self._count] = self._ids[: self._count]
                    self._ids = more
                self._ids[self._count : state.count] = _new_ids(connection, state, self._last, new)
                self._count, self._last = state.count, state.last_id
            # A reader of an older moment sees fewer of the same.
            return self._ids[: state.count]

    def in_buckets(
        self, connection: sqlite3.Connection, state: MemoryRow, wanted: Iterable[str]
    ) -> Ids:
        names = set(wanted)
        parts = [chunk for name in names for chunk in buckets.find(connection, state.key, name)]
        with self._lock:
            self._read_tail(connection, state)
            tail = {id for name in names for id in self._tail.get(name, ()) if id <= state.last_id}
        parts.append(np.array(sorted(tail), np.int64))
        return buckets.union(parts) if len(names) > 1 else np.concatenate(parts)

    def frequencies(
        self, connection: sqlite3.Connection, state: MemoryRow, wanted: Iterable[str]
    ) -> dict[str, int]:
        names = set(wanted)
        found = {name: buckets.count(connection, state.key, name) for name in names}
        with self._lock:
            self._read_tail(connection, state)
            for name in names:
                found[name] += bisect_right(self._tail.get(name, ()), state.last_id)
        return found

    def _read_tail(self, connection: sqlite3.Connection, state: MemoryRow) -> None:
        """The buckets of the memories that are in no chunk yet."""
        if self._tail_of != (state.key, state.deletions, state.indexed):
            self._tail_of = (state.key, state.deletions, state.indexed)
            self._tail, self._tail_last = {}, state.indexed
        if self._tail_last < state.last_id:
            rows = checked_rows(connection, state, self._tail_last)
            for name, ids in buckets.collect((row[0], row[1]) for row in rows).items():
                self._tail.setdefault(name, []).extend(ids)
            self._tail_last = state.last_id


def _new_ids(connection: sqlite3.Connection, state: MemoryRow, after: int, count: int) -> Ids:
    if count == state.last_id - after:  # without gaps, as nearly always
        return np.arange(after + 1, state.last_id + 1, dtype=np.int64)
    rows = connection.execute(
        "SELECT id FROM slots WHERE memory = ? AND id > ? ORDER BY id", (state.key, after)
    )
    ids = [id for (id,) in rows]
    if len(ids) != count or not all(isinstance(id, int) for id in ids):
        raise statements_changed(state.name)
    return np.array(ids, np.int64)


def until(connection: sqlite3.Connection, state: MemoryRow, ids: Ids, limit: str) -> int:
    """How many of these memories were written until a time; times grow with ids."""

    def time_of(id: int) -> int:
        rows = checked_rows(connection, state, int(id) - 1, int(id))
        if not rows:
            raise statement_changed(id, state.name)
        return rows[0][2]

    return bisect_right(ids, micros(parse_time(limit)), key=time_of)
