"""Is a store what was written to it? Every row and every block of vectors has a checksum.

Text is the truth and cannot be made anew; buckets, counts and vectors can.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from memnn.errors import DamagedStore
from memnn.memory.protocol import is_id
from memnn.memory.sqlite import buckets, lessons, sealed, vectors
from memnn.memory.sqlite.checksums import Changed, fetch
from memnn.memory.sqlite.database import Database
from memnn.memory.sqlite.migrations import OF_A_MEMORY
from memnn.memory.sqlite.state import (
    EARLIEST,
    SLOTS,
    STATE,
    MemoryRow,
    changed,
    count_deletion,
    kept_crc,
    memory_keys,
    save_state,
    turns_of,
)
from memnn.memory.stores import Findings

PAGE = 100_000
MOST = 20
"""Damaged rows that are named one by one."""


def verify(database: Database, *, repair: bool = False) -> Findings:
    """Read everything and compare it with its checksums; `repair` makes anew what can be."""
    path, findings = database.path, Findings()
    try:
        if repair:
            with database.writing() as connection:
                _everything(path, connection, findings, repair)
            with database.writing() as connection:
                vectors.tidy(path, connection)
        else:
            with database.reading() as connection:
                _everything(path, connection, findings, repair)
    except DamagedStore as error:
        findings.problems.append(str(error))
    return findings


def _everything(
    path: Path, connection: sqlite3.Connection, findings: Findings, repair: bool
) -> None:
    said = [line for (line,) in connection.execute("PRAGMA integrity_check(20)").fetchall()]
    if said != ["ok"]:
        findings.problems.extend(f"the database is damaged: {_one_line(line)}" for line in said)
        return  # what is read from here on could be anything
    try:
        for key in memory_keys(connection):
            _memory(path, connection, key, findings, repair)
        findings.problems.extend(_strays(connection))
    except (sqlite3.Error, UnicodeError, ValueError, TypeError) as error:
        findings.problems.append(f"the database is damaged: {_one_line(str(error))}")


def _memory(
    path: Path, connection: sqlite3.Connection, key: int, findings: Findings, repair: bool
) -> None:
    *row, crc = connection.execute(f"{STATE} WHERE key = ?", (key,)).fetchone()
    state = MemoryRow(*row)
    ids, bad = _slots(connection, key)
    if state.crc != crc:
        line = f"memory {key} ('{state.name}'): its row was changed"
        if repair:
            state = _counted(connection, state, ids)
            save_state(connection, state)
            line += "; its counts are taken from its statements"
        (findings.repaired if repair else findings.problems).append(line)
    findings.problems.extend(
        f"memory '{state.name}': the statement {id} was changed; delete it and tell it again"
        for id in bad[:MOST]
    )
    if len(bad) > MOST:
        findings.problems.append(f"memory '{state.name}': {len(bad) - MOST:,} more were changed")
    last_id = int(ids[-1]) if len(ids) else 0
    if (state.count, max(state.last_id, last_id)) != (len(ids), state.last_id):
        line = f"memory '{state.name}': it counts {state.count:,} statements and has {len(ids):,}"
        if repair:
            state = replace(state, count=len(ids), last_id=max(state.last_id, last_id))
            save_state(connection, state)
        (findings.repaired if repair else findings.problems).append(line)
    lines = [] if bad else _made_of_texts(connection, state, ids)
    if lines and repair:
        state = replace(state, indexed=buckets.rebuild(connection, key))
        save_state(connection, state)
    (findings.repaired if repair else findings.problems).extend(
        f"memory '{state.name}': {line}" for line in lines
    )
    _vectors(path, connection, state, ids, findings, repair)
    _kept(connection, state, findings, repair)
    _turns(connection, state, findings, repair)
    findings.problems.extend(
        f"memory '{state.name}': {line}"
        for line in lessons.damaged(connection, key, ids.tolist())[:MOST]
    )


def _slots(connection: sqlite3.Connection, key: int) -> tuple[buckets.Ids, list[int]]:
    """The ids, and those of rows that do not fit their checksums or run backwards in time."""
    rows = fetch(connection, f"{SLOTS} ORDER BY id", (key,))
    bad = set(changed(rows, turns_of(connection, key, rows)))
    for before, row in pairwise(rows):
        if row[2] < before[2]:
            bad.add(row[0])
    return np.array([row[0] for row in rows], np.int64), sorted(bad)


def _counted(connection: sqlite3.Connection, state: MemoryRow, ids: buckets.Ids) -> MemoryRow:
    """The row of a memory as its statements would have it; ids that were given are not known."""
    (time,) = connection.execute(
        "SELECT coalesce(max(time), ?) FROM slots WHERE memory = ?", (EARLIEST, state.key)
    ).fetchone()
    highest = int(ids[-1]) if len(ids) else 0
    given = state.last_id if is_id(state.last_id) else 0
    return replace(
        state,
        last_id=max(highest, given),
        last_time=time,
        count=len(ids),
        deletions=count_deletion(connection),
        indexed=state.indexed if is_id(state.indexed) else 0,
    )


def _made_of_texts(connection: sqlite3.Connection, state: MemoryRow, ids: buckets.Ids) -> list[str]:
    """What is wrong with that which can be made anew from the texts."""
    lines = []
    if not _buckets_fit(connection, state):
        lines.append("its buckets are not those of its statements")
    try:
        counted = sealed.count(connection, state.key)
        whole = counted == int(np.searchsorted(ids, state.indexed, side="right"))
        fit = whole and not any(sealed.broken_pages(connection, state.key))
    except (ValueError, TypeError):
        fit = False
    if not fit:
        lines.append("the checksums of its pages are not those of its statements")
    return lines


def _buckets_fit(connection: sqlite3.Connection, state: MemoryRow) -> bool:
    """Whether the chunks hold exactly the words of the texts."""
    rows = connection.execute(
        "SELECT id, text FROM slots WHERE memory = ? AND id <= ? ORDER BY id",
        (state.key, state.indexed),
    )
    wanted = buckets.collect(rows)
    there = connection.execute(
        "SELECT count(DISTINCT bucket) FROM buckets WHERE memory = ?", (state.key,)
    ).fetchone()[0]
    if there != len(wanted) or state.indexed > state.last_id:
        return False
    for bucket, ids in wanted.items():
        try:
            chunks = buckets.find(connection, state.key, bucket)
        except Changed:
            return False
        if not chunks or not np.array_equal(np.concatenate(chunks), ids):
            return False
    sizes = dict(
        connection.execute("SELECT bucket, count FROM bucket_sizes WHERE memory = ?", (state.key,))
    )
    large = {bucket for bucket, ids in wanted.items() if len(ids) > buckets.CHUNK}
    return large <= sizes.keys() and all(len(wanted.get(b, ())) == n for b, n in sizes.items())


def _vectors(
    path: Path, connection: sqlite3.Connection, state: MemoryRow, ids: buckets.Ids,
    findings: Findings, repair: bool,
) -> None:  # fmt: skip
    cache = vectors.cache_of(connection, state.key)
    if cache is None:
        return
    gaps = connection.execute(
        "SELECT count(*) FROM vector_gaps WHERE memory = ?", (state.key,)
    ).fetchone()[0]
    if int(np.searchsorted(ids, cache.until, side="right")) + gaps != cache.rows:
        line, good = "vectors do not fit the statements", 0
    else:
        bad = vectors.bad_blocks(path, connection, state.key, cache)
        if not bad:
            return
        good = bad[0]
        line = f"vectors are damaged, in blocks {', '.join(map(str, bad[:MOST]))}"
    line = f"memory '{state.name}': {line}"
    if not repair:
        findings.problems.append(f"{line}; they can be made anew (--repair)")
        return
    vectors.rewrite(path, connection, state.key, most_blocks=good)
    findings.repaired.append(f"{line}; the damaged ones are made anew when next needed")


def _kept(
    connection: sqlite3.Connection, state: MemoryRow, findings: Findings, repair: bool
) -> None:
    """Overviews are made anew when they are missing."""
    for rowid, name, crc, data in connection.execute(
        "SELECT rowid, name, crc, data FROM kept WHERE memory = ?", (state.key,)
    ).fetchall():
        if kept_crc(state.key, name, data) != crc:
            line = f"memory '{state.name}': a kept overview is damaged"
            if repair:
                connection.execute("DELETE FROM kept WHERE rowid = ?", (rowid,))
            (findings.repaired if repair else findings.problems).append(line)


def _turns(
    connection: sqlite3.Connection, state: MemoryRow, findings: Findings, repair: bool
) -> None:
    """Turns of slots that are gone: an older memnn that was running deletes slots alone."""
    stray = " FROM turns WHERE memory = ?1 AND id NOT IN (SELECT id FROM slots WHERE memory = ?1)"
    (count,) = connection.execute(f"SELECT count(*){stray}", (state.key,)).fetchone()
    if count:
        if repair:
            connection.execute(f"DELETE{stray}", (state.key,))
        line = f"memory '{state.name}': {count:,} turns are of statements that are not there"
        (findings.repaired if repair else findings.problems).append(line)


def _strays(connection: sqlite3.Connection) -> Iterator[str]:
    """Rows of memories that do not exist: a changed key, or the row of a memory that is lost."""
    for table in OF_A_MEMORY:
        (count,) = connection.execute(
            f"SELECT count(*) FROM {table} WHERE memory NOT IN (SELECT key FROM memories)"
        ).fetchone()
        if count:
            yield f"{count:,} rows of {table} belong to no memory"


def _one_line(text: str) -> str:
    return " ".join(text.split())
