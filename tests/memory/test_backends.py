"""Every call on every backend gives the same: RAM, the embedded store, a real Milvus server."""

from __future__ import annotations

import json
from contextlib import closing
from itertools import count

import pytest

import memnn
from memnn.memory.copy import copy
from memnn.stories.network import network
from memnn.types import Lesson, Slot, Turn
from tests.memory.operations import answer

names = (f"backends {n}" for n in count())


@pytest.fixture(params=["ram", "disk", "milvus"])
def where(request, tmp_path):
    """The address of a store."""
    if request.param == "ram":
        return ":memory:"
    if request.param == "disk":
        return str(tmp_path / "store.db")
    return request.getfixturevalue("server").address


@pytest.fixture
def memory(where):
    with closing(memnn.open_memory(where, next(names))) as memory:
        yield memory


CALLS = [
    ("write", "Joe went home.", None, "2001-01-01T00:00:00Z"),
    ("write", "Dan took the MILK", 7, "2002-01-01T00:00:00+01:00"),
    ("write", "an id twice", 7, None),
    ("write", "a time that runs backwards", None, "2000-01-01T00:00:00Z"),
    ("write", "no time", None, "noon"),
    ("write", "", None, None),
    ("write_many", ["joe drank milk", "Grüße an Joe", "joe drank milk"]),
    ("write_many", ["fine", "a\0b"]),
    ("write_many", []),
    ("read", [9, 1, 9]),
    ("read", [2]),
    ("scan", 7),
    ("scan", 99),
    ("candidates", None, None),
    ("candidates", 8, None),
    ("candidates", "2001-06-01T00:00:00Z", None),
    ("candidates", "2002-01-01T00:00:00Z", ["joe", "milk"]),
    ("candidates", None, ["joe"]),
    ("candidates", None, ["milk", "grüße"]),
    ("candidates", None, ["Joe"]),
    ("candidates", None, []),
    ("delete", [8, 9]),
    ("delete", [1, 2]),
    ("delete", []),
    ("read", [9]),
    ("candidates", None, ["milk", "joe"]),
    ("write", "an id is never given again", None, None),
]


def test_each_call_gives_the_same(memory):
    ram = memnn.RamMemory()
    for call in CALLS:
        assert answer(memory, call) == answer(ram, call), call


def test_the_same_told_twice_is_two_events_and_the_newer_one_wins(memory, trained):
    """Ties are broken by write time, with the walk over everything and over buckets."""
    ids = [slot.id for slot in memory.write_many(["Joe went to the kitchen."] * 4)]
    for organised in (False, True):
        net = network(trained.model, memory, organised=organised)
        assert [hop.id for hop in net.ask("Where is Joe?").evidence][:1] == ids[-1:]
        assert [hop.id for hop in net.ask("Where is Joe?", as_of=ids[1]).evidence][:1] == [ids[1]]


def test_answers_are_the_same_in_every_backend(memory, trained):
    far, near = network(trained.model, memory), network(trained.model, organised=False)
    for net in (far, near):
        net.tell("Joe went to the kitchen. Fred went to the office. Joe took the milk.")
        net.tell("Joe went to the garden. Joe dropped the milk. Joe went to the office.")
    for forgotten in (None, 6):
        for question in ("Where is the milk?", "Where is Joe?", "Where was Joe before the garden?"):
            for as_of in (None, 4):
                one, two = far.ask(question, as_of=as_of), near.ask(question, as_of=as_of)
                assert (one.text, one.score) == (two.text, two.score)
                assert [(h.id, h.score) for h in one.evidence] == [
                    (h.id, h.score) for h in two.evidence
                ]
        if forgotten is None:
            for net in (far, near):
                net.forget(6)


def test_there_and_back(memory, store):
    """From an embedded store and back to one, with ids, times, sources, turns and lessons."""
    told = [
        Slot(3, "Joe went home.", "2020-01-01T00:00:00.000000Z", "a letter"),
        Slot(9, "Grüße", "2020-01-02T00:00:00.000000Z", turn=Turn("Ann", meta={"a": [1, None]})),
        Slot(12, "gone", "2020-01-03T00:00:00.000000Z"),
    ]
    start, end = store.memory("start"), store.memory("end")
    start.write_slots(told)
    start.delete([12])
    start.teach("Who went home?", [3])
    assert copy(start, memory) == 2
    assert copy(memory, end) == 2
    assert [(s.id, s.text, s.time) for s in end.scan()] == [
        (s.id, s.text, s.time) for s in told[:2]
    ]
    assert list(end.scan()) == list(memory.scan()) == told[:2], "sources and turns, too"
    assert end.lessons() == memory.lessons() == [Lesson("Who went home?", (3,), 12)]
    assert start.last_id == memory.last_id == end.last_id == 12
    assert end.write("next").id == 13


def test_commands_on_milvus(server, tmp_path, trained):
    from typer.testing import CliRunner

    from memnn.cli.app import app, run

    far, diary = server.address.replace("/tests", "/commands"), str(tmp_path / "diary.db")
    model = str(trained.save(tmp_path / "model"))

    def said(*arguments):
        result = CliRunner().invoke(app, [*arguments, "--json"])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    said("memory", "add", diary, "Joe went to the kitchen.", "--source", "letter")
    said("memory", "add", diary, "Joe went to the garden.")
    said("memory", "copy", diary, far)
    about = {"statements": 2, "bytes": None, "model": None, "vectors": 0, "names": ["main"]}
    assert said("memory", "info", far) == about
    made = said("memory", "embed", far, "--model", model)
    assert made["vectors"] == 2
    assert said("memory", "info", far) == about | {"model": made["model"], "vectors": 2}
    assert said("ask", model, "Where is Joe?", "--store", far)["answer"] == "garden"
    back = str(tmp_path / "back.db")
    said("memory", "copy", far, back)
    assert said("memory", "list", back) == said("memory", "list", diary)
    assert said("memory", "list", back)["statements"][0]["source"] == "letter"
    assert said("memory", "compact", far) == {"bytes": None, "freed": None}
    assert run(["memory", "verify", far]) == 2
    assert said("memory", "delete", far, "--all") == {"deleted": 2}
