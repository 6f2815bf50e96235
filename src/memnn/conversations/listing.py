"""What was told, as people and programs list it: pages, what is told twice, what has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

import numpy as np

from memnn.memory import Memory
from memnn.memory.follow import at_one_moment
from memnn.memory.present import hidden, superseded
from memnn.memory.protocol import buckets_of
from memnn.types import Slot

MOST_COMPARED, AT_ONCE = 1_000, 50
"""Earlier statements that a new one is compared with, and how many of them are read at once."""
MOST_WORDS = 20
"""Words of a text among which the rarest is looked for."""


def listed(
    memory: Memory,
    *,
    limit: int | None = None,
    after: int = 0,
    before: int | None = None,
    newest: bool = False,
    history: bool = False,
) -> list[Slot]:
    """A page of what was told, by id or the newest first, between two ids.

    What was superseded is in it only with `history`.
    """
    return at_one_moment(memory, lambda: _listed(memory, limit, after, before, newest, history))


def _listed(
    memory: Memory, limit: int | None, after: int, before: int | None, newest: bool, history: bool
) -> list[Slot]:
    gone = frozenset[int]() if history else hidden(memory)
    if not newest:
        slots = (s for s in memory.scan(after) if s.id not in gone)
        if before is not None:
            slots = (s for s in slots if s.id < before)
        return list(islice(slots, limit))
    found: list[Slot] = []
    while limit is None or len(found) < limit:
        page = memory.newest(1_000 if limit is None else limit, before)
        found += [slot for slot in page if slot.id > after and slot.id not in gone]
        if not page or page[-1].id <= after:
            break
        before = page[-1].id
    return found[:limit]


def duplicates(memory: Memory, slots: Iterable[Slot]) -> dict[int, int]:
    """Those that the same speaker told before in the same words, each with the earlier one."""
    gone = hidden(memory)
    found = {slot.id: _same(memory, slot, gone) for slot in slots}
    return {id: other for id, other in found.items() if other is not None}


def _same(memory: Memory, slot: Slot, gone: frozenset[int]) -> int | None:
    words = sorted(buckets_of(slot.text), key=lambda word: (-len(word), word))[:MOST_WORDS]
    sizes = memory.frequencies(words)
    if not words or min(sizes.values()) < 2:  # nobody else has this word
        return None
    rarest = min(words, key=lambda word: sizes[word])
    ids = memory.candidates(slot.id - 1, [rarest])[-MOST_COMPARED:].tolist()
    while ids:  # what is told again was mostly told of late
        newest, ids = ids[-AT_ONCE:], ids[:-AT_ONCE]
        for other in reversed(memory.read(newest)):
            if other.id not in gone and (other.text, other.speaker) == (slot.text, slot.speaker):
                return other.id
    return None


class News(NamedTuple):
    """What was told after an id, and what became of the rest."""

    slots: list[Slot]
    superseded: Mapping[int, int]
    last_id: int
    deletions: int
    more: bool
    kept: list[list[int]] | None
    """Ranges of ids that are still there; None where nothing was deleted since."""


def changed(memory: Memory, after: int, deletions: int | None, limit: int) -> News:
    """What is new to someone who has all until an id, and counted so many deletions then."""

    def look() -> News:
        now = memory.changes()
        slots = list(islice(memory.scan(after), limit + 1))
        more, slots = len(slots) > limit, slots[:limit]
        last = slots[-1].id if more else now.last_id
        kept = None if deletions == now.deletions else _ranges(memory, after)
        return News(slots, superseded(memory), last, now.deletions, more, kept)

    return at_one_moment(memory, look)


def _ranges(memory: Memory, until: int) -> list[list[int]]:
    ids = memory.candidates(until)
    if not len(ids):
        return []
    starts = np.flatnonzero(np.diff(ids, prepend=ids[0] - 2) != 1)
    ends = np.append(starts[1:], len(ids)) - 1
    return [[int(ids[a]), int(ids[b])] for a, b in zip(starts, ends, strict=True)]
