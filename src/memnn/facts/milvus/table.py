"""One Milvus collection of facts: a row has a fact's text, its vector and its rarest words.

Words are numbers in fields of their own, which Milvus has indexes for; of arrays 2.3 has none.
Row 0 is memnn's own: what the facts were made from, and how far that went.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from memnn.errors import MemoryStoreError
from memnn.kernels.arrays import Floats
from memnn.memory.milvus.address import INDEXES, parse_address, shown
from memnn.memory.milvus.connection import ONCE, Connection
from memnn.memory.milvus.fields import Row

BUCKETS = tuple(f"word_{number}" for number in range(4))
"""The buckets that a fact is in: those of its rarest words."""
TEXT = 65_535  # bytes
ABOUT = 0
"""The id of the row that is no fact."""
MANY = 10
"""How many times as many are read where the engine does not say which are the best."""
EF = 256
"""How many vectors HNSW keeps while it looks for the nearest."""


@dataclass
class Noted:
    """What memnn notes about the facts of a store."""

    job: dict[str, Any]
    """What they are made from, and how."""
    facts: int = 0
    finished: bool = False
    skipped: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.job, dict) or not isinstance(self.facts, int):
            raise TypeError


class FactTable:
    """The facts of one store; every read sees what was written before it."""

    def __init__(self, where: str) -> None:
        self.where = shown(where)
        address = parse_address(where, "facts")
        # No name of a memory is written like this: an escape has two digits.
        self.address = replace(address, collection=f"{address.prefix}_z_facts")
        self.kind = self.address.index
        """Of its vectors' index; an address that names none may mean one that is there."""
        self.connection = Connection(self.address)

    @property
    def _client(self) -> Any:
        return self.connection.client

    def create(self, dim: int) -> None:
        """Empty, instead of what was there."""
        name, kinds = self.address.collection, self.connection.kinds
        with self.connection.in_one_line("cannot make the index"):
            self._client.drop_collection(name, **ONCE)
            schema = self._client.create_schema(
                auto_id=False, enable_dynamic_field=False,
                description=json.dumps({"facts": self.address.name}),
            )  # fmt: skip
            schema.add_field("id", kinds.INT64, is_primary=True)
            schema.add_field("text", kinds.VARCHAR, max_length=TEXT)
            for bucket in BUCKETS:
                schema.add_field(bucket, kinds.INT64)
            schema.add_field("vector", kinds.FLOAT_VECTOR, dim=dim)
            self._client.create_collection(
                name, schema=schema, num_shards=self.address.shards, consistency_level="Strong",
                **ONCE,
            )  # fmt: skip
            indices = self._client.prepare_index_params()
            indices.add_index(
                "vector", index_type=self.kind, metric_type="IP", params=INDEXES[self.kind]
            )
            for bucket in BUCKETS:
                indices.add_index(bucket, index_type="STL_SORT")
            self._client.create_index(name, indices, sync=False, **ONCE)
        self.load()

    def load(self) -> None:
        with self.connection.in_one_line("cannot open the index"):
            self.connection.load(self.address.collection)

    def about(self) -> Noted | None:
        """What was noted; None where there is no index."""
        if not self.connection.has(self.address.collection):
            return None
        self.load()
        with self.connection.in_one_line("cannot read the index"):
            rows = self._client.query(
                self.address.collection, filter=f"id == {ABOUT}", output_fields=["text"],
                consistency_level="Strong", **ONCE,
            )  # fmt: skip
        if not rows:
            return None
        try:
            return Noted(**json.loads(rows[0]["text"]))
        except (ValueError, TypeError):
            raise MemoryStoreError(
                "what memnn notes about this index was changed by something else; build it again"
            ) from None

    def note(self, about: Noted, dim: int) -> None:
        row = row_of(ABOUT, json.dumps(vars(about)), [], [0.0] * dim)
        with self.connection.in_one_line("cannot write the index"):
            self._client.upsert(self.address.collection, [row], **ONCE)

    def add(self, rows: list[Row]) -> None:
        with self.connection.in_one_line("cannot write the index"):
            self._client.upsert(self.address.collection, rows, **ONCE)  # it may be sent twice

    def cut(self, last: int) -> None:
        """Facts after this one, which nothing was noted of, are gone."""
        with self.connection.in_one_line("cannot write the index"):
            self._client.delete(self.address.collection, filter=f"id > {last}", **ONCE)

    def nearest(self, q: Floats, k: int) -> dict[int, str]:
        """Texts, by ids, of the k facts whose vectors fit best."""
        return self._search(q, k, f"id > {ABOUT}")

    def holding(self, words: Sequence[int], q: Floats, k: int) -> dict[int, str]:
        """Texts, by ids, of the k best that are in the buckets of these words.

        HNSW finds next to nothing under a filter that few rows pass: there it is any k of them.
        """
        held = " or ".join(f"{bucket} in {list(words)}" for bucket in BUCKETS)
        if self.kind == "FLAT":
            return self._search(q, k, held)
        with self.connection.in_one_line("cannot search the index"):
            rows = self._client.query(
                self.address.collection, filter=held, output_fields=["id", "text"],
                limit=MANY * k, consistency_level="Strong", **ONCE,
            )  # fmt: skip
        return {int(row["id"]): str(row["text"]) for row in rows}

    def _search(self, q: Floats, k: int, filter: str) -> dict[int, str]:
        params = {"ef": max(EF, k)} if self.kind == "HNSW" else {}
        with self.connection.in_one_line("cannot search the index"):
            (found,) = self._client.search(
                self.address.collection, [q.tolist()], filter=filter, limit=k,
                output_fields=["text"], search_params={"metric_type": "IP", "params": params},
                consistency_level="Strong", **ONCE,
            )  # fmt: skip
        return {int(each["id"]): str(each["entity"]["text"]) for each in found}

    def close(self) -> None:
        self.connection.close()


def row_of(id: int, text: str, words: Sequence[int], vector: list[float]) -> Row:
    """A row of the collection."""
    numbers = [*words[: len(BUCKETS)], *[0] * (len(BUCKETS) - len(words))]
    return {
        "id": id, "text": text, "vector": vector,
        **dict(zip(BUCKETS, numbers, strict=True)),
    }  # fmt: skip


def bucket_of(word: str) -> int:
    """The number of a word, the same for everybody; 0 is none."""
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little") >> 1 | 1
