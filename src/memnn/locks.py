"""A lock between processes (the library filelock) that leaves no file behind.

Whoever holds the lock removes its file as the last thing done with it; filelock notices a file
that was removed between opening and locking, and starts over. Where a file cannot be made or
locked (a folder that is read-only, some network drives) nobody waits: see
docs/decisions/0012-locks.md for what holds then.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PAUSE = 0.005
"""Seconds between two attempts to get the lock."""


@contextmanager
def exclusive(file: Path, patience: float) -> Iterator[None]:
    """Hold the lock on `file`; a TimeoutError if another holds it for longer than `patience`."""
    from filelock import FileLock  # a tenth of a second to import, and those who read need none

    lock = FileLock(file, timeout=patience, poll_interval=PAUSE, fallback_to_soft=False)
    try:
        lock.acquire()
    except TimeoutError:
        raise
    except OSError:  # no locks here
        pass
    try:
        yield
    finally:
        if lock.is_locked:
            with suppress(OSError):  # Windows removes no open file; filelock does it there
                file.unlink()
            lock.release()
