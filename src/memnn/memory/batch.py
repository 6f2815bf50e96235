"""Memories that write in batches: what comes in is checked here, and stored all or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from memnn.memory.protocol import (
    Memory,
    check_id,
    check_text,
    known_id,
    now,
    parse_time,
    timestamp,
)
from memnn.memory.turns import check_supersedes, check_turn, check_turns
from memnn.types import Slot, Turn


class Batch(NamedTuple):
    """Texts that may be stored; an id or a time that is None is given when they are."""

    texts: list[str]
    ids: Sequence[int | None]
    times: Sequence[datetime | None]
    sources: list[str]
    turns: Sequence[Turn | None] | None
    """None where no text has one, as nearly always."""


class BatchMemory(Memory, Protocol):
    """Inherit from this class where one way of storing serves all three ways of writing."""

    def write_batch(self, batch: Batch) -> list[Slot]:
        """Store all of a batch, or nothing if a text is refused; `numbered` makes the slots."""

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
        ids = [None if id is None else known_id(id)]
        times = [None if time is None else parse_time(time)]
        told = check_turn(turn)
        turns = None if told is None else [told]
        (slot,) = self.write_batch(Batch([text], ids, times, [source], turns))
        return slot

    def write_many(
        self,
        texts: Iterable[str],
        *,
        source: str = "",
        turns: Sequence[Turn | None] | None = None,
    ) -> list[Slot]:
        checked = [check_text(text) for text in texts]
        told = check_turns(turns, len(checked))
        given: list[None] = [None] * len(checked)
        return self.write_batch(Batch(checked, given, given, [source] * len(checked), told))

    def write_slots(self, slots: Iterable[Slot]) -> list[Slot]:
        """Store slots as they are, with ids and times: all of them, or none if one is refused."""
        copies = list(slots)
        texts = [check_text(slot.text) for slot in copies]
        ids = [known_id(slot.id) for slot in copies]
        times = [parse_time(slot.time) for slot in copies]
        sources = [slot.source for slot in copies]
        turns = check_turns([slot.turn for slot in copies], len(copies))
        return self.write_batch(Batch(texts, ids, times, sources, turns))


def numbered(batch: Batch, last_id: int, last_time: str) -> list[Slot]:
    """The slots of a batch that follows the last id and time of a memory."""
    slots = []
    turns = batch.turns or [None] * len(batch.texts)
    for text, id, time, source, turn in zip(*batch[:4], turns, strict=True):
        last_id = check_id(last_id + 1 if id is None else id, last_id)
        check_supersedes(turn, last_id)
        # Times may not run backwards, or `as_of` a time would not be a moment of the story.
        last_time = max(now() if time is None else timestamp(time), last_time)
        slots.append(Slot(last_id, text, last_time, source, turn))
    return slots
