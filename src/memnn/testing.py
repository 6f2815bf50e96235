"""Public checks for other people's parts: `check_memory`, `check_store`, `check_network`.

Each check raises AssertionError with the sentence that was broken.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from memnn.memory import RamMemory
from memnn.memory.checks import check_memory, check_store, refused
from memnn.network import Network
from memnn.text.tokens import LONGEST_TEXT
from memnn.types import Answer, Hop, Question, Slot

__all__ = ["check_memory", "check_network", "check_store"]


STORY = ("Joe went to the kitchen.", "Fred went to the garden.", "Joe went to the office.")
QUESTION = "Where is Joe?"


def check_network(make: Callable[[], Network]) -> None:
    """Run every check on new networks from `make`, each with an empty memory.

    What a network answers is its own affair, so the checks are about everything else: what it was
    told is kept as told, evidence is what was told, the past and the forgotten stay what they are.
    """
    for check in (
        _telling, _turns, _updating, _asking, _past, _forgetting, _apart, _network_input, _threads
    ):  # fmt: skip
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


def _turns(net: Network) -> None:
    (slot,) = net.tell(f"Well! {QUESTION}", speaker="Ann", said="1999-12-31T12:00:00Z")
    assert slot.text == f"Well! {QUESTION}", "a turn is kept whole"
    assert (slot.speaker, slot.said) == ("Ann", "1999-12-31T12:00:00.000000Z"), "and who said it"
    slots = net.tell([" ".join(STORY), {"text": QUESTION, "speaker": "Bob"}])
    assert [s.text for s in slots] == [*STORY, QUESTION], "a list is told in its order"
    refused(lambda: net.tell([STORY[0], QUESTION]), "a question in a list is no statement")
    assert len(net.memory) == 5, "a list is told as a whole or not at all"
    found = net.search("Joe", k=9)
    assert {f.id for f in found} <= {1, 2, 4, 5}, "search finds what speaks of it"
    assert all(f.score == sum(f.terms.values()) for f in found), "terms add up to the score"
    assert {f.id for f in net.search("Joe", speaker="Bob")} <= {5}, "by one speaker"
    assert {f.id for f in net.search("Joe", until="2000-01-01")} <= {1}, "until a time"


def _updating(net: Network) -> None:
    first, *_ = net.tell(" ".join(STORY))
    new = net.update(first.id, "Joe went to the cellar.")
    assert new.turn is not None, "an update says what it supersedes"
    assert new.turn.supersedes == first.id, "an update says what it supersedes"
    for found in (net.search("Joe", k=9), _told(net.ask(QUESTION))):
        assert first.id not in [each.id for each in found], "what was superseded is not seen"
    seen = [f.id for f in net.search("kitchen", history=True)]
    assert seen == [first.id], "but for those who ask for it"
    assert [f.id for f in net.search("kitchen", as_of=3)] == [first.id], "and of a moment before"
    lesson = net.teach(QUESTION, [new.id])
    assert net.memory.lessons() == [lesson], "what is taught is kept"


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
    refused(lambda: net.ask(QUESTION, as_of="noon"), "as_of that is neither id nor time")


def _forgetting(net: Network) -> None:
    *_, last = net.tell(" ".join(STORY))
    net.ask(QUESTION)
    net.forget(last.id)
    assert all(hop.id != last.id for hop in _told(net.ask(QUESTION))), "what is forgotten is gone"
    refused(lambda: net.forget(last.id), "what is not there cannot be forgotten")


def _apart(net: Network) -> None:
    other = net.with_memory(RamMemory())
    net.tell(" ".join(STORY))
    assert len(other.memory) == 0, "networks on two memories share nothing told"
    assert not _told(other.ask(QUESTION)), "nor any evidence"


def _network_input(net: Network) -> None:
    for text in ("", "...", QUESTION, f"{STORY[0]} {QUESTION}", "a\0b", "a" * (LONGEST_TEXT + 1)):
        refused(partial(net.tell, text), f"telling {text[:20]!r} is refused")
    assert len(net.memory) == 0, "nothing refused is stored"
    for text in ("", "...", f"{QUESTION} {QUESTION}"):
        refused(partial(net.ask, text), f"asking {text[:20]!r} is refused")


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
