"""The rows of a store as values: the state of a memory, slots and their turns, with checksums."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from memnn.memory.protocol import parse_time, timestamp
from memnn.memory.sqlite.checksums import Changed, fetch, reading_as, statement_changed
from memnn.memory.turns import meta_of, meta_text
from memnn.types import Slot, Turn

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST = -(2**62)
FEW_NAMES = 1_000
"""Among so many a name is looked for one by one, if the index does not have it."""
FEW_SLOTS = 500
"""So many may be looked up one by one."""
LAST = 2**63 - 1
"""No id is greater."""
TurnRow = tuple[str | None, int | None, str | None, str | None, int | None]
"""Speaker, said, session, meta, supersedes: the columns of `turns` after memory and id."""


@dataclass(frozen=True, slots=True)
class MemoryRow:
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
        told = f"{self.key} {self.name}\0{self.last_id} {self.last_time} {self.count}"
        return zlib.crc32(f"{told} {self.deletions} {self.indexed}".encode())


STATE = "SELECT key, name, last_id, last_time, count, deletions, indexed, crc FROM memories"
STATE_OF = f"{STATE} WHERE name = ?"


def read_state(connection: sqlite3.Connection, name: str) -> MemoryRow:
    row = connection.execute(STATE_OF, (name,)).fetchone()
    if row is None and not connection.in_transaction:
        connection.execute("BEGIN")  # what follows is of one moment: it may just be created
        row = connection.execute(STATE_OF, (name,)).fetchone()
    if row is not None:
        return checked_state(row)
    (most,) = connection.execute("SELECT max(key) FROM memories").fetchone()
    if (most or 0) <= FEW_NAMES and connection.execute(
        "SELECT 1 FROM memories NOT INDEXED WHERE name = ?", (name,)
    ).fetchone():
        raise Changed("its index of names was changed on disk; use a backup")
    return MemoryRow(0, name, 0, EARLIEST, 0, _deletions(connection), 0)


def checked_state(row: tuple[Any, ...]) -> MemoryRow:
    """The state in a row that `STATE` found."""
    state, as_written = state_of(row)
    if not as_written:
        raise Changed(
            f"the row of memory '{state.name}' was changed on disk; mend it with memnn memory "
            "verify --repair, or use a backup"
        )
    return state


@lru_cache(1_000)
def state_of(row: tuple[Any, ...]) -> tuple[MemoryRow, bool]:
    """The state in a row that `STATE` found, and whether it is as it was written.

    A question reads it five times, and mostly it is the same.
    """
    state = MemoryRow(*row[:-1])
    if not isinstance(state.name, str):
        raise Changed("a name in it was changed on disk; use a backup")
    return state, state.crc == row[-1]


def create(connection: sqlite3.Connection, state: MemoryRow) -> MemoryRow:
    """Begin a memory; its deletions go on from the store's, so that no cache takes it for old."""
    key = connection.execute(
        "INSERT INTO memories (name, last_id, last_time, count, deletions, indexed, crc)"
        " VALUES (?, 0, ?, 0, ?, 0, 0)",
        (state.name, EARLIEST, state.deletions),
    ).lastrowid
    return replace(state, key=int(key or 0))


def save_state(connection: sqlite3.Connection, state: MemoryRow) -> None:
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
    return _deletions(connection)


def _deletions(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT deletions FROM changes").fetchone() or (None,)
    if not isinstance(count, int):
        raise Changed("its count of deletions was changed on disk; use a backup")
    return count


def memory_keys(connection: sqlite3.Connection) -> list[int]:
    return [key for (key,) in connection.execute("SELECT key FROM memories ORDER BY key")]


def slot_crc(id: int, time: int, source: str, text: str, turn: TurnRow | None = None) -> int:
    """Guards a slot and its turn: where one is changed or lost, they no longer fit."""
    told = f"{id} {time} {source}\0{text}"
    if turn is not None:
        told += "".join("\0" if value is None else f"\0{value}" for value in turn)
    return zlib.crc32(told.encode())


def kept_crc(key: int, name: str, data: bytes) -> int:
    """Guards an overview that is kept."""
    return zlib.crc32(data, zlib.crc32(f"{key} {name}".encode()))


def turn_row(turn: Turn) -> TurnRow:
    said = None if turn.said is None else micros(parse_time(turn.said))
    return turn.speaker, said, turn.session, meta_text(turn.meta) or None, turn.supersedes


SLOTS = "SELECT id, text, time, source, crc FROM slots WHERE memory = ?"
SlotRow = tuple[int, str, int, str | None, int]
"""What `SLOTS` finds."""
Turns = Mapping[int, TurnRow]
"""The turns of slots by their ids; most slots have none."""


def fits(row: SlotRow, turns: Turns) -> bool:
    """Whether a slot is as it was written."""
    id, text, time, source, crc = row
    return slot_crc(id, time, source or "", text, turns.get(id)) == crc


def changed(rows: Sequence[SlotRow], turns: Turns) -> list[int]:
    """The ids of those that are not as they were written."""
    if not turns:  # as nearly always: the same as below without calling anything
        crc32 = zlib.crc32
        return [
            id
            for id, text, time, source, crc in rows
            if crc32(f"{id} {time} {source or ''}\0{text}".encode()) != crc
        ]
    return [row[0] for row in rows if not fits(row, turns)]


def slots_of(rows: Sequence[SlotRow], turns: Turns, name: str) -> Iterator[Slot]:
    """Slots of their rows, if all are as they were written.

    Made one by one: of many thousands at a time most of the cost would be to hold them.
    """
    for id in changed(rows, turns):
        raise statement_changed(id, name)
    last, day = None, ""
    for id, text, time, source, _ in rows:
        seconds, rest = divmod(time, 1_000_000)
        if seconds != last:  # statements told at once share it
            last, day = seconds, _second(seconds)
        told = _turn(turns[id]) if id in turns else None
        yield Slot(id, text, f"{day}.{rest:06d}Z", source or "", told)


def turns_of(connection: sqlite3.Connection, key: int, rows: Sequence[SlotRow]) -> Turns:
    """The turns of these slots, perhaps of those between: a look-up, where there are none."""
    if not rows:
        return {}
    first, last = rows[0][0], rows[-1][0]
    if not isinstance(first, int) or not isinstance(last, int):  # damaged: no checksum fits these
        return turns_of(connection, key, [row for row in rows if isinstance(row[0], int)])
    which, wanted = "BETWEEN ? AND ?", [first, last]
    if len(rows) <= FEW_SLOTS and last - first > 2 * len(rows):  # far apart: one by one
        which, wanted = f"IN ({','.join('?' * len(rows))})", [row[0] for row in rows]
    turns = fetch(
        connection,
        "SELECT id, speaker, said, session, meta, supersedes FROM turns"
        f" WHERE memory = ? AND id {which}",
        (key, *wanted),
    )
    return {id: (a, b, c, d, e) for id, a, b, c, d, e in turns}


def checked_rows(
    connection: sqlite3.Connection,
    state: MemoryRow,
    after: int,
    until: int = LAST,
    most: int = -1,
) -> list[SlotRow]:
    """Rows after an id, each compared with its checksum."""
    rows = fetch(
        connection,
        f"{SLOTS} AND id > ? AND id <= ? ORDER BY id LIMIT ?",
        (state.key, after, until, most),
    )
    for id in changed(rows, turns_of(connection, state.key, rows)):
        raise statement_changed(id, state.name)
    return rows


def bad_slots(
    connection: sqlite3.Connection, key: int, after: int = 0, until: int = LAST
) -> list[int]:
    """The ids of statements that are not as they were written."""
    rows = fetch(connection, f"{SLOTS} AND id > ? AND id <= ? ORDER BY id", (key, after, until))
    return changed(rows, turns_of(connection, key, rows))


def _turn(row: TurnRow) -> Turn:
    speaker, said, session, meta, supersedes = row
    return Turn(
        speaker, None if said is None else time_text(said), session, meta_of(meta), supersedes
    )


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
    with reading_as(Changed(f"a time in it is out of range ({seconds} seconds after 1970)")):
        return timestamp(EPOCH + timedelta(seconds=seconds))[:19]
