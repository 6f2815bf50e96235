"""An address says which kind of store it means, and a new kind needs no more than a scheme."""

from __future__ import annotations

import pytest

import memnn
from memnn.memory import address, open_memory, open_store
from memnn.memory.ram import RamStore


class Engine(RamStore):
    """A store of somebody else's: it lasts, and has neither files nor checksums."""

    def __init__(self):
        super().__init__()
        self.compacted = 0

    @property
    def lasts(self):
        return True

    def compact(self):
        self.compacted += 1


@pytest.fixture
def engine(monkeypatch):
    store, opened = Engine(), []

    def open_engine(where, create):
        opened.append((where, create))
        return store

    monkeypatch.setitem(address.SCHEMES, "toy+x", open_engine)
    store.opened = opened
    return store


def test_a_scheme_opens_its_stores(engine):
    assert open_store("toy+x://here") is engine
    assert open_store("toy+x://here", create=False) is engine
    assert engine.opened == [("toy+x://here", True), ("toy+x://here", False)]
    open_memory("toy+x://here", "diary").write("Joe left.")
    assert engine.sizes() == {"diary": 1}


def test_an_unknown_scheme_lists_the_known_ones(engine):
    with pytest.raises(memnn.MemnnError, match=r"'redis'; known: .*milvus\+http, .*toy\+x"):
        open_store("redis://here")
    for wrong in (5, None, b"x"):
        with pytest.raises(memnn.MemoryStoreError, match="must be a str"):
            open_memory(wrong)


def test_commands_ask_the_store_and_not_the_address(engine, capsys):
    from memnn.cli.app import run

    where = "toy+x://here"
    assert run(["memory", "add", where, "Joe left."]) == 0
    assert run(["memory", "list", where]) == 0
    assert "Joe left." in capsys.readouterr().out
    assert run(["memory", "compact", where, "--json"]) == 0
    assert '"freed": null' in capsys.readouterr().out
    assert engine.compacted == 1
    assert run(["memory", "verify", where]) == 2
    assert "checksums" in capsys.readouterr().err
