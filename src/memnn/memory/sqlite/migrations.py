"""How a store came to look as it does: numbered steps, never changed once released.

`application_id` says that a file is ours, `user_version` which steps it has seen. An older store
takes the steps it lacks in one transaction when it is opened; a newer one is refused.
"""

from __future__ import annotations

import logging
import sqlite3
import zlib
from dataclasses import replace

from memnn.memory.sqlite import buckets, lessons, sealed
from memnn.memory.sqlite.state import STATE, MemoryRow, bad_slots, kept_crc, save_state

APPLICATION = 0x6D656D6E  # "memn"
log = logging.getLogger("memnn.memory")


def text(connection: sqlite3.Connection) -> None:
    """1: named memories and what was told. Times are microseconds since 1970, `crc` guards rows.

    `changes` counts deletions in the whole store, so that it never runs backwards for any memory,
    not even for one that was deleted and begun anew under its name.
    """
    connection.execute(
        "CREATE TABLE memories (key INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
        " last_id INTEGER NOT NULL, last_time INTEGER NOT NULL, count INTEGER NOT NULL,"
        " deletions INTEGER NOT NULL, crc INTEGER NOT NULL)"
    )
    connection.execute(
        "CREATE TABLE slots (memory INTEGER NOT NULL, id INTEGER NOT NULL, time INTEGER NOT NULL,"
        " source TEXT, crc INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (memory, id))"
        " WITHOUT ROWID"
    )
    connection.execute("CREATE TABLE changes (deletions INTEGER NOT NULL)")
    connection.execute("INSERT INTO changes VALUES (0)")


def word_buckets(connection: sqlite3.Connection) -> None:
    """2: which memories are in which bucket (`memory.sqlite.buckets`), up to the id `indexed`."""
    connection.execute("ALTER TABLE memories ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0")
    connection.execute(
        "CREATE TABLE buckets (memory INTEGER NOT NULL, bucket TEXT NOT NULL,"
        " first INTEGER NOT NULL, ids BLOB NOT NULL, PRIMARY KEY (memory, bucket, first))"
        " WITHOUT ROWID"
    )


def vectors(connection: sqlite3.Connection) -> None:
    """3: the cache of vectors beside the file, see `memory.sqlite.vectors`."""
    connection.execute(
        "CREATE TABLE vectors (memory INTEGER PRIMARY KEY, model TEXT NOT NULL,"
        " dim INTEGER NOT NULL, generation INTEGER NOT NULL, rows INTEGER NOT NULL,"
        " until INTEGER NOT NULL)"
    )
    connection.execute(
        "CREATE TABLE vector_blocks (memory INTEGER NOT NULL, block INTEGER NOT NULL,"
        " crc INTEGER NOT NULL, PRIMARY KEY (memory, block)) WITHOUT ROWID"
    )
    connection.execute(
        "CREATE TABLE vector_gaps (memory INTEGER NOT NULL, id INTEGER NOT NULL,"
        " PRIMARY KEY (memory, id)) WITHOUT ROWID"
    )


def kept(connection: sqlite3.Connection) -> None:
    """4: overviews that others made of a memory, one for each dictionary; a deletion drops them."""
    connection.execute(
        "CREATE TABLE kept (memory INTEGER NOT NULL, name TEXT NOT NULL, crc INTEGER NOT NULL,"
        " data BLOB NOT NULL, UNIQUE (memory, name))"
    )


def turns_and_lessons(connection: sqlite3.Connection) -> None:
    """5: who said a slot, when and where; lessons about questions; sizes of large buckets.

    A slot that has no turn has no row in `turns`, and costs nothing. `said` is in microseconds
    since 1970, as `time` is, and `meta` is JSON; the slot's own `crc` guards its turn, too. The
    indexes find slots by what is asked for beside words, and by the slot that they supersede.
    """
    connection.execute(
        "CREATE TABLE turns (memory INTEGER NOT NULL, id INTEGER NOT NULL, speaker TEXT,"
        " said INTEGER, session TEXT, meta TEXT, supersedes INTEGER, PRIMARY KEY (memory, id))"
        " WITHOUT ROWID"
    )
    for column in ("speaker", "said", "session", "supersedes"):
        connection.execute(
            f"CREATE INDEX turns_by_{column} ON turns (memory, {column}) WHERE {column} IS NOT NULL"
        )
    connection.execute(
        "CREATE TABLE lessons (memory INTEGER NOT NULL, as_of INTEGER NOT NULL,"
        " question TEXT NOT NULL, ids TEXT NOT NULL, crc INTEGER NOT NULL,"
        " PRIMARY KEY (memory, as_of, question)) WITHOUT ROWID"
    )
    connection.execute(
        "CREATE TABLE bucket_sizes (memory INTEGER NOT NULL, bucket TEXT NOT NULL,"
        " count INTEGER NOT NULL, PRIMARY KEY (memory, bucket)) WITHOUT ROWID"
    )
    buckets.measure(connection)


def checksums(connection: sqlite3.Connection) -> None:
    """6: what is read is compared: seals over pages of texts, checksums in chunks and of sizes.

    The checksums of memories, lessons and overviews cover where they belong. One that did not fit
    before does not fit afterwards, either.
    """
    connection.execute("ALTER TABLE bucket_sizes ADD COLUMN crc INTEGER NOT NULL DEFAULT 0")
    connection.execute(
        "CREATE TABLE pages (memory INTEGER NOT NULL, first INTEGER NOT NULL,"
        " last INTEGER NOT NULL, count INTEGER NOT NULL, bytes INTEGER NOT NULL,"
        " crc INTEGER NOT NULL, PRIMARY KEY (memory, last)) WITHOUT ROWID"
    )
    for *row, crc in connection.execute(STATE).fetchall():
        state = MemoryRow(*row)
        told = f"{state.name} {state.last_id} {state.last_time} {state.count} {state.deletions}"
        buckets.guard(connection, state.key)
        _seal(connection, state)
        if state.last_id - state.indexed >= buckets.EVERY:
            last = buckets.index(connection, state.key, state.indexed)
            state = replace(state, indexed=last)
        save_state(connection, state)
        if zlib.crc32(told.encode()) != crc:
            connection.execute("UPDATE memories SET crc = -1 WHERE key = ?", (state.key,))
    lessons.guard(connection)
    for rowid, key, name, crc, data in connection.execute(
        "SELECT rowid, memory, name, crc, data FROM kept"
    ).fetchall():
        if zlib.crc32(data) == crc:
            new = kept_crc(key, name, data)
            connection.execute("UPDATE kept SET crc = ? WHERE rowid = ?", (new, rowid))


def _seal(connection: sqlite3.Connection, state: MemoryRow) -> None:
    """Seal what is in chunks already."""
    after = 0
    while after < state.indexed:
        ids, texts = sealed.joined(connection, state.key, after, state.indexed, 100_000)
        if not len(ids):
            return
        last = int(ids[-1])
        bad = bad_slots(connection, state.key, after, last)
        sealed.seal(connection, state.key, ids, texts.encode(), bad)
        after = last


STEPS = (text, word_buckets, vectors, kept, turns_and_lessons, checksums)
VERSION = len(STEPS)
OF_A_MEMORY = (
    "slots", "turns", "lessons", "pages", "buckets", "bucket_sizes", "kept",
    "vectors", "vector_blocks", "vector_gaps",
)  # fmt: skip
"""Tables whose rows belong to a memory by its key."""


def migrate(connection: sqlite3.Connection, version: int = VERSION) -> None:
    """Take the steps that a store lacks; the caller holds the transaction."""
    (seen,) = connection.execute("PRAGMA user_version").fetchone()
    if seen:
        log.info("bringing a store from version %d to %d", seen, version)
    for step in STEPS[seen:version]:
        step(connection)
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={version}")
