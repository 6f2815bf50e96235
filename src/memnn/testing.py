"""Public checks for other people's parts: `check_memory(make)` and `check_network(make)`.

Each check raises AssertionError with the sentence that was broken.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from memnn.errors import InputError
from memnn.memory import RamMemory
from memnn.memory.protocol import AsOf, Memory
from memnn.network import Network
from memnn.text.tokens import LONGEST_TEXT
from memnn.types import Answer, Hop, Question, Slot

__all__ = ["check_memory", "check_network"]


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


STORY = ("Joe went to the kitchen.", "Fred went to the garden.", "Joe went to the office.")
QUESTION = "Where is Joe?"


def check_network(make: Callable[[], Network]) -> None:
    """Run every check on new networks from `make`, each with an empty memory.

    What a network answers is its own affair, so the checks are about everything else: what it was
    told is kept as told, evidence is what was told, the past and the forgotten stay what they are.
    """
    for check in (_telling, _asking, _past, _forgetting, _apart, _network_input, _threads):
        network = make()
        try:
            check(network)
        finally:
            network.memory.close()


def _telling(net: Network) -> None:
    slots = net.tell(" ".join(STORY))
    assert [slot.text for slot in slots] == list(STORY), "a slot a sentence, as it was told"
    assert list(net.memory.scan()) == slots, "what was told is in the memory"
    said = list(net.respond(f"Fred went to the office. {QUESTION}"))
    assert [type(x) for x in said] == [Slot, Answer], "respond remembers, and answers"
    assert net.flush() == [], "whole sentences leave nothing over"


def _asking(net: Network) -> None:
    for text in STORY:
        net.tell(text)
        answer = net.ask(QUESTION)
        _check_answer(answer, net)
        assert net.ask(QUESTION) == answer, "the same question has the same answer"
        (x,) = net.I(QUESTION)
        assert isinstance(x, Question), "a question is read as one"
        assert net.answer(x) == answer, "answer is ask, for what I has read"


def _check_answer(answer: Answer, net: Network) -> None:
    assert isinstance(answer.text, str), "an answer is a text"
    assert answer.text, "an answer says something"
    p = answer.probability
    assert p is None or 0 <= p <= 1, "a probability is from 0 to 1"
    assert not answer.abstained or answer.reason, "who abstains says why"
    told = {slot.id: slot for slot in net.memory.scan()}
    for place, hop in enumerate(answer.evidence, start=1):
        assert hop.hop == place, "evidence is in hop order"
        if hop.source == "told":
            assert told.get(hop.id) == hop.support, "evidence is what was told"
        won = hop.decisive
        if won is not None and won.terms:
            gap = abs(sum(won.terms.values()) - won.margin)
            assert gap <= 1e-5 * max(1.0, abs(won.margin)), "terms add up to the margin"


def _past(net: Network) -> None:
    first, *_ = net.tell(" ".join(STORY))
    before = net.ask(QUESTION, as_of=first.id)
    assert all(hop.id <= first.id for hop in _told(before)), "the past knows nothing of later"
    assert not _told(net.ask(QUESTION, as_of=0)), "before the first there was nothing"
    net.tell("Joe went to the garden.")
    assert net.ask(QUESTION, as_of=first.id).text == before.text, "the past does not change"
    _refused(lambda: net.ask(QUESTION, as_of="noon"), "as_of that is neither id nor time")


def _forgetting(net: Network) -> None:
    *_, last = net.tell(" ".join(STORY))
    net.ask(QUESTION)
    net.forget(last.id)
    assert all(hop.id != last.id for hop in _told(net.ask(QUESTION))), "what is forgotten is gone"
    _refused(lambda: net.forget(last.id), "what is not there cannot be forgotten")


def _apart(net: Network) -> None:
    other = net.with_memory(RamMemory())
    net.tell(" ".join(STORY))
    assert len(other.memory) == 0, "networks on two memories share nothing told"
    assert not _told(other.ask(QUESTION)), "nor any evidence"


def _network_input(net: Network) -> None:
    for text in ("", "...", QUESTION, f"{STORY[0]} {QUESTION}", "a\0b", "a" * (LONGEST_TEXT + 1)):
        _refused(partial(net.tell, text), f"telling {text[:20]!r} is refused")
    assert len(net.memory) == 0, "nothing refused is stored"
    for text in ("", "...", f"{QUESTION} {QUESTION}"):
        _refused(partial(net.ask, text), f"asking {text[:20]!r} is refused")


def _threads(net: Network) -> None:
    def work(n: int) -> None:
        for text in STORY:
            (slot,) = net.tell(text.replace("Joe", f"Joe{n}"))
            _check_text(net.ask(f"Where is Joe{n}?"))
            if n % 2:
                net.forget(slot.id)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))
    assert len(net.memory) == 4 * len(STORY), "threads lose nothing"


def _check_text(answer: Answer) -> None:
    assert answer.text, "an answer says something"


def _told(answer: Answer) -> list[Hop]:
    return [hop for hop in answer.evidence if hop.source == "told"]


def _refused(call: Callable[[], object], rule: str) -> None:
    try:
        call()
    except InputError as error:
        message = str(error)
    else:
        raise AssertionError(rule)
    assert "\n" not in message, "an error is one line"
