"""One SQLite file in WAL mode: one writer at a time, readers that never wait, errors in a line.

`synchronous=FULL`: a commit returns when the log is on the disk, so that what was acknowledged
survives a killed process and a power cut. Writers of all threads and processes wait for each
other; a reader sees the last commit before it began.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from memnn.errors import DamagedStore, MemoryStoreError
from memnn.memory.sqlite.checksums import Changed, reading_as
from memnn.memory.sqlite.migrations import APPLICATION, VERSION, migrate
from memnn.paths import open_file, private

PATIENCE = 60.0
"""Seconds that a writer waits for the others: longer than any transaction of ours takes."""
PAUSE = 0.001
"""SQLite's own waiting grows to tenths of a second, which one busy writer can starve."""

Row = tuple[Any, ...]
T = TypeVar("T")

MAGIC = b"SQLite format 3\0"


class Database:
    """The connections to one store, for all threads of a process."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        self.path = _checked(path, create)
        self._idle: deque[sqlite3.Connection] = deque()
        self._writer: sqlite3.Connection | None = None
        self._turn = threading.RLock()
        self._pid = os.getpid()
        self._closed = False
        try:
            self._prepare(create)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self, one_query: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection on which everything read is of one moment, as one query always is."""
        try:
            connection = self._take()
            try:
                if not one_query:
                    connection.execute("BEGIN")
                yield connection
            finally:
                self._give_back(connection)
        except FAILURES as error:
            raise plain_words(self.path, error) from None

    def look(self, query: str, named: tuple[object, ...], read: Callable[[Row], T]) -> T | None:
        """What one row says, None where there is none: `reading` for what is asked all the time."""
        try:
            connection = self._take()
            try:
                row = connection.execute(query, named).fetchone()
            finally:
                self._give_back(connection)
            return None if row is None else read(row)
        except FAILURES as error:
            raise plain_words(self.path, error) from None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The one connection that writes, in a transaction that is kept whole or not at all."""
        with self._turn, self._in_plain_words():
            connection = self._write_connection()
            self._patiently(connection, "BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                raise

    def vacuum(self) -> None:
        """Rewrite the file without what was deleted, and empty the log.

        A reader that still looks at an old state keeps the old bytes: that is an error.
        """
        with self._turn, self._in_plain_words():
            connection = self._write_connection()
            self._patiently(connection, "VACUUM")
            for _ in range(1_000):
                busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if not busy:
                    return
                time.sleep(5 * PAUSE)
            raise MemoryStoreError(
                f"cannot compact {self.path}: another process or thread is reading it, so the old "
                "bytes remain; compact again when it is done"
            )

    def close(self) -> None:
        self._closed = True
        with self._turn:
            while self._idle:
                self._idle.pop().close()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _prepare(self, create: bool) -> None:
        """A file of ours, at this version; one that is new or older is brought there."""
        with self.reading(one_query=True) as connection:
            if self._is_current(connection):
                return
            if not create and _is_empty(connection):
                raise MemoryStoreError(f"{self.path} is not a memory store: it is empty")
            self._patiently(connection, "PRAGMA journal_mode=WAL")
        with self.writing() as connection:
            if not self._is_current(connection):  # another process may have been first
                with reading_as(Changed("its rows cannot be read; use a backup")):
                    migrate(connection)

    def _is_current(self, connection: sqlite3.Connection) -> bool:
        """Whether nothing has to be migrated; refuses what is not ours or too new for us."""
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION and not _is_empty(connection):
            raise MemoryStoreError(f"{self.path} is an SQLite database but not a memory store")
        if version > VERSION:
            raise MemoryStoreError(
                f"{self.path} has store version {version} and this memnn reads up to {VERSION}; "
                "install a newer memnn"
            )
        return bool(application == APPLICATION and version == VERSION)

    def _take(self) -> sqlite3.Connection:
        self._check_usable()
        try:
            return self._idle.pop()
        except IndexError:
            return self._connect(PATIENCE)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("COMMIT")
        except sqlite3.Error:
            connection.close()
            return
        self._idle.append(connection)
        if self._closed:  # closed meanwhile
            self.close()

    def _write_connection(self) -> sqlite3.Connection:
        self._check_usable()
        if self._writer is None:
            self._writer = self._connect(0)
            self._writer.execute("PRAGMA cache_size=-65536")
        return self._writer

    def _connect(self, patience: float) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=patience, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute("PRAGMA temp_store=MEMORY")  # no text in other places
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_usable(self) -> None:
        if self._closed:
            raise MemoryStoreError(f"{self.path} was closed; open it again")
        if os.getpid() != self._pid:
            raise MemoryStoreError(
                f"{self.path} was opened before this process was forked; open it again here"
            )

    def _patiently(self, connection: sqlite3.Connection, command: str) -> None:
        """Wait for other writers instead of failing."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                connection.execute(command)
            except sqlite3.OperationalError as error:
                if _code(error) not in _BUSY or time.monotonic() > end:
                    raise
                time.sleep(PAUSE)
            else:
                return

    @contextmanager
    def _in_plain_words(self) -> Iterator[None]:
        try:
            yield
        except FAILURES as error:
            raise plain_words(self.path, error) from None


FAILURES = (sqlite3.Error, Changed, UnicodeError)
"""What reading a file of any content may raise; SQLite quotes names that are no text, too."""
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def plain_words(path: Path, error: sqlite3.Error | Changed | UnicodeError) -> MemoryStoreError:
    """One line for whoever uses a store, instead of SQLite's."""
    if isinstance(error, Changed):
        return DamagedStore(f"{path} is damaged: {error}")
    if isinstance(error, UnicodeError) or "decode to UTF-8" in str(error):
        return DamagedStore(f"{path} is damaged: it holds text that is not UTF-8; use a backup")
    code = _code(error)
    if code == sqlite3.SQLITE_NOTADB:
        return MemoryStoreError(f"{path} is not a memory store")
    if code == sqlite3.SQLITE_CORRUPT or isinstance(error, sqlite3.IntegrityError):
        return DamagedStore(
            f"{path} is damaged ({error}); see memnn memory verify, or use a backup"
        )
    if code == sqlite3.SQLITE_FULL:
        return MemoryStoreError(f"cannot write {path}: the disk is full; make room and try again")
    if code in _BUSY:
        return MemoryStoreError(
            f"cannot write {path}: others have been writing for {PATIENCE:.0f} seconds; try again"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return MemoryStoreError(
            f"cannot open or write {path}: a store needs a file and a folder that can be written"
        )
    return MemoryStoreError(f"cannot use {path}: {error}")


def _is_empty(connection: sqlite3.Connection) -> bool:
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return bool(tables == 0)


def _may_be_ours(file: Path) -> bool:
    """An SQLite file or an empty one; SQLite takes some short files for empty, and we do not."""
    try:
        with open_file(file) as start:
            return start.read(len(MAGIC)) in (MAGIC, b"")
    except OSError as error:
        raise MemoryStoreError(f"cannot read {file}: {error.strerror}") from None


def _checked(path: str | os.PathLike[str], create: bool) -> Path:
    """Where the store is, links followed: what lies beside it must find its file."""
    try:
        if not os.fspath(path) or b"\0" in os.fsencode(path):
            raise ValueError
        place = Path(os.path.realpath(path))
        exists = place.exists()  # asked first: another process may be making it
        is_file = place.is_file()
    except (TypeError, ValueError):
        raise MemoryStoreError(f"{path!r} is not a path") from None
    except OSError as error:
        raise MemoryStoreError(f"cannot open {path}: {error.strerror}") from None
    if exists and not (is_file and _may_be_ours(place)):
        raise MemoryStoreError(f"{path} is not a memory store")
    if not exists and not create:
        raise MemoryStoreError(
            f"there is no store at {path}; make one with: memnn memory add {path} TEXT"
        )
    if not exists and not place.parent.is_dir():
        raise MemoryStoreError(f"cannot make {path}: there is no folder {place.parent}")
    if not exists:
        # The log gets the permissions of the file. What fails here fails in plain words below.
        with suppress(OSError), open(place, "xb", opener=private):
            pass
    return place
