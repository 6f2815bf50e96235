"""A connection to a Milvus server: errors in a line, and which memories a store there has.

How long a call may take is set by its channel; see there why calls have no time of their own.
"""

from __future__ import annotations

import json
import logging
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from memnn.errors import MemoryStoreError
from memnn.memory.milvus.address import Address
from memnn.memory.milvus.fields import Row

CONNECT_SECONDS = WRITE_SECONDS = 4.0
READ_SECONDS = 10.0
CHANGE_SECONDS = 30.0  # the server makes and drops collections one after the other
LOAD_SECONDS = 120.0  # until a large collection is in the RAM of a server that was just started
READS = (
    "Query", "Search", "DescribeCollection", "DescribeAlias", "ShowCollections", "GetLoadState",
    "GetLoadingProgress",
)  # fmt: skip
WRITES = ("Insert", "Upsert", "Delete", "AlterAlias")
ONCE = {"retry_times": 0}
"""For every call: pymilvus would try again what the server has no room for, for minutes."""
RATE_LIMIT = 8  # what Milvus calls it in its answers
IN_COLUMNS = 64
"""Rows that are worth sending as columns: pymilvus looks at each value of a row by itself."""
GENERATION = 10
"""Letters of `_g` and eight digits, by which the collections behind one alias differ."""


class NoAnswer(MemoryStoreError):
    """The server is not there, or takes too long."""


class Busy(MemoryStoreError):
    """The server takes no more than so much at a time, and has taken nothing of this."""


class Connection:
    """One client of a server, until it is closed."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._milvus = _pymilvus()
        self._client: Any = None
        from memnn.memory.milvus.channel import open_channel

        seconds = {
            "": CHANGE_SECONDS, "HasCollection": CONNECT_SECONDS,
            **dict.fromkeys(READS, READ_SECONDS),
            **dict.fromkeys(WRITES, WRITE_SECONDS),
        }  # fmt: skip
        with self.in_one_line("cannot reach"):
            self._client = self._milvus.MilvusClient(
                address.uri, token=address.token, timeout=CONNECT_SECONDS, dedicated=True,
                channel=open_channel(address.uri, seconds, (*READS, "HasCollection")),
            )  # fmt: skip

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
            if isinstance(error, grpc.RpcError):
                told, code = error.details(), error.code()
            else:
                told, code = error.message, error.code
            silent = grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED
            kind = MemoryStoreError
            if code in (*silent, self._milvus.Status.CONNECT_FAILED):
                kind = NoAnswer
            elif code == RATE_LIMIT:
                kind = Busy
            said = " ".join(str(told).split())[:200]
            server = self.address.uri.partition("//")[2]
            raise kind(f"{problem} (Milvus at {server}): {said}") from None

    def has(self, collection: str) -> bool:
        with self.in_one_line("cannot read"):
            return bool(self.client.has_collection(collection, **ONCE))

    def load(self, collection: str, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Have the server load a collection; `meanwhile` is called again and again until then."""
        until = clock.monotonic() + LOAD_SECONDS
        asked = False
        while (state := self.client.get_load_state(collection, **ONCE)["state"].name) != "Loaded":
            if not asked:
                self.client.load_collection(
                    collection, replica_number=self.address.replicas, _async=True, **ONCE
                )
                asked = True
            elif clock.monotonic() > until:
                raise self._milvus.MilvusException(message=f"the collection is still {state}")
            clock.sleep(0.02)
            meanwhile()

    def count(self, collection: str, filter: str) -> int:
        with self.in_one_line("cannot read"):
            found = self.client.query(
                collection, filter=filter, output_fields=["count(*)"],
                consistency_level="Strong", **ONCE,
            )  # fmt: skip
        return int(found[0]["count(*)"])

    def insert(self, collection: str, rows: list[Row], **once: Any) -> None:
        """Rows with all fields; many of them as columns, which takes a tenth of the time."""
        handler = getattr(self.client, "_get_connection", None)
        if handler is None or len(rows) < IN_COLUMNS:
            self.client.insert(collection, rows, **once)
            return
        about = self.client.describe_collection(collection, **once)
        columns = [
            {"name": f["name"], "type": f["type"], "values": [row[f["name"]] for row in rows]}
            for f in about["fields"]
        ]
        handler().batch_insert(collection, columns, schema=about, **once)

    def memories(self) -> dict[str, str]:
        """The memories of the store at this address: their aliases by their names, in order."""
        found = {}
        with self.in_one_line("cannot read"):
            for collection in self.client.list_collections(**ONCE):
                alias = collection[:-GENERATION]
                if not collection.startswith(self.address.prefix):
                    continue
                try:
                    about = self.client.describe_collection(collection, **ONCE)
                except self.Error:
                    if self.client.has_collection(collection, **ONCE):
                        raise
                    continue  # dropped meanwhile
                # A collection without its alias is left from a rebuild that was interrupted.
                if alias in about["aliases"]:
                    with suppress(ValueError, KeyError, TypeError):  # else it is somebody else's
                        found[str(json.loads(about["description"])["memory"])] = alias
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
