"""H by subject (§2), off unless asked: what was told last about somebody is what holds now.

Two statements contradict each other when their first name is the same and both are of a kind that
answered the same question in training ("Joe went to the kitchen", "Joe moved to the garden"). The
older one is superseded. It stays in the memory: it is left out only where a question about that
name is one that, in training, never needed what had been superseded ("Where is Joe?", but neither
"Where was Joe before the garden?" nor "Where is the milk?"). Marks follow from the texts in write
order, so no memory has to store them, and those of the past are those of the texts until then.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Ints
from memnn.memory import Memory
from memnn.stories.dictionary import Dictionary
from memnn.stories.invariants import Habits


class Superseding:
    """What supersedes what in one memory at a time."""

    def __init__(self, dictionary: Dictionary, habits: Habits) -> None:
        self.dictionary = dictionary
        self.habits = habits
        self._memory: Memory | None = None
        self._deletions = self._last_id = 0
        self._told: dict[str, dict[str, list[int]]] = {}  # by name, by kind, in write order

    def standing(
        self, question: str, memory: Memory, ids: Ints, last: int
    ) -> NDArray[np.bool_] | slice:
        """Which of these memories, all told until `last`, a question may see."""
        pattern, names = self.dictionary.pattern(question)
        if pattern not in self.habits.now:
            return slice(None)
        self._read_on(memory)
        out = [
            id
            for name in names
            for told in self._told.get(name, {}).values()
            for id in told[: max(0, bisect_right(told, last) - 1)]
        ]
        return ~np.isin(ids, out)

    def marks(self, memory: Memory) -> dict[int, int]:
        """Every superseded memory, and the one that superseded it."""
        self._read_on(memory)
        return dict(sorted(self._pairs()))

    def _pairs(self) -> Iterator[tuple[int, int]]:
        for kinds in self._told.values():
            for told in kinds.values():
                yield from pairwise(told)

    def _read_on(self, memory: Memory) -> None:
        if memory is not self._memory or memory.deletions != self._deletions:
            self._memory, self._deletions = memory, memory.deletions
            self._last_id, self._told = 0, {}
        if self._last_id == memory.last_id:
            return
        for slot in memory.scan(after=self._last_id):
            pattern, names = self.dictionary.pattern(slot.text)
            kind = self.habits.kinds.get(pattern)
            if kind is not None and names:
                self._told.setdefault(names[0], {}).setdefault(kind, []).append(slot.id)
            self._last_id = slot.id
