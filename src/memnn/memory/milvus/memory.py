"""A memory in Milvus: beyond one machine, sharded and replicated by the engine.

One collection a memory, one row a slot with its id as primary key. Row 0 holds what outlives the
slots: the last id given and the count of deletions. Rows below 0 are claims: Milvus has no
transactions, and a memory has one writer at a time. Who wants to write puts a claim of its own and
then looks. Reads are strongly consistent, so of two who claim at once at least one sees the other,
and who sees another waits. A claim shows that its writer lives by its beat; one that has
not beaten for LEASE seconds is dead, and a writer never writes more than HOLD seconds after its
last beat, so the two never meet.
"""

from __future__ import annotations

import json
import random
import secrets
import threading
import time as clock
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memnn.errors import InputError, MemoryStoreError
from memnn.memory.milvus.table import (
    ARRAY,
    BATCH,
    WINDOW,
    WRITE_SECONDS,
    Row,
    Table,
    hash_words,
    in_buckets,
    in_clusters,
    names,
    parse_address,
    quoted,
)
from memnn.memory.protocol import (
    MOST_ID,
    AsOf,
    Changes,
    Memory,
    buckets_of,
    check_id,
    check_text,
    is_id,
    now,
    parse_time,
    resolve_as_of,
    timestamp,
)
from memnn.types import Slot

__all__ = ["Embedder", "MilvusMemory", "names"]

FORMAT = 1
HOLD = 2.0
LEASE = HOLD + WRITE_SECONDS  # a write sent in time has ended, one way or the other
PATIENCE = 30.0
NO_VECTOR = 2  # Milvus wants a vector in every row; without an embedder it is this short, and zero
SLOT = ["id", "text", "time", "source"]


class Embedder(Protocol):
    """Makes the vectors of one model. One that also has `clusters` makes cluster buckets.

    `clusters(texts)` gives for each text the numbers of the clusters its words fall into.
    """

    id: str
    dim: int

    def embed(self, texts: list[str]) -> NDArray[np.float16]: ...


@dataclass(frozen=True, slots=True)
class State:
    """Row 0, what outlives the slots. The last id may lag behind; the rows after it tell."""

    last_id: int = 0
    last_time: str = ""
    deletions: int = 0
    format: int = FORMAT


class Claim(NamedTuple):
    id: int
    beat: int


class MilvusMemory(Memory):
    """The memory at `milvus+http://host:19530/store` with a name of its own in that store."""

    def __init__(
        self, address: str, name: str = "main", *, embedder: Embedder | None = None
    ) -> None:
        self.where, self.name, self.embedder = address, name, embedder
        self._lock = threading.RLock()
        self._state = State()
        self._claim: Claim | None = None
        self._until = 0.0  # until when this process is the writer, by clock.monotonic
        where = parse_address(address, name)
        self._table = Table(where, NO_VECTOR if embedder is None else embedder.dim)
        self._look()

    @property
    def lasts(self) -> bool:
        return True

    def changes(self) -> Changes:
        state = self._newest()
        return Changes(state.last_id, state.deletions)

    @property
    def last_id(self) -> int:
        return self._newest().last_id

    @property
    def deletions(self) -> int:
        return self._newest().deletions

    def __len__(self) -> int:
        return self._table.count("id > 0")

    def write(
        self, text: str, *, id: int | None = None, time: str | None = None, source: str = ""
    ) -> Slot:
        check_text(text)
        return self._write([text], [id], [time], [source])[0]

    def write_many(self, texts: Iterable[str], *, source: str = "") -> list[Slot]:
        checked = [check_text(text) for text in texts]
        nothing: list[None] = [None] * len(checked)
        return self._write(checked, nothing, nothing, [source] * len(checked))

    def write_slots(self, slots: Iterable[Slot]) -> list[Slot]:
        """Store copies of another memory's slots, with ids, times and sources."""
        copies = list(slots)
        texts = [check_text(slot.text) for slot in copies]
        ids = [_checked(slot.id) for slot in copies]
        times = [slot.time for slot in copies]
        return self._write(texts, ids, times, [slot.source for slot in copies])

    def _write(
        self,
        texts: list[str],
        ids: Sequence[int | None],
        times: Sequence[str | None],
        sources: list[str],
    ) -> list[Slot]:
        if not texts:
            return []
        for source in sources:
            if not isinstance(source, str) or len(source.encode(errors="replace")) > 4_000:
                raise InputError("a source is a text of at most 4,000 bytes")
        rows = self._rows(texts, sources)
        with self._lock:
            self._hold()
            if self.embedder is not None and self.embedder.dim != self._table.dim:
                self.embed()
            last_id, last_time = self._state.last_id, self._state.last_time
            slots = []
            for text, id, time, source in zip(texts, ids, times, sources, strict=True):
                last_id = check_id(last_id + 1 if id is None else id, last_id)
                # Times may not run backwards, or `as_of` a time would not be a moment of the story.
                last_time = max(now() if time is None else timestamp(parse_time(time)), last_time)
                slots.append(Slot(last_id, text, last_time, source))
            for row, slot in zip(rows, slots, strict=True):
                row["id"], row["time"] = slot.id, slot.time
                row["vector"] = row["vector"] or [0.0] * self._table.dim
            # A write that seems to fail may still arrive, so its ids count as given.
            self._state = replace(self._state, last_id=last_id, last_time=last_time)
            try:
                for i in range(0, len(rows), BATCH):
                    self._hold()
                    self._table.insert(rows[i : i + BATCH])
            except BaseException:
                with suppress(MemoryStoreError):
                    self._save()
                    self._table.remove([slot.id for slot in slots])
                raise
        return slots

    def _rows(self, texts: list[str], sources: list[str]) -> list[Row]:
        """Rows without id and time: what can be made before it is one's turn to write."""
        vectors, clusters = self._embedded(texts)
        rows = []
        for text, source, vector, cluster in zip(texts, sources, vectors, clusters, strict=True):
            words = hash_words(sorted(buckets_of(text)))
            rows.append(
                {
                    "text": text, "source": source, "state": "",
                    "words": words[:ARRAY], "more_words": words[ARRAY:], "clusters": cluster,
                    "vector": vector, "model": "" if self.embedder is None else self.embedder.id,
                }
            )  # fmt: skip
        return rows

    def _embedded(self, texts: list[str]) -> tuple[list[list[float]], list[list[int]]]:
        if self.embedder is None:
            return [[]] * len(texts), [[]] * len(texts)
        vectors = np.asarray(self.embedder.embed(texts), np.float32)
        if vectors.shape != (len(texts), self.embedder.dim) or not np.isfinite(vectors).all():
            raise InputError(
                f"the embedder's vectors have the shape {vectors.shape} or are not finite; "
                f"{len(texts)} texts need ({len(texts)}, {self.embedder.dim})"
            )
        made = getattr(self.embedder, "clusters", None)
        clusters = [[]] * len(texts) if made is None else [sorted(map(int, c)) for c in made(texts)]
        return vectors.tolist(), clusters

    def read(self, ids: Iterable[int]) -> list[Slot]:
        wanted = [_checked(id) for id in ids]
        found: dict[int, Slot] = {}
        for i in range(0, len(wanted), WINDOW):
            rows = self._table.rows(f"id in {wanted[i : i + WINDOW]}", SLOT)
            found.update((row["id"], _slot(row)) for row in rows)
        for id in wanted:
            if id not in found:
                raise InputError(f"there is no memory with id {id}")
        return [found[id] for id in wanted]

    def scan(self, after: int = 0) -> Iterator[Slot]:
        return map(_slot, self._table.rows(f"id > {max(int(after), 0)}", SLOT))

    def candidates(
        self,
        as_of: AsOf = None,
        buckets: Iterable[str] | None = None,
        clusters: Iterable[int] | None = None,
    ) -> NDArray[np.int64]:
        """As the protocol has it; cluster buckets narrow on, to memories in one of these."""
        found = self._filter(as_of, buckets, clusters)
        rows = () if found is None else self._table.rows(found, ["id"])
        ids = np.array([row["id"] for row in rows], np.int64)
        ids.flags.writeable = False
        return ids

    def search(
        self,
        vector: ArrayLike,
        k: int,
        buckets: Iterable[str] | None = None,
        as_of: AsOf = None,
        clusters: Iterable[int] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Ids and scores of the k greatest inner products; equal ones in write order.

        The engine's scores are of stored float32 vectors: score the finalists again from text.
        They are no input to the walk over write times: the newest fact may be far down the list.
        """
        if self.embedder is None:
            raise InputError("a search needs the embedder of a model; open the memory with one")
        v = np.asarray(vector, np.float32)
        if v.shape != (self.embedder.dim,) or not np.isfinite(v).all():
            raise InputError(f"a search needs one vector of {self.embedder.dim} finite numbers")
        if not 1 <= k <= WINDOW:
            raise InputError(f"a search finds from 1 to {WINDOW:,} memories, not {k:,}")
        found = self._filter(as_of, buckets, clusters)
        self.embed()
        hits = [] if found is None else self._table.search(v.tolist(), int(k), found)
        hits.sort(key=lambda hit: (-hit[1], hit[0]))
        return (
            np.array([id for id, _ in hits], np.int64),
            np.array([score for _, score in hits], np.float32),
        )

    def _filter(
        self, as_of: AsOf, buckets: Iterable[str] | None, clusters: Iterable[int] | None
    ) -> str | None:
        """What the engine is to look for; None if nothing can be found."""
        limit = resolve_as_of(as_of)
        parts = ["id > 0"]
        if isinstance(limit, int):
            parts.append(f"id <= {limit}")
        elif limit is not None:
            parts.append(f"time <= {quoted(limit)}")
        for chosen, expression in ((buckets, in_buckets), (clusters, in_clusters)):
            if chosen is not None:
                distinct: Any = sorted(set(chosen))
                if not distinct:
                    return None
                parts.append(expression(distinct))
        return " and ".join(parts)

    def embed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Give each memory that lacks it the embedder's vector; returns how many there were.

        A model of another dimension needs another collection: it is filled beside the old one,
        and takes its place at once.
        """
        if self.embedder is None:
            raise InputError("vectors need the embedder of a model; open the memory with one")
        with self._lock:
            dim, lacking = self.embedder.dim, f"id > 0 and model != {quoted(self.embedder.id)}"
            rebuild = dim != self._table.dim
            chosen = "id > 0" if rebuild else lacking
            total = self._table.count(chosen)
            if not total and not rebuild:
                return 0
            self._hold()
            new = self._table.create(dim) if rebuild else None
            done = 0
            for batch in _in_batches(self._table.rows(chosen, SLOT)):
                rows = self._rows([r["text"] for r in batch], [r["source"] for r in batch])
                for row, old in zip(rows, batch, strict=True):
                    row |= {"id": old["id"], "time": old["time"]}
                self._hold()
                if new is None:
                    self._table.replace(rows)
                else:
                    self._table.insert(rows, into=new)
                done += len(batch)
                if progress is not None:
                    progress(done, total)
            if new is not None:
                self._hold()
                self._table.insert(self._own_rows(dim), into=new)
                self._table.switch(new, dim)
            return done

    def embedded(self) -> tuple[str | None, int]:
        """The model whose vectors are there, and how many; of several models the first."""
        row = next(iter(self._table.rows(f"id > 0 and model != {quoted('')}", ["model"])), None)
        if row is None:
            return None, 0
        return row["model"], self._table.count(f"id > 0 and model == {quoted(row['model'])}")

    def delete(self, ids: Iterable[int]) -> None:
        wanted = [_checked(id) for id in ids]
        with self._lock:
            self._hold()
            self.read(wanted)
            # Counted before and after: who looks in between must look again.
            self._count_deletion()
            self._table.remove(sorted(set(wanted)))
            self._count_deletion()

    def compact(self) -> None:
        """Ask the engine to write segments without what was deleted (see docs/milvus.md)."""
        with self._lock:
            self._hold()
            self._table.drop_others(self._table.current())
            self._table.compact()

    def drop(self) -> None:
        """Delete the whole memory."""
        with self._lock:
            self._hold()
            self._table.drop()
            self._claim = None
            self.close()

    def close(self) -> None:
        """Let the next writer in, and end the connection."""
        with self._lock:
            if self._claim is not None:
                with suppress(MemoryStoreError):
                    if self._writing:
                        self._save()
                    self._table.remove([self._claim.id])
                self._claim = None
            self._until = 0.0
            self._table.close()

    # One writer at a time

    @property
    def _writing(self) -> bool:
        return clock.monotonic() < self._until

    def _newest(self) -> State:
        """The state as it is: the writer knows it, everyone else looks."""
        with self._lock:
            self._table.client  # noqa: B018 a closed memory says so
            if not self._writing:
                self._look()
            return self._state

    def _look(self) -> set[Claim]:
        """Read state and claims, and the rows since the state was written, as of now."""
        known, claims = self._state, set()
        state, last_id, last_time = known, known.last_id, known.last_time
        for row in self._table.rows(f"id <= 0 or id > {last_id}", ["id", "time", "state"]):
            if row["id"] < 0:
                claims.add(Claim(row["id"], json.loads(row["state"])["beat"]))
            elif row["id"] == 0:
                state = _state(row["state"])
            else:
                last_id, last_time = row["id"], max(last_time, row["time"])
        self._state = replace(
            state, last_id=max(state.last_id, last_id), last_time=max(state.last_time, last_time)
        )
        return claims

    def _hold(self) -> None:
        """Be the writer for the next write at least."""
        if not self._writing:
            self._become_writer()
        elif clock.monotonic() > self._until - HOLD / 2:
            self._save()

    def _become_writer(self) -> None:
        self._table.refresh()
        seen: dict[Claim, float] = {}  # the claims of others, and since when they look like this
        impatient = clock.monotonic() + PATIENCE
        while True:
            if seen:  # refused before: look first, and claim when the way seems free
                seen = self._others(seen)
            if all(_is_dead(since) for since in seen.values()):
                began = clock.monotonic()
                mine = Claim(-secrets.randbelow(MOST_ID) - 1, 0)
                self._table.insert([self._row(mine.id, {"beat": 0}, self._table.dim)])
                seen = self._others(seen)
                if seen.pop(mine, None) and all(_is_dead(since) for since in seen.values()):
                    break
                self._table.remove([mine.id])
            if clock.monotonic() > impatient:
                raise MemoryStoreError(
                    "another process is writing to this memory; try again when it is done"
                )
            clock.sleep(random.uniform(0.02, 0.2))
        gone = [claim.id for claim in seen]
        if self._claim is not None:
            gone.append(self._claim.id)
        self._claim, self._until = mine, began + HOLD
        if seen:  # a writer died, perhaps between a deletion and its count
            self._count_deletion()
        if gone:
            self._table.remove(gone)

    def _others(self, seen: dict[Claim, float]) -> dict[Claim, float]:
        """The claims there are but one's own of before, with when each was first seen so."""
        own = None if self._claim is None else self._claim.id
        return {c: seen.get(c, clock.monotonic()) for c in self._look() if c.id != own}

    def _save(self) -> None:
        """Show that the writer lives, and keep what it knows."""
        assert self._claim is not None
        began = clock.monotonic()
        self._claim = Claim(self._claim.id, self._claim.beat + 1)
        self._table.replace(self._own_rows(self._table.dim))
        self._until = began + HOLD

    def _count_deletion(self) -> None:
        self._state = replace(self._state, deletions=self._state.deletions + 1)
        self._save()

    def _own_rows(self, dim: int) -> list[Row]:
        assert self._claim is not None
        return [
            self._row(self._claim.id, {"beat": self._claim.beat}, dim),
            self._row(0, asdict(self._state), dim),
        ]

    def _row(self, id: int, state: dict[str, Any], dim: int) -> Row:
        """A row that is no slot."""
        return {
            "id": id, "text": "", "time": "", "source": "", "model": "", "state": json.dumps(state),
            "words": [], "more_words": [], "clusters": [], "vector": [0.0] * dim,
        }  # fmt: skip


def _is_dead(since: float) -> bool:
    return clock.monotonic() - since > LEASE


def _state(text: str) -> State:
    fields = json.loads(text)
    if fields["format"] > FORMAT:
        raise MemoryStoreError(
            f"this memory has format {fields['format']} and this version reads up to {FORMAT}; "
            "install a newer memnn"
        )
    return State(**fields)


def _slot(row: Row) -> Slot:
    return Slot(row["id"], row["text"], row["time"], row["source"])


def _checked(id: int) -> int:
    if not is_id(id):
        raise InputError("an id is a whole number from 1 to 2^62 - 1, and this one is not")
    return int(id)


def _in_batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    rest = iter(rows)
    while batch := list(islice(rest, BATCH)):
        yield batch
