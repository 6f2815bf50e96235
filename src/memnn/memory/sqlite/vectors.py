"""A cache of vectors beside a store: one float16 row per memory, in write order.

Text is the truth and vectors go stale with a new model (footnote 2 of the paper), so the cache
names its model. The file is only appended to. Rows reach the disk before the commit that claims
them; what a crash left behind the claimed rows is cut off under the writer's lock. A reader maps
claimed rows alone, so that nobody cuts under it. A deleted memory leaves a gap, and `rewrite`
makes a new generation of the file without gaps.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError, MemoryStoreError
from memnn.memory.protocol import Embedder, Halves, Progress
from memnn.memory.sqlite.checksums import (
    Changed,
    fetch,
    newest_changed,
    reading_as,
    vectors_changed,
)
from memnn.memory.sqlite.database import Database
from memnn.memory.sqlite.state import bad_slots
from memnn.paths import private

Ids = NDArray[np.int64]

BATCH = 8192
BLOCK = 4096
"""Rows under one checksum."""
PATIENCE = 100
"""Times that the file is begun anew because another process has one of another model."""


class Vectors(NamedTuple):
    """The vectors of a memory, in write order."""

    ids: Ids  # (n,)
    array: Halves  # (n, dim), mapped from the file; a copy where memories were deleted since


class VectorFile(NamedTuple):
    """What the database claims about the file: `rows` rows, the last one of memory `until`."""

    model: str
    dim: int
    generation: int
    rows: int
    until: int

    @property
    def size(self) -> int:
        return self.rows * self.dim * 2


def file_of(path: Path, key: int, generation: int) -> Path:
    return path.with_name(f"{path.name}-vectors-{key}-{generation}")


def files_of(path: Path) -> list[Path]:
    """All vector files beside a store, left-over ones too."""
    start = f"{path.name}-vectors-"
    return sorted(file for file in path.parent.iterdir() if file.name.startswith(start))


def cache_of(connection: sqlite3.Connection, key: int) -> VectorFile | None:
    row = connection.execute(
        "SELECT model, dim, generation, rows, until FROM vectors WHERE memory = ?", (key,)
    ).fetchone()
    return None if row is None else VectorFile(*row)


def build(database: Database, key: int, embedder: Embedder, progress: Progress | None) -> None:
    """Embed what is not embedded yet, batch by batch: interrupted, it goes on from there."""
    before, begun = None, 0
    while True:
        with database.reading() as connection:
            cache = cache_of(connection, key)
            after = cache.until if cache else 0
            rows = _after(connection, key, after)
            for id in bad_slots(connection, key, after, rows[-1][0]) if rows else ():
                raise Changed(f"statement {id} was changed on disk; delete it and tell it again")
            total = _total(connection, key)
            if before == (cache, rows) or begun > PATIENCE:  # what was noted is not there
                raise vectors_changed()
        before = cache, rows
        if cache is None or not is_usable(database.path, key, cache, embedder):
            begun += 1
            with database.writing() as connection:
                if cache_of(connection, key) == cache:
                    _start(database.path, connection, key, embedder)
            with database.writing() as connection:  # until then others read the old file
                tidy(database.path, connection)
            continue
        if progress is not None:
            progress(cache.rows, total)
        if not rows:
            return
        array = _checked(embedder, [text for _, text in rows])
        with database.writing() as connection:
            # Another process may have embedded them meanwhile, or deleted one.
            if cache_of(connection, key) == cache and _after(connection, key, cache.until) == rows:
                _append(database.path, connection, key, cache, array, rows[-1][0])


def load(database: Database, key: int) -> Vectors:
    """What `build` made, of one moment; again if another process just replaced the file."""
    while True:
        with database.reading() as connection:
            before = cache_of(connection, key)
        try:
            return _load(database, key)
        except (MemoryStoreError, OSError):
            with database.reading() as connection:
                if cache_of(connection, key) == before:
                    raise


def _load(database: Database, key: int) -> Vectors:
    with database.reading() as connection:
        cache = cache_of(connection, key)
        if cache is None:
            raise MemoryStoreError(f"this memory in {database.path} has no vectors; embed it first")
        with reading_as(vectors_changed()):
            live = _live(connection, key, cache.until)
            gaps = _ids(connection, "vector_gaps", key, cache.until)
            everything = np.union1d(live, gaps) if len(gaps) else live
            if len(everything) != cache.rows or bad_blocks(database.path, connection, key, cache):
                raise vectors_changed()
            array = _mapped(file_of(database.path, key, cache.generation), cache)
    if not len(gaps):
        return Vectors(live, array)
    return Vectors(live, array[~np.isin(everything, gaps)])


def rewrite(
    path: Path, connection: sqlite3.Connection, key: int, most_blocks: int | None = None
) -> list[Path]:
    """A new generation of the file without gaps, or only of its first blocks; the old files.

    Vectors that were changed on disk are not taken over: they are made again when needed.
    The caller holds the transaction, and deletes the old files when it is committed.
    """
    cache = cache_of(connection, key)
    if cache is None:
        return []
    gaps = _ids(connection, "vector_gaps", key, cache.until)
    everything = np.union1d(_live(connection, key, cache.until), gaps)
    old = file_of(path, key, cache.generation)
    rows = cache.rows if most_blocks is None else min(cache.rows, most_blocks * BLOCK)
    if len(everything) != cache.rows or (
        most_blocks is None and bad_blocks(path, connection, key, cache)
    ):
        rows = 0
    try:
        array = _mapped(old, cache, rows)
    except (OSError, ValueError):
        rows, array = 0, np.zeros((0, cache.dim), np.float16)
    kept = ~np.isin(everything[:rows], gaps)
    new = VectorFile(cache.model, cache.dim, cache.generation + 1, 0, 0)
    _forget_blocks(connection, key)
    connection.execute("DELETE FROM vector_gaps WHERE memory = ?", (key,))
    _claim(connection, key, new)
    _create(path, file_of(path, key, new.generation))
    for start in range(0, rows, BATCH):
        part = kept[start : start + BATCH]
        if part.any():
            ids = everything[start : start + BATCH][part]
            _append(path, connection, key, new, array[start : start + BATCH][part], int(ids[-1]))
            new = new._replace(rows=new.rows + len(ids), until=int(ids[-1]))
    return [old]


def tidy(path: Path, connection: sqlite3.Connection) -> None:
    """Delete files that no memory claims, and bytes behind the claimed ones (under the lock)."""
    claimed = {
        file_of(path, key, cache.generation): cache
        for (key,) in connection.execute("SELECT memory FROM vectors").fetchall()
        if (cache := cache_of(connection, key)) is not None
    }
    for file in files_of(path):
        if file not in claimed:
            file.unlink(missing_ok=True)
        elif file.stat().st_size > claimed[file].size:
            os.truncate(file, claimed[file].size)


def forget(connection: sqlite3.Connection, key: int, ids: Sequence[int] | None = None) -> None:
    """Leave gaps for deleted memories, or (without ids) drop the whole cache of a memory."""
    if ids is None:
        connection.execute("DELETE FROM vectors WHERE memory = ?", (key,))
        connection.execute("DELETE FROM vector_gaps WHERE memory = ?", (key,))
        _forget_blocks(connection, key)
        return
    cache = cache_of(connection, key)
    if cache is not None:
        gaps = [(key, id) for id in ids if id <= cache.until]
        connection.executemany("INSERT INTO vector_gaps VALUES (?, ?)", gaps)


def bad_blocks(
    path: Path, connection: sqlite3.Connection, key: int, cache: VectorFile
) -> list[int]:
    """The blocks whose bytes are not what was written."""
    wanted = dict(
        connection.execute("SELECT block, crc FROM vector_blocks WHERE memory = ?", (key,))
    )
    count = -(-cache.rows // BLOCK)
    try:
        array = _mapped(file_of(path, key, cache.generation), cache)
    except (OSError, ValueError):
        return list(range(max(1, count)))
    return [
        block
        for block in range(count)
        if zlib.crc32(array[block * BLOCK : (block + 1) * BLOCK].tobytes()) != wanted.get(block)
    ]


def is_usable(path: Path, key: int, cache: VectorFile, embedder: Embedder) -> bool:
    """Whether the cache is of this model and its file is there, as long as it should be."""
    if (cache.model, cache.dim) != (embedder.id, embedder.dim):
        return False
    try:
        return file_of(path, key, cache.generation).stat().st_size >= cache.size
    except OSError:
        return False


def _start(path: Path, connection: sqlite3.Connection, key: int, embedder: Embedder) -> None:
    """An empty cache of this model, in place of another model's."""
    old = cache_of(connection, key)
    forget(connection, key)
    generation = old.generation + 1 if old else 1
    with _plainly(path):
        _create(path, file_of(path, key, generation))
    _claim(connection, key, VectorFile(embedder.id, embedder.dim, generation, 0, 0))


def _create(path: Path, file: Path) -> None:
    """An empty file that is open to whom the store is open to."""
    with open(file, "wb", opener=private):
        file.chmod(path.stat().st_mode & 0o666)


def _append(
    path: Path,
    connection: sqlite3.Connection,
    key: int,
    cache: VectorFile,
    array: Halves,
    until: int,
) -> None:
    """Rows to the disk, then the claim that they are there; the caller commits."""
    data = np.ascontiguousarray(array, "<f2").tobytes()
    with _plainly(path), open(file_of(path, key, cache.generation), "r+b", buffering=0) as file:
        file.truncate(cache.size)
        try:
            left = memoryview(data)
            while left:
                left = left[os.pwrite(file.fileno(), left, cache.size + len(data) - len(left)) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(cache.size)  # a part of it may have filled the disk
            raise
    row, rows = cache.dim * 2, cache.rows
    while data:
        block, inside = divmod(rows, BLOCK)
        part, data = data[: (BLOCK - inside) * row], data[(BLOCK - inside) * row :]
        before = connection.execute(
            "SELECT crc FROM vector_blocks WHERE memory = ? AND block = ?", (key, block)
        ).fetchone()
        crc = zlib.crc32(part, before[0] if before else 0)
        connection.execute(
            "INSERT OR REPLACE INTO vector_blocks VALUES (?, ?, ?)", (key, block, crc)
        )
        rows += len(part) // row
    _claim(connection, key, cache._replace(rows=rows, until=until))


def _claim(connection: sqlite3.Connection, key: int, cache: VectorFile) -> None:
    connection.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?, ?)", (key, *cache))


def _forget_blocks(connection: sqlite3.Connection, key: int) -> None:
    connection.execute("DELETE FROM vector_blocks WHERE memory = ?", (key,))


def _after(connection: sqlite3.Connection, key: int, until: int) -> list[tuple[int, str]]:
    """The next texts to embed."""
    query = "SELECT id, text FROM slots WHERE memory = ? AND id > ? ORDER BY id LIMIT ?"
    rows = fetch(connection, query, (key, until, BATCH))
    with reading_as(newest_changed()):
        if any(a >= b for a, b in pairwise([until, *(id for id, _ in rows)])):
            raise newest_changed()  # and else it would not come to an end
    return rows


def _total(connection: sqlite3.Connection, key: int) -> int:
    """The rows of the file when everything is embedded."""
    (total,) = connection.execute(
        "SELECT (SELECT count FROM memories WHERE key = ?1)"
        " + (SELECT count(*) FROM vector_gaps WHERE memory = ?1)",
        (key,),
    ).fetchone()
    return int(total or 0)


def _live(connection: sqlite3.Connection, key: int, until: int) -> Ids:
    """The ids of the memories until one of them; without gaps there is nothing to read."""
    last, count = connection.execute(
        "SELECT last_id, count FROM memories WHERE key = ?", (key,)
    ).fetchone()
    if last == count:
        return np.arange(1, until + 1, dtype=np.int64)
    return _ids(connection, "slots", key, until)


def _ids(connection: sqlite3.Connection, table: str, key: int, until: int) -> Ids:
    found = connection.execute(
        f"SELECT id FROM {table} WHERE memory = ? AND id <= ? ORDER BY id", (key, until)
    )
    with reading_as(vectors_changed()):  # damage may have left an id that is no number
        return np.fromiter((id for (id,) in found), np.int64)


def _mapped(file: Path, cache: VectorFile, rows: int | None = None) -> Halves:
    shape = (cache.rows if rows is None else rows, cache.dim)
    if shape[0] == 0:
        return np.zeros(shape, np.float16)
    return np.memmap(file, "<f2", "r", shape=shape)


def _checked(embedder: Embedder, texts: list[str]) -> Halves:
    array = np.asarray(embedder.embed(texts), np.float16)
    if array.shape != (len(texts), embedder.dim):
        raise InputError(
            f"the model gives vectors of shape {array.shape} for {len(texts)} texts, but declares "
            f"dimension {embedder.dim}"
        )
    if not np.isfinite(array).all():
        raise InputError("the model gives vectors that are not finite or are too large for float16")
    return array


@contextmanager
def _plainly(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise MemoryStoreError(f"cannot write the vectors of {path}: {error.strerror}") from None
