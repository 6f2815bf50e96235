"""Values by memory, each of which goes when its memory goes."""

from __future__ import annotations

from threading import RLock
from typing import Any, Generic, NamedTuple, TypeVar
from weakref import ref

from memnn.memory.protocol import Memory

V = TypeVar("V")


class ByMemory(Generic[V]):
    """As a `WeakKeyDictionary`, but with one callback a memory, however many of these there are.

    CPython 3.11 ends with a segmentation fault when an object dies to which several weak
    references have callbacks, and the garbage collector runs in that very moment and frees one of
    them: it counts them, makes a tuple of that size, which may collect, and trusts its count.
    Networks are often part of cycles, and so is what they keep of memories. Here the references
    with a callback belong to the module, which is never garbage, and all others have none.
    """

    def __init__(self) -> None:
        self._values: dict[int, tuple[ref[Memory], V]] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, memory: Memory) -> bool:
        return self._entry(memory) is not None

    def get(self, memory: Memory) -> V | None:
        entry = self._entry(memory)
        return None if entry is None else entry[1]

    def __setitem__(self, memory: Memory, value: V) -> None:
        """The newest is the last; what was there keeps its place."""
        _tell_at_its_end(memory, self)
        self._values[id(memory)] = ref(memory), value

    def pop(self, memory: Memory) -> None:
        self._values.pop(id(memory), None)

    def pop_oldest(self) -> None:
        self._values.pop(next(iter(self._values)), None)

    def _entry(self, memory: Memory) -> tuple[ref[Memory], V] | None:
        entry = self._values.get(id(memory))
        return entry if entry is not None and entry[0]() is memory else None


class _End(NamedTuple):
    """Tells whoever keeps something of a memory that it goes."""

    memory: ref[Memory]
    told: dict[int, ref[ByMemory[Any]]]


_ends: dict[int, _End] = {}
_lock = RLock()


def _tell_at_its_end(memory: Memory, keeper: ByMemory[Any]) -> None:
    key = id(memory)
    with _lock:
        end = _ends.get(key)
        if end is None:

            def gone(_: object, ends: dict[int, _End] = _ends) -> None:
                for each in list(ends.pop(key).told.values()):
                    if (still := each()) is not None:
                        still._values.pop(key, None)

            end = _ends[key] = _End(ref(memory, gone), {})
        elif id(keeper) not in end.told:
            for dead in [i for i, each in end.told.items() if each() is None]:
                del end.told[dead]
        end.told[id(keeper)] = ref(keeper)
