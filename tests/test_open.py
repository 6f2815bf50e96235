"""`memnn.open`, and what values and networks do: with, for, repr, async, other processes."""

from __future__ import annotations

import asyncio
import copy
import doctest
import importlib
import json
import logging
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

import memnn
from memnn.as_json import answer_json
from memnn.memory import open_store
from memnn.stories.network import network as story_network

EXAMPLES = [
    "memnn", "memnn.opening", "memnn.types", "memnn.memory.protocol", "memnn.conversations.network",
    "memnn.conversations.twins",
]  # fmt: skip
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def here(monkeypatch, tmp_path):
    """An empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_diary(here):
    with memnn.open("diary.db") as net:
        net.tell("Joe went to the kitchen. Joe picked up the milk.")
        assert net.ask("Where is the milk?").text == "kitchen"
    with pytest.raises(memnn.MemoryStoreError):
        net.tell("Joe left.")
    with memnn.open(here / "diary.db") as net:
        assert [slot.text for slot in net.memory][1] == "Joe picked up the milk."
        assert repr(net) == "<Ensemble on <SqliteMemory: 2 statements>>"
    with memnn.open("diary.db", "other") as net:
        assert list(net.memory) == []


def test_loaded_networks_close_too(trained_folder, tmp_path):
    with memnn.load(trained_folder, str(tmp_path / "diary.db")) as net:
        net.tell("Joe went to the kitchen.")
    with pytest.raises(memnn.MemoryStoreError):
        len(net.memory)


def test_threads_share_it(here):
    with memnn.open("diary.db") as net, ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda i: net.tell(f"Note number {i}."), range(20)))
        assert len(net.memory) == 20
        assert {a.text for a in threads.map(net.ask, ["Where is Joe?"] * 8)} == {"I don't know"}


@pytest.mark.parametrize("module", EXAMPLES)
def test_examples_in_docstrings_run(module, here):
    found = doctest.testmod(importlib.import_module(module), report=True)
    assert found.attempted
    assert not found.failed


def test_values_are_short_and_become_dicts(net):
    net.tell("Joe went to the kitchen. Joe took the milk.")
    answer = net.ask("Where is the milk?")
    assert repr(answer) == "Answer('kitchen', evidence [2, 1])"
    assert answer.to_dict() == answer_json(answer)
    json.dumps(answer.to_dict())
    (found,) = net.search("kitchen", k=1)
    assert repr(found).startswith("FoundSlot(")
    assert found.to_dict()["text"] == "Joe went to the kitchen."
    assert repr(net.ask("Where is Gollum?")).startswith('Answer("I don\'t know", abstained: ')
    assert len(repr(net.tell("Joe went to the " + "very " * 500 + "old kitchen.")[0])) < 100


def test_notebooks_show_evidence_and_run_nothing(net):
    net.tell(f"{SCRIPT} went to the kitchen.")
    (slot,) = net.memory
    answer = memnn.Answer("kitchen", 2.0, evidence=(memnn.Hop(1, slot, 1.0), memnn.Hop(2, slot, 1)))
    for shown in (answer, net.memory, slot):
        assert "<script>" not in shown._repr_html_()
        assert "&lt;script&gt;" in shown._repr_html_()
    assert str(answer).splitlines()[1:] == [f"  [{hop.id}] {hop.text}" for hop in answer.evidence]
    assert str(net.ask("Where is Gollum?")).startswith("I don't know: ")
    assert answer._repr_html_().count("background:#") == 4  # two hops, a sign and a fact each
    assert "I don&#x27;t know" in net.ask("Where is Gollum?")._repr_html_()
    net.tell("Ann left. " * 30)
    assert "31 statements, the newest 20 of them" in net.memory._repr_html_()


def test_async_twins(trained):
    async def talk():
        net = trained.with_memory(memnn.RamMemory())
        await net.atell("Joe went to the kitchen.")
        slot = await net.aupdate(1, "Joe went to the garden.")
        await net.ateach("Where is Joe?", [slot.id])
        found = await net.asearch("Joe", 5)
        answer = await net.aask("Where is Joe?", as_of=1)
        await net.aforget(slot.id)
        return found, answer, len(net.memory)

    found, answer, left = asyncio.run(talk())
    assert ([each.id for each in found], answer.text, left) == ([2], "kitchen", 0)


@pytest.mark.parametrize("organised", [False, True])
def test_story_networks_can_be_sent_to_another_process(trained, organised):
    """As multiprocessing does; nothing of ours reads such bytes."""
    net = story_network(trained.model, organised=organised, superseding=organised)
    _goes_along(net)


def test_other_networks_can_be_sent_too(over_paths, small):
    _goes_along(over_paths.with_memory(memnn.RamMemory()))
    _goes_along(memnn.Ensemble(small))


def _goes_along(net):
    net.tell("Joe went to the kitchen.")
    before = net.ask("Where is Joe?")
    other = pickle.loads(pickle.dumps(net))
    assert other.ask("Where is Joe?") == before
    other.tell("Joe went to the garden.")
    assert len(net.memory) == 1
    assert copy.deepcopy(other).ask("Where is Joe?") == other.ask("Where is Joe?")


def test_a_memory_in_a_file_is_opened_again(trained, tmp_path):
    with open_store(tmp_path / "diary.db") as store:
        net = trained.with_memory(store.memory("other"))
        net.tell("Joe went to the kitchen.")
        with pickle.loads(pickle.dumps(net)) as other:
            assert other.ask("Where is Joe?").text == "kitchen"
            other.tell("Joe went to the garden.")
        assert net.ask("Where is Joe?").text == "garden"


def test_it_logs_as_libraries_do(here, caplog):
    with caplog.at_level(logging.DEBUG, logger="memnn"):
        memnn.open("diary.db").close()
    assert "opened 'main' of diary.db: 0 statements" in caplog.text
    assert any(isinstance(h, logging.NullHandler) for h in logging.getLogger("memnn").handlers)


def test_a_memory_is_asked_by_id(here):
    with memnn.open("diary.db") as net:
        (slot,) = net.tell("Joe left.")
        assert net.memory[1] == slot
        assert 1 in net.memory
        assert slot in net.memory
        assert not any(other in net.memory for other in (0, -1, 2, 10**30, "Joe left.", True))
        with pytest.raises(memnn.MemnnError, match="no memory with id 2"):
            net.memory[2]
