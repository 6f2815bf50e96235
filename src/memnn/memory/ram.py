"""A memory in RAM: lists in write order. It ends with the process."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, repeat
from threading import Lock, RLock
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from memnn.memory.protocol import (
    MOST_ID,
    AsOf,
    Changes,
    Memory,
    buckets_of,
    check_id,
    check_name,
    check_text,
    known_id,
    missing,
    now,
    parse_time,
    resolve_as_of,
    timestamp,
)
from memnn.memory.stores import Store, no_such
from memnn.memory.turns import check_lesson, check_supersedes, check_turn, check_turns
from memnn.types import Lesson, Slot, Turn

MOST_KEPT = 100_000


class RamMemory(Memory):
    """The basic G of the paper needs no more: the next empty slot is the end of a list.

    Lists and arrays only grow, a deletion makes new ones: what was given out stays what it was.
    """

    def __init__(self, on_begin: Callable[[RamMemory], None] | None = None) -> None:
        """`on_begin` is called when something is written and there was nothing."""
        self._lock = RLock()
        self._on_begin = on_begin
        self._slots: list[Slot] = []
        self._ids = np.zeros(64, np.int64)
        self._changes = Changes(0, 0)
        self._last_time = ""
        self._in_bucket = defaultdict[str, list[int]](list)
        self._lessons: dict[tuple[int, str], Lesson] = {}
        self._kept: dict[str, bytes] = {}
        self._supersessions: list[tuple[int, int]] = []

    def __getstate__(self) -> dict[str, Any]:
        """What was told, for another process; which store it was in stays here."""
        with self._lock:
            return {k: v for k, v in vars(self).items() if k not in ("_lock", "_on_begin")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=RLock(), _on_begin=None)

    @property
    def updated(self) -> bool:
        return bool(self._supersessions)

    @property
    def last_id(self) -> int:
        return self._changes.last_id

    @property
    def deletions(self) -> int:
        return self._changes.deletions

    def changes(self) -> Changes:
        return self._changes

    def __len__(self) -> int:
        return len(self._slots)

    def write(
        self,
        text: str,
        *,
        id: int | None = None,
        time: str | None = None,
        source: str = "",
        turn: Turn | None = None,
    ) -> Slot:
        check_text(text)
        when = None if time is None else timestamp(parse_time(time))
        told = None if turn is None else check_turn(turn)
        with self._lock:
            last, deletions = self._changes
            id = _after(last) if id is None else check_id(id, last)
            check_supersedes(told, id)
            slot = self._append(id, text, source, told, when)
            self._changes = Changes(id, deletions)
            return slot

    def write_many(
        self,
        texts: Iterable[str],
        *,
        source: str = "",
        turns: Sequence[Turn | None] | None = None,
    ) -> list[Slot]:
        checked = list(map(check_text, texts))
        told = check_turns(turns, len(checked))
        with self._lock:
            last, deletions = self._changes
            ids = range(last + 1, _after(last, len(checked)) + 1)
            for id, turn in zip(ids, told or (), strict=False):
                check_supersedes(turn, id)
            slots = list(map(self._append, ids, checked, repeat(source), told or repeat(None)))
            self._changes = Changes(ids.stop - 1, deletions)  # nobody sees half of them
            return slots

    def _append(
        self, id: int, text: str, source: str, turn: Turn | None, time: str | None = None
    ) -> Slot:
        # Times may not run backwards, or `as_of` a time would not be a moment of the story.
        time = max(time or now(), self._last_time)
        slot = Slot(id, text, time, source, turn)
        n = len(self._slots)
        if n == len(self._ids):
            self._ids = np.concatenate([self._ids, np.zeros_like(self._ids)])
        self._ids[n] = id
        if not n and self._on_begin is not None:
            self._on_begin(self)
        self._slots.append(slot)
        self._last_time = time
        for bucket in buckets_of(text):
            self._in_bucket[bucket].append(id)
        if turn is not None and turn.supersedes is not None:
            self._supersessions.append((id, turn.supersedes))
        return slot

    def read(self, ids: Iterable[int]) -> list[Slot]:
        with self._lock:
            return [self._slots[self._place(id)] for id in ids]

    def scan(self, after: int = 0) -> Iterator[Slot]:
        with self._lock:
            start = int(self._ids[: len(self._slots)].searchsorted(after, side="right"))
            return islice(self._slots, start, len(self._slots))

    def candidates(
        self, as_of: AsOf = None, buckets: Iterable[str] | None = None
    ) -> NDArray[np.int64]:
        limit = resolve_as_of(as_of)
        with self._lock:
            n = len(self._slots)
            if isinstance(limit, int):
                n = int(self._ids[:n].searchsorted(limit, side="right"))
            elif limit is not None:
                n = bisect_right(self._slots, limit, key=lambda slot: slot.time)
            ids = self._ids[:n]
            if buckets is not None:
                found = {id for bucket in buckets for id in self._in_bucket.get(bucket, ())}
                last = int(ids[-1]) if n else 0
                ids = np.array(sorted(id for id in found if id <= last), np.int64)
        ids.flags.writeable = False
        return ids

    def newest(self, limit: int, before: int | None = None) -> list[Slot]:
        with self._lock:
            n = len(self._slots)
            end = n if before is None else int(self._ids[:n].searchsorted(before))
            return self._slots[max(end - limit, 0) : end][::-1]

    def supersessions(self, after: int = 0) -> list[tuple[int, int]]:
        with self._lock:
            first = bisect_right(self._supersessions, after, key=lambda pair: pair[0])
            return self._supersessions[first:]

    def frequencies(self, buckets: Iterable[str]) -> dict[str, int]:
        with self._lock:
            return {bucket: len(self._in_bucket.get(bucket, ())) for bucket in buckets}

    def delete(self, ids: Iterable[int]) -> None:
        with self._lock:
            gone = {known_id(id) for id in ids}
            if not gone:
                return
            for slot in self.read(sorted(gone)):
                for bucket in buckets_of(slot.text):
                    self._in_bucket[bucket].remove(slot.id)
                    if not self._in_bucket[bucket]:
                        del self._in_bucket[bucket]
            slots = [slot for slot in self._slots if slot.id not in gone]
            left = np.zeros(len(self._ids), np.int64)
            left[: len(slots)] = [slot.id for slot in slots]
            self._slots, self._ids = slots, left
            self._lessons = {k: v for k, v in self._lessons.items() if gone.isdisjoint(v.ids)}
            self._supersessions = [pair for pair in self._supersessions if pair[0] not in gone]
            self._kept = {}
            self._changes = Changes(self._changes.last_id, self._changes.deletions + 1)

    def clear(self) -> None:
        """Delete all there is: what is told next begins anew, with ids from 1."""
        with self._lock:
            self._slots, self._ids = [], np.zeros(64, np.int64)
            self._in_bucket.clear()
            self._lessons, self._supersessions, self._last_time = {}, [], ""
            self._kept = {}
            self._changes = Changes(0, self._changes.deletions + 1)

    def teach(self, question: str, ids: Iterable[int] = (), as_of: int | None = None) -> Lesson:
        with self._lock:
            lesson = check_lesson(question, ids, as_of, self.last_id)
            self.read(lesson.ids)
            self._lessons[lesson.as_of, lesson.question] = lesson
            return lesson

    def unteach(self, question: str) -> None:
        with self._lock:
            self._lessons = {k: v for k, v in self._lessons.items() if v.question != question}

    def lessons(self) -> list[Lesson]:
        with self._lock:
            return [self._lessons[key] for key in sorted(self._lessons)]

    def keep(self, name: str, data: bytes, deletions: int) -> None:
        """What is large is made again as fast as it is read, and is not kept."""
        with self._lock:
            if deletions != self._changes.deletions:
                return
            self._kept.pop(name, None)  # an older one is not kept instead
            if len(data) <= MOST_KEPT:
                self._kept[name] = data

    def kept(self, name: str) -> bytes | None:
        return self._kept.get(name)

    def close(self) -> None:
        """Nothing to close: RAM is let go with the object."""

    def _place(self, id: int) -> int:
        n = len(self._slots)
        id = known_id(id)
        # Where nothing was deleted, ids follow each other, and the place is known at once.
        if n and 0 <= (guess := id - self._slots[0].id) < n and self._slots[guess].id == id:
            return guess
        place = int(self._ids[:n].searchsorted(id))
        if place == n or self._slots[place].id != id:
            raise missing(id)
        return place


def _after(last: int, n: int = 1) -> int:
    """The id of the n-th memory from now on; a check is only due where ids come to an end."""
    return last + n if last + n <= MOST_ID else check_id(last + n, last)


class RamStore(Store):
    """Named memories that end with the process, and one that was told nothing with its users."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._begun: dict[str, RamMemory] = {}
        self._opened: WeakValueDictionary[str, RamMemory] = WeakValueDictionary()

    @property
    def lasts(self) -> bool:
        return False

    def memory(self, name: str = "main") -> RamMemory:
        with self._lock:
            memory = self._opened.get(check_name(name))
            if memory is None:
                memory = RamMemory(lambda begun: self._begun.update({name: begun}))
                self._opened[name] = memory
            return memory

    def sizes(self, after: str = "", limit: int | None = None) -> dict[str, int | None]:
        begun = {name: m for name, m in list(self._begun.items()) if name > after and m.last_id}
        return {name: len(begun[name]) for name in sorted(begun)[:limit]}

    def count(self) -> int:
        return sum(m.last_id > 0 for m in list(self._begun.values()))

    def __contains__(self, name: object) -> bool:
        memory = self._begun.get(name)  # type: ignore[call-overload]
        return memory is not None and memory.last_id > 0

    def drop(self, name: str) -> None:
        memory = self._begun.pop(check_name(name), None)
        if memory is None or not memory.last_id:
            raise no_such(name, ":memory:")
        # Emptied, not replaced: whoever holds it and whoever asks for it next mean the same memory.
        memory.clear()

    def close(self) -> None:
        """Nothing to close: RAM is let go with the object."""
