"""The outline of a memory is kept in its store, is never stale, and goes with a deletion."""

from __future__ import annotations

import sqlite3

import pytest

import memnn
from memnn.memory.address import verify
from memnn.memory.sqlite.store import SqliteStore
from memnn.stories import organised, overview
from memnn.stories.network import network
from tests.memory.test_deletion import occurrences

STORY = [f"{name} went to the {room}." for name in ("Joe", "Fred") for room in ("office", "garden")]


@pytest.fixture(scope="module")
def model():
    """One that takes in words of what is told."""
    recipe = memnn.Recipe(unseen=True, match=True)
    return memnn.train(memnn.simulate(statements=700, questions=300), recipe).model


def kept(path):
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT memory, name, data FROM kept ORDER BY 1, 2").fetchall()
    finally:
        connection.close()


def count_reading(monkeypatch):
    """How many statements a view has read."""
    read = []
    one_by_one = overview.OverviewReader.take

    def take(self, tokens, id):
        read.append(id)
        one_by_one(self, tokens, id)

    monkeypatch.setattr(overview.OverviewReader, "take", take)
    return read


def test_a_prepared_store_is_not_read_again(store, path, model, monkeypatch):
    store.memory().write_many(STORY)
    network(model, store.memory()).O.prepare(store.memory())
    read = count_reading(monkeypatch)
    for n in (0, 1):
        with SqliteStore(path) as again:
            net = network(model, again.memory())
            assert net.ask("Where is Fred?").text == "garden"
            assert read == [5] * n, "only what was told since"
        if not n:
            store.memory().write("Anna went to the garden.")


def test_it_is_kept_as_more_is_told(store, path, model, monkeypatch):
    monkeypatch.setattr(overview, "LEAST_KEPT", 2)
    net = network(model, store.memory())
    net.memory.write_many(STORY)
    net.ask("Where is Joe?")
    (first,) = kept(path)
    net.tell("Anna went to the office. Anna went to the garden. Joe took the milk.")
    net.ask("Where is Joe?")
    (second,) = kept(path)
    assert first[:2] == second[:2]
    assert b"Anna" not in first[2]
    assert b"Anna" in second[2]


@pytest.mark.parametrize("how", ["delete", "drop", "compact"])
def test_it_goes(store, path, model, how):
    for name in ("main", "other"):
        memory = store.memory(name)
        memory.write_many([*STORY, "Xanthippe went to the office."])
        network(model, memory).O.prepare(memory)
    assert len(kept(path)) == 2
    if how == "delete":
        store.memory().delete([5])
    elif how == "drop":
        store.drop("main")
    else:
        store.compact()
    assert len(kept(path)) == (0 if how == "compact" else 1), "of others nothing goes"
    for name in ("main", "other"):
        memory = store.memory(name)
        if 5 in memory.candidates():
            memory.delete([5])
    store.compact()
    assert occurrences(path.parent, b"Xanthippe", b"xanthippe") == []


def test_what_was_read_before_a_deletion_is_not_kept_after_it(store, path, model):
    """Another process may delete between the reading and the keeping."""
    memory = store.memory()
    memory.write_many([*STORY, "Xanthippe went to the office."])
    net = network(model, memory)
    readers = []
    net.O.overview.use(memory, readers.append)
    with SqliteStore(path) as other:
        other.memory().delete([5])
    readers[0].keep(memory)
    assert kept(path) == []
    assert net.ask("Where is Xanthippe?").abstained
    memory.keep("x", b"y", memory.deletions)
    store.drop("main")
    memory.write_many(STORY)
    assert memory.kept("x") is None, "a memory begun anew under its name has none"


def test_of_many_models_the_last_few_are_kept(store, path):
    memory = store.memory()
    memory.keep("none", b"nothing is told yet", memory.deletions)
    memory.write("a")
    for n in range(9):
        memory.keep(f"model {n}", b"data", memory.deletions)
    assert [name for _, name, _ in kept(path)] == [f"model {n}" for n in range(5, 9)]
    assert memory.kept("model 8") == b"data"
    assert memory.kept("model 1") is None


def test_a_damaged_one_is_found_and_not_used(store, path, model):
    memory = store.memory()
    memory.write_many(STORY)
    network(model, memory).O.prepare(memory)
    with store.database.writing() as connection:
        connection.execute("UPDATE kept SET data = CAST('[1]' AS BLOB)")
    assert network(model, memory).ask("Where is Joe?").text == "garden"
    assert ["overview is damaged" in line for line in verify(path).problems] == [True]
    assert verify(path, repair=True).ok
    assert kept(path) == []
    assert verify(path).problems == []


def test_a_memory_that_lasts_is_organised(store, model):
    assert isinstance(network(model, store.memory()).O, organised.Organised)
    for net in (network(model), network(model, store.memory(), organised=False)):
        assert not isinstance(net.O, organised.Organised)
