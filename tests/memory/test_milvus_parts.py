"""What is kept of a memory in Milvus in parts: read by name, gone with a deletion."""

from __future__ import annotations

import itertools
from contextlib import closing

import pytest

import memnn
from memnn import default
from memnn.conversations import question, turn_reader
from memnn.conversations.search import Finder
from memnn.dialogue.network import Ensemble
from memnn.facts import filed
from memnn.memory import shelves
from memnn.memory.milvus import parts_kept
from memnn.memory.milvus.memory import MilvusMemory
from memnn.ordinary import view
from tests.memory.test_shelves import ACTS, QUESTIONS, SUBJECTS, said

numbers = itertools.count()
TOLD = [f"{SUBJECTS[i % 9]} {ACTS[i * i % 9]}." for i in range(40)]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    for module in (turn_reader, view, filed):
        monkeypatch.setattr(module, "SEALED", 8)
    monkeypatch.setattr(shelves, "ON_A_SHELF", 5)
    monkeypatch.setattr(shelves, "MOST", 3)
    monkeypatch.setattr(shelves, "BLOCK", 3)
    monkeypatch.setattr(question, "FEW_TURNS", 6)


@pytest.fixture
def place(server):
    return server.address.replace("/tests", "/parts"), f"p{next(numbers)}"


def opened(memory):
    return Ensemble(default.ensemble(), memory, world=False)


def rows_in(memory):
    return parts_kept.everything(memory._table)


def test_answers_are_those_of_ram(place):
    """Told in stretches, updated, deleted; asked by the process that tells and by a new one."""
    near = opened(memnn.RamMemory())
    with closing(MilvusMemory(*place)) as memory:
        far = opened(memory)
        steps = [
            ("tell", TOLD[:15]), ("search", QUESTIONS[1], None), ("tell", TOLD[15:30]),
            ("ask", QUESTIONS[2], None), ("ask", QUESTIONS[0], 20), ("update", 3, TOLD[7]),
            ("search", QUESTIONS[3], None), ("ask", QUESTIONS[1], None), ("forget", 5),
            ("tell", TOLD[30:]), ("ask", QUESTIONS[6], None), ("search", QUESTIONS[4], 25),
        ]  # fmt: skip
        for call in steps:
            expected = said(near, call)
            assert said(far, call) == expected, call
            if call[0] in ("ask", "search"):
                with closing(MilvusMemory(*place)) as other:
                    assert said(opened(other), call) == expected, call
        assert rows_in(memory)


def test_a_new_process_reads_no_text_but_that_of_its_answer(place, monkeypatch):
    with closing(MilvusMemory(*place)) as memory:
        memory.write_many(TOLD)
        expected = Finder()(memory, QUESTIONS[1], 3)
    with closing(MilvusMemory(*place)) as memory:
        monkeypatch.setattr(memory, "scan", lambda after=0: pytest.fail("read again"))
        assert Finder()(memory, QUESTIONS[1], 3) == expected


def test_parts_are_no_slots_and_go_with_a_deletion(place):
    with closing(MilvusMemory(*place)) as memory:
        memory.write_many(TOLD)
        Finder()(memory, QUESTIONS[1])
        assert rows_in(memory)
        assert (len(memory), len(memory.candidates()), memory.lessons()) == (40, 40, [])
        memory.delete([7])
        assert rows_in(memory) == []
        assert 7 not in [f.id for f in Finder()(memory, TOLD[6], 40)]


def test_a_large_part_takes_several_rows(place, monkeypatch):
    monkeypatch.setattr(parts_kept, "PIECE", 10)
    with closing(MilvusMemory(*place)) as memory:
        memory.write("Joe left.")
        parts = {"a": b"x" * 100, "b": b"", "c": b"short"}
        memory.keep_parts("all", parts, memory.deletions)
        assert memory.kept_parts(["a", "b", "c", "d"]) == parts
        memory.drop_parts(["a"])
        assert memory.kept_parts(["a", "b"]) == {"b": b""}
        memory.keep_parts("all", {"late": b"1"}, memory.deletions - 1)
        assert memory.kept_parts(["late"]) == {}


def test_parts_of_overviews_that_are_no_longer_kept_go(place):
    """Four of a kind are kept; what is of another kind stays."""
    with closing(MilvusMemory(*place)) as memory:
        memory.write("Joe left.")
        for name in ("learnt-1", *(f"heard-{i}" for i in range(6))):
            memory.keep_parts(name, {f"part of {name}": b"1"}, memory.deletions)
            memory.keep(name, b"about", memory.deletions)
        names = ["learnt-1", *(f"heard-{i}" for i in range(6))]
        left = [name for name in names if memory.kept(name) is not None]
        assert left == ["learnt-1", "heard-2", "heard-3", "heard-4", "heard-5"]
        parts = memory.kept_parts(f"part of {name}" for name in names)
        assert list(parts) == [f"part of {name}" for name in left]


def test_within_one_moment_changes_are_asked_for_once(place):
    with closing(MilvusMemory(*place)) as memory, closing(MilvusMemory(*place)) as other:
        memory.write("Joe left.")
        with other.one_moment() as before:
            memory.write("Joe came.")
            assert other.changes() == before
            assert before.last_id == 1
        assert other.changes().last_id == 2
        with memory.one_moment():
            memory.write("Joe left again.")
            assert memory.last_id == 3, "what a thread writes itself, it sees"
