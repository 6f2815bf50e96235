"""One Milvus collection: its address, its fields, and reads that see every write before them."""

from __future__ import annotations

import json
import logging
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from memnn.errors import MemoryStoreError

Row = dict[str, Any]

EXAMPLE = "milvus+http://localhost:19530/diary"
WINDOW = 16_384  # the most rows Milvus gives for one question
LONG_TEXTS = 1_000  # rows that fit into one message even if each text is as long as it may be
BATCH, BATCH_BYTES = 2_000, 8_000_000
ARRAY = 4_096  # the most elements of a Milvus array
CONNECT_SECONDS = 4.0
READ_SECONDS = 60.0
WRITE_SECONDS = 4.0
INDEXES: dict[str, dict[str, int]] = {"FLAT": {}, "HNSW": {"M": 16, "efConstruction": 200}}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a memory is: a server, a store on it, a name in the store, and how it is spread."""

    uri: str
    token: str
    name: str
    collection: str
    """An alias; the collection behind it changes when vectors change their dimension."""
    shards: int = 1
    replicas: int = 1
    index: str = "FLAT"


def parse_address(address: str, name: str) -> Address:
    """`milvus+http://[user:password@]host[:19530]/store[?shards=1&replicas=1&index=FLAT]`."""
    wrong = f"the address of a Milvus memory is like {EXAMPLE}"
    if not isinstance(address, str):
        raise MemoryStoreError(f"{wrong}, not {type(address).__name__}")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or 19530
        options = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
    except ValueError as error:
        raise MemoryStoreError(f"{wrong}: {error}") from None
    if parts.scheme not in ("milvus+http", "milvus+https") or not host or parts.fragment:
        raise MemoryStoreError(wrong)
    index = options.pop("index", "FLAT").upper()
    if index not in INDEXES:
        raise MemoryStoreError(f"there is no index '{index}'; known: {', '.join(INDEXES)}")
    spread = {}
    for option, value in options.items():
        if option not in ("shards", "replicas"):
            raise MemoryStoreError(f"there is no option '{option}'; known: index, replicas, shards")
        if not re.fullmatch(r"[1-9]\d?", value):
            raise MemoryStoreError(f"{option} is a number from 1 to 99, and '{value}' is not")
        spread[option] = int(value)
    store = unquote(parts.path.removeprefix("/"))
    if not store or not store.isprintable() or "/" in store or len(store) > 60:
        raise MemoryStoreError(f"a store has a short name without slashes, such as in {EXAMPLE}")
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 200:
        raise MemoryStoreError("the name of a memory is a line of 1 to 200 characters")
    # No escape is an s, g or h, so that different pairs of names never meet in one collection.
    own = _identifier(name)
    if len(own) > 100:
        own = "_h" + blake2b(name.encode(), digest_size=16).hexdigest()
    collection = f"{_prefix(store)}{own}"
    if len(collection) > 240:
        raise MemoryStoreError(f"the name of the store '{store[:40]}' is too long for Milvus")
    token = ":".join(unquote(part) for part in (parts.username, parts.password) if part)
    host = f"[{host}]" if ":" in host else host
    uri = f"{parts.scheme.removeprefix('milvus+')}://{host}:{port}"
    return Address(uri, token, name, collection, index=index, **spread)


def _prefix(store: str) -> str:
    return f"memnn_{_identifier(store)}_s"


def _identifier(name: str) -> str:
    """A name in the letters that Milvus takes; every other byte becomes `_` and two digits."""
    return "".join(
        chr(b) if chr(b).isascii() and chr(b).isalnum() else f"_{b:02x}" for b in name.encode()
    )


def hash_words(words: Iterable[str]) -> list[int]:
    """Buckets as numbers: a word may be longer than Milvus lets an element of an array be."""
    return [
        int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big", signed=True)
        for word in words
    ]


def in_buckets(words: Iterable[str]) -> str:
    """The filter for rows in at least one of these word buckets; a long text needs two arrays."""
    hashes = hash_words(words)
    return f"(array_contains_any(words, {hashes}) or array_contains_any(more_words, {hashes}))"


def in_clusters(clusters: Iterable[int]) -> str:
    return f"array_contains_any(clusters, {[int(c) for c in clusters]})"


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _pymilvus() -> Any:
    try:
        import pymilvus
    except ImportError:
        raise MemoryStoreError(
            "a memory in Milvus needs pymilvus: pip install 'memnn[milvus]'"
        ) from None
    # It logs whole tracebacks of errors that it also raises.
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL + 1)
    return pymilvus


@contextmanager
def _one_line(address: Address, problem: str) -> Iterator[None]:
    try:
        yield
    except _pymilvus().MilvusException as error:
        said = " ".join(str(error.message).split())[:200]
        server = address.uri.partition("//")[2]
        raise MemoryStoreError(f"{problem} (Milvus at {server}): {said}") from None


def names(address: str) -> list[str]:
    """The names of the memories in a store, as they were given."""
    any_of_it = parse_address(address, "main")
    prefix = any_of_it.collection.removesuffix("main")
    found = set()
    with _one_line(any_of_it, "cannot read"):
        client = _pymilvus().MilvusClient(
            any_of_it.uri, token=any_of_it.token, timeout=CONNECT_SECONDS, dedicated=True
        )
        try:
            for collection in client.list_collections():
                if not collection.startswith(prefix):
                    continue
                about = client.describe_collection(collection)
                # A collection without its alias is left from a rebuild that was interrupted.
                if collection[:-10] in about["aliases"]:
                    found.add(json.loads(about["description"])["memory"])
        finally:
            client.close()
    return sorted(found)


def batches(rows: list[Row]) -> Iterator[list[Row]]:
    """Rows in parts that fit into one message."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        size += len(row["text"].encode()) + 8 * len(row["words"]) + 4 * len(row["vector"]) + 200
        if batch and (size > BATCH_BYTES or len(batch) == BATCH):
            yield batch
            batch, size = [], 0
        batch.append(row)
    if batch:
        yield batch


class Table:
    """The collection of one memory. Every read is strongly consistent."""

    def __init__(self, address: Address, dim: int) -> None:
        self._milvus = _pymilvus()
        self.address, self.dim = address, dim
        self._client: Any = None
        with _one_line(address, "cannot reach"):
            self._client = self._milvus.MilvusClient(
                address.uri, token=address.token, timeout=CONNECT_SECONDS, dedicated=True
            )
        try:
            with _one_line(self.address, "cannot open the memory"):
                self._open(dim)
        except BaseException:
            self.close()
            raise

    def _open(self, dim: int) -> None:
        name = self.address.collection
        if not self.client.has_collection(name, timeout=CONNECT_SECONDS):
            mine = self.create(dim)
            try:
                self.client.create_alias(mine, name)
            except self._milvus.MilvusException:
                # Another process was first: its collection is the memory.
                self.client.drop_collection(mine)
                if not self.client.has_collection(name):
                    raise
        self.refresh()
        self.load(name)

    def refresh(self) -> None:
        """Another process may have put a collection with another dimension in the place."""
        with _one_line(self.address, "cannot open the memory"):
            fields = self.client.describe_collection(self.address.collection)["fields"]
        self.dim = next(field["params"]["dim"] for field in fields if field["name"] == "vector")

    def create(self, dim: int) -> str:
        """A new collection behind no alias yet; returns its name."""
        kinds = self._milvus.DataType
        schema = self.client.create_schema(
            auto_id=False, enable_dynamic_field=False,
            description=json.dumps({"memory": self.address.name}),
        )  # fmt: skip
        schema.add_field("id", kinds.INT64, is_primary=True)
        schema.add_field("text", kinds.VARCHAR, max_length=65_535)
        schema.add_field("time", kinds.VARCHAR, max_length=32)
        schema.add_field("source", kinds.VARCHAR, max_length=4_096)
        for field in ("words", "more_words", "clusters"):
            schema.add_field(field, kinds.ARRAY, element_type=kinds.INT64, max_capacity=ARRAY)
        schema.add_field("vector", kinds.FLOAT_VECTOR, dim=dim)
        schema.add_field("model", kinds.VARCHAR, max_length=256)
        schema.add_field("state", kinds.VARCHAR, max_length=1_024)
        index = self.client.prepare_index_params()
        index.add_index(
            "vector", index_type=self.address.index, metric_type="IP",
            params=INDEXES[self.address.index],
        )  # fmt: skip
        name = f"{self.address.collection}_g{secrets.token_hex(4)}"
        self.client.create_collection(
            name, schema=schema, num_shards=self.address.shards, consistency_level="Strong"
        )
        self.client.create_index(name, index, sync=False)
        return name

    def load(self, name: str) -> None:
        if self.client.get_load_state(name)["state"].name != "Loaded":
            self.client.load_collection(name, replica_number=self.address.replicas)

    @property
    def client(self) -> Any:
        if self._client is None:
            raise MemoryStoreError("this memory is closed; open it again")
        return self._client

    def rows(self, filter: str, fields: list[str]) -> Iterator[Row]:
        """What a filter finds, by primary key, a window at a time."""
        size, last = WINDOW, None
        while True:
            page_filter = filter if last is None else f"id > {last} and ({filter})"
            try:
                page = self._query(page_filter, fields, size)
            except MemoryStoreError:
                if size == LONG_TEXTS:
                    raise
                size = LONG_TEXTS  # such a window may be too much for one message
                continue
            yield from page
            if len(page) < size:
                return
            last = page[-1]["id"]

    def _query(self, filter: str, fields: list[str], limit: int) -> list[Row]:
        with _one_line(self.address, "cannot read"):
            found = self.client.query(
                self.address.collection, filter=filter, output_fields=fields, limit=limit,
                consistency_level="Strong", timeout=READ_SECONDS,
            )  # fmt: skip
        return sorted(found, key=lambda row: row["id"])

    def count(self, filter: str) -> int:
        with _one_line(self.address, "cannot read"):
            found = self.client.query(
                self.address.collection, filter=filter, output_fields=["count(*)"],
                consistency_level="Strong", timeout=READ_SECONDS,
            )  # fmt: skip
        return int(found[0]["count(*)"])

    def search(self, vector: list[float], k: int, filter: str) -> list[tuple[int, float]]:
        """The k greatest inner products, on the engine."""
        params = {"ef": max(64, k)} if self.address.index == "HNSW" else {}
        with _one_line(self.address, "cannot search"):
            found = self.client.search(
                self.address.collection, data=[vector], limit=k, filter=filter,
                anns_field="vector", search_params={"metric_type": "IP", "params": params},
                consistency_level="Strong", timeout=READ_SECONDS,
            )  # fmt: skip
        return [(hit["id"], hit["distance"]) for hit in found[0]]

    def insert(self, rows: list[Row], into: str | None = None) -> None:
        """Add rows with new ids."""
        for batch in batches(rows):
            with _one_line(self.address, "cannot write"):
                self.client.insert(into or self.address.collection, batch, timeout=WRITE_SECONDS)

    def replace(self, rows: list[Row]) -> None:
        """Put rows in the place of those with the same ids."""
        for batch in batches(rows):
            with _one_line(self.address, "cannot write"):
                self.client.upsert(self.address.collection, batch, timeout=WRITE_SECONDS)

    def remove(self, ids: list[int]) -> None:
        for i in range(0, len(ids), WINDOW):
            with _one_line(self.address, "cannot delete"):
                self.client.delete(
                    self.address.collection,
                    filter=f"id in {ids[i : i + WINDOW]}",
                    timeout=WRITE_SECONDS,
                )

    def switch(self, new: str, dim: int) -> None:
        """Let the alias mean another collection, at once for everyone, and drop the rest."""
        with _one_line(self.address, "cannot switch"):
            self.load(new)
            self.client.alter_alias(new, self.address.collection)
            self.dim = dim
        self.drop_others(new)

    def drop_others(self, keep: str | None) -> None:
        """Drop this memory's collections but one: those of an interrupted rebuild, too."""
        pattern = re.compile(re.escape(self.address.collection) + "_g[0-9a-f]{8}")
        with _one_line(self.address, "cannot drop"):
            for name in self.client.list_collections():
                if pattern.fullmatch(name) and name != keep:
                    self.client.drop_collection(name)

    def drop(self) -> None:
        with _one_line(self.address, "cannot drop"):
            self.client.drop_alias(self.address.collection)
        self.drop_others(None)

    def current(self) -> str:
        with _one_line(self.address, "cannot read"):
            return str(self.client.describe_alias(self.address.collection)["collection_name"])

    def compact(self) -> None:
        """Seal what is in RAM and ask for segments without the deleted rows."""
        with _one_line(self.address, "cannot compact"):
            self.client.flush(self.address.collection, timeout=READ_SECONDS)
            self.client.compact(self.address.collection, timeout=READ_SECONDS)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None
