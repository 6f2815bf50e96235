"""One Milvus collection: its fields, and reads that see every write before them.

A collection is made with the first write. Until then, and after somebody dropped it, there is
nothing to be read. Reads go through the alias, to the memory as it is; writes go to the collection
that was looked at, so that none for a memory that was dropped ends in the one begun after it.
"""

from __future__ import annotations

import json
import re
import secrets
import threading
import time as clock
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from memnn.errors import MemoryStoreError
from memnn.memory.milvus.address import INDEXES, Address
from memnn.memory.milvus.connection import ONCE, Busy, Connection, NoAnswer
from memnn.memory.milvus.fields import ARRAY, FILTERED, OLD_SLOT, SLOT, TEXT, TURN, Row
from memnn.memory.milvus.graves import Graves

WINDOW = 16_384  # the most rows Milvus gives for one question
LONG_TEXTS = 1_000  # rows that fit into one message even if each text is as long as it may be
BATCH, BATCH_BYTES = 2_000, 8_000_000
BUSY = (0.1, 0.2, 0.4)  # seconds that a server at its limit is given; less than half of `HOLD`
FLUSH_SECONDS = 60.0  # what is in RAM goes to the disk
NO_VECTOR = 2  # Milvus wants a vector in every row; without an embedder it is this short, and zero


class Dropped(MemoryStoreError):
    """What was to be written belongs to a memory that is no longer there."""


def batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows in parts that fit into one message."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        size += len(row["text"].encode()) + 8 * len(row["words"]) + 4 * len(row["vector"]) + 200
        if row.get("meta"):
            size += len(json.dumps(row["meta"]))
        if batch and (size > BATCH_BYTES or len(batch) == BATCH):
            yield batch
            batch, size = [], 0
        batch.append(row)
    if batch:
        yield batch


class Table:
    """The collection of one memory. Every read is strongly consistent."""

    def __init__(self, address: Address, connection: Connection | None = None) -> None:
        self.address = address
        self.connection = connection or Connection(address)
        self.dim, self.current = NO_VECTOR, True
        self.collection = ""
        self.there = False
        self.graves = Graves()
        self._looking = threading.Lock()  # what was seen later is what counts
        try:
            self.look()
        except BaseException:
            if connection is None:
                self.close()
            raise

    @property
    def client(self) -> Any:
        return self.connection.client

    def look(self) -> bool:
        """Whether the memory is there: others may have made it, dropped it or begun it again."""
        alias = self.address.collection
        with self._looking, self.connection.in_one_line("cannot open the memory"):
            if not self.connection.has(alias):
                self.there = False
                return False
            about = self.client.describe_collection(alias, **ONCE)
            fields = {f["name"]: f for f in about["fields"]}
            self.collection = about["collection_name"]
            self.dim = fields["vector"]["params"]["dim"]
            self.current = "kind" in fields
            self.connection.load(alias)
            self.there = True
        return True

    def slot(self) -> list[str]:
        """The fields of a slot; before format 2 there were no turns."""
        return SLOT if self.is_current() else OLD_SLOT

    def is_current(self) -> bool:
        """Whether it has today's format; another process may have brought it there."""
        return self.current or (self.look() and self.current)

    def make(self, dim: int, rows: list[Row]) -> None:
        """A new collection with its first rows, unless another process is quicker."""
        with self.connection.in_one_line("cannot make the memory"):
            mine, alias = self.create(dim), self.address.collection
            try:
                self.client.insert(mine, rows, **ONCE)
                self.client.create_alias(mine, alias, **ONCE)
            except Exception:
                behind = self.client.has_collection(alias, **ONCE) and self._behind_alias()
                if behind != mine:
                    self.client.drop_collection(mine, **ONCE)
                if not behind:
                    raise
        self.look()

    def create(self, dim: int) -> str:
        """A new collection behind no alias yet; returns its name."""
        kinds = self.connection.kinds
        schema = self.client.create_schema(
            auto_id=False, enable_dynamic_field=False,
            description=json.dumps({"memory": self.address.name}),
        )  # fmt: skip
        schema.add_field("id", kinds.INT64, is_primary=True)
        schema.add_field("text", kinds.VARCHAR, max_length=TEXT)
        schema.add_field("time", kinds.VARCHAR, max_length=32)
        schema.add_field("source", kinds.VARCHAR, max_length=4_096)
        schema.add_field("speaker", kinds.VARCHAR, max_length=1_024)
        schema.add_field("said", kinds.VARCHAR, max_length=32)
        schema.add_field("session", kinds.VARCHAR, max_length=1_024)
        schema.add_field("meta", kinds.JSON)
        schema.add_field("supersedes", kinds.INT64)
        for field in ("words", "more_words", "clusters"):
            schema.add_field(field, kinds.ARRAY, element_type=kinds.INT64, max_capacity=ARRAY)
        schema.add_field("vector", kinds.FLOAT_VECTOR, dim=dim)
        schema.add_field("model", kinds.VARCHAR, max_length=256)
        schema.add_field("kind", kinds.VARCHAR, max_length=16)
        schema.add_field("state", kinds.VARCHAR, max_length=1_024)
        index = self.client.prepare_index_params()
        index.add_index(
            "vector", index_type=self.address.index, metric_type="IP",
            params=INDEXES[self.address.index],
        )  # fmt: skip
        name = f"{self.address.collection}_g{secrets.token_hex(4)}"
        self.client.create_collection(
            name, schema=schema, num_shards=self.address.shards, consistency_level="Strong", **ONCE
        )
        self.client.create_index(name, index, sync=False, **ONCE)
        for field, kinds in FILTERED.items():
            self._create_index(name, field, kinds)
        return name

    def _create_index(self, collection: str, field: str, kinds: Iterable[str]) -> None:
        """The first kind of index that the server knows; without one it reads all rows."""
        for kind in kinds:
            index = self.client.prepare_index_params()
            index.add_index(field, index_type=kind)
            with suppress(self.connection.Error):
                self.client.create_index(collection, index, sync=False, **ONCE)
                return

    def first(self, filter: str, fields: list[str]) -> Row | None:
        """One row that a filter finds, without reading the others."""
        left = f"({filter}) and id not in {sorted(self.graves.gone)[:WINDOW]}"
        return next(iter(self._query(left if self.graves.gone else filter, fields, 1)), None)

    def rows(self, filter: str, fields: list[str], own: bool = False) -> Iterator[Row]:
        """What a filter finds and nobody deleted, by primary key, a window at a time.

        Row 0 is read each time, and given to who asks for the table's `own` rows, too.
        """
        size, last = WINDOW, None
        while True:
            graves = self.graves
            wanted = f"({filter}) or {graves.news}"
            try:
                page = self._query(
                    wanted if last is None else f"id > {last} and ({wanted})",
                    fields if "state" in fields else [*fields, "state"],
                    size,
                )
            except NoAnswer:
                raise
            except MemoryStoreError:
                if size == LONG_TEXTS:
                    raise
                size = LONG_TEXTS  # such a window may be too much for one message
                continue
            if not graves.learn(page):
                self.graves = Graves()
                continue
            yield from (row for row in graves.left(page) if own or row["id"])
            if len(page) < size:
                return
            last = page[-1]["id"]

    def _query(self, filter: str, fields: list[str], limit: int) -> list[Row]:
        if not (self.there or self.look()):
            return []
        try:
            with self.connection.in_one_line("cannot read"):
                found = self.client.query(
                    self.address.collection, filter=filter, output_fields=fields, limit=limit,
                    consistency_level="Strong", **ONCE,
                )  # fmt: skip
        except NoAnswer:
            raise
        except MemoryStoreError:
            if self._gone():
                return []
            raise
        return sorted(found, key=lambda row: row["id"])

    def count(self, filter: str) -> int:
        """How many rows it finds, without those that are known to be deleted."""
        gone = sorted(self.graves.gone)
        if len(gone) <= WINDOW:
            return self._count(f"({filter}) and id not in {gone}" if gone else filter)
        parts = (gone[i : i + WINDOW] for i in range(0, len(gone), WINDOW))
        return self._count(filter) - sum(self._count(f"({filter}) and id in {p}") for p in parts)

    def _count(self, filter: str) -> int:
        if not (self.there or self.look()):
            return 0
        try:
            return self.connection.count(self.address.collection, filter)
        except NoAnswer:
            raise
        except MemoryStoreError:
            if self._gone():
                return 0
            raise

    def _gone(self) -> bool:
        """Whether a call failed because the memory was dropped."""
        self.there = self.connection.has(self.address.collection)
        return not self.there

    def stands(self) -> bool:
        """Whether the collection that was looked at is still there."""
        return self.there and self.connection.has(self.collection)

    def search(self, vector: list[float], k: int, filter: str) -> list[tuple[int, float]]:
        """The k greatest inner products, on the engine."""
        if not self.there:
            return []
        if gone := sorted(self.graves.gone)[:WINDOW]:
            filter = f"({filter}) and id not in {gone}"
        params = {"ef": max(64, k)} if self.address.index == "HNSW" else {}
        with self.connection.in_one_line("cannot search"):
            found = self.client.search(
                self.address.collection, data=[vector], limit=k, filter=filter,
                anns_field="vector", search_params={"metric_type": "IP", "params": params},
                consistency_level="Strong", **ONCE,
            )  # fmt: skip
        return [(hit["id"], hit["distance"]) for hit in self.graves.left(found[0])]

    def insert(self, rows: list[Row], into: str | None = None) -> None:
        """Add rows with new ids, here or to a collection that is behind no alias yet."""
        for batch in batches(rows if into else self._fitting(rows)):
            self._write("cannot write", self.connection.insert, into or self.collection, batch)

    def replace(self, rows: list[Row]) -> None:
        """Put rows in the place of those with the same ids."""
        for batch in batches(self._fitting(rows)):
            self._write("cannot write", self.client.upsert, self.collection, batch)

    def _write(self, problem: str, call: Callable[..., Any], collection: str, *what: Any) -> None:
        """Send something once; again only if the server says that it has not taken it."""
        for pause in (*BUSY, None):
            try:
                with self.connection.in_one_line(problem):
                    call(collection, *what, **ONCE)
                return
            except NoAnswer:
                raise
            except Busy:
                if pause is None:
                    raise
                clock.sleep(pause)
            except MemoryStoreError:
                if collection != self.collection or self.stands():
                    raise
                self.there = False
                raise Dropped("another process dropped this memory; try again") from None

    def _fitting(self, rows: list[Row]) -> list[Row]:
        """Rows with the fields that the collection has; before format 2 there were fewer."""
        if self.current:
            return rows
        return [{k: v for k, v in row.items() if k not in (*TURN, "kind")} for row in rows]

    def remove(self, ids: list[int]) -> None:
        for i in range(0, len(ids), WINDOW):
            some = f"id in {ids[i : i + WINDOW]}"
            self._write("cannot delete", partial(self.client.delete, filter=some), self.collection)

    def bury(self, ids: list[int], deletions: int) -> None:
        """Remove rows for good: also if the engine should bring them back."""
        graves = self.graves
        rows = graves.dig(ids, deletions, self.dim)
        self.insert(rows)
        graves.learn(rows)
        back, graves.back = graves.back, set()
        self.remove(sorted(back.union(ids)))

    def load(self, new: str, meanwhile: Callable[[], None]) -> None:
        with self.connection.in_one_line("cannot load"):
            self.connection.load(new, meanwhile)

    def switch(self, new: str) -> None:
        """Let the alias mean another collection, at once for everyone, and drop the rest."""
        with self.connection.in_one_line("cannot switch"):
            self.client.alter_alias(new, self.address.collection, **ONCE)
        self.graves = self.graves.emptied()
        self.look()
        self.drop_collections(name for name in self._generations() if name != new)

    def tidy(self) -> None:
        """Drop what an interrupted rebuild left behind."""
        with self.connection.in_one_line("cannot read"):
            now = self._behind_alias()
        self.drop_collections(name for name in self._generations() if name != now)

    def _behind_alias(self) -> str:
        alias = self.client.describe_alias(self.address.collection, **ONCE)
        return str(alias["collection_name"])

    def drop(self) -> None:
        # Listed before the name is free: what another process makes then is another memory.
        mine = self._generations()
        with self.connection.in_one_line("cannot drop"):
            try:
                self.client.drop_alias(self.address.collection, **ONCE)
            except self.connection.Error:
                if self.client.has_collection(self.address.collection, **ONCE):
                    raise
        self.drop_collections(mine)
        self.there = False

    def _generations(self) -> list[str]:
        pattern = re.compile(re.escape(self.address.collection) + "_g[0-9a-f]{8}")
        with self.connection.in_one_line("cannot read"):
            names = self.client.list_collections(**ONCE)
        return [name for name in names if pattern.fullmatch(name)]

    def drop_collections(self, collections: Iterable[str]) -> None:
        with self.connection.in_one_line("cannot drop"):
            for name in collections:
                self.client.drop_collection(name, **ONCE)

    def compact(self) -> None:
        """Seal what is in RAM and ask for segments without the deleted rows."""
        with self.connection.in_one_line("cannot compact"):
            self.client.flush(self.collection, timeout=FLUSH_SECONDS)
            self.client.compact(self.collection, **ONCE)

    def close(self) -> None:
        self.connection.close()
