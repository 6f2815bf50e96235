"""Public checks for other people's parts: `check_memory(make)` proves a memory.

Each check raises AssertionError with the sentence that was broken.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from memnn.errors import InputError
from memnn.memory.protocol import AsOf, Memory
from memnn.text.tokens import LONGEST_TEXT

__all__ = ["check_memory"]


def check_memory(make: Callable[[], Memory]) -> None:
    """Run every check on new, empty memories from `make`."""
    for check in (_ids, _order, _as_of, _buckets, _many, _times, _deletion, _bad_input):
        memory = make()
        try:
            check(memory)
        finally:
            memory.close()


def _ids(m: Memory) -> None:
    assert len(m) == 0, "a new memory is empty"
    assert m.last_id == 0, "no id has been given in a new memory"
    assert m.write("a").id == 1, "the first id is 1"
    assert m.write("b", id=7).id == 7, "an id may be given"
    assert m.write("c").id == 8, "ids grow"
    assert m.last_id == 8, "last_id is the highest id given"
    _refused(lambda: m.write("d", id=8), "an id is never given twice")
    m.delete([8])
    assert m.last_id == 8, "a deleted id still was given"
    assert m.write("e").id == 9, "an id is never used again"
    assert len(m) == 3, "the length is what is there"


def _order(m: Memory) -> None:
    texts = ["Grüße an alle", "  two  spaces ", "x\ty", "x\ty"]
    slots = [m.write(text) for text in texts]
    assert [s.text for s in m.scan()] == texts, "text is kept as it was told, in write order"
    assert list(m.scan(after=2)) == slots[2:], "scan starts after an id"
    assert m.read([4, 1]) == [slots[3], slots[0]], "read keeps the order asked for"
    assert m.candidates().tolist() == [1, 2, 3, 4], "every memory is a candidate, in write order"


def _as_of(m: Memory) -> None:
    start = datetime(2026, 1, 31, 12, tzinfo=UTC)
    for day in range(3):
        m.write(f"day {day}", id=10 * (day + 1), time=(start + timedelta(days=day)).isoformat())
    visible: list[tuple[AsOf, int]] = [
        (0, 0), (9, 0), (10, 1), (29, 2), (30, 3), (99, 3), ("20", 2), (None, 3),
        (10**30, 3),
        ("0009-01-01T00:00:00Z", 0),
        ("2026-01-31T11:59:59Z", 0),
        ("2026-01-31T12:00:00Z", 1),
        ("2026-02-01T13:00:00+01:00", 2),
        (start + timedelta(days=9), 3),
    ]  # fmt: skip
    for as_of, n in visible:
        ids = m.candidates(as_of).tolist()
        assert ids == [10, 20, 30][:n], f"as_of is an id or a time, inclusive: {as_of!r}"
    wrong: list[AsOf] = ["yesterday", "2026-01-31", "0001-01-01T00:00:00+14:00", "9" * 5_000]
    wrong += [-1, True, datetime(2026, 1, 1)]
    for as_of in wrong:
        _refused(partial(m.candidates, as_of), f"as_of {as_of!r} is refused")


def _buckets(m: Memory) -> None:
    for text in ("Joe went to the kitchen.", "Dan took the MILK", "Joe drank milk; milk!", "..."):
        m.write(text)
    for buckets, ids in [
        (["joe"], [1, 3]), (["milk"], [2, 3]), (["joe", "milk", "joe"], [1, 2, 3]),
        (["Joe"], []), (["tea"], []), ([], []),
    ]:  # fmt: skip
        found = m.candidates(buckets=buckets).tolist()
        assert found == ids, f"a memory is in the bucket of each of its words: {buckets}"
    assert m.candidates(2, ["milk"]).tolist() == [2], "buckets go with as_of"
    m.delete([2])
    assert m.candidates(buckets=["milk", "dan"]).tolist() == [3], "what is deleted is in no bucket"


def _many(m: Memory) -> None:
    m.write("a")
    assert [s.id for s in m.write_many(["b", "c"])] == [2, 3], "write_many gives ids in order"
    assert m.write_many([]) == [], "nothing is written for nothing"
    _refused(lambda: m.write_many(["d", ""]), "write_many refuses an empty text")
    assert [s.text for s in m.scan()] == ["a", "b", "c"], "write_many writes all or nothing"


def _times(m: Memory) -> None:
    before = datetime.now(UTC)
    slot = m.write("a")
    told = datetime.fromisoformat(slot.time)
    assert before - timedelta(seconds=1) <= told <= datetime.now(UTC), "time is now"
    assert slot.time.endswith("Z"), "time is RFC 3339 in UTC"
    m.write("b", time="2099-01-01T00:00:00Z")
    assert m.write("c").time >= "2099", "times do not run backwards"


def _deletion(m: Memory) -> None:
    for text in "abcd":
        m.write(text)
    before = m.deletions
    held = m.candidates()
    m.delete([2, 3])
    assert held.tolist() == [1, 2, 3, 4], "candidates that were given out do not change"
    assert not held.flags.writeable, "candidates cannot be written to"
    assert [s.text for s in m.scan()] == ["a", "d"], "what is deleted is gone, nothing else"
    assert m.candidates().tolist() == [1, 4], "what is deleted is no candidate"
    assert m.deletions > before, "caches learn of a deletion"
    _refused(lambda: m.read([2]), "what is deleted cannot be read")
    _refused(lambda: m.delete([1, 2]), "what is not there cannot be deleted")
    assert len(m) == 2, "a refused deletion deletes nothing"


def _bad_input(m: Memory) -> None:
    for text in ("", " \n", "a\0b", "\ud800", "a" * (LONGEST_TEXT + 1)):
        _refused(partial(m.write, text), f"the text {text[:9]!r} is refused")
    _refused(lambda: m.write("a", time="noon"), "a time that is none is refused")
    wrong: list[Any] = [0, -1, True, 2.5, "1", 2**62]
    for id in wrong:
        _refused(partial(m.write, "a", id=id), f"the id {id!r} is refused")
        _refused(partial(m.read, [id]), f"the id {id!r} cannot be read")
        _refused(partial(m.delete, [id]), f"the id {id!r} cannot be deleted")
    wrong = [None, 5, b"a"]
    for text in wrong:
        _refused(partial(m.write, text), f"the text {text!r} is refused")
    assert len(m) == 0, "nothing refused is stored"
    assert m.write("a" * LONGEST_TEXT).id == 1, "a refused write takes no id"


def _refused(call: Callable[[], object], rule: str) -> None:
    try:
        call()
    except InputError as error:
        message = str(error)
    else:
        raise AssertionError(rule)
    assert "\n" not in message, "an error is one line"
