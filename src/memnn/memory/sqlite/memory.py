"""The embedded store: many named memories in one file, and vectors beside it as a cache.

What is written is on the disk when `write` returns. Writes that threads make at the same time
share one commit, since a commit costs a wait for the disk and a statement hardly anything.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from time import time_ns
from typing import NamedTuple

import numpy as np

from memnn.errors import InputError, MemoryStoreError
from memnn.memory.protocol import (
    AsOf,
    Changes,
    Memory,
    check_id,
    check_name,
    check_text,
    is_id,
    parse_time,
    resolve_as_of,
    timestamp,
)
from memnn.memory.sqlite import buckets, vectors
from memnn.memory.sqlite.buckets import Ids
from memnn.memory.sqlite.database import Database
from memnn.types import Slot

PAGE = 10_000
"""Slots read at once: a reader in no hurry must not hold an old state of the file."""
FIRST_PAGE = 1_000
FEW = 500
"""Ids in one query."""
MOST_KEPT, OVERVIEWS = 100_000_000, 4
"""Bytes of an overview that is worth keeping, and models whose overviews are."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST = -(2**62)


@dataclass(frozen=True, slots=True)
class State:
    """The row of a memory; a memory without one is empty and has key 0."""

    key: int
    name: str
    last_id: int
    last_time: int
    count: int
    deletions: int
    indexed: int

    @property
    def crc(self) -> int:
        told = f"{self.name} {self.last_id} {self.last_time} {self.count} {self.deletions}"
        return zlib.crc32(told.encode())


@dataclass(slots=True)
class _Write:
    """Slots that somebody waits for; id 0 and time None are filled in when it is their turn."""

    name: str
    texts: Sequence[str]
    ids: Sequence[int | None]
    times: Sequence[int | None]
    sources: Sequence[str]
    slots: list[Slot] = field(default_factory=list)
    error: BaseException | None = None
    done: bool = False


class Info(NamedTuple):
    """What there is to say about a memory in a store."""

    statements: int
    bytes: int
    """Of all files of the store."""
    model: str | None
    """Whose vectors are cached."""
    vectors: int
    names: list[str]


class Store:
    """One file with its named memories; threads may share it."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        self.database = Database(path, create=create)
        self._waiting: list[_Write] = []
        self._queue = threading.Lock()
        self._turn = threading.Lock()

    @property
    def path(self) -> Path:
        return self.database.path

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.database.close()

    def memory(self, name: str = "main") -> SqliteMemory:
        """A named memory; it comes into being with the first thing written to it."""
        return SqliteMemory(self, name)

    def names(self) -> list[str]:
        with self.database.reading() as connection:
            rows = connection.execute("SELECT name FROM memories ORDER BY name").fetchall()
        return [name for (name,) in rows]

    def drop(self, name: str) -> None:
        """Delete a whole memory, its name included; its bytes go with `compact`."""
        with self.database.writing() as connection:
            state = read_state(connection, check_name(name))
            if not state.key:
                raise InputError(f"there is no memory '{name}' in {self.path}")
            count_deletion(connection)
            for table in ("slots", "buckets", "kept"):
                connection.execute(f"DELETE FROM {table} WHERE memory = ?", (state.key,))
            vectors.forget(connection, state.key)
            connection.execute("DELETE FROM memories WHERE key = ?", (state.key,))
        with self.database.writing() as connection:
            vectors.tidy(self.path, connection)

    def compact(self) -> None:
        """Rewrite all files, so that the bytes of what was deleted are gone."""
        try:
            with self.database.writing() as connection:
                for key in memory_keys(connection):
                    if connection.execute(
                        "SELECT 1 FROM vector_gaps WHERE memory = ?", (key,)
                    ).fetchone():
                        vectors.rewrite(self.path, connection, key)
            with self.database.writing() as connection:
                vectors.tidy(self.path, connection)
                connection.execute("DELETE FROM kept")  # those of models of long ago, too
        except OSError as error:
            raise MemoryStoreError(f"cannot compact {self.path}: {error.strerror}") from None
        self.database.vacuum()

    def info(self, name: str = "main") -> Info:
        with self.database.reading() as connection:
            state = read_state(connection, check_name(name))
            cache = vectors.cache_of(connection, state.key)
        return Info(
            statements=state.count,
            bytes=sum(file.stat().st_size for file in self.files()),
            model=cache.model if cache else None,
            vectors=cache.rows if cache else 0,
            names=self.names(),
        )

    def files(self) -> list[Path]:
        """Everything that belongs to the store: a backup copies these, or uses `memory copy`."""
        log = [self.path.with_name(self.path.name + end) for end in ("", "-wal")]
        return [file for file in log if file.exists()] + vectors.files_of(self.path)

    def write(self, write: _Write) -> list[Slot]:
        """Wait for one's turn; whoever has it commits for all who wait."""
        with self._queue:
            self._waiting.append(write)
        with self._turn:
            if not write.done:
                with self._queue:
                    batch, self._waiting = self._waiting, []
                self._commit(batch)
        if write.error is not None:
            raise write.error
        return write.slots

    def _commit(self, batch: list[_Write]) -> None:
        try:
            with self.database.writing() as connection:
                states: dict[str, State] = {}
                for write in batch:
                    try:
                        self._put(connection, states, write)
                    except InputError as error:  # one that is refused leaves the others alone
                        write.error = error
                for state in states.values():
                    save_state(connection, state)
        except BaseException as error:
            for write in batch:
                write.error = write.error or (
                    error
                    if isinstance(error, MemoryStoreError)
                    else MemoryStoreError(f"writing to {self.path} was interrupted")
                )
            if not isinstance(error, MemoryStoreError):
                raise
        finally:
            for write in batch:
                write.done = True

    def _put(self, connection: sqlite3.Connection, states: dict[str, State], write: _Write) -> None:
        name = write.name
        state = states[name] if name in states else read_state(connection, name)
        last, time = state.last_id, state.last_time
        ids, times = [], []
        for id, wanted in zip(write.ids, write.times, strict=True):
            last = last + 1 if id is None and last < 2**62 - 1 else check_id(id or last + 1, last)
            # Times may not run backwards, or `as_of` a time would not be a moment of the story.
            time = max(time, time_ns() // 1_000 if wanted is None else wanted)
            ids.append(last)
            times.append(time)
        if not ids:
            return
        told = list(zip(ids, times, write.sources, write.texts, strict=True))
        if not state.key:
            state = create(connection, state)
        rows = ((i, t, source or None, slot_crc(i, t, source, x), x) for i, t, source, x in told)
        connection.executemany(f"INSERT INTO slots VALUES ({state.key}, ?, ?, ?, ?, ?)", rows)
        state = replace(state, last_id=last, last_time=time, count=state.count + len(ids))
        if last - state.indexed >= buckets.EVERY:
            state = replace(state, indexed=buckets.index(connection, state.key, state.indexed))
        states[name] = state
        write.slots = [Slot(i, text, time_text(t), source) for i, t, source, text in told]


class SqliteMemory(Memory):
    """One named memory of a store. What other processes wrote and deleted is seen at once."""

    def __init__(self, store: Store, name: str = "main", *, owns_store: bool = False) -> None:
        self.store = store
        self.name = check_name(name)
        self._owns_store = owns_store
        self._known = _Known()

    @property
    def lasts(self) -> bool:
        return True

    def changes(self) -> Changes:
        state = self.state()
        return Changes(state.last_id, state.deletions)

    @property
    def last_id(self) -> int:
        return self.state().last_id

    @property
    def deletions(self) -> int:
        return self.state().deletions

    def __len__(self) -> int:
        return self.state().count

    def write(
        self, text: str, *, id: int | None = None, time: str | None = None, source: str = ""
    ) -> Slot:
        check_text(text)
        if id is not None:
            check_id(id, 0)
        when = None if time is None else micros(parse_time(time))
        (slot,) = self.store.write(_Write(self.name, [text], [id], [when], [source]))
        return slot

    def write_many(self, texts: Iterable[str], *, source: str = "") -> list[Slot]:
        checked = [check_text(text) for text in texts]
        nothing: list[None] = [None] * len(checked)
        return self.store.write(
            _Write(self.name, checked, nothing, nothing, [source] * len(checked))
        )

    def write_slots(self, slots: Iterable[Slot]) -> list[Slot]:
        """Store slots as they are, with ids and times: all of them, or none if one is refused."""
        given = list(slots)
        texts = [check_text(slot.text) for slot in given]
        ids = [check_id(slot.id, 0) for slot in given]
        times = [micros(parse_time(slot.time)) for slot in given]
        sources = [slot.source for slot in given]
        return self.store.write(_Write(self.name, texts, ids, times, sources))

    def read(self, ids: Iterable[int]) -> list[Slot]:
        wanted = [_checked_id(id) for id in ids]
        found: dict[int, Slot] = {}
        with self.store.database.reading() as connection:
            key = read_state(connection, self.name).key
            for start in range(0, len(wanted), FEW):
                some = wanted[start : start + FEW]
                marks = ",".join("?" * len(some))
                rows = connection.execute(
                    "SELECT id, text, time, source FROM slots"
                    f" WHERE memory = ? AND id IN ({marks})",
                    (key, *some),
                ).fetchall()
                found.update((slot.id, slot) for slot in _slots(rows))
        try:
            return [found[id] for id in wanted]
        except KeyError as missing:
            raise InputError(f"there is no memory with id {missing}") from None

    def scan(self, after: int = 0) -> Iterator[Slot]:
        while True:
            with self.store.database.reading(one_query=True) as connection:
                rows = connection.execute(
                    "SELECT id, text, time, source FROM slots WHERE memory ="
                    " (SELECT key FROM memories WHERE name = ?) AND id > ? ORDER BY id LIMIT ?",
                    (self.name, after, PAGE),
                ).fetchall()
            yield from _slots(rows)
            if len(rows) < PAGE:
                return
            after = rows[-1][0]

    def pages(self, after: int = 0) -> Iterator[tuple[Ids, str]]:
        """Ids and texts alone, many at once: for whoever reads everything."""
        size = FIRST_PAGE
        while True:
            with self.store.database.reading() as connection:
                key = read_state(connection, self.name).key
                ids, texts = buckets.joined(connection, key, after, size)
            if len(ids):
                yield ids, texts
            if len(ids) < size:
                return
            after = int(ids[-1])
            size = max(10, min(buckets.PAGE, buckets.PAGE_CHARACTERS * size // len(texts)))

    def candidates(self, as_of: AsOf = None, buckets: Iterable[str] | None = None) -> Ids:
        limit = resolve_as_of(as_of)
        with self.store.database.reading() as connection:
            state = read_state(connection, self.name)
            if buckets is None:
                ids = self._known.ids(connection, state)
            else:
                ids = self._known.in_buckets(connection, state, buckets)
            if isinstance(limit, int):
                ids = ids[: int(np.searchsorted(ids, limit, side="right"))]
            elif limit is not None:
                ids = ids[: _until(connection, state.key, ids, limit)]
        ids.flags.writeable = False
        return ids

    def delete(self, ids: Iterable[int]) -> None:
        gone = sorted({_checked_id(id) for id in ids})
        if not gone:
            return
        with self.store.database.writing() as connection:
            state = read_state(connection, self.name)
            texts = []
            for id in gone:
                row = connection.execute(
                    "SELECT text FROM slots WHERE memory = ? AND id = ?", (state.key, id)
                ).fetchone()
                if row is None:
                    raise InputError(f"there is no memory with id {id}")
                texts.append((id, row[0]))
            connection.executemany(
                f"DELETE FROM slots WHERE memory = {state.key} AND id = ?", [(id,) for id in gone]
            )
            indexed = [(id, text) for id, text in texts if id <= state.indexed]
            buckets.remove(connection, state.key, buckets.collect(indexed))
            vectors.forget(connection, state.key, gone)
            connection.execute("DELETE FROM kept WHERE memory = ?", (state.key,))
            deletions = count_deletion(connection)
            save_state(
                connection, replace(state, count=state.count - len(gone), deletions=deletions)
            )

    def vectors(
        self, embedder: vectors.Embedder, progress: vectors.Progress | None = None
    ) -> vectors.Vectors:
        """The vectors of this model, in write order; what the cache lacks is made first."""
        key = self.state().key
        if not key:
            return vectors.Vectors(np.zeros(0, np.int64), np.zeros((0, embedder.dim), np.float16))
        vectors.build(self.store.database, key, embedder, progress)
        return vectors.load(self.store.database, key)

    def keep(self, name: str, data: bytes, deletions: int) -> None:
        """Keep an overview of this memory as it was at so many deletions, if that is now."""
        if len(data) > MOST_KEPT:
            return
        with self.store.database.writing() as connection:
            state = read_state(connection, self.name)
            if not state.key or state.deletions != deletions:
                return
            connection.execute(
                "INSERT OR REPLACE INTO kept (memory, name, crc, data) VALUES (?, ?, ?, ?)",
                (state.key, name, zlib.crc32(data), data),
            )
            connection.execute(
                "DELETE FROM kept WHERE memory = ?1 AND rowid NOT IN"
                " (SELECT rowid FROM kept WHERE memory = ?1 ORDER BY rowid DESC LIMIT ?2)",
                (state.key, OVERVIEWS),
            )

    def kept(self, name: str) -> bytes | None:
        """What was kept under this name; None if nothing was, or if it is damaged."""
        with self.store.database.reading(one_query=True) as connection:
            row = connection.execute(
                "SELECT crc, data FROM kept WHERE name = ? AND memory ="
                " (SELECT key FROM memories WHERE name = ?)",
                (name, self.name),
            ).fetchone()
        return bytes(row[1]) if row and zlib.crc32(row[1]) == row[0] else None

    def close(self) -> None:
        if self._owns_store:
            self.store.close()

    def state(self) -> State:
        """Its counts, in one look."""
        with self.store.database.reading(one_query=True) as connection:
            return read_state(connection, self.name)


class _Known:
    """What a process remembers of a memory between questions: its ids, and the newest texts.

    Both are those of one key, which no other memory ever has, and start afresh with a deletion.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ids_of: tuple[int, int] | None = None
        self._ids = np.zeros(64, np.int64)
        self._count = self._last = 0
        self._tail_of: tuple[int, int, int] | None = None
        self._tail: dict[str, list[int]] = {}
        self._tail_last = 0

    def ids(self, connection: sqlite3.Connection, state: State) -> Ids:
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
        self, connection: sqlite3.Connection, state: State, wanted: Iterable[str]
    ) -> Ids:
        names = set(wanted)
        parts = [chunk for name in names for chunk in buckets.find(connection, state.key, name)]
        with self._lock:
            self._read_tail(connection, state)
            tail = {id for name in names for id in self._tail.get(name, ()) if id <= state.last_id}
        parts.append(np.array(sorted(tail), np.int64))
        return buckets.union(parts) if len(names) > 1 else np.concatenate(parts)

    def _read_tail(self, connection: sqlite3.Connection, state: State) -> None:
        """The buckets of the memories that are in no chunk yet."""
        if self._tail_of != (state.key, state.deletions, state.indexed):
            self._tail_of = (state.key, state.deletions, state.indexed)
            self._tail, self._tail_last = {}, state.indexed
        if self._tail_last < state.last_id:
            rows = connection.execute(
                "SELECT id, text FROM slots WHERE memory = ? AND id > ? ORDER BY id",
                (state.key, self._tail_last),
            ).fetchall()
            for name, ids in buckets.collect(rows).items():
                self._tail.setdefault(name, []).extend(ids)
            self._tail_last = state.last_id


def _new_ids(connection: sqlite3.Connection, state: State, after: int, count: int) -> Ids:
    if count == state.last_id - after:  # without gaps, as nearly always
        return np.arange(after + 1, state.last_id + 1, dtype=np.int64)
    rows = connection.execute(
        "SELECT id FROM slots WHERE memory = ? AND id > ? ORDER BY id", (state.key, after)
    )
    return np.fromiter((id for (id,) in rows), np.int64, count)


def _until(connection: sqlite3.Connection, key: int, ids: Ids, limit: str) -> int:
    """How many of these memories were written until a time; times grow with ids."""

    def time_of(id: int) -> int:
        query = "SELECT time FROM slots WHERE memory = ? AND id = ?"
        (time,) = connection.execute(query, (key, int(id))).fetchone()
        return int(time)

    return bisect_right(ids, micros(parse_time(limit)), key=time_of)


def read_state(connection: sqlite3.Connection, name: str) -> State:
    row = connection.execute(
        "SELECT key, name, last_id, last_time, count, deletions, indexed FROM memories"
        " WHERE name = ?",
        (name,),
    ).fetchone()
    if row is not None:
        return State(*row)
    (deletions,) = connection.execute("SELECT deletions FROM changes").fetchone()
    return State(0, name, 0, EARLIEST, 0, deletions, 0)


def create(connection: sqlite3.Connection, state: State) -> State:
    """Begin a memory; its deletions go on from the store's, so that no cache takes it for old."""
    key = connection.execute(
        "INSERT INTO memories (name, last_id, last_time, count, deletions, indexed, crc)"
        " VALUES (?, 0, ?, 0, ?, 0, 0)",
        (state.name, EARLIEST, state.deletions),
    ).lastrowid
    return replace(state, key=int(key or 0))


def save_state(connection: sqlite3.Connection, state: State) -> None:
    connection.execute(
        "UPDATE memories SET last_id = ?, last_time = ?, count = ?, deletions = ?, indexed = ?,"
        " crc = ? WHERE key = ?",
        (
            state.last_id, state.last_time, state.count, state.deletions, state.indexed,
            state.crc, state.key,
        ),
    )  # fmt: skip


def count_deletion(connection: sqlite3.Connection) -> int:
    connection.execute("UPDATE changes SET deletions = deletions + 1")
    (deletions,) = connection.execute("SELECT deletions FROM changes").fetchone()
    return int(deletions)


def memory_keys(connection: sqlite3.Connection) -> list[int]:
    return [key for (key,) in connection.execute("SELECT key FROM memories ORDER BY key")]


def slot_crc(id: int, time: int, source: str, text: str) -> int:
    return zlib.crc32(f"{id} {time} {source}\0{text}".encode())


def micros(moment: datetime) -> int:
    """Microseconds since 1970, as a store keeps times."""
    timestamp(moment)  # refuses what no store can give back
    return (moment - EPOCH) // timedelta(microseconds=1)


def time_text(time: int) -> str:
    seconds, rest = divmod(time, 1_000_000)
    return f"{_second(seconds)}.{rest:06d}Z"


@lru_cache(64)
def _second(seconds: int) -> str:
    """A million statements are told in a few seconds: their times share all but the end."""
    return timestamp(EPOCH + timedelta(seconds=seconds))[:19]


def _slots(rows: Iterable[tuple[int, str, int, str | None]]) -> Iterator[Slot]:
    for id, text, time, source in rows:
        yield Slot(id, text, time_text(time), source or "")


def _checked_id(id: int) -> int:
    if not is_id(id):
        raise InputError("an id is a whole number from 1 to 2^62 - 1, and this one is not")
    return int(id)
