"""Facts on the real server: the same answers as from an index on disk."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from zlib import crc32

import pytest

from memnn.cli import app
from memnn.errors import InputError, MemoryStoreError, ModelError
from memnn.facts import evaluate as evaluation
from memnn.facts.index import in_memory
from memnn.facts.milvus import build
from memnn.facts.milvus.build import build_facts
from memnn.facts.milvus.index import MilvusFacts, as_stored, finder
from memnn.facts.milvus.table import FactTable
from memnn.facts.model import save
from memnn.memory.milvus.address import shown
from memnn.memory.milvus.store import MilvusStore
from memnn.types import Question


@pytest.fixture
def where(server, request):
    """A store of its own, which is gone afterwards."""
    where = server.address.replace("/tests", f"/facts{crc32(request.node.name.encode())}")
    yield where
    with closing(FactTable(where)) as table:
        table.connection.client.drop_collection(table.address.collection)


def hits(model, find, world, places):
    return evaluation.evaluate(find, world.test, places).results(model.threshold)["hit@1"]


@pytest.mark.parametrize("index", ["FLAT", "HNSW"])
def test_as_good_as_on_disk(where, facts_model, facts_files, world, index):
    where = f"{where}?index={index}"
    count, _ = build_facts(facts_model, facts_files / "triples.tsv", where)
    assert count == len(set(world.triples))
    local = in_memory(facts_model, world.triples)
    exact = evaluation.finder(facts_model.lookup(), local.reading(facts_model.dictionary))
    places = {q.gold: i for i, q in enumerate(world.test)}
    with closing(MilvusFacts(where, facts_model)) as facts:
        assert len(facts) == count
        found = finder(facts, facts_model.lookup(), places)
        on_disk = hits(facts_model, exact, world, local.places(q.gold for q in world.test))
        assert hits(facts_model, found, world, places) >= on_disk - 0.01
        some = facts.candidates(world.test[0].question)
        output = facts_model.lookup()(Question(world.test[0].question), some.facts)
        (hop, *_) = as_stored(output, some.ids).hops
        assert hop.id == some.ids[output.hops[0].id - 1]
        assert hop.text == output.hops[0].text
    with MilvusStore(where) as store:
        assert store.names() == [], "facts are no memory"


def test_a_build_that_was_stopped_goes_on(where, facts_model, facts_files, world, monkeypatch):
    """Between writing a part and noting it, too: nothing is lost, nothing is there twice."""
    monkeypatch.setattr(build, "PART", 50)
    triples, note = facts_files / "triples.tsv", FactTable.note

    def stopped(self, about, dim):
        if about.facts == 150:
            raise KeyboardInterrupt
        note(self, about, dim)

    monkeypatch.setattr(FactTable, "note", stopped)
    with pytest.raises(KeyboardInterrupt):
        build_facts(facts_model, triples, where)
    monkeypatch.setattr(FactTable, "note", note)
    with pytest.raises(MemoryStoreError, match="was stopped; go on with: memnn facts index"):
        MilvusFacts(where, facts_model)
    shown = []
    count, _ = build_facts(facts_model, triples, where, progress=shown.append)
    assert shown[0].done == 150, "not from the start"
    with closing(FactTable(where)) as table:
        assert table.connection.count(table.address.collection, "id > 0") == count
    assert build_facts(facts_model, triples, where, progress=shown.append)[0] == count
    assert shown[-1].done == count, "nothing was left to do"


def test_what_cannot_be_asked(where, facts_model, facts_files, tmp_path):
    with pytest.raises(MemoryStoreError, match="there are no facts; write them with"):
        MilvusFacts(where, facts_model)
    (tmp_path / "none.tsv").write_text("a\tb\n")
    with pytest.raises(InputError, match="has no triple"):
        build_facts(facts_model, tmp_path / "none.tsv", where)
    build_facts(facts_model, facts_files / "triples.tsv", where)
    hops = replace(facts_model, recipe=replace(facts_model.recipe, hops=2))
    with pytest.raises(ModelError, match="of one hop"):
        MilvusFacts(where, hops)
    assert build_facts(facts_model, facts_files / "triples.tsv", where)[0]
    with pytest.raises(InputError, match="has no triple"):
        build_facts(facts_model, tmp_path / "none.tsv", where)
    with closing(MilvusFacts(where, facts_model)) as facts:
        assert len(facts), "a file without triples replaces nothing"
    other = replace(facts_model, U_O=facts_model.U_O + 1)
    with pytest.raises(ModelError, match="another model"):
        MilvusFacts(where, other)


def test_an_address_without_its_password():
    for where, expected in (
        ("milvus+http://u:p@ss@host:19530/x?index=FLAT", "milvus+http://host:19530/x?index=FLAT"),
        ("milvus+https://host/x", "milvus+https://host/x"), ("a/folder@x", "a/folder@x"),
    ):  # fmt: skip
        assert shown(where) == expected


def test_a_new_name_is_found_though_a_known_word_is_near(where, facts_model, world, tmp_path):
    word = next(w for w in facts_model.dictionary.words if w.isalpha() and len(w) > 4)
    (tmp_path / "a.tsv").write_text(f"{word}es\tis\tnew\n" + "other\tis\told\n" * 3)
    build_facts(facts_model, tmp_path / "a.tsv", where)
    with closing(MilvusFacts(where, facts_model)) as facts:
        texts = facts.candidates(f"what is {word}es?", k=1).facts
        assert any(texts.triple(place).subject == f"{word}es" for place in range(len(texts)))


def test_the_commands(where, facts_model, facts_files, world, tmp_path, capsys):
    model = str(save(facts_model, tmp_path / "model"))

    def run(*arguments):
        capsys.readouterr()
        assert app.run(["facts", *arguments]) == 0
        return capsys.readouterr().out

    def refused(*arguments):
        capsys.readouterr()
        assert app.run(["facts", *arguments]) != 0
        return capsys.readouterr().err

    triples = str(facts_files / "triples.tsv")
    assert "leave it out" in refused("index", model, triples, "-o", where, "--clusters", "5")
    assert "engine chooses" in refused("ask", model, where, "Who?", "--hash", "word")
    assert "no kind of store 'milvus'" in refused("ask", model, "milvus://localhost/a", "Who?")
    assert "is no address" in refused("ask", model, "milvus+http:/localhost/a", "Who?")
    run("index", model, triples, "-o", where)
    asked = world.test[0]
    assert str(asked.gold) in run("ask", model, where, asked.question)
    assert "hit@1" in run(
        "evaluate", model, where, "--questions", str(facts_files / "questions.tsv"), "--json"
    )
