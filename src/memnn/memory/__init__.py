"""Memories m: where what was told is kept. Text is the truth; vectors and bags are caches."""

from __future__ import annotations

from memnn.memory.address import open_memory
from memnn.memory.protocol import AsOf, Memory, resolve_as_of
from memnn.memory.ram import RamMemory

__all__ = ["AsOf", "Memory", "RamMemory", "open_memory", "resolve_as_of"]
