"""Addresses of memories: `:memory:`, a path, or `milvus+http://host:19530/name`."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from memnn.errors import MemoryStoreError, UnknownName
from memnn.memory.protocol import Memory, check_name
from memnn.memory.ram import RamMemory

RAM = ":memory:"
MILVUS = ("milvus+http://", "milvus+https://")


def open_memory(
    where: str | os.PathLike[str] = RAM, name: str = "main", *, create: bool = True
) -> Memory:
    """The named memory at an address; `:memory:` is one in RAM that ends with the process.

    A path is an embedded store, which is made unless `create` forbids it.
    """
    check_name(name)
    if where == RAM:
        return RamMemory()
    if is_milvus(where):
        memory: Memory = _milvus().MilvusMemory(where, name)
        return memory
    from memnn.memory.sqlite.memory import SqliteMemory, Store

    return SqliteMemory(Store(path_of(where), create=create), name, owns_store=True)


def names_at(where: str | os.PathLike[str]) -> list[str]:
    """The names of the memories at an address."""
    if where == RAM:
        return []
    if is_milvus(where):
        names: list[str] = _milvus().names(where)
        return names
    from memnn.memory.sqlite.memory import Store

    with Store(path_of(where), create=False) as store:
        return store.names()


def is_milvus(where: str | os.PathLike[str]) -> bool:
    return isinstance(where, str) and where.startswith(MILVUS)


def _milvus() -> Any:
    """The part that needs pymilvus, only where it is asked for."""
    try:
        return import_module("memnn.memory.milvus.memory")
    except ImportError:
        raise MemoryStoreError(
            "a store on Milvus needs pymilvus: pip install 'memnn[milvus]'"
        ) from None


def path_of(where: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """The path of an embedded store, and no address of something else."""
    if not isinstance(where, str | os.PathLike):
        raise MemoryStoreError(f"the address of a memory is a str, not {type(where).__name__}")
    text = os.fspath(where)
    if isinstance(text, str) and "://" in text:
        scheme = text.split("://")[0]
        raise UnknownName("kind of store", scheme, [s.removesuffix("://") for s in MILVUS])
    if text == RAM:
        raise MemoryStoreError("this needs a store that lasts: give a path instead of ':memory:'")
    return where
