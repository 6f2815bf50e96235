"""What a memory must do, small on purpose, and how `as_of` is read.

An id is a positive integer that grows within a memory and is never used again; it is the model's
write time. The time beside it is for people. `as_of` is an id or a time, inclusive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError, MemoryStoreError
from memnn.text.tokens import LONGEST_TEXT, words_1
from memnn.types import Lesson, Slot, Turn
from memnn.types.html import slots_html

AsOf = int | str | datetime | None
LONGEST_NAME = 200
MOST_ID = 2**62 - 1
PAGE = 100_000
"""Texts that are read at once."""
NEWEST_SHOWN = 20
"""Statements that a notebook shows of a memory."""
Halves = NDArray[np.float16]
Progress = Callable[[int, int], None]
"""Called with what is done and what is wanted."""


class Changes(NamedTuple):
    """What tells a cache whether it is up to date."""

    last_id: int
    """The highest id ever given, 0 before the first; caches read on from there."""
    deletions: int
    """Grows with every deletion: then a cache starts afresh."""


class PartsGone(MemoryStoreError):
    """What was kept in parts was put in another order, or something was deleted: look again."""


class Embedder(Protocol):
    """Makes the vectors of one model; `id` names it, as in its folder.

    One that also has `clusters(texts)` says for each text which clusters its words fall into; a
    memory that can search by clusters files it under these.
    """

    @property
    def id(self) -> str: ...

    @property
    def dim(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Halves:
        """(n, dim), a row for each text that depends on this text alone."""


class Memory(Protocol):
    """An array of slots in write order, for any number of threads.

    `testing.check_memory` proves an implementation. Inherit from this class: what has a body here
    is a default that works, if slowly.
    """

    @property
    def lasts(self) -> bool:
        """Whether it outlives the process: then it may be large, and others may write to it."""
        return False

    @property
    def updated(self) -> bool:
        """False if it is known at once that nothing in it supersedes anything."""
        return True

    def changes(self) -> Changes:
        """`last_id` and `deletions` of one moment: write this, or both of them."""
        return Changes(self.last_id, self.deletions)

    @property
    def last_id(self) -> int:
        """The highest id ever given, 0 before the first; caches read on from there."""
        return self.changes().last_id

    @property
    def deletions(self) -> int:
        """Grows with every deletion, so that a cache knows when to start afresh."""
        return self.changes().deletions

    def write(
        self,
        text: str,
        *,
        id: int | None = None,
        time: str | None = None,
        source: str = "",
        turn: Turn | None = None,
    ) -> Slot:
        """Store a text in a new slot; the id must be greater than every id given before."""

    def write_many(
        self,
        texts: Iterable[str],
        *,
        source: str = "",
        turns: Sequence[Turn | None] | None = None,
    ) -> list[Slot]:
        """Store texts one after the other: all of them, or none if one is refused.

        `turns` has one for each text, or None for a text that has none.
        """

    def write_slots(self, slots: Iterable[Slot]) -> list[Slot]:
        """Store another memory's slots as they are, with their ids and times."""
        return [
            self.write(s.text, id=s.id, time=s.time, source=s.source, turn=s.turn) for s in slots
        ]

    def read(self, ids: Iterable[int]) -> list[Slot]:
        """The slots with these ids, in this order; one that is not there is an error."""

    def scan(self, after: int = 0) -> Iterator[Slot]:
        """The slots with ids greater than `after`, in write order."""

    def pages(self, after: int = 0) -> Iterator[tuple[NDArray[np.int64], str]]:
        """Ids and texts after an id, many at once, texts ended by NUL, which is in none of them."""
        slots = self.scan(after)
        while page := list(islice(slots, PAGE)):
            yield np.array([s.id for s in page], np.int64), "".join([s.text + "\0" for s in page])

    def candidates(
        self, as_of: AsOf = None, buckets: Iterable[str] | None = None
    ) -> NDArray[np.int64]:
        """The ids of the memories written until `as_of`, in write order.

        With buckets, only of those that are in at least one: §3.3, see `buckets_of`.
        """

    def newest(self, limit: int, before: int | None = None) -> list[Slot]:
        """The slots written last, the newest first; with `before`, only smaller ids."""
        ids = self.candidates(None if before is None else max(before - 1, 0))
        return self.read(ids[max(len(ids) - limit, 0) :][::-1].tolist())

    @contextmanager
    def one_moment(self) -> Iterator[Changes]:
        """For a thread that looks several times: `changes` may say the same within it."""
        yield self.changes()

    def supersessions(self, after: int = 0) -> list[tuple[int, int]]:
        """The slots after an id that supersede others, in write order, and what they supersede."""
        told = ((slot.id, slot.turn) for slot in self.scan(after))
        return [(id, t.supersedes) for id, t in told if t is not None and t.supersedes is not None]

    def frequencies(self, buckets: Iterable[str]) -> dict[str, int]:
        """How many memories are in each of these buckets, as they are now."""
        return {bucket: len(self.candidates(buckets=[bucket])) for bucket in buckets}

    def delete(self, ids: Iterable[int]) -> None:
        """Forget these slots; one that is not there is an error and nothing is deleted.

        Turns go with their slots, and so does every lesson that names one of them.
        """

    def teach(self, question: str, ids: Iterable[int] = (), as_of: int | None = None) -> Lesson:
        """Keep which slots answer a question: none of them, if no ids are given.

        It holds for the memory until the id `as_of`, now unless told. What was taught before
        about the same question and moment is replaced.
        """
        raise InputError("this kind of memory does not keep lessons; use one that comes with memnn")

    def unteach(self, question: str) -> None:
        """Forget every lesson about a question; one that was never taught is no error."""
        return

    def lessons(self) -> list[Lesson]:
        """What was taught, in the order of moments, then of questions."""
        return []

    def embed(self, embedder: Embedder, progress: Progress | None = None) -> int:
        """Make the vectors that a model lacks here, where a memory keeps them; how many."""
        return 0

    def keep(self, name: str, data: bytes, deletions: int) -> None:
        """Keep an overview of the memory, so that it can be opened without reading it all.

        A deletion must drop what was kept: it holds words of what was told. So must `keep` drop
        what it is given if the memory has counted other `deletions` by now: it is out of date.
        """
        return

    def kept(self, name: str) -> bytes | None:
        """What was kept under this name, if it still holds."""
        return None

    @property
    def keeps_parts(self) -> bool:
        """Whether large overviews are kept in parts, each of which is read by its name."""
        return False

    def keep_parts(self, name: str, parts: Mapping[str, bytes], deletions: int) -> None:
        """Keep parts of an overview, whose names nobody used before; see `keep`."""
        return

    def kept_parts(self, names: Iterable[str]) -> dict[str, bytes]:
        """Those of these parts that were kept and still hold."""
        return {}

    def drop_parts(self, names: Iterable[str]) -> None:
        """Drop parts that nobody needs any more."""
        return

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Slot]:
        """What was told, in write order; the superseded, too.

        >>> import memnn
        >>> memory = memnn.open_memory()
        >>> slots = memory.write_many(["Joe went to the kitchen.", "Joe left."])
        >>> [slot.text for slot in memory]
        ['Joe went to the kitchen.', 'Joe left.']
        """
        return self.scan()

    def __getitem__(self, id: int) -> Slot:
        """What was told under an id."""
        return self.read([id])[0]

    def __contains__(self, told: object) -> bool:
        """Whether there is something under an id, or a slot as it was told."""
        if type(told) is int:
            return told > 0 and bool(told in self.candidates(told)[-1:])
        return any(slot == told for slot in self)

    def __repr__(self) -> str:
        n = len(self)
        return f"<{type(self).__name__}: {n:,} statement{'s' if n != 1 else ''}>"

    def _repr_html_(self) -> str:
        """For notebooks: the newest statements."""
        return slots_html(self.newest(NEWEST_SHOWN)[::-1], len(self))

    def close(self) -> None: ...


def buckets_of(text: str) -> frozenset[str]:
    """The buckets a memory falls into: its words, lower-case (the word hash of §3.3)."""
    return frozenset(words_1(text))


def check_text(text: str) -> str:
    """A statement or question that can be used: some text, valid UTF-8, no NUL, not a book."""
    if not isinstance(text, str):
        raise InputError(f"a text must be a str, not {type(text).__name__}")
    if not text.strip():
        raise InputError("the text holds nothing to remember")
    if len(text) > LONGEST_TEXT:
        raise InputError(
            f"the text has {len(text):,} characters and the limit is {LONGEST_TEXT:,}; "
            "split it into shorter sentences"
        )
    if "\0" in text:
        raise InputError("the text holds a NUL character; remove it")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("the text is not valid Unicode (a lone surrogate)") from None
    return text


def check_name(name: str) -> str:
    """The name of a memory: any text of a line, path characters included; it is no path."""
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
        raise InputError(f"the name of a memory must be a string of 1 to {LONGEST_NAME} characters")
    if not name.isprintable():  # control characters, lone surrogates
        raise InputError("the name of a memory contains an unprintable character; remove it")
    return name


def is_id(id: object) -> bool:
    if type(id) is not int and (isinstance(id, bool) or not isinstance(id, int | np.integer)):
        return False
    return 1 <= int(id) <= MOST_ID


def known_id(id: int) -> int:
    """An id that a slot can have."""
    if not is_id(id):
        raise InputError("an id must be a whole number from 1 to 2^62 - 1")
    return int(id)


def missing(id: int) -> InputError:
    """What every memory says about an id that is not there."""
    return InputError(f"there is no memory with id {id}")


def in_order(found: Mapping[int, Slot], wanted: Iterable[int]) -> list[Slot]:
    """The slots of these ids, as `read` returns them."""
    try:
        return [found[id] for id in wanted]
    except KeyError as error:
        raise missing(error.args[0]) from None


def check_id(id: int, last: int) -> int:
    """An id that may follow the last one given."""
    id = known_id(id)
    if id <= last:
        raise InputError(f"id {id} must come after {last}, the last id given")
    return id


def now() -> str:
    """The present as RFC 3339 in UTC, to the microsecond."""
    # As `timestamp`, which takes longer because it takes any zone.
    return datetime.now(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def timestamp(moment: datetime) -> str:
    """RFC 3339 in UTC of fixed width, so that texts sort as times do."""
    try:
        utc = moment.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:
        raise InputError(f"{moment.isoformat()} is not between the years 1 and 9999") from None
    return utc.isoformat(timespec="microseconds") + "Z"


def parse_time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text) if text.isascii() and text.isprintable() else None
    except (AttributeError, TypeError, ValueError):
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InputError(
            f"'{str(text)[:40]}' is neither an id nor an RFC 3339 time such as 2026-01-31T12:00:00Z"
        )
    return moment


def resolve_as_of(as_of: AsOf) -> int | str | None:
    """An id, a time in the form of `timestamp`, or None for now."""
    if as_of is None:
        return None
    if isinstance(as_of, datetime):
        if as_of.tzinfo is None:
            raise InputError("as_of needs a time zone, for example datetime.now(timezone.utc)")
        return timestamp(as_of)
    if isinstance(as_of, str):
        text = as_of.strip()
        if not (text.isascii() and text.isdigit() and len(text) < 20):
            return timestamp(parse_time(text))
        as_of = int(text)
    if isinstance(as_of, bool) or not isinstance(as_of, int):
        raise InputError(f"as_of must be an id or a time, not {as_of!r}")
    if as_of < 0:
        raise InputError("as_of must be an id or a time, not a negative number")
    return min(as_of, MOST_ID)
