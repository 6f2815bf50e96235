"""A store as an older version of memnn left it."""

from __future__ import annotations

import sqlite3
import zlib


def memory_crc(name: str, last_id: int, last_time: int, count: int, deletions: int) -> int:
    """The checksum of a memory's row until version 5."""
    return zlib.crc32(f"{name} {last_id} {last_time} {count} {deletions}".encode())


def take_back(connection: sqlite3.Connection, version: int) -> None:
    """Undo the steps after a version, 4 or 5."""
    chunks = connection.execute("SELECT memory, bucket, first, ids FROM buckets").fetchall()
    connection.executemany(
        "UPDATE buckets SET ids = ? WHERE memory = ? AND bucket = ? AND first = ?",
        [(ids[:-4], memory, bucket, first) for memory, bucket, first, ids in chunks],
    )
    for key, *row in connection.execute(
        "SELECT key, name, last_id, last_time, count, deletions FROM memories"
    ).fetchall():
        connection.execute("UPDATE memories SET crc = ? WHERE key = ?", (memory_crc(*row), key))
    connection.execute("DROP TABLE pages")
    if version == 5:
        connection.execute("ALTER TABLE bucket_sizes DROP COLUMN crc")
    else:
        for table in ("turns", "lessons", "bucket_sizes"):
            connection.execute(f"DROP TABLE {table}")
    connection.execute(f"PRAGMA user_version={version}")
