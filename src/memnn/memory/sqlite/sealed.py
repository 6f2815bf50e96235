"""Texts by the page: those that are in chunks lie under one checksum for some hundreds.

Comparing a page costs next to nothing, whereas a checksum for every row would make reading a
million statements a quarter slower. Newer statements are compared one by one.
"""

from __future__ import annotations

import sqlite3
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.memory.sqlite.checksums import fetch, reading_as, statement_changed, statements_changed
from memnn.memory.sqlite.state import LAST, MemoryRow, bad_slots, checked_rows

Ids = NDArray[np.int64]

ROWS = 256
"""Statements under one checksum."""
MOST_PAGES, MOST_BYTES = 2_048, 16_000_000
"""What is read at once."""
NEWEST = 10_000
"""Statements that are read at once where they are compared one by one."""
BROKEN = -1
"""In place of a checksum: the page holds a statement that does not fit its own."""


class Seal(NamedTuple):
    """The statements from one id to another: how many, how many bytes, and their checksum."""

    first: int
    last: int
    rows: int
    bytes: int
    crc: int


def seal(
    connection: sqlite3.Connection, key: int, ids: Ids, texts: bytes, bad: Collection[int] = ()
) -> None:
    """Note the checksums of statements, whose texts are each ended by a NUL."""
    ends = np.flatnonzero(np.frombuffer(texts, np.uint8) == 0) + 1
    if len(ends) != len(ids):  # a NUL in a text, where none was ever written
        bad, ends = ids.tolist(), np.full(len(ids), len(texts))
    rows, start = [], 0
    for a in range(0, len(ids), ROWS):
        some = ids[a : a + ROWS]
        stop = int(ends[a + len(some) - 1])
        broken = any(some[0] <= id <= some[-1] for id in bad)
        crc = BROKEN if broken else _crc(key, some, texts[start:stop])
        rows.append((key, int(some[0]), int(some[-1]), len(some), stop - start, crc))
        start = stop
    connection.executemany("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?)", rows)


def read(connection: sqlite3.Connection, state: MemoryRow, after: int) -> tuple[Ids, str]:
    """The next statements after an id, each text ended by a NUL; none where there are no more."""
    damage = statements_changed(state.name)
    with reading_as(damage):
        seals = _seals(connection, state.key, after) if after < state.indexed else []
        if seals and seals[0].first > after:
            return _sealed(connection, state, after, seals)
        most = seals[0].last if seals else state.last_id
        rows = checked_rows(connection, state, after, most, NEWEST)
        whole = after <= state.indexed and not seals and len(rows) < NEWEST
        before = count(connection, state.key) if whole and state.indexed else 0
        if whole and len(rows) != state.count - before:
            raise damage
        ids = np.array([row[0] for row in rows], np.int64)
        return ids, "".join([f"{row[1]}\0" for row in rows])


def broken_pages(connection: sqlite3.Connection, key: int) -> Iterator[Seal]:
    """Pages that do not fit their statements, for whoever checks everything."""
    for seal in _seals(connection, key, 0, -1):
        ids, texts = joined(connection, key, seal.first - 1, seal.last)
        if _found(key, ids, texts.encode()) != seal[2:]:
            yield seal


def reseal(connection: sqlite3.Connection, state: MemoryRow, gone: Sequence[int]) -> None:
    """Seal pages anew without these statements (in order), which are about to be deleted."""
    done = 0
    for id in gone:
        if not done < id <= state.indexed:
            continue
        for page in _seals(connection, state.key, id - 1, 1):
            out = gone[bisect_left(gone, page.first) : bisect_right(gone, page.last)]
            with reading_as(statements_changed(state.name)):
                _without(connection, state.key, page, set(out))
            done = page.last


def _without(connection: sqlite3.Connection, key: int, page: Seal, out: Set[int]) -> None:
    between = page.first - 1, page.last
    ids, texts = joined(connection, key, *between)
    told: Iterable[tuple[int, str]] = zip(ids.tolist(), texts.split("\0"), strict=False)
    bad: list[int] = []
    if _found(key, ids, texts.encode()) != page[2:]:  # then texts may hold anything, even a NUL
        query = "SELECT id, text FROM slots WHERE memory = ? AND id > ? AND id <= ? ORDER BY id"
        told = fetch(connection, query, (key, *between))
        bad = [id for id in bad_slots(connection, key, *between) if id not in out]
    connection.execute("DELETE FROM pages WHERE memory = ? AND last = ?", (key, page.last))
    kept = [(id, text) for id, text in told if id not in out]
    if kept:
        left = "".join([f"{text}\0" for _, text in kept])
        seal(connection, key, np.array([id for id, _ in kept], np.int64), left.encode(), bad)


def joined(
    connection: sqlite3.Connection, key: int, after: int, until: int = LAST, most: int = -1
) -> tuple[Ids, str]:
    """The ids and texts after an id, each text ended by a NUL.

    The database joins them, which is far quicker than handing them out one by one.
    """
    [(count, first, last, texts)] = fetch(
        connection,
        "SELECT count(*), min(id), max(id), group_concat(text, char(0)) FROM (SELECT id, text"
        " FROM slots WHERE memory = ? AND id > ? AND id <= ? ORDER BY id LIMIT ?)",
        (key, after, until, most),
    )
    if not count:
        return np.zeros(0, np.int64), ""
    if last - first + 1 == count:  # without gaps, as nearly always
        return np.arange(first, last + 1, dtype=np.int64), texts + "\0"
    rows = connection.execute(
        "SELECT id FROM slots WHERE memory = ? AND id BETWEEN ? AND ? ORDER BY id",
        (key, first, last),
    )
    return np.fromiter((id for (id,) in rows), np.int64, count), texts + "\0"


def _sealed(
    connection: sqlite3.Connection, state: MemoryRow, after: int, seals: list[Seal]
) -> tuple[Ids, str]:
    """As many whole pages as are worth reading at once."""
    sizes = np.cumsum([seal.bytes for seal in seals])
    seals = seals[: max(1, int(np.searchsorted(sizes, MOST_BYTES, side="right")))]
    ids, texts = joined(connection, state.key, after, seals[-1].last)
    data, numbers = memoryview(texts.encode()), memoryview(np.asarray(ids, "<i8").tobytes())
    crc32, begun = zlib.crc32, state.key & 0xFFFFFFFF
    row = start = 0
    for first, last, rows, size, crc in seals:  # `_crc` without copying
        found = crc32(data[start : start + size], crc32(numbers[8 * row : 8 * (row + rows)], begun))
        row, start = row + rows, start + size
        if found != crc or row > len(ids) or start > len(data) or ids[row - 1] != last:
            for id in bad_slots(connection, state.key, first - 1, last):
                raise statement_changed(id, state.name)
            raise statements_changed(state.name)
    if row != len(ids) or start != len(data):
        raise statements_changed(state.name)
    return ids, texts


def _seals(
    connection: sqlite3.Connection, key: int, after: int, most: int = MOST_PAGES
) -> list[Seal]:
    rows = connection.execute(
        "SELECT first, last, count, bytes, crc FROM pages WHERE memory = ? AND last > ?"
        " ORDER BY last LIMIT ?",
        (key, after, most),
    )
    return [Seal(*row) for row in rows]


def count(connection: sqlite3.Connection, key: int) -> int:
    """How many statements are in pages."""
    (count,) = connection.execute(
        "SELECT coalesce(sum(count), 0) FROM pages WHERE memory = ?", (key,)
    ).fetchone()
    return int(count)


def _found(key: int, ids: Ids, texts: bytes) -> tuple[int, int, int]:
    return len(ids), len(texts), _crc(key, ids, texts)


def _crc(key: int, ids: Ids, texts: bytes) -> int:
    return zlib.crc32(texts, zlib.crc32(np.asarray(ids, "<i8").tobytes(), key & 0xFFFFFFFF))
