"""Which memories are in which bucket (§3.3), small on disk and quick to fetch.

The ids of a bucket lie in chunks: the first id, then the differences from id to id, all with the
fewest bytes that the greatest of them needs. The newest memories of a store are in no chunk yet:
whoever asks reads their few texts. So a single statement costs no search through the words, and
chunks are written for many statements at once. How many ids are in a bucket of several chunks is
kept beside them, so that a common word is counted without being read.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from memnn.memory.protocol import buckets_of

Ids = NDArray[np.int64]

EVERY = 1024
"""How many memories may wait before they are put into chunks."""
CHUNK = 400
"""Ids of a chunk: with two bytes each it just fits into a page of the tree."""
PAGE, PAGE_CHARACTERS = 1_000_000, 16_000_000
"""Memories read at once, and their length, which the page before lets us estimate."""
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


def index(connection: sqlite3.Connection, key: int, after: int, measured: bool = True) -> int:
    """Put the memories after an id into chunks; the id of the last one.

    A store that is being migrated may not have the table of sizes yet: then it is not `measured`.
    """
    size = EVERY
    while True:
        ids, texts = joined(connection, key, after, size)
        if not len(ids):
            return after
        if len(ids) >= MANY:
            _append(connection, key, collect_many(ids, texts), measured)
        else:
            told = texts.split("\0")[:-1]
            found = collect(zip(ids.tolist(), told, strict=True))
            _append(connection, key, found, measured)
        after = int(ids[-1])
        size = max(EVERY, min(PAGE, PAGE_CHARACTERS * len(ids) // len(texts)))


def joined(connection: sqlite3.Connection, key: int, after: int, size: int) -> tuple[Ids, str]:
    """The ids and texts after an id, at most so many, each text ended by a NUL.

    The database joins them, which is far quicker than handing them out one by one.
    """
    count, first, last, texts = connection.execute(
        "SELECT count(*), min(id), max(id), group_concat(text, char(0)) FROM"
        " (SELECT id, text FROM slots WHERE memory = ? AND id > ? ORDER BY id LIMIT ?)",
        (key, after, size),
    ).fetchone()
    if not count:
        return np.zeros(0, np.int64), ""
    if last - first + 1 == count:  # without gaps, as nearly always
        return np.arange(first, last + 1, dtype=np.int64), texts + "\0"
    rows = connection.execute(
        "SELECT id FROM slots WHERE memory = ? AND id BETWEEN ? AND ? ORDER BY id",
        (key, first, last),
    )
    return np.fromiter((id for (id,) in rows), np.int64, count), texts + "\0"


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


def _append(
    connection: sqlite3.Connection,
    key: int,
    found: Mapping[str, list[int] | Ids],
    measured: bool,
) -> None:
    last = (
        "SELECT first, ids FROM buckets WHERE memory = ? AND bucket = ? ORDER BY first DESC LIMIT 1"
    )
    chunks, larger, large = [], [], []
    for bucket in sorted(found):
        ids: Ids = np.asarray(found[bucket], np.int64)
        new, size = len(ids), len(ids)
        open_chunk = connection.execute(last, (key, bucket)).fetchone()
        if open_chunk is not None:
            before = decode(*open_chunk)
            size += len(before)
            if len(before) < CHUNK:
                ids = np.concatenate([before, ids])
            larger.append((new, key, bucket))
        for start in range(0, len(ids), CHUNK):
            chunk = ids[start : start + CHUNK]
            chunks.append((key, bucket, int(chunk[0]), encode(chunk)))
        if size > CHUNK:
            large.append((key, bucket, size))
    connection.executemany("INSERT OR REPLACE INTO buckets VALUES (?, ?, ?, ?)", chunks)
    if not measured:
        return
    # One that has become large was in a single chunk until now; one that was has its size already.
    connection.executemany(
        "UPDATE bucket_sizes SET count = count + ? WHERE memory = ? AND bucket = ?", larger
    )
    connection.executemany("INSERT OR IGNORE INTO bucket_sizes VALUES (?, ?, ?)", large)


def measure(connection: sqlite3.Connection) -> None:
    """The sizes of all buckets in more than one chunk; a chunk says its own size by its length."""
    connection.execute(
        "INSERT INTO bucket_sizes SELECT memory, bucket, sum(CASE length(ids) WHEN 0 THEN 1 ELSE"
        " 1 + (length(ids) - 1) / CASE substr(ids, 1, 1) WHEN x'01' THEN 1 WHEN x'02' THEN 2"
        " WHEN x'04' THEN 4 ELSE 8 END END) FROM buckets"
        " GROUP BY memory, bucket HAVING count(*) > 1"
    )


def count(connection: sqlite3.Connection, key: int, bucket: str) -> int:
    """How many ids are in the chunks of a bucket; a large one is not read for it."""
    size = connection.execute(
        "SELECT count FROM bucket_sizes WHERE memory = ? AND bucket = ?", (key, bucket)
    ).fetchone()
    return size[0] if size else sum(len(chunk) for chunk in find(connection, key, bucket))


def find(connection: sqlite3.Connection, key: int, bucket: str) -> list[Ids]:
    """The chunks of a bucket."""
    rows = connection.execute(
        "SELECT first, ids FROM buckets WHERE memory = ? AND bucket = ? ORDER BY first",
        (key, bucket),
    ).fetchall()
    return [decode(*row) for row in rows]


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
    smaller = []
    for bucket, gone in found.items():
        left, removed = sorted(gone), 0
        while left:
            row = connection.execute(around, (key, bucket, left[-1])).fetchone()
            if row is None:
                break
            first, ids = row[0], decode(*row)
            kept = ids[~np.isin(ids, left)]
            removed += len(ids) - len(kept)
            connection.execute(
                "DELETE FROM buckets WHERE memory = ? AND bucket = ? AND first = ?",
                (key, bucket, first),
            )
            if len(kept):
                connection.execute(
                    "INSERT INTO buckets VALUES (?, ?, ?, ?)",
                    (key, bucket, int(kept[0]), encode(kept)),
                )
            left = [id for id in left if id < first]
        smaller.append((removed, key, bucket))
    connection.executemany(
        "UPDATE bucket_sizes SET count = count - ? WHERE memory = ? AND bucket = ?", smaller
    )
    connection.executemany(
        "DELETE FROM bucket_sizes WHERE memory = ? AND bucket = ? AND count <= 0",
        [row[1:] for row in smaller],
    )
