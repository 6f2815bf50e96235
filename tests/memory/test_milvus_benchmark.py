"""A short run of the Milvus benchmark, on the server of the tests."""

from __future__ import annotations

from benchmarks import milvus, milvus_flat


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
