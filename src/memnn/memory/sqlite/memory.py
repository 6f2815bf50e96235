"""One named memory of a store. What other processes wrote and deleted is seen at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from memnn.memory.address import open_memory
from memnn.memory.batch import Batch, BatchMemory
from memnn.memory.protocol import (
    AsOf,
    Changes,
    Embedder,
    Memory,
    Progress,
    check_name,
    in_order,
    known_id,
    missing,
    resolve_as_of,
)
from memnn.memory.sqlite import buckets, lessons, sealed, vectors
from memnn.memory.sqlite.buckets import Ids
from memnn.memory.sqlite.checksums import Changed, fetch, statements_changed
from memnn.memory.sqlite.database import plain_words
from memnn.memory.sqlite.known import KnownIds, until
from memnn.memory.sqlite.state import (
    LAST,
    SLOTS,
    STATE_OF,
    MemoryRow,
    SlotRow,
    Turns,
    checked_state,
    count_deletion,
    fits,
    kept_crc,
    micros,
    read_state,
    save_state,
    slots_of,
    turns_of,
)
from memnn.memory.sqlite.writing import Write, WriteQueue
from memnn.memory.turns import check_lesson
from memnn.types import Lesson, Slot

PAGE, FIRST_SLOTS = 10_000, 100
"""Slots read at once: a reader in no hurry must not hold an old state of the file."""
FEW = 500
"""Ids in one query."""
MOST_KEPT, OVERVIEWS = 100_000_000, 4
"""Bytes of an overview that is worth keeping, and models whose overviews are."""


class _Page(NamedTuple):
    """Rows of statements with their turns, and the state of the memory they were read in."""

    rows: list[SlotRow]
    turns: Turns
    state: MemoryRow


class SqliteMemory(BatchMemory):
    """A memory in a file, for any number of threads and processes."""

    def __init__(
        self, writes: WriteQueue, name: str = "main", *, on_close: Callable[[], None] | None = None
    ) -> None:
        self.name = check_name(name)
        self._writes = writes
        self._database = writes.database
        self._on_close = on_close
        self._known = KnownIds()

    def __reduce__(self) -> tuple[Callable[[], Memory], tuple[()]]:
        """Another process opens the same file."""
        where = self._database.path.absolute()
        return partial(open_memory, where, self.name, create=False), ()

    @property
    def lasts(self) -> bool:
        return True

    def changes(self) -> Changes:
        state = self.state()
        return Changes(state.last_id, state.deletions)

    def __len__(self) -> int:
        return self.state().count

    def write_batch(self, batch: Batch) -> list[Slot]:
        texts, ids, times, sources, turns = batch
        moments = [None if time is None else micros(time) for time in times]
        return self._writes.write(Write(self.name, texts, ids, moments, sources, turns))

    def read(self, ids: Iterable[int]) -> list[Slot]:
        wanted = [known_id(id) for id in ids]
        found: dict[int, Slot] = {}
        with self._database.reading() as connection:
            key = read_state(connection, self.name).key
            for start in range(0, len(wanted), FEW):
                some = wanted[start : start + FEW]
                marks = ",".join("?" * len(some))
                query = f"{SLOTS} AND id IN ({marks}) ORDER BY id"
                rows = fetch(connection, query, (key, *some))
                turns = turns_of(connection, key, rows)
                found.update((slot.id, slot) for slot in slots_of(rows, turns, self.name))
        return in_order(found, wanted)

    def scan(self, after: int = 0) -> Iterator[Slot]:
        if not after:
            yield from self._all()
            return
        page = self._page(after, FIRST_SLOTS)  # mostly a few are new
        yield from self._slots(page)
        while len(page.rows) in (FIRST_SLOTS, PAGE):
            page = self._page(page.rows[-1][0])
            yield from self._slots(page)

    def _all(self) -> Iterator[Slot]:
        """Every slot; as long as nothing is deleted meanwhile, there must be as many as counted."""
        page = self._page(0)
        first, count = page.state, len(page.rows)
        yield from self._slots(page)
        while len(page.rows) == PAGE:
            page = self._page(page.rows[-1][0])
            count += len(page.rows)
            yield from self._slots(page)
        state = page.state
        if count != state.count and (state.key, state.deletions) == (first.key, first.deletions):
            raise plain_words(self._database.path, statements_changed(self.name))

    def _page(self, after: int, most: int = PAGE) -> _Page:
        with self._database.reading() as connection:
            state = read_state(connection, self.name)
            query = f"{SLOTS} AND id > ? ORDER BY id LIMIT ?"
            rows = fetch(connection, query, (state.key, after, most))
            if rows and isinstance(rows[-1][0], int) and rows[-1][0] <= after:
                raise statements_changed(self.name)  # and else it would not come to an end
            return _Page(rows, turns_of(connection, state.key, rows), state)

    def _slots(self, page: _Page) -> Iterator[Slot]:
        """Outside the transaction: whoever asks for them may take their time."""
        try:
            yield from slots_of(page.rows, page.turns, self.name)
        except Changed as damage:
            raise plain_words(self._database.path, damage) from None

    def pages(self, after: int = 0) -> Iterator[tuple[Ids, str]]:
        """Ids and texts alone, many at once: for whoever reads everything."""
        while True:
            with self._database.reading() as connection:
                state = read_state(connection, self.name)
                ids, texts = sealed.read(connection, state, after)
                if len(ids) and ids[-1] <= after:
                    raise statements_changed(self.name)
            if len(ids):
                yield ids, texts
            if not len(ids) or ids[-1] >= state.last_id:
                return
            after = int(ids[-1])

    def candidates(self, as_of: AsOf = None, buckets: Iterable[str] | None = None) -> Ids:
        limit = resolve_as_of(as_of)
        with self._database.reading() as connection:
            state = read_state(connection, self.name)
            if buckets is None:
                ids = self._known.ids(connection, state)
            else:
                ids = self._known.in_buckets(connection, state, buckets)
            if isinstance(limit, int):
                ids = ids[: int(np.searchsorted(ids, limit, side="right"))]
            elif limit is not None:
                ids = ids[: until(connection, state, ids, limit)]
        ids.flags.writeable = False
        return ids

    def newest(self, limit: int, before: int | None = None) -> list[Slot]:
        with self._database.reading() as connection:
            state = read_state(connection, self.name)
            query = f"{SLOTS} AND id < ? ORDER BY id DESC LIMIT ?"
            end = LAST if before is None else before
            rows = fetch(connection, query, (state.key, end, limit))[::-1]
            page = _Page(rows, turns_of(connection, state.key, rows), state)
        return list(self._slots(page))[::-1]

    def supersessions(self, after: int = 0) -> list[tuple[int, int]]:
        with self._database.reading() as connection:
            key = read_state(connection, self.name).key
            # Of all of them the index is quicker, of the newest the table itself.
            by = "" if after else "INDEXED BY turns_by_supersedes"
            rows = connection.execute(
                f"SELECT id FROM turns {by} WHERE memory = ? AND supersedes IS NOT NULL"
                " AND id > ? ORDER BY id",
                (key, after),
            ).fetchall()
        # Few, if any: read with their checksums.
        turns = [(slot.id, slot.turn) for slot in self.read([id for (id,) in rows])]
        return [(id, t.supersedes) for id, t in turns if t is not None and t.supersedes]

    def frequencies(self, buckets: Iterable[str]) -> dict[str, int]:
        with self._database.reading() as connection:
            state = read_state(connection, self.name)
            return self._known.frequencies(connection, state, buckets)

    def delete(self, ids: Iterable[int]) -> None:
        gone = sorted({known_id(id) for id in ids})
        if not gone:
            return
        with self._database.writing() as connection:
            state = read_state(connection, self.name)
            texts, whole = [], True
            for id in gone:
                rows = fetch(connection, f"{SLOTS} AND id = ?", (state.key, id))
                if not rows:
                    raise missing(id)
                texts.append((id, rows[0][1]))
                whole = whole and fits(rows[0], turns_of(connection, state.key, rows))
            sealed.reseal(connection, state, gone)
            for table in ("slots", "turns"):
                connection.executemany(
                    f"DELETE FROM {table} WHERE memory = {state.key} AND id = ?",
                    [(id,) for id in gone],
                )
            indexed = state.indexed
            if whole:
                old = [(id, text) for id, text in texts if id <= indexed]
                buckets.remove(connection, state.key, buckets.collect(old))
            else:  # nobody knows the words of a text that was changed, and deleting mends that
                indexed = buckets.rebuild(connection, state.key)
            vectors.forget(connection, state.key, gone)
            lessons.forget(connection, state.key, gone)
            connection.execute("DELETE FROM kept WHERE memory = ?", (state.key,))
            deletions, count = count_deletion(connection), state.count - len(gone)
            save_state(
                connection, replace(state, count=count, deletions=deletions, indexed=indexed)
            )

    def teach(self, question: str, ids: Iterable[int] = (), as_of: int | None = None) -> Lesson:
        with self._database.writing() as connection:
            state = read_state(connection, self.name)
            lesson = check_lesson(question, ids, as_of, state.last_id)
            for id in lesson.ids:
                if not connection.execute(
                    "SELECT 1 FROM slots WHERE memory = ? AND id = ?", (state.key, id)
                ).fetchone():
                    raise missing(id)
            lessons.put(connection, state.key, lesson)
        return lesson

    def unteach(self, question: str) -> None:
        with self._database.writing() as connection:
            lessons.remove(connection, read_state(connection, self.name).key, question)

    def lessons(self) -> list[Lesson]:
        with self._database.reading() as connection:
            return lessons.all_of(connection, read_state(connection, self.name).key)

    def embed(self, embedder: Embedder, progress: Progress | None = None) -> int:
        steps: list[int] = []

        def step(done: int, total: int) -> None:
            steps.append(done)
            if progress is not None:
                progress(done, total)

        self.vectors(embedder, step)
        return steps[-1] - steps[0] if steps else 0

    def vectors(self, embedder: Embedder, progress: Progress | None = None) -> vectors.Vectors:
        """The vectors of this model, in write order; what the cache lacks is made first."""
        key = self.state().key
        if not key:
            return vectors.Vectors(np.zeros(0, np.int64), np.zeros((0, embedder.dim), np.float16))
        vectors.build(self._database, key, embedder, progress)
        return vectors.load(self._database, key)

    def keep(self, name: str, data: bytes, deletions: int) -> None:
        """Keep an overview of this memory as it was at so many deletions, if that is now."""
        if len(data) > MOST_KEPT:
            return
        with self._database.writing() as connection:
            state = read_state(connection, self.name)
            if not state.key or state.deletions != deletions:
                return
            connection.execute(
                "INSERT OR REPLACE INTO kept (memory, name, crc, data) VALUES (?, ?, ?, ?)",
                (state.key, name, kept_crc(state.key, name, data), data),
            )
            connection.execute(
                "DELETE FROM kept WHERE memory = ?1 AND rowid NOT IN"
                " (SELECT rowid FROM kept WHERE memory = ?1 ORDER BY rowid DESC LIMIT ?2)",
                (state.key, OVERVIEWS),
            )

    def kept(self, name: str) -> bytes | None:
        """What was kept under this name; None if nothing was, or if it is damaged."""
        with self._database.reading(one_query=True) as connection:
            row = connection.execute(
                "SELECT key, kept.crc, data FROM kept JOIN memories ON memory = key"
                " WHERE memories.name = ? AND kept.name = ?",
                (self.name, name),
            ).fetchone()
        if row is None or not isinstance(row[2], bytes) or kept_crc(row[0], name, row[2]) != row[1]:
            return None
        return row[2]

    def close(self) -> None:
        if self._on_close is not None:
            self._on_close()

    def state(self) -> MemoryRow:
        """Its counts, in one look."""
        found = self._database.look(STATE_OF, (self.name,), checked_state)
        if found is not None:
            return found
        with self._database.reading(one_query=True) as connection:
            return read_state(connection, self.name)
