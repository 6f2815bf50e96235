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
from collections.abc import Iterable
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Ints
from memnn.memory import Memory
from memnn.memory.follow import Cache, Following
from memnn.stories.dictionary import Dictionary
from memnn.stories.invariants import Habits


class Succession(Cache[None]):
    """Who was told of in which kind of statement, in write order."""

    def __init__(self, dictionary: Dictionary, habits: Habits) -> None:
        self.dictionary, self.habits = dictionary, habits
        self.ids: dict[str, dict[str, list[int]]] = {}
        """By name, by kind."""

    def read_on(self, memory: Memory, after: int) -> int:
        for slot in memory.scan(after):
            pattern, names = self.dictionary.pattern(slot.text)
            kind = self.habits.kinds.get(pattern)
            if kind is not None and names:
                self.ids.setdefault(names[0], {}).setdefault(kind, []).append(slot.id)
            after = slot.id
        return after

    def view(self) -> None:
        """Nothing is handed out: what is asked is a few names."""

    def overtaken(self, names: Iterable[str], last: int) -> list[int]:
        """What was told of these names until `last` and no longer held then."""
        return [
            id
            for name in names
            for told in self.ids.get(name, {}).values()
            for id in told[: max(0, bisect_right(told, last) - 1)]
        ]

    def pairs(self) -> list[tuple[int, int]]:
        kinds = (told for by_kind in self.ids.values() for told in by_kind.values())
        return sorted(pair for told in kinds for pair in pairwise(told))


class Superseding:
    """What supersedes what in a memory."""

    def __init__(self, dictionary: Dictionary, habits: Habits) -> None:
        self.dictionary = dictionary
        self.habits = habits
        self._told = Following(partial(Succession, dictionary, habits))

    def standing(
        self, question: str, memory: Memory, ids: Ints, last: int
    ) -> NDArray[np.bool_] | slice:
        """Which of these memories, all told until `last`, a question may see."""
        pattern, names = self.dictionary.pattern(question)
        if pattern not in self.habits.now:
            return slice(None)
        return ~np.isin(ids, self._told.use(memory, lambda told: told.overtaken(names, last)))

    def marks(self, memory: Memory) -> dict[int, int]:
        """Every superseded memory, and the one that superseded it."""
        return dict(self._told.use(memory, Succession.pairs))
