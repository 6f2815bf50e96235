"""The embedded store: many named memories in one file, and vectors beside it as a cache.

What is written is on the disk when `write` returns.
"""

from __future__ import annotations

import os
from pathlib import Path

from memnn.errors import MemoryStoreError
from memnn.memory.protocol import check_name
from memnn.memory.sqlite import vectors
from memnn.memory.sqlite.database import Database
from memnn.memory.sqlite.memory import SqliteMemory
from memnn.memory.sqlite.migrations import OF_A_MEMORY
from memnn.memory.sqlite.state import (
    STATE,
    count_deletion,
    memory_keys,
    read_state,
    state_of,
)
from memnn.memory.sqlite.verify import verify
from memnn.memory.sqlite.writing import WriteQueue
from memnn.memory.stores import Findings, Info, Store, no_such


class SqliteStore(Store):
    """One file with its named memories; threads may share it."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        self.database = Database(path, create=create)
        self._writes = WriteQueue(self.database)

    @property
    def path(self) -> Path:
        return self.database.path

    def close(self) -> None:
        self.database.close()

    def memory(self, name: str = "main") -> SqliteMemory:
        return SqliteMemory(self._writes, name)

    def single(self, name: str = "main") -> SqliteMemory:
        return SqliteMemory(self._writes, name, on_close=self.close)

    def sizes(self, after: str = "", limit: int | None = None) -> dict[str, int | None]:
        with self.database.reading(one_query=True) as connection:
            rows = connection.execute(
                f"{STATE} WHERE name > ? ORDER BY name LIMIT ?",
                (after, -1 if limit is None else limit),
            ).fetchall()
            states = [state_of(row) for row in rows]
        return {state.name: state.count if as_written else None for state, as_written in states}

    def count(self) -> int:
        with self.database.reading(one_query=True) as connection:
            (names,) = connection.execute("SELECT count(*) FROM memories").fetchone()
        return int(names)

    def __contains__(self, name: object) -> bool:
        with self.database.reading(one_query=True) as connection:
            found = connection.execute("SELECT 1 FROM memories WHERE name = ?", (name,)).fetchone()
        return found is not None

    def drop(self, name: str) -> None:
        """Delete a whole memory, its name included; its bytes go with `compact`."""
        with self.database.writing() as connection:
            state = read_state(connection, check_name(name))
            if not state.key:
                raise no_such(name, self.path)
            count_deletion(connection)
            for table in OF_A_MEMORY:
                connection.execute(f"DELETE FROM {table} WHERE memory = ?", (state.key,))
            connection.execute("DELETE FROM memories WHERE key = ?", (state.key,))
        with self.database.writing() as connection:
            vectors.tidy(self.path, connection)

    def compact(self) -> None:
        """Rewrite all files, so that the bytes of what was deleted are gone."""
        try:
            with self.database.writing() as connection:
                for key in memory_keys(connection):
                    if connection.execute(
                        "SELECT 1 FROM vector_gaps WHERE memory = ?", (key,)
                    ).fetchone():
                        vectors.rewrite(self.path, connection, key)
            with self.database.writing() as connection:
                vectors.tidy(self.path, connection)
                connection.execute("DELETE FROM kept")  # those of models of long ago, too
        except OSError as error:
            raise MemoryStoreError(f"cannot compact {self.path}: {error.strerror}") from None
        self.database.vacuum()

    def info(self, name: str = "main") -> Info:
        with self.database.reading() as connection:
            state = read_state(connection, check_name(name))
            cache = vectors.cache_of(connection, state.key)
        return Info(
            statements=state.count,
            bytes=self.size(),
            model=cache.model if cache else None,
            vectors=cache.rows if cache else 0,
            names=self.names(),
        )

    def verify(self, *, repair: bool = False) -> Findings:
        return verify(self.database, repair=repair)

    def size(self) -> int:
        return sum(file.stat().st_size for file in self.files())

    def files(self) -> list[Path]:
        """Everything that belongs to the store: a backup copies these, or uses `memory copy`."""
        log = [self.path.with_name(self.path.name + end) for end in ("", "-wal")]
        return [file for file in log if file.exists()] + vectors.files_of(self.path)
