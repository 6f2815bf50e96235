"""Addresses of stores: `:memory:`, a path, or a URL whose scheme says which kind of store it is."""

from __future__ import annotations

import os
from collections.abc import Callable

from memnn.errors import DamagedStore, MemoryStoreError, UnknownName
from memnn.memory.protocol import Memory, check_name
from memnn.memory.ram import RamStore
from memnn.memory.stores import Findings, Store

RAM = ":memory:"


def _milvus(where: str, create: bool) -> Store:
    from memnn.memory.milvus.store import MilvusStore

    return MilvusStore(where)


SCHEMES: dict[str, Callable[[str, bool], Store]] = {
    "milvus+http": _milvus,
    "milvus+https": _milvus,
}
"""What opens the stores of a scheme; it imports what it needs only when it is called."""


def open_store(where: str | os.PathLike[str] = RAM, *, create: bool = True) -> Store:
    """The store at an address; `:memory:` is a new one in RAM that ends with the process.

    A path is an embedded store, which is made unless `create` forbids it.
    """
    if not isinstance(where, str | os.PathLike):
        raise MemoryStoreError(f"the address of a memory must be a str, not {type(where).__name__}")
    if where == RAM:
        return RamStore()
    if isinstance(where, str) and "://" in where:
        scheme = where.partition("://")[0]
        if scheme not in SCHEMES:
            raise UnknownName("kind of store", scheme, SCHEMES)
        return SCHEMES[scheme](where, create)
    from memnn.memory.sqlite.store import SqliteStore

    return SqliteStore(where, create=create)


def open_memory(
    where: str | os.PathLike[str] = RAM, name: str = "main", *, create: bool = True
) -> Memory:
    """The named memory at an address, see `open_store`; closing it closes the store."""
    check_name(name)
    return open_store(where, create=create).single(name)


def verify(where: str | os.PathLike[str], *, repair: bool = False) -> Findings:
    """Compare everything in a store with its checksums, also where it can hardly be opened."""
    try:
        with open_store(where, create=False) as store:
            return store.verify(repair=repair)
    except DamagedStore as error:
        return Findings([str(error)])
