"""What a memory must do, small on purpose, and how `as_of` is read.

An id is a positive integer that grows within a memory and is never used again; it is the model's
write time. The time beside it is for people. `as_of` is an id or a time, inclusive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError
from memnn.types import Slot

AsOf = int | str | datetime | None
LONGEST_TEXT = 10_000


class Memory(Protocol):
    """An array of slots in write order. `testing.check_memory` proves an implementation."""

    @property
    def last_id(self) -> int:
        """The highest id ever given, 0 before the first; caches read on from there."""

    @property
    def deletions(self) -> int:
        """Grows with every deletion, so that a cache knows when to start afresh."""

    def write(self, text: str, *, id: int | None = None, time: str | None = None) -> Slot:
        """Store a text in a new slot; the id must be greater than every id given before."""

    def read(self, ids: Iterable[int]) -> list[Slot]:
        """The slots with these ids, in this order; one that is not there is an error."""

    def scan(self, after: int = 0) -> Iterator[Slot]:
        """The slots with ids greater than `after`, in write order."""

    def candidates(self, as_of: AsOf = None) -> NDArray[np.int64]:
        """The ids of the memories written until `as_of`, in write order."""

    def delete(self, ids: Iterable[int]) -> None:
        """Forget these slots; one that is not there is an error and nothing is deleted."""

    def __len__(self) -> int: ...

    def close(self) -> None: ...


def check_text(text: str) -> str:
    """A statement that every memory can hold: some text, valid UTF-8, no NUL, not a book."""
    if not text.strip():
        raise InputError("there is nothing in the text to remember")
    if len(text) > LONGEST_TEXT:
        raise InputError(
            f"the text has {len(text):,} characters and a memory holds {LONGEST_TEXT:,}; "
            "tell it in shorter statements"
        )
    if "\0" in text:
        raise InputError("the text holds a NUL character; remove it")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("the text is not valid Unicode (a lone surrogate)") from None
    return text


def now() -> str:
    """The present as RFC 3339 in UTC, to the microsecond."""
    return timestamp(datetime.now(UTC))


def timestamp(moment: datetime) -> str:
    """RFC 3339 in UTC of fixed width, so that texts sort as times do."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InputError(
            f"'{text}' is neither an id nor an RFC 3339 time such as 2026-01-31T12:00:00Z"
        )
    return moment


def resolve_as_of(as_of: AsOf) -> int | str | None:
    """An id, a time in the form of `timestamp`, or None for now."""
    if as_of is None:
        return None
    if isinstance(as_of, bool) or not isinstance(as_of, int | str | datetime):
        raise InputError(f"as_of is an id or a time, and {as_of!r} is neither")
    if isinstance(as_of, datetime):
        if as_of.tzinfo is None:
            raise InputError("as_of needs a time zone, for example datetime.now(timezone.utc)")
        return timestamp(as_of)
    if isinstance(as_of, str):
        if not as_of.strip().isascii() or not as_of.strip().isdigit():
            return timestamp(parse_time(as_of.strip()))
        as_of = int(as_of)
    if as_of < 0:
        raise InputError(f"as_of is an id or a time, and {as_of} is neither")
    return as_of
