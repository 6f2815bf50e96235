"""From memory to memory, ids and times kept; and memories as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from memnn.errors import FormatError, InputError
from memnn.memory.protocol import Memory, check_id, check_text, now, parse_time
from memnn.types import Slot

BATCH = 50_000
Progress = Callable[[int], None]


def copy(source: Memory, target: Memory, progress: Progress | None = None) -> int:
    """Write what a memory holds to another with ids and times; the number written.

    The target is empty or holds the beginning already: a copy that was interrupted goes on.
    """
    slots = source.scan()
    last = None
    for there in target.scan():
        last = next(slots, None)
        if last is None or (last.id, last.text, last.time) != (there.id, there.text, there.time):
            raise _other()
    written, until = 0, target.last_id
    while batch := list(islice(slots, BATCH)):
        if batch[0].id <= until:
            raise _other()
        write_slots(target, batch)
        last, until, written = batch[-1], batch[-1].id, written + len(batch)
        if progress is not None:
            progress(written)
    if until < source.last_id:
        # The newest were deleted, and their ids must not be given again there, either.
        target.write("deleted", id=source.last_id, time=last.time if last else None)
        target.delete([source.last_id])
    return written


def _other() -> InputError:
    return InputError(
        "the target holds other statements under these ids; copy into a memory without any"
    )


def write_slots(memory: Memory, slots: Iterable[Slot]) -> None:
    """Slots with their ids and times, at once where a memory can do that."""
    at_once = getattr(memory, "write_slots", None)
    if at_once is not None:
        at_once(slots)
        return
    for slot in slots:
        memory.write(slot.text, id=slot.id, time=slot.time)


def as_json(slot: Slot) -> dict[str, Any]:
    """The promised shape: id, text, time; a source only where there is one."""
    told = {"id": slot.id, "text": slot.text, "time": slot.time}
    return told | ({"source": slot.source} if slot.source else {})


def to_lines(memory: Memory) -> Iterator[str]:
    """One JSON object a line, in write order."""
    for slot in memory.scan():
        yield json.dumps(as_json(slot), ensure_ascii=False) + "\n"


def from_lines(lines: Iterable[str], name: str, last_id: int) -> list[Slot]:
    """The slots of lines of JSON; a line without id takes the next one, one without time now."""
    slots: list[Slot] = []
    present = now()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            about = json.loads(line)
            if not isinstance(about, dict):
                raise InputError('not a JSON object such as {"text": "Joe went home."}')
            text = check_text(about.get("text"))  # type: ignore[arg-type]
            time, source = about.get("time"), about.get("source", "")
            id = check_id(about.get("id", last_id + 1), last_id)
            if not isinstance(source, str):
                raise InputError("source must be a text")
            if time is not None:
                parse_time(time)
        except (ValueError, RecursionError):
            raise FormatError(name, number, "this is not JSON") from None
        except InputError as error:
            raise FormatError(name, number, str(error)) from None
        slots.append(Slot(id, text, time or present, source))
        last_id = id
    return slots
