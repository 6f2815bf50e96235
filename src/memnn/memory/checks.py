"""What every memory and every store must do, for `memnn.testing`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Thread
from typing import Any

from memnn.errors import InputError
from memnn.memory.present import versions
from memnn.memory.protocol import AsOf, Memory
from memnn.memory.stores import Store
from memnn.text.tokens import LONGEST_TEXT
from memnn.types import Lesson, Slot, Turn


def check_memory(make: Callable[[], Memory]) -> None:
    """Run every check on new, empty memories from `make`."""
    for check in MEMORY_CHECKS:
        memory = make()
        try:
            check(memory)
        finally:
            memory.close()


def check_store(make: Callable[[], Store]) -> None:
    """Run every check on new, empty stores from `make`."""
    for check in (_names, _apart, _drop, _single, _opened_by_threads):
        with make() as store:
            check(store)


def _ids(m: Memory) -> None:
    assert len(m) == 0, "a new memory is empty"
    assert m.last_id == 0, "no id has been given in a new memory"
    assert m.write("a").id == 1, "the first id is 1"
    assert m.write("b", id=7).id == 7, "an id may be given"
    assert m.write("c").id == 8, "ids grow"
    assert m.last_id == 8, "last_id is the highest id given"
    refused(lambda: m.write("d", id=8), "an id is never given twice")
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
        refused(partial(m.candidates, as_of), f"as_of {as_of!r} is refused")


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
    refused(lambda: m.write_many(["d", ""]), "write_many refuses an empty text")
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
    assert m.candidates().tolist() == [1, 4], "what was deleted is not a candidate"
    assert m.deletions > before, "caches learn of a deletion"
    refused(lambda: m.read([2]), "what is deleted cannot be read")
    refused(lambda: m.delete([1, 2]), "what is not there cannot be deleted")
    assert len(m) == 2, "a refused deletion deletes nothing"


def _changes(m: Memory) -> None:
    assert m.lasts in (True, False), "a memory lasts or does not"
    assert m.changes() == (0, m.deletions), "changes are last_id and deletions"
    m.write_many(["a", "b"])
    before = m.changes()
    assert before == (2, m.deletions) == (m.last_id, m.deletions), "changes are of now"
    m.delete([])
    assert m.changes() == before, "to delete nothing changes nothing"
    m.delete([2])
    assert m.changes().last_id == 2, "a deletion takes no id back"
    assert m.changes().deletions > before.deletions, "a deletion is a change"


def _pages(m: Memory) -> None:
    assert list(m.pages()) == [], "there are no pages of nothing"
    m.write_many(["a", "Grüße an alle", " c "])
    m.write("d", id=9)
    m.delete([1])
    for after in (0, 2, 9):
        slots = list(m.scan(after))
        pages = list(m.pages(after))
        ids = [id for page, _ in pages for id in page.tolist()]
        assert ids == [s.id for s in slots], "pages have the ids of a scan"
        texts = "".join(text for _, text in pages)
        assert texts == "".join(s.text + "\0" for s in slots), "pages have its texts, ended by NUL"


def _kept(m: Memory) -> None:
    m.write_many(["a", "b"])
    assert m.kept("overview") is None, "nothing is kept that nobody gave"
    old = m.deletions
    m.keep("overview", b"one", old)
    m.keep("overview", b"two" * 50_000, old)
    assert m.kept("overview") in (None, b"two" * 50_000), "the last one is kept, or none"
    assert m.kept("other") is None, "what is kept has its name"
    m.delete([1])
    assert m.kept("overview") is None, "a deletion drops what was kept"
    m.keep("overview", b"one", old)
    assert m.kept("overview") is None, "what is of before a deletion is not kept after it"


def _turns(m: Memory) -> None:
    meta = {"mood": "Grüße", "n": 2**53, "x": [0.5, None, True, {"y": ""}]}
    full = Turn("Joe", "1969-07-20T22:17:40.5+02:00", "s 1", meta, supersedes=1)
    kept = Turn("Joe", "1969-07-20T20:17:40.500000Z", "s 1", meta, supersedes=1)
    slots = [m.write("a"), m.write("b", turn=full), m.write("c", turn=Turn())]
    slots += m.write_many(["d", "e"], turns=[None, Turn(speaker="Ann")], source="letter")
    assert [s.turn for s in slots] == [None, kept, None, None, Turn(speaker="Ann")], (
        "turns are kept"
    )
    assert [s.source for s in slots] == ["", "", "", "letter", "letter"], "sources are kept"
    assert list(m.scan()) == slots == m.read([s.id for s in slots]), "turns are given back"
    assert m.candidates("1970-01-01T00:00:00Z").tolist() == [], "as_of reads the time of writing"
    m.write_slots([Slot(9, "f", slots[0].time, "book", full)])
    (copied,) = m.read([9])
    assert (copied.source, copied.turn) == ("book", kept), "a copy keeps source and turn"
    wrong: list[Any] = [
        Turn(speaker=" "), Turn(speaker="a\nb"), Turn(speaker="x" * 201), Turn(said="noon"),
        Turn(session=""), Turn(supersedes=0), Turn(supersedes=99), Turn(meta={"x": float("nan")}),
        Turn(meta={"x": 2**64}), Turn(meta={"x": b""}), Turn(meta={"x": "y" * 4_096}),
        Turn(meta=["x"]), {"speaker": "Joe"},  # type: ignore[arg-type]
    ]  # fmt: skip
    for turn in wrong:
        refused(partial(m.write, "z", turn=turn), f"the turn {str(turn)[:60]} is refused")
    refused(lambda: m.write_many(["x", "y"], turns=[None]), "each text has a turn or None")
    m.delete([2])
    assert [s.turn for s in m.scan(1)][:1] == [None], "a turn goes with its slot"
    assert len(m) == 5, "what is refused is not written"


def _lessons(m: Memory) -> None:
    assert m.lessons() == [], "nothing was taught"
    refused(lambda: m.teach("Where is Joe?"), "there is nothing yet that could be taught")
    m.write_many(["Joe went home.", "Joe left.", "Ann came."])
    if type(m).teach is Memory.teach:  # it keeps none, and says so
        refused(lambda: m.teach("Where is Joe?", [2]), "what is not kept is refused")
        return
    first = m.teach("Where is Joe?", [2, 1])
    assert first == Lesson("Where is Joe?", (2, 1), 3), "a lesson is of now, its ids in order"
    m.teach("Where is Joe?", [1], as_of=1)
    m.teach("Where is Dan?")
    for ids, as_of in ([9], None), ([2], 1), ([1, 1], None), ([0], None), ([1], 4), ([1], -1):
        refused(partial(m.teach, "Who?", ids, as_of), f"{ids} as of {as_of} is not a lesson")
    refused(lambda: m.teach(" ", [1]), "a lesson has a question")
    before = [Lesson("Where is Joe?", (1,), 1), Lesson("Where is Dan?", (), 3), first]
    assert m.lessons() == before, "lessons are in the order of moments, then of questions"
    m.teach("Where is Joe?", [3])
    assert m.lessons()[2].ids == (3,), "a lesson replaces that about the same moment"
    m.delete([1])
    assert [x.as_of for x in m.lessons()] == [3, 3], "a lesson goes with a slot that it names"
    m.unteach("Where is Dan?")
    m.unteach("never taught")
    assert [x.question for x in m.lessons()] == ["Where is Joe?"], "a lesson can be taken back"


def _frequencies(m: Memory) -> None:
    m.write_many(["Joe went home", "Joe, Joe!", "Ann"])
    wanted = {"joe": 2, "ann": 1, "tea": 0}
    assert m.frequencies(wanted) == wanted, "frequencies are the sizes of buckets"
    m.delete([2])
    assert m.frequencies(["joe"]) == {"joe": 1}, "what is deleted is not counted"


def _threads(m: Memory) -> None:
    m.write("first")
    errors: list[BaseException] = []
    told: dict[int, list[Slot]] = {n: [] for n in range(4)}

    def work(n: int) -> None:
        try:
            for turn in range(4):
                slot = m.write(f"thread{n} {turn}")
                told[n].append(slot)
                assert m.read([slot.id]) == [slot], "what was written can be read"
                assert slot.id in m.candidates(buckets=[f"thread{n}"]), "and is found"
                if turn == 2:
                    m.delete([told[n].pop(0).id])
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=work, args=(n,)) for n in told]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, f"threads may share a memory: {errors[0]!r}"
    left = sorted((slot for slots in told.values() for slot in slots), key=lambda slot: slot.id)
    assert list(m.scan())[1:] == left, "nothing is lost and no id is given twice"


def _bad_input(m: Memory) -> None:
    for text in ("", " \n", "a\0b", "\ud800", "a" * (LONGEST_TEXT + 1)):
        refused(partial(m.write, text), f"the text {text[:9]!r} is refused")
    refused(lambda: m.write("a", time="noon"), "what is not a time is refused")
    wrong: list[Any] = [0, -1, True, 2.5, "1", 2**62]
    for id in wrong:
        refused(partial(m.write, "a", id=id), f"the id {id!r} is refused")
        refused(partial(m.read, [id]), f"the id {id!r} cannot be read")
        refused(partial(m.delete, [id]), f"the id {id!r} cannot be deleted")
    wrong = [None, 5, b"a"]
    for text in wrong:
        refused(partial(m.write, text), f"the text {text!r} is refused")
    assert len(m) == 0, "nothing refused is stored"
    assert m.write("a" * LONGEST_TEXT).id == 1, "a refused write takes no id"


def _superseding(m: Memory) -> None:
    assert m.supersessions() == [], "nothing supersedes anything in nothing"
    m.write_many(["a", "b", "c"], turns=[None, Turn("Joe", supersedes=1), None])
    m.write("d", turn=Turn(supersedes=2))
    assert m.supersessions() == [(2, 1), (4, 2)], "who supersedes whom, in write order"
    assert m.supersessions(after=2) == [(4, 2)], "supersessions start after an id"
    assert [s.text for s in m.newest(3)] == ["d", "c", "b"], "the newest come first"
    assert [s.id for s in m.newest(9, before=3)] == [2, 1], "before an id, exclusive"
    assert versions(m, [4, 3]) == [4, 3, 2, 1], "what was replaced goes with what replaced it"
    assert versions(m, [1]) == [1], "and not the other way round"
    m.delete([2])
    assert versions(m, [4]) == [4], "what is gone is not deleted again"
    assert m.supersessions() == [(4, 2)], "what is deleted supersedes nothing"


MEMORY_CHECKS = (
    _ids, _order, _as_of, _buckets, _many, _times, _deletion, _changes, _pages, _kept, _turns,
    _superseding, _lessons, _frequencies, _threads, _bad_input,
)  # fmt: skip


def _names(s: Store) -> None:
    assert s.lasts in (True, False), "a store lasts or does not"
    assert (s.names(), s.sizes()) == ([], {}), "a new store has no memories"
    read = s.memory("typo")
    assert (len(read), read.last_id, list(read.scan())) == (0, 0, []), "a new memory is empty"
    refused(lambda: read.write(""), "an empty text is refused")
    assert s.names() == [], "to open a memory, or to be refused there, begins none"
    sizes = {"../b": 2, "Grüße": 1, "a": 1}
    for name, size in sizes.items():
        s.memory(name).write_many(["Joe left"] * size)
    assert list(s.sizes().items()) == sorted(sizes.items()), "sizes are the statements by name"
    assert s.names() == sorted(sizes), "names are in order"
    assert s.names(after="../b") == ["Grüße", "a"], "a page starts after a name"
    assert s.names(limit=2) == ["../b", "Grüße"], "a page is as long as asked for"
    assert s.sizes("../b", 1) == {"Grüße": 1}, "sizes have pages, too"
    there = [name in s for name in ("a", "typo", "../b")]
    assert there == [True, False, True], "a store knows its memories by name"
    assert s.info("../b")[0] == 2, "info has the number of statements"
    assert s.info("a").names == sorted(sizes), "info has the names"
    assert s.info("a").bytes == s.size(), "info has the bytes of all files, or None"
    wrong: list[Any] = ["", " ", "a\nb", "x" * 201, None, 5]
    for name in wrong:
        refused(partial(s.memory, name), f"the name {name!r} is refused")


def _apart(s: Store) -> None:
    one, other = s.memory("one"), s.memory("other")
    one.write_many(["Joe left", "Ann came"])
    assert other.write("Dan slept").id == 1, "memories have their own ids"
    one.delete([1])
    assert s.sizes() == {"one": 1, "other": 1}, "a deletion counts where it happened"
    assert one.candidates(buckets=["dan"]).tolist() == [], "memories know nothing of each other"
    assert [slot.text for slot in s.memory("one").scan()] == ["Ann came"], "a name means one memory"
    one.delete([2])
    assert s.sizes()["one"] == 0, "a memory without statements is still there"
    s.compact()
    assert [slot.text for slot in other.scan()] == ["Dan slept"], "compacting changes nothing"


def _drop(s: Store) -> None:
    m, other = s.memory("diary"), s.memory("other")
    m.write_many(["Joe left", "Ann came"], turns=[Turn(speaker="Joe"), None])
    m.keep("overview", b"Joe", m.deletions)
    other.write("Dan slept")
    if type(m).teach is not Memory.teach:
        m.teach("Who left?", [1])
    before = m.deletions
    s.drop("diary")
    assert s.names() == ["other"], "the name of a dropped memory is gone"
    assert (len(m), m.last_id, list(m.scan()), m.lessons()) == (0, 0, [], []), "so is what it held"
    assert m.deletions > before, "caches learn of it"
    after = m.deletions
    for name in ("diary", "never"):
        refused(partial(s.drop, name), "what is not there cannot be dropped")
    assert s.memory("diary").write("Dan left").id == 1, "begun anew, a memory counts from 1"
    assert [slot.text for slot in m.scan()] == ["Dan left"], "whoever holds it has the new one"
    assert m.deletions >= after, "no cache takes the new memory for the old"
    assert m.candidates(buckets=["joe"]).tolist() == [], "nothing of the old one is left"
    assert (m.kept("overview"), m.read([1])[0].turn) == (None, None), "nor what belonged to it"
    assert [slot.text for slot in other.scan()] == ["Dan slept"], "others stay as they were"


def _single(s: Store) -> None:
    s.memory("diary").write("Joe left")
    m = s.single("diary")
    assert [slot.text for slot in m.scan()] == ["Joe left"], (
        "a single memory is the one of its name"
    )
    assert m.write("Ann came").id == 2, "and is written to as any other"
    m.close()


def _opened_by_threads(s: Store) -> None:
    errors: list[BaseException] = []

    def work(n: int) -> None:
        try:
            s.memory("shared").write(f"thread {n}")
            assert "shared" in s, "what was written to is there"
            assert s.sizes()["shared"], "and is counted"
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, f"threads may share a store: {errors[0]!r}"
    assert s.memory("shared").candidates().tolist() == [1, 2, 3, 4], "nothing is lost"


def refused(call: Callable[[], object], rule: str) -> None:
    try:
        call()
    except InputError as error:
        message = str(error)
    else:
        raise AssertionError(rule)
    assert "\n" not in message, "an error is one line"
