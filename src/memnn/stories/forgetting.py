"""H when the memory is full (§2): which memory a new one replaces.

The paper proposes to "score the utility of each memory, and overwrite the least useful" and leaves
it untried. `LeastUseful` learns utility from which memories supported answers in training.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import numpy as np

from memnn.errors import InputError
from memnn.kernels.arrays import Ints
from memnn.kernels.story_utility import Doubles, effect, shared
from memnn.memory import Memory
from memnn.stories.dictionary import Dictionary
from memnn.types import Statement


def check_capacity(capacity: int) -> None:
    if capacity < 1:
        raise InputError(f"a memory needs room for at least 1 statement, not {capacity}")


@dataclass(frozen=True)
class Oldest:
    """Overwrite what was written first."""

    capacity: int

    def __post_init__(self) -> None:
        check_capacity(self.capacity)

    def __call__(self, statement: Statement, memory: Memory) -> int | None:
        return int(memory.candidates()[0]) if len(memory) >= self.capacity else None


@dataclass(frozen=True)
class AnySlot:
    """Overwrite whatever chance says."""

    capacity: int
    seed: int = 0
    _rng: Random = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_capacity(self.capacity)
        object.__setattr__(self, "_rng", Random(self.seed))

    def __call__(self, statement: Statement, memory: Memory) -> int | None:
        if len(memory) < self.capacity:
            return None
        return int(self._rng.choice(memory.candidates()))


@dataclass(frozen=True)
class Utility:
    """What `stories.train_utility` learns: b (|W|,) and V (2, 4, |W|, |W|); see its kernel."""

    dictionary: Dictionary
    b: Doubles
    V: Doubles


class LeastUseful:
    """Overwrite the memory with the lowest utility, given all that was told since."""

    def __init__(self, capacity: int, utility: Utility) -> None:
        check_capacity(capacity)
        self.capacity = capacity
        self.utility = utility
        self.entity = np.zeros(len(utility.dictionary), np.int64)
        self.entity[list(utility.dictionary.entity_rows)] = 1
        self._memory: Memory | None = None
        self._kept: dict[int, _Kept] = {}

    def __call__(self, statement: Statement, memory: Memory) -> int | None:
        ids = memory.candidates().tolist()
        self._follow(memory, ids)
        if len(ids) < self.capacity:
            return None
        # The new statement itself stays: nobody could have asked about it yet.
        new = self._encode(statement.text)
        kept = self._kept
        return int(min(ids, key=lambda id: kept[id].utility + self._effect(kept[id], new)))

    def _follow(self, memory: Memory, ids: list[int]) -> None:
        """Take in what was written since the last call: utility changes by what is told."""
        if memory is not self._memory:
            self._memory, self._kept = memory, {}
        for id in self._kept.keys() - set(ids):
            del self._kept[id]
        for slot in memory.read(id for id in ids if id not in self._kept):
            new = self._encode(slot.text)
            for kept in self._kept.values():
                kept.utility += self._effect(kept, new)
                kept.newer += shared(kept.rows, new, self.entity) > 0
            self._kept[slot.id] = _Kept(new, float(self.utility.b[new].sum()))

    def _effect(self, kept: _Kept, new: Ints) -> float:
        names = shared(kept.rows, new, self.entity)
        return effect(self.utility.V, kept.rows, new, names, kept.newer) if names else 0.0

    def _encode(self, text: str) -> Ints:
        return np.array(self.utility.dictionary.rows(text), np.int64)


@dataclass
class _Kept:
    """A memory as H sees it: its words, its utility, how many newer ones share a name with it."""

    rows: Ints
    utility: float
    newer: int = 0
