"""From memory to memory, ids and times kept; and memories as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from memnn.errors import FormatError, InputError
from memnn.memory.protocol import Memory, check_id, check_text, now, parse_time
from memnn.memory.turns import check_lesson, check_supersedes, turn_json, turn_of
from memnn.types import Lesson, Slot

BATCH = 50_000
Progress = Callable[[int], None]


class Lines(NamedTuple):
    """What lines of JSON say: statements, and lessons about them."""

    slots: list[Slot]
    lessons: list[Lesson]


def copy(source: Memory, target: Memory, progress: Progress | None = None) -> int:
    """Write what a memory holds to another with ids, times, turns and lessons; how many slots.

    The target is empty or holds the beginning already: a copy that was interrupted goes on. What is
    told or taught meanwhile is for the next copy; what is deleted meanwhile may be in it.
    """
    end = source.last_id
    slots = (slot for slot in source.scan() if slot.id <= end)  # to its end, where it is checked
    last = None
    for there in target.scan():
        last = next(slots, None)
        if last is None or _told(last) != _told(there):
            raise _other()
    written, until = 0, target.last_id
    while batch := list(islice(slots, BATCH)):
        if batch[0].id <= until:
            raise _other()
        target.write_slots(batch)
        last, until, written = batch[-1], batch[-1].id, written + len(batch)
        if progress is not None:
            progress(written)
    if until < end:
        # The newest were deleted, and their ids must not be given again there, either.
        target.write("deleted", id=end, time=last.time if last else None)
        target.delete([end])
    _teach(target, (lesson for lesson in source.lessons() if lesson.as_of <= end))
    return written


def write_lines(memory: Memory, lines: Lines) -> None:
    """Take in what lines say; a lesson about what is not there is refused before all else."""
    new = {slot.id for slot in lines.slots}
    for lesson in lines.lessons:
        memory.read([id for id in lesson.ids if id not in new])
    memory.write_slots(lines.slots)
    _teach(memory, lines.lessons)


def _teach(memory: Memory, lessons: Iterable[Lesson]) -> None:
    for lesson in lessons:
        memory.teach(lesson.question, lesson.ids, lesson.as_of)


def _told(slot: Slot) -> tuple[object, ...]:
    """What must be the same in both; the source of a slot is no part of what was told."""
    return slot.id, slot.text, slot.time, slot.turn


def _other() -> InputError:
    return InputError(
        "the target holds other statements under these ids, or some that were deleted here since; "
        "copy into an empty memory"
    )


def as_json(slot: Slot) -> dict[str, Any]:
    """The promised shape: id, text, time; a source and a turn only where there is one."""
    told = {"id": slot.id, "text": slot.text, "time": slot.time}
    return told | ({"source": slot.source} if slot.source else {}) | turn_json(slot.turn)


def to_lines(memory: Memory) -> Iterator[str]:
    """One JSON object a line: statements in write order, then lessons, which have a question."""
    for slot in memory.scan():
        yield json.dumps(as_json(slot), ensure_ascii=False) + "\n"
    for lesson in memory.lessons():
        about = {"question": lesson.question, "ids": lesson.ids, "as_of": lesson.as_of}
        yield json.dumps(about, ensure_ascii=False) + "\n"


def from_lines(
    lines: Iterable[str], name: str, last_id: int, broken: list[FormatError] | None = None
) -> Lines:
    """What lines of JSON say; one without id takes the next one, one without time now."""
    return from_items(_objects(lines), name, last_id, broken)


def from_items(
    items: Iterable[tuple[int, Any]],
    name: str,
    last_id: int,
    broken: list[FormatError] | None = None,
) -> Lines:
    """What the objects of a file say, each with its line; what is wrong may stand in their place.

    The first that cannot be used is an error; given a list, all of them are put there instead, and
    left out.
    """
    found = Lines([], [])
    present = now()
    for number, about in items:
        try:
            if isinstance(about, InputError):
                raise about
            if not isinstance(about, dict):
                raise InputError('not a JSON object such as {"text": "Joe went home."}')
            if "question" in about and "text" not in about:
                found.lessons.append(_lesson(about, last_id))
            else:
                found.slots.append(_slot(about, last_id, present))
                last_id = found.slots[-1].id
        except InputError as error:
            problem = FormatError(name, number, str(error))
            if broken is None:
                raise problem from None
            broken.append(problem)
    return found


def _objects(lines: Iterable[str]) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                about = json.loads(line)
            except (ValueError, RecursionError):
                about = InputError("this is not JSON")
            yield number, about


def _slot(about: dict[str, Any], last_id: int, present: str) -> Slot:
    text = check_text(about.get("text"))  # type: ignore[arg-type]
    time, source = about.get("time"), about.get("source", "")
    id = check_id(about.get("id", last_id + 1), last_id)
    if not isinstance(source, str):
        raise InputError("source must be a string")
    if time is not None:
        parse_time(time)
    turn = turn_of(about)
    check_supersedes(turn, id)
    return Slot(id, text, time or present, source, turn)


def _lesson(about: dict[str, Any], last_id: int) -> Lesson:
    ids = about.get("ids", [])
    if not isinstance(ids, list):
        raise InputError("the ids of a lesson must be a list")
    return check_lesson(about["question"], ids, about.get("as_of"), last_id)
