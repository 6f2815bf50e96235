"""Memories m: where what was told is kept. Text is the truth; vectors and bags are caches."""

from __future__ import annotations

from memnn.memory.address import open_memory, open_store
from memnn.memory.protocol import AsOf, Memory, resolve_as_of
from memnn.memory.ram import RamMemory
from memnn.memory.stores import Store

__all__ = ["AsOf", "Memory", "RamMemory", "Store", "open_memory", "open_store", "resolve_as_of"]
