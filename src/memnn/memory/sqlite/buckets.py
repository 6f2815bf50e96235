"""Which memories are in which bucket (§3.3), small on disk and quick to fetch.

The ids of a bucket lie in chunks: the first id, then the differences from id to id, all with the
fewest bytes that the greatest of them needs. The newest memories of a store are in no chunk yet:
whoever asks reads their few texts. So a single statement costs no search through the words, and
chunks are written for many statements at once. How many ids are in a bucket of several chunks is
kept beside them, so that a common word is counted without being read. Chunks and sizes end with a
checksum that covers whose they are.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from memnn.memory.protocol import buckets_of
from memnn.memory.sqlite.checksums import buckets_changed, fetch, newest_changed, reading_as
from memnn.memory.sqlite.sealed import joined, seal
from memnn.memory.sqlite.state import LAST, bad_slots

Ids = NDArray[np.int64]

EVERY = 1024
"""How many memories may wait before they are put into chunks."""
CHUNK = 400
"""Ids of a chunk: with two bytes each it just fits into a page of the tree."""
PAGE, PAGE_CHARACTERS = 1_000_000, 16_000_000
"""Memories read at once, and their length, which the page before lets us estimate."""
RESIDUE = 0x2144DF1C
"""CRC-32 of any bytes that end with their own CRC-32."""
MANY = 20_000
"""From this many on, the kernels that read them together pay off."""


def encode(ids: Ids) -> bytes:
    """The ids after the first, as differences."""
    if len(ids) == 1:
        return b""
    steps = np.diff(ids)
    most = int(steps.max())
    width = 1 if most < 2**8 else 2 if most < 2**16 else 4 if most < 2**32 else 8
    return bytes([width]) + steps.astype(f"<u{width}").tobytes()


def decode(first: int, blob: bytes) -> Ids:
    if not blob:
        return np.array([first], np.int64)
    steps = np.frombuffer(blob, f"<u{blob[0]}", offset=1)
    ids = np.empty(len(steps) + 1, np.int64)
    ids[0] = first
    np.cumsum(steps, dtype=np.int64, out=ids[1:])
    ids[1:] += first
    return ids


def guarded(key: int, bucket: str, first: int, blob: bytes) -> bytes:
    """A chunk as it is stored: its ids, and a checksum."""
    return blob + zlib.crc32(blob, _crc(key, bucket, first)).to_bytes(4, "little")


def opened(key: int, bucket: str, first: int, stored: bytes) -> Ids:
    """The ids of a chunk, if it is as it was written."""
    try:
        if zlib.crc32(stored, _crc(key, bucket, first)) == RESIDUE:
            return decode(first, stored[:-4])
    except (TypeError, ValueError):  # a column of another type
        pass
    raise buckets_changed()


def _crc(key: int, bucket: str, number: int) -> int:
    return zlib.crc32(f"{key} {number} {bucket}".encode())


def index(connection: sqlite3.Connection, key: int, after: int, written_after: int = LAST) -> int:
    """Put the memories after an id into chunks and under seals; the id of the last one.

    Those after `written_after` were written in this transaction, and need not be checked.
    """
    size = EVERY
    while True:
        with reading_as(newest_changed()):
            last, size = _index(connection, key, after, written_after, size)
        if last == after:
            return after
        after = last


def _index(
    connection: sqlite3.Connection, key: int, after: int, written_after: int, size: int
) -> tuple[int, int]:
    """The next so many; the id of the last one, and how many to read after that."""
    ids, texts = joined(connection, key, after, most=size)
    if not len(ids):
        return after, size
    last = int(ids[-1])
    if last <= after:
        raise newest_changed()
    bad = bad_slots(connection, key, after, min(last, written_after))
    if texts.count("\0") != len(ids):  # one was changed: no text has a NUL
        query = "SELECT id, text FROM slots WHERE memory = ? AND id > ? AND id <= ?"
        rows = fetch(connection, query, (key, after, last))
        _append(connection, key, collect((id, str(text)) for id, text in rows))
    elif len(ids) >= MANY:
        _append(connection, key, collect_many(ids, texts))
    else:
        told = texts.split("\0")[:-1]
        _append(connection, key, collect(zip(ids.tolist(), told, strict=True)))
    seal(connection, key, ids, texts.encode(), bad)
    return last, max(EVERY, min(PAGE, PAGE_CHARACTERS * len(ids) // len(texts)))


def rebuild(connection: sqlite3.Connection, key: int) -> int:
    """Chunks and seals anew, from the texts; the id of the last one that is in them."""
    for table in ("buckets", "bucket_sizes", "pages"):
        connection.execute(f"DELETE FROM {table} WHERE memory = ?", (key,))
    return index(connection, key, 0)


def collect_many(ids: Ids, texts: str) -> dict[str, Ids]:
    """The same as `collect`, for texts that are each ended by a NUL."""
    from memnn.text.pages import Page  # brings numba, which few texts are not worth

    page = Page(texts)
    order = np.argsort(page.words, kind="stable")
    word = page.words[order]
    id = np.repeat(ids, np.diff(page.ptr))[order]
    new: NDArray[np.bool_] = np.ones(len(word), np.bool_)  # a word counts once in a text
    new[1:] = (word[1:] != word[:-1]) | (id[1:] != id[:-1])
    word, id = word[new], id[new]
    ends = np.searchsorted(word, np.arange(len(page.vocabulary) + 1)).tolist()
    return {bucket: id[ends[n] : ends[n + 1]] for n, bucket in enumerate(page.vocabulary)}


def collect(rows: Iterable[tuple[int, str]]) -> dict[str, list[int]]:
    """The ids in each bucket of these texts."""
    found: dict[str, list[int]] = defaultdict(list)
    for id, text in rows:
        for bucket in buckets_of(text):
            found[bucket].append(id)
    return found


def _append(connection: sqlite3.Connection, key: int, found: Mapping[str, list[int] | Ids]) -> None:
    last = (
        "SELECT first, ids FROM buckets WHERE memory = ? AND bucket = ? ORDER BY first DESC LIMIT 1"
    )
    chunks, sizes = [], []
    for bucket in sorted(found):
        ids: Ids = np.asarray(found[bucket], np.int64)
        size, had = len(ids), None
        open_chunk = connection.execute(last, (key, bucket)).fetchone()
        if open_chunk is not None:
            before = opened(key, bucket, *open_chunk)
            had = _size(connection, key, bucket)
            size += len(before) if had is None else had
            if len(before) < CHUNK:
                ids = np.concatenate([before, ids])
        for start in range(0, len(ids), CHUNK):
            chunk = ids[start : start + CHUNK]
            first = int(chunk[0])
            chunks.append((key, bucket, first, guarded(key, bucket, first, encode(chunk))))
        if size > CHUNK or had is not None:
            sizes.append((key, bucket, size, _crc(key, bucket, size)))
    connection.executemany("INSERT OR REPLACE INTO buckets VALUES (?, ?, ?, ?)", chunks)
    connection.executemany("INSERT OR REPLACE INTO bucket_sizes VALUES (?, ?, ?, ?)", sizes)


def measure(connection: sqlite3.Connection) -> None:
    """The sizes of all buckets in more than one chunk; a chunk says its own size by its length."""
    connection.execute(
        "INSERT INTO bucket_sizes SELECT memory, bucket, sum(CASE length(ids) WHEN 0 THEN 1 ELSE"
        " 1 + (length(ids) - 1) / CASE substr(ids, 1, 1) WHEN x'01' THEN 1 WHEN x'02' THEN 2"
        " WHEN x'04' THEN 4 ELSE 8 END END) FROM buckets"
        " GROUP BY memory, bucket HAVING count(*) > 1"
    )


def guard(connection: sqlite3.Connection, key: int) -> None:
    """Give the chunks and sizes of an older version their checksums."""
    rows = connection.execute(
        "SELECT bucket, first, ids FROM buckets WHERE memory = ?", (key,)
    ).fetchall()
    connection.executemany(
        f"UPDATE buckets SET ids = ? WHERE memory = {key} AND bucket = ? AND first = ?",
        ((guarded(key, b, first, ids), b, first) for b, first, ids in rows),
    )
    sizes = connection.execute("SELECT bucket, count FROM bucket_sizes WHERE memory = ?", (key,))
    connection.executemany(
        f"UPDATE bucket_sizes SET crc = ? WHERE memory = {key} AND bucket = ?",
        [(_crc(key, bucket, count), bucket) for bucket, count in sizes.fetchall()],
    )


def _size(connection: sqlite3.Connection, key: int, bucket: str) -> int | None:
    """How many ids are in a bucket; None where it is in a single chunk, or never was in more."""
    row = connection.execute(
        "SELECT count, crc FROM bucket_sizes WHERE memory = ? AND bucket = ?", (key, bucket)
    ).fetchone()
    if row is None:
        return None
    if _crc(key, bucket, row[0]) != row[1]:
        raise buckets_changed()
    return int(row[0])


def count(connection: sqlite3.Connection, key: int, bucket: str) -> int:
    """How many ids are in the chunks of a bucket; a large one is not read for it."""
    size = _size(connection, key, bucket)
    return sum(map(len, find(connection, key, bucket))) if size is None else size


def find(connection: sqlite3.Connection, key: int, bucket: str) -> list[Ids]:
    """The chunks of a bucket."""
    rows = connection.execute(
        "SELECT first, ids FROM buckets WHERE memory = ? AND bucket = ? ORDER BY first",
        (key, bucket),
    ).fetchall()
    chunks = [opened(key, bucket, *row) for row in rows]
    size = _size(connection, key, bucket)
    if size != sum(map(len, chunks)) and (size is not None or len(chunks) > 1):
        raise buckets_changed()  # a chunk is missing, or one too many
    return chunks


def union(parts: list[Ids]) -> Ids:
    """The ids of several chunks, each once, in order; NumPy's sort merges runs quickly."""
    ids = np.sort(np.concatenate(parts), kind="stable")
    first: NDArray[np.bool_] = np.ones(len(ids), np.bool_)
    np.not_equal(ids[1:], ids[:-1], out=first[1:])
    return ids[first]


def remove(connection: sqlite3.Connection, key: int, found: dict[str, list[int]]) -> None:
    """Take ids out of buckets; a bucket without ids leaves nothing behind."""
    around = (
        "SELECT first, ids FROM buckets WHERE memory = ? AND bucket = ? AND first <= ?"
        " ORDER BY first DESC LIMIT 1"
    )
    for bucket, gone in found.items():
        size = _size(connection, key, bucket)
        left, removed = sorted(gone), 0
        while left:
            row = connection.execute(around, (key, bucket, left[-1])).fetchone()
            if row is None:
                break
            first, ids = row[0], opened(key, bucket, *row)
            kept = ids[~np.isin(ids, left)]
            removed += len(ids) - len(kept)
            connection.execute(
                "DELETE FROM buckets WHERE memory = ? AND bucket = ? AND first = ?",
                (key, bucket, first),
            )
            if len(kept):
                start = int(kept[0])
                connection.execute(
                    "INSERT INTO buckets VALUES (?, ?, ?, ?)",
                    (key, bucket, start, guarded(key, bucket, start, encode(kept))),
                )
            left = [id for id in left if id < first]
        if size is not None:
            size -= removed
            connection.execute(
                "DELETE FROM bucket_sizes WHERE memory = ? AND bucket = ?", (key, bucket)
            )
            if size > 0:
                connection.execute(
                    "INSERT INTO bucket_sizes VALUES (?, ?, ?, ?)",
                    (key, bucket, size, _crc(key, bucket, size)),
                )
