"""What a thread that looks at a memory several times need ask for only once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import local

from memnn.memory.protocol import Changes


class OneMoment(local):
    """Each thread has its own; outside of one nothing is remembered."""

    changes: Changes | None = None
    _length: int | None = None

    @contextmanager
    def of(self, newest: Callable[[], Changes]) -> Iterator[Changes]:
        """A moment; one within another is the same."""
        if self.changes is not None:
            yield self.changes
            return
        changes = self.changes = newest()
        self._length = None
        try:
            yield changes
        finally:
            self.end()

    def end(self) -> None:
        """What this thread writes itself, it sees."""
        self.changes = None

    def counted(self, count: Callable[[], int]) -> int:
        """How many statements there are."""
        if self.changes is None:
            return count()
        if self._length is None:
            self._length = count()
        return self._length
