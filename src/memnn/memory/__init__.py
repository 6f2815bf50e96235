"""Memories m: where what was told is kept. Text is the truth; vectors and bags are caches."""

from __future__ import annotations

from memnn.errors import MemoryStoreError
from memnn.memory.protocol import AsOf, Memory, resolve_as_of
from memnn.memory.ram import RamMemory

__all__ = ["AsOf", "Memory", "RamMemory", "open_memory", "resolve_as_of"]


def open_memory(where: str = ":memory:") -> Memory:
    """The memory at an address; `:memory:` is one in RAM that ends with the process."""
    if where == ":memory:":
        return RamMemory()
    if not isinstance(where, str):
        raise MemoryStoreError(f"the address of a memory is a str, not {type(where).__name__}")
    raise MemoryStoreError(f"cannot open '{where}': the only memory so far is ':memory:'")
