"""Writers of all threads wait in one line, and whoever is first commits for all.

A commit costs a wait for the disk and a statement hardly anything.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import time_ns

from memnn.errors import InputError, MemoryStoreError
from memnn.memory.protocol import check_id
from memnn.memory.sqlite import buckets
from memnn.memory.sqlite.database import Database
from memnn.memory.sqlite.state import (
    MemoryRow,
    create,
    read_state,
    save_state,
    slot_crc,
    time_text,
    turn_row,
)
from memnn.memory.turns import check_supersedes
from memnn.types import Slot, Turn


@dataclass(slots=True)
class Write:
    """Slots that somebody waits for; id and time None are filled in when it is their turn."""

    name: str
    texts: Sequence[str]
    ids: Sequence[int | None]
    times: Sequence[int | None]
    sources: Sequence[str]
    turns: Sequence[Turn | None] | None = None
    slots: list[Slot] = field(default_factory=list)
    error: BaseException | None = None
    done: bool = False


class WriteQueue:
    """The writes to one store."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._waiting: list[Write] = []
        self._queue = threading.Lock()
        self._turn = threading.Lock()

    def write(self, write: Write) -> list[Slot]:
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

    def _commit(self, batch: list[Write]) -> None:
        try:
            with self.database.writing() as connection:
                states: dict[str, MemoryRow] = {}
                for write in batch:
                    try:
                        _put(connection, states, write)
                    except InputError as error:  # one that is refused leaves the others alone
                        write.error = error
                for state in states.values():
                    save_state(connection, state)
        except BaseException as error:
            for write in batch:
                write.error = write.error or (
                    error
                    if isinstance(error, MemoryStoreError)
                    else MemoryStoreError(f"writing to {self.database.path} was interrupted")
                )
            if not isinstance(error, MemoryStoreError):
                raise
        finally:
            for write in batch:
                write.done = True


def _put(connection: sqlite3.Connection, states: dict[str, MemoryRow], write: Write) -> None:
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
    for id, turn in zip(ids, write.turns or (), strict=False):
        check_supersedes(turn, id)
    if not ids:
        return
    if not state.key:
        state = create(connection, state)
    _insert(connection, state.key, write, ids, times)
    before = state.last_id
    state = replace(state, last_id=last, last_time=time, count=state.count + len(ids))
    if last - state.indexed >= buckets.EVERY:
        indexed = buckets.index(connection, state.key, state.indexed, before)
        state = replace(state, indexed=indexed)
    states[name] = state


def _insert(
    connection: sqlite3.Connection, key: int, write: Write, ids: list[int], times: list[int]
) -> None:
    told = list(zip(ids, times, write.sources, write.texts, strict=True))
    insert = f"INSERT INTO slots VALUES ({key}, ?, ?, ?, ?, ?)"
    if write.turns is None:  # as nearly always
        rows = ((i, t, source or None, slot_crc(i, t, source, x), x) for i, t, source, x in told)
        connection.executemany(insert, rows)
        write.slots = [Slot(i, text, time_text(t), source) for i, t, source, text in told]
        return
    turns = [None if turn is None else turn_row(turn) for turn in write.turns]
    connection.executemany(
        insert,
        (
            (i, t, source or None, slot_crc(i, t, source, x, turn), x)
            for (i, t, source, x), turn in zip(told, turns, strict=True)
        ),
    )
    connection.executemany(
        f"INSERT INTO turns VALUES ({key}, ?, ?, ?, ?, ?, ?)",
        ((i, *turn) for i, turn in zip(ids, turns, strict=True) if turn is not None),
    )
    write.slots = [
        Slot(i, text, time_text(t), source, turn)
        for (i, t, source, text), turn in zip(told, write.turns, strict=True)
    ]
