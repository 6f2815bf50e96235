"""Addresses of stores: `:memory:`, a path, or `milvus+http://host:19530/name`."""

from __future__ import annotations

import os

from memnn.errors import MemoryStoreError, UnknownName
from memnn.memory.protocol import Memory, check_name
from memnn.memory.ram import RamMemory, RamStore
from memnn.memory.stores import Store

RAM = ":memory:"
MILVUS = ("milvus+http://", "milvus+https://")


def open_store(where: str | os.PathLike[str] = RAM, *, create: bool = True) -> Store:
    """The store at an address; `:memory:` is a new one in RAM that ends with the process.

    A path is an embedded store, which is made unless `create` forbids it.
    """
    if where == RAM:
        return RamStore()
    if is_milvus(where):
        from memnn.memory.milvus.store import MilvusStore

        return MilvusStore(str(where))
    from memnn.memory.sqlite.store import SqliteStore

    return SqliteStore(path_of(where), create=create)


def open_memory(
    where: str | os.PathLike[str] = RAM, name: str = "main", *, create: bool = True
) -> Memory:
    """The named memory at an address, see `open_store`; closing it closes the store."""
    check_name(name)
    if where == RAM:
        return RamMemory()
    if is_milvus(where):
        from memnn.memory.milvus.memory import MilvusMemory

        return MilvusMemory(str(where), name)
    from memnn.memory.sqlite.store import SqliteStore

    return SqliteStore(path_of(where), create=create).memory(name, closes_store=True)


def is_milvus(where: str | os.PathLike[str]) -> bool:
    return isinstance(where, str) and where.startswith(MILVUS)


def path_of(where: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """The path of an embedded store, and no address of something else."""
    if not isinstance(where, str | os.PathLike):
        raise MemoryStoreError(f"the address of a memory must be a str, not {type(where).__name__}")
    text = os.fspath(where)
    if isinstance(text, str) and "://" in text:
        scheme = text.split("://")[0]
        raise UnknownName("kind of store", scheme, [s.removesuffix("://") for s in MILVUS])
    if text == RAM:
        raise MemoryStoreError("this needs a persistent store: give a path instead of ':memory:'")
    return where
