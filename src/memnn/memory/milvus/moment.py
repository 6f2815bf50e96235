"""What a thread that looks at a memory several times need ask for only once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import local

import numpy as np
from numpy.typing import NDArray

from memnn.memory.protocol import Changes
from memnn.types import Slot

Ids = NDArray[np.int64]
MOST_SLOTS, MOST_LISTS, LONG_LIST = 10_000, 256, 20_000
"""Slots that are remembered, and lists of ids, none longer than that."""


class OneMoment(local):
    """Each thread has its own; outside of one nothing is looked up here.

    What was seen in a moment holds in the next one, too, if nothing has changed: a slot stays what
    it is until something is deleted, a list of ids or a count until something is told, too.
    """

    changes: Changes | None = None
    _last: Changes | None = None

    def __init__(self) -> None:
        self._length: int | None = None
        self._slots: dict[int, Slot] = {}
        self._lists: dict[str, Ids] = {}

    @contextmanager
    def of(self, newest: Callable[[], Changes]) -> Iterator[Changes]:
        """A moment; one within another is the same."""
        if self.changes is not None:
            yield self.changes
            return
        changes = self.changes = newest()
        self._forget(changes)
        try:
            yield changes
        finally:
            self.end()

    def end(self) -> None:
        """What this thread writes itself, it sees."""
        self.changes = None

    def _forget(self, changes: Changes) -> None:
        """Forget what may hold no longer."""
        last, self._last = self._last, changes
        if last != changes:
            self._length, self._lists = None, {}
        if last is None or last.deletions != changes.deletions:
            self._slots = {}

    def counted(self, count: Callable[[], int]) -> int:
        """How many statements there are."""
        if self.changes is None:
            return count()
        if self._length is None:
            self._length = count()
        return self._length

    def slots(
        self, ids: Sequence[int], read: Callable[[list[int]], dict[int, Slot]]
    ) -> Mapping[int, Slot]:
        """These slots, as far as they are there."""
        if self.changes is None:
            return read(list(ids))
        new = [id for id in ids if id not in self._slots]
        if not new:
            return self._slots
        found = read(new)
        if len(self._slots) + len(found) > MOST_SLOTS:
            found |= {id: self._slots[id] for id in ids if id in self._slots}
            self._slots = {}
        self._slots.update(found)
        return self._slots

    def ids(self, wanted: str, find: Callable[[], Ids]) -> Ids:
        """The ids that a filter finds."""
        if self.changes is None:
            return find()
        ids = self._lists.get(wanted)
        if ids is None:
            ids = find()
            if len(ids) <= LONG_LIST:
                if len(self._lists) == MOST_LISTS:
                    self._lists = {}
                self._lists[wanted] = ids
        return ids
