"""A memory in Milvus: beyond one machine, sharded and replicated by the engine.

One collection a memory, one row a slot with its id as primary key. Rows from 0 down are its state
and the claims of writers (`claims`), lessons and overviews (`extras`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memnn.errors import InputError, MemoryStoreError
from memnn.memory.batch import Batch, numbered
from memnn.memory.milvus import extras, parts_kept
from memnn.memory.milvus.claims import PAUSES, Overtaken, Writer
from memnn.memory.milvus.fields import Row
from memnn.memory.milvus.filters import chosen, in_buckets, quoted
from memnn.memory.milvus.moment import OneMoment
from memnn.memory.milvus.opened import Opened
from memnn.memory.milvus.overviews import Overviews
from memnn.memory.milvus.rows import (
    check_sources,
    fitted,
    ids_found,
    in_parts,
    slot_of,
    slot_rows,
    slots_by_id,
)
from memnn.memory.milvus.table import NO_VECTOR, WINDOW, Dropped, Table, batches
from memnn.memory.protocol import AsOf, Changes, Embedder, Progress, in_order, known_id, missing
from memnn.memory.turns import check_lesson
from memnn.types import Lesson, Slot

UNSAVED = 100
"""Statements after which row 0 says how far the memory goes: who opens it reads what follows."""
T = TypeVar("T")
Ids = NDArray[np.int64]


class MilvusMemory(Overviews):
    """The memory at `milvus+http://host:19530/store` with a name of its own in that store."""

    def __init__(
        self,
        address: str,
        name: str = "main",
        *,
        embedder: Embedder | None = None,
        opened: Opened | None = None,
    ) -> None:
        self.where, self.name, self.embedder = address, name, embedder
        self._opened = opened or Opened(address, name)
        self._closed = not self._opened.enter()
        self._moment = OneMoment()

    @property
    def _lock(self) -> threading.RLock:
        return self._opened.lock

    @property
    def _table(self) -> Table:
        if self._closed:
            raise MemoryStoreError("this memory is closed; open it again")
        return self._opened.table

    @property
    def _writer(self) -> Writer:
        return self._opened.writer

    @property
    def lasts(self) -> bool:
        return True

    @property
    def closed(self) -> bool:
        return self._closed or self._opened.table.connection.closed

    def changes(self) -> Changes:
        return self._moment.changes or self._newest()

    def _newest(self) -> Changes:
        with self._lock:
            self._table  # noqa: B018 a closed memory says so
            state = self._writer.newest()
        return Changes(state.last_id, state.deletions)

    @contextmanager
    def one_moment(self) -> Iterator[Changes]:
        """`changes` and the number of statements are asked for once: each time takes a tick."""
        with self._moment.of(self._newest) as changes:
            yield changes

    def __len__(self) -> int:
        self.changes()  # what others deleted is known then
        return self._moment.counted(lambda: self._table.count("id > 0"))

    # Writing

    def write_batch(self, batch: Batch) -> list[Slot]:
        if not batch.texts:
            return []
        check_sources(batch.sources)
        self._moment.end()
        parts = slot_rows(batch.texts, self.embedder)
        with self._lock:
            if not self._table.there:
                numbered(batch, 0, "")  # what is refused makes no collection
            return self._again(lambda: self._write(batch, parts))

    def _write(self, batch: Batch, parts: list[Row]) -> list[Slot]:
        self._hold()
        if self.embedder is not None and self.embedder.dim != self._table.dim:
            self.embed()
        term, state = self._writer.term, self._writer.state
        slots = numbered(batch, state.last_id, state.last_time)
        rows = [fitted(p, s, self._table.dim) for p, s in zip(parts, slots, strict=True)]
        # A write that seems to fail may still arrive, so its ids count as given.
        self._writer.state = replace(state, last_id=slots[-1].id, last_time=slots[-1].time)
        sent: list[int] = []
        sending: list[int] = []
        try:
            for some in batches(rows):
                self._hold_on(term)
                sending = [row["id"] for row in some]
                self._table.insert(some)
                sent, sending = sent + sending, []
        except Dropped:
            raise
        except Overtaken:
            self._take_back(sent)
            raise
        except BaseException:
            with suppress(MemoryStoreError):
                self._table.look()  # where a connection broke, a read makes a new one
                self._hold()
                # Of what did not arrive another writer may have given the ids to others.
                self._take_back(sent + sending if self._writer.term == term else sent)
            raise
        if len(rows) > UNSAVED:
            with suppress(MemoryStoreError):
                self._writer.save()
        return slots

    def _take_back(self, ids: list[int]) -> None:
        self._hold()
        self._writer.save()
        self._writer.bury(ids)
        self._writer.count_deletion()  # others may have read them

    def delete(self, ids: Iterable[int]) -> None:
        wanted = sorted({known_id(id) for id in ids})
        self._moment.end()
        if wanted:
            with self._lock:
                self._again(lambda: self._delete(wanted))

    def _delete(self, wanted: list[int]) -> None:
        if not self._table.look():
            raise missing(wanted[0])
        self._hold()
        term = self._writer.term
        self.read(wanted)
        gone = wanted + extras.naming(self._table, wanted)
        self._hold_on(term)
        # Counted before and after: who looks in between must look again.
        self._writer.count_deletion()
        self._hold()
        self._writer.bury(gone)
        self._table.remove(parts_kept.everything(self._table))
        self._writer.count_deletion()

    def drop(self) -> None:
        """Delete the whole memory, its name and its ids included: see `Store.drop`."""
        with self._lock:
            self._again(self._drop)

    def _drop(self) -> None:
        if self._table.look():
            self._writer.clear()
            self._table.drop()
            self._writer.dropped()

    def compact(self) -> None:
        """Ask the engine to write segments without what was deleted (see docs/milvus.md)."""
        with self._lock:
            self._again(self._compact)

    def _compact(self) -> None:
        if self._table.look():
            self._hold()
            self._table.tidy()
            if self._table.graves.crowded:
                self._rebuild(self._table.dim, lambda rows: rows)
            self._table.compact()

    def close(self) -> None:
        """Let the next writer in, and end the connection, unless others here share them."""
        with self._lock:
            closed, self._closed = self._closed, True
        if not closed:
            self._opened.leave()

    def _again(self, call: Callable[[], T]) -> T:
        """A write, once more if others came between: the memory is then empty, or another."""
        for _ in range(PAUSES):
            try:
                return call()
            except Dropped:
                self._writer.dropped()
            except Overtaken:
                pass
        return call()

    def _hold_on(self, term: int) -> None:
        """Go on being the writer; an error if others may have written meanwhile."""
        self._hold()
        if self._writer.term != term:
            raise Overtaken("another process keeps writing to this memory; try again later")

    def _hold(self) -> None:
        """Become the writer, and bring the collection to today's format."""
        self._writer.hold(NO_VECTOR if self.embedder is None else self.embedder.dim)
        if not self._table.current:
            self._rebuild(self._table.dim, lambda rows: rows)

    # Reading

    def read(self, ids: Iterable[int]) -> list[Slot]:
        wanted = [known_id(id) for id in ids]
        return in_order(self._moment.slots(wanted, partial(slots_by_id, self._table)), wanted)

    def scan(self, after: int = 0) -> Iterator[Slot]:
        return map(slot_of, self._table.rows(f"id > {max(int(after), 0)}", self._table.slot()))

    def candidates(
        self,
        as_of: AsOf = None,
        buckets: Iterable[str] | None = None,
        clusters: Iterable[int] | None = None,
    ) -> Ids:
        """As in the protocol; `clusters` narrows it further, to memories in one of these."""
        found = chosen(as_of, buckets, clusters)
        find = partial(ids_found, self._table, found)
        # Clusters change with the model of the vectors, which counts as no change.
        return self._moment.ids(str(found), find) if clusters is None else find()

    def supersessions(self, after: int = 0) -> list[tuple[int, int]]:
        return extras.supersessions(self._table, after)

    def frequencies(self, buckets: Iterable[str]) -> dict[str, int]:
        return {b: self._table.count(f"id > 0 and {in_buckets([b])}") for b in buckets}

    def search(
        self,
        vector: ArrayLike,
        k: int,
        buckets: Iterable[str] | None = None,
        as_of: AsOf = None,
        clusters: Iterable[int] | None = None,
    ) -> tuple[Ids, NDArray[np.float32]]:
        """Ids and scores of the k greatest inner products; equal ones in write order.

        The engine's scores are of stored float32 vectors: score the finalists again from text.
        They are no input to the walk over write times: the newest fact may be far down the list.
        """
        if self.embedder is None:
            raise InputError("searching needs an embedder; open the memory with that of a model")
        v = np.asarray(vector, np.float32)
        if v.shape != (self.embedder.dim,) or not np.isfinite(v).all():
            raise InputError(f"a search needs one vector of {self.embedder.dim} finite numbers")
        if not 1 <= k <= WINDOW:
            raise InputError(f"a search returns 1 to {WINDOW:,} memories, not {k:,}")
        found = chosen(as_of, buckets, clusters)
        self.embed()
        self.changes()  # what others deleted is known then
        hits = [] if found is None else self._table.search(v.tolist(), int(k), found)
        hits.sort(key=lambda hit: (-hit[1], hit[0]))
        return (
            np.array([id for id, _ in hits], np.int64),
            np.array([score for _, score in hits], np.float32),
        )

    # Vectors

    def embed(self, embedder: Embedder | None = None, progress: Progress | None = None) -> int:
        """Give each memory that lacks it a model's vector; returns how many there were.

        A model of another dimension needs another collection: it is filled beside the old one,
        and takes its place at once.
        """
        model = embedder or self.embedder
        if model is None:
            raise InputError("vectors need an embedder; open the memory with that of a model")
        with self._lock:
            return self._again(lambda: self._embed(model, progress))

    def _embed(self, model: Embedder, progress: Progress | None) -> int:
        if not self._table.look():
            return 0
        rebuild = model.dim != self._table.dim
        which = "id > 0" if rebuild else f"id > 0 and model != {quoted(model.id)}"
        total, done = self._table.count(which), 0

        def anew(rows: list[Row]) -> list[Row]:
            nonlocal done
            parts = slot_rows([row["text"] for row in rows], model)
            done += len(rows)
            return [fitted(p, slot_of(r), model.dim) for p, r in zip(parts, rows, strict=True)]

        if not total and not rebuild:
            return 0
        self._hold()
        if rebuild:
            self._rebuild(model.dim, anew, progress and (lambda: progress(done, total)))
            return done
        term = self._writer.term
        for batch in in_parts(self._table.rows(which, self._table.slot())):
            for rows in batches(anew(batch)):
                self._hold()
                if self._writer.term != term:
                    rows = extras.still_there(self._table, rows)
                self._table.replace(rows)
            if progress is not None:
                progress(done, total)
        return done

    def _rebuild(
        self,
        dim: int,
        made: Callable[[list[Row]], list[Row]],
        progress: Callable[[], None] | None = None,
    ) -> None:
        """Fill a new collection beside the old one, and let it take its place at once."""
        table, writer = self._table, self._writer
        kept = ["words", "more_words", "clusters", "vector", "model"] if dim == table.dim else []
        with writer.moving(dim):
            term = writer.term
            new = table.create(dim)
            for batch in in_parts(table.rows("id > 0", [*table.slot(), *kept])):
                rows = made([fitted(row, slot_of(row), dim) for row in batch])
                writer.hold(dim)
                table.insert(rows, into=new)
                if progress is not None:
                    progress()
            table.load(new, lambda: writer.hold(dim))
            taught = [extras.lesson_row(lesson, dim) for lesson in extras.lessons(table).values()]
            table.insert(taught + table.graves.marker(dim), into=new)
            writer.hold(dim)
            if writer.term != term:
                table.drop_collections([new])
                raise Overtaken("another process keeps writing to this memory; try again later")
            writer.move(new, dim)

    def embedded(self) -> tuple[str | None, int]:
        """The model whose vectors are there, and how many; of several models the first."""
        return extras.embedded(self._table)

    # Lessons

    def teach(self, question: str, ids: Iterable[int] = (), as_of: int | None = None) -> Lesson:
        named = list(ids)
        with self._lock:
            return self._again(lambda: self._teach(question, named, as_of))

    def _teach(self, question: str, named: list[int], as_of: int | None) -> Lesson:
        check_lesson(question, named, as_of, self.last_id)
        self._hold()
        term = self._writer.term
        lesson = check_lesson(question, named, as_of, self._writer.state.last_id)
        self.read(lesson.ids)
        old = [
            id
            for id, other in extras.lessons(self._table).items()
            if (other.question, other.as_of) == (lesson.question, lesson.as_of)
        ]
        self._hold_on(term)
        self._table.insert([extras.lesson_row(lesson, self._table.dim)])
        self._writer.bury(old)
        return lesson

    def unteach(self, question: str) -> None:
        with self._lock:
            taught = extras.lessons(self._table).items()
            if old := [id for id, lesson in taught if lesson.question == question]:
                self._hold()
                with suppress(Dropped):
                    self._writer.bury(old)

    def lessons(self) -> list[Lesson]:
        return list(extras.lessons(self._table).values())
