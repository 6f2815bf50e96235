"""What is kept in parts and read by name says the same as what is read from the beginning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import memnn
from memnn import default
from memnn.conversations import question, turn_reader
from memnn.conversations.search import Finder
from memnn.dialogue.network import Ensemble
from memnn.errors import InputError
from memnn.facts import filed
from memnn.memory import shelves
from memnn.memory.protocol import PartsGone
from memnn.memory.shelves import Lists, Shelves
from memnn.ordinary import view
from tests.memory.in_parts import InParts

SUBJECTS = ("Joe", "Mary", "My sister", "The dog", "He", "She", "It", "They", "I")
ACTS = ("went to the kitchen", "took the milk", "lives in Oslo", "likes green tea", "is 7")
ACTS += ("left it there", "gave him the key", "has a red car", "was born in May 2001")
texts = st.builds("{} {}.".format, st.sampled_from(SUBJECTS), st.sampled_from(ACTS))
turns = st.fixed_dictionaries(
    {"text": texts},
    optional={
        "speaker": st.sampled_from([None, "Ann", "Bob"]),
        "session": st.sampled_from([None, "a", "b"]),
        "said": st.sampled_from([None, "2023-05-08T13:56:00Z"]),
        "meta": st.sampled_from([None, {"a": 1}]),
    },
)
QUESTIONS = (
    "Where is Joe?", "Where is the milk?", "Where do I live?", "What does Mary like?",
    "Who has a vehicle?", "Where is she?", "When was my sister born?", "What did Ann say?",
)  # fmt: skip
as_ofs = st.one_of(st.none(), st.none(), st.integers(1, 40))
operation = st.one_of(
    st.tuples(st.just("tell"), st.lists(st.one_of(texts, turns), min_size=4, max_size=9)),
    st.tuples(st.just("tell"), st.lists(texts, min_size=9, max_size=20)),
    st.tuples(st.just("ask"), st.sampled_from(QUESTIONS), as_ofs),
    st.tuples(st.just("ask"), st.sampled_from(QUESTIONS), as_ofs),
    st.tuples(st.just("search"), st.sampled_from(QUESTIONS), as_ofs),
    st.tuples(st.just("search"), st.sampled_from(QUESTIONS), as_ofs),
    st.tuples(st.just("update"), st.integers(1, 12), texts),
    st.tuples(st.just("forget"), st.integers(1, 12)),
)
sequences = st.lists(operation, min_size=4, max_size=14)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Small enough that a short story has several segments of several shelves."""
    for module in (turn_reader, view, filed):
        monkeypatch.setattr(module, "SEALED", 8)
    monkeypatch.setattr(shelves, "ON_A_SHELF", 5)
    monkeypatch.setattr(shelves, "MOST", 3)
    monkeypatch.setattr(shelves, "BLOCK", 3)
    monkeypatch.setattr(question, "FEW_TURNS", 6)


def opened(memory):
    """As another process opens it: nothing is known of it."""
    return Ensemble(default.ensemble(), memory, world=False)


def said(net, call):
    name, *arguments = call
    try:
        if name == "tell":
            return [slot.id for slot in net.tell(*arguments)]
        if name == "ask":
            answer = net.ask(arguments[0], as_of=arguments[1])
            hops = [(hop.id, hop.score, hop.taken) for hop in answer.evidence]
            return answer.text, answer.score, answer.probability, answer.reason, hops
        if name == "search":
            found = net.search(arguments[0], k=5, as_of=arguments[1], neighbours=1)
            return found.probability, [(f.id, f.score, dict(f.terms)) for f in found]
        if name == "update":
            return net.update(*arguments).id
        return net.forget(*arguments)
    except InputError as error:
        return f"refused: {error}"


@pytest.mark.parametrize("n", [60, pytest.param(1_000, marks=pytest.mark.soak)])
def test_answers_are_the_same(n):
    """Whoever opens the memory, at whatever moment."""

    @settings(
        max_examples=n, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate],
    )  # fmt: skip
    @given(sequences)
    def run(sequence):
        near, memory = opened(memnn.RamMemory()), InParts()
        far = opened(memory)
        for call in sequence:
            expected = said(near, call)
            assert said(far, call) == expected, call
            if call[0] in ("ask", "search"):
                assert said(opened(memory), call) == expected, call

    run()


def filled(n=60):
    memory = InParts()
    told = [f"{SUBJECTS[i % 4]} {ACTS[i % 9]}." for i in range(n)]
    for i in range(0, n, 10):
        memory.write_many(told[i : i + 10])
        Finder()(memory, "Joe")
    return memory


def test_a_process_that_opens_it_reads_no_text(monkeypatch):
    memory = filled()
    expected = Finder()(memory, "Where is the milk?", 3)
    monkeypatch.setattr(memory, "scan", lambda after=0: iter(()) if after else pytest.fail("read"))
    monkeypatch.setattr(memory, "asked", 0)
    assert Finder()(memory, "Where is the milk?", 3) == expected
    assert 0 < memory.asked < len(memory.parts)


def test_there_are_never_many_segments_and_none_is_left_behind():
    memory = filled(200)
    names = {name.partition("/")[0] for name in memory.parts}
    assert 1 < len(names) <= 3


def test_what_another_process_put_in_another_order_is_read_anew():
    memory, mine, other = InParts(), Finder(), Finder()
    for i in range(8):
        memory.write_many([f"The dog number {i} ran."] * 10)
        expected = Finder(reads=None)(memory, "the dog", 3)
        assert other(memory, "the dog", 3) == expected
        if i % 3 == 0:
            assert mine(memory, "the dog", 3) == expected
    assert mine(memory, "dog 1", 3) == Finder()(memory, "dog 1", 3)


def test_two_that_keep_at_once_do_not_mix():
    memory = InParts()
    lists = Lists(np.array([1, 1]), np.array([0, 3], np.int32), np.array([1, 2], np.int32))
    one, two = (Shelves(memory, "x", memory.deletions) for _ in range(2))
    for each in (one, two):
        assert each.open(memory) == []
    assert one.add(lists, (4,), lambda a, b: b"one")
    assert not two.add(lists, (4,), lambda a, b: b"two")
    again = Shelves(memory, "x", memory.deletions)
    assert again.open(memory) == [b"one"]
    assert [each.tolist() for each in again.lists.of(1)] == [[0, 3], [1, 2]]
    assert [each.tolist() for each in again.lists.of(7)] == [[], []]


def test_a_part_that_is_gone_is_said():
    memory = InParts()
    lists = Lists(np.array([1]), np.array([0], np.int32), np.array([1], np.int32))
    kept = Shelves(memory, "x", memory.deletions)
    assert kept.add(lists, (1,), lambda a, b: b"")
    memory.parts = {}
    with pytest.raises(PartsGone):
        kept.lists.of(1)
    assert not kept.hold


def test_the_last_values_of_a_long_list_are_read_without_the_rest():
    memory = InParts()
    kept = Shelves(memory, "x", memory.deletions)
    rows = np.repeat([0, 4, 9], [3, 1_000, 2])
    values = np.concatenate([np.arange(3), np.arange(1_000), np.arange(2)]).astype(np.int32)
    assert kept.add(Lists(rows, values, np.zeros_like(values)), (1_000,), lambda a, b: b"")
    before = memory.asked
    assert kept.lists.latest(4, 500, 5).tolist() == [495, 496, 497, 498, 499]
    assert memory.asked - before == 2
    assert kept.lists.latest(4, 0, 5).tolist() == []
    assert kept.lists.of(4)[0].tolist() == list(range(1_000))
    assert kept.lists.latest(9, 2, 5).tolist() == [0, 1]
