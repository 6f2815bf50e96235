"""The rows of a store as values: the state of a memory, slots and their turns, with checksums."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from memnn.memory.protocol import parse_time, timestamp
from memnn.memory.turns import meta_of, meta_text
from memnn.types import Slot, Turn

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST = -(2**62)
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
        told = f"{self.name} {self.last_id} {self.last_time} {self.count} {self.deletions}"
        return zlib.crc32(told.encode())


def read_state(connection: sqlite3.Connection, name: str) -> MemoryRow:
    row = connection.execute(
        "SELECT key, name, last_id, last_time, count, deletions, indexed FROM memories"
        " WHERE name = ?",
        (name,),
    ).fetchone()
    if row is not None:
        return MemoryRow(*row)
    (deletions,) = connection.execute("SELECT deletions FROM changes").fetchone()
    return MemoryRow(0, name, 0, EARLIEST, 0, deletions, 0)


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
    (deletions,) = connection.execute("SELECT deletions FROM changes").fetchone()
    return int(deletions)


def memory_keys(connection: sqlite3.Connection) -> list[int]:
    return [key for (key,) in connection.execute("SELECT key FROM memories ORDER BY key")]


def slot_crc(id: int, time: int, source: str, text: str, turn: TurnRow | None = None) -> int:
    """Guards a slot and its turn: where one is changed or lost, they no longer fit."""
    told = f"{id} {time} {source}\0{text}"
    if turn is not None:
        told += "".join("\0" if value is None else f"\0{value}" for value in turn)
    return zlib.crc32(told.encode())


def turn_row(turn: Turn) -> TurnRow:
    said = None if turn.said is None else micros(parse_time(turn.said))
    return turn.speaker, said, turn.session, meta_text(turn.meta) or None, turn.supersedes


def slots_of(
    rows: Iterable[tuple[int, str, int, str | None]], turns: Mapping[int, TurnRow]
) -> Iterator[Slot]:
    """Slots of their rows; most have no turn."""
    if not turns:
        for id, text, time, source in rows:
            yield Slot(id, text, time_text(time), source or "")
        return
    for id, text, time, source in rows:
        row = turns.get(id)
        yield Slot(id, text, time_text(time), source or "", None if row is None else _turn(row))


WITH_TURNS = (
    "SELECT s.id, text, time, source, t.id, speaker, said, session, meta, supersedes"
    " FROM slots s LEFT JOIN turns t ON t.memory = s.memory AND t.id = s.id"
)


def joined_slots(rows: Iterable[tuple[Any, ...]]) -> Iterator[Slot]:
    """Slots of what `WITH_TURNS` finds, for a few of them; many are read without joining."""
    for id, text, time, source, turned, *turn in rows:
        told = None if turned is None else _turn((turn[0], turn[1], turn[2], turn[3], turn[4]))
        yield Slot(id, text, time_text(time), source or "", told)


def _turn(row: TurnRow) -> Turn:
    speaker, said, session, meta, supersedes = row
    return Turn(
        speaker, None if said is None else time_text(said), session, meta_of(meta), supersedes
    )


def turns_between(
    connection: sqlite3.Connection, key: int, first: int, last: int
) -> dict[int, TurnRow]:
    """The turns of slots with these ids and those between: a look-up, where there are none."""
    rows = connection.execute(
        "SELECT id, speaker, said, session, meta, supersedes FROM turns"
        " WHERE memory = ? AND id BETWEEN ? AND ?",
        (key, first, last),
    )
    return {id: (a, b, c, d, e) for id, a, b, c, d, e in rows}


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
