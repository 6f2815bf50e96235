"""A short run of the Milvus benchmark, on the server of the tests."""

from __future__ import annotations

from benchmarks.synthetic import World

from benchmarks import milvus, milvus_facts, milvus_flat
from memnn.facts.recipe import FactsRecipe
from memnn.facts.train import fit


def test_it_measures(server, trained):
    result = milvus.measure(server.address + "_bench", trained, (60, 120), singles=10, repeats=3)
    assert [row["facts"] for row in result["sizes"]] == [60, 120]
    assert [row["written"] for row in result["sizes"]] == [49, 60]
    assert all(row["facts_of_one_entity"] > 0 for row in result["sizes"])
    text = milvus.page(result | {"tick": 20})
    assert "| 120 facts: question |" in text


def test_it_measures_what_a_new_process_pays(server):
    results = milvus_flat.measure(server.address + "_flat", [300])
    assert set(milvus_flat.CALLS) < set(results[0]["after"])
    text = milvus_flat.page(results, 20)
    assert "| first told question |" in text
    assert "statements/s written" in text


def test_it_measures_facts_beside_an_index_on_disk(server, tmp_path):
    world, source = World(400, 0), tmp_path / "triples.tsv"
    world.write(source, 400)
    model = fit(world.sample(400), recipe=FactsRecipe(epochs=1, match=False, bow=1.0))
    questions = world.questions(12)
    rows, places = milvus_facts.on_disk(model, source, tmp_path / "index", questions)
    where = server.address + "_facts_bench"
    rows["Milvus, FLAT"] = milvus_facts.in_milvus(model, source, 400, where, questions, places)
    assert rows["Milvus, FLAT"]["facts"] == 400
    assert abs(rows["Milvus, FLAT"]["hit@1"] - rows["on disk, exact"]["hit@1"]) < 0.2
    text = milvus_facts.page({"facts": 400, "questions": 12, "load": 1.0, "rows": rows})
    assert "| Milvus, FLAT |" in text
