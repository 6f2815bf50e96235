"""A connection to a Milvus server: errors in a line, and which memories a store there has."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from memnn.errors import MemoryStoreError
from memnn.memory.milvus.address import Address

CONNECT_SECONDS = 4.0
READ_SECONDS = 60.0
GENERATION = 10
"""Letters of `_g` and eight digits, by which the collections behind one alias differ."""


class Connection:
    """One client of a server, until it is closed."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._milvus = _pymilvus()
        self._client: Any = None
        with self.in_one_line("cannot reach"):
            self._client = self._milvus.MilvusClient(
                address.uri, token=address.token, timeout=CONNECT_SECONDS, dedicated=True
            )

    @property
    def client(self) -> Any:
        if self._client is None:
            raise MemoryStoreError("this memory is closed; open it again")
        return self._client

    @property
    def closed(self) -> bool:
        return self._client is None

    @property
    def kinds(self) -> Any:
        """The types of fields."""
        return self._milvus.DataType

    @property
    def Error(self) -> type[Exception]:
        error: type[Exception] = self._milvus.MilvusException
        return error

    @contextmanager
    def in_one_line(self, problem: str) -> Iterator[None]:
        import grpc  # comes with pymilvus, which passes on what it does not expect

        try:
            yield
        except (self._milvus.MilvusException, grpc.RpcError) as error:
            told = error.details() if isinstance(error, grpc.RpcError) else error.message
            said = " ".join(str(told).split())[:200]
            server = self.address.uri.partition("//")[2]
            raise MemoryStoreError(f"{problem} (Milvus at {server}): {said}") from None

    def has(self, collection: str) -> bool:
        with self.in_one_line("cannot read"):
            return bool(self.client.has_collection(collection, timeout=CONNECT_SECONDS))

    def load(self, collection: str) -> None:
        if self.client.get_load_state(collection)["state"].name != "Loaded":
            self.client.load_collection(collection, replica_number=self.address.replicas)

    def count(self, collection: str, filter: str) -> int:
        with self.in_one_line("cannot read"):
            found = self.client.query(
                collection, filter=filter, output_fields=["count(*)"],
                consistency_level="Strong", timeout=READ_SECONDS,
            )  # fmt: skip
        return int(found[0]["count(*)"])

    def memories(self) -> dict[str, str]:
        """The memories of the store at this address: their aliases by their names, in order."""
        found = {}
        with self.in_one_line("cannot read"):
            for collection in self.client.list_collections():
                alias = collection[:-GENERATION]
                if not collection.startswith(self.address.prefix):
                    continue
                try:
                    about = self.client.describe_collection(collection)
                except self.Error:
                    if self.client.has_collection(collection):
                        raise
                    continue  # dropped meanwhile
                # A collection without its alias is left from a rebuild that was interrupted.
                if alias in about["aliases"]:
                    found[json.loads(about["description"])["memory"]] = alias
        return dict(sorted(found.items()))

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None


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
