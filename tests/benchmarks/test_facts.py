"""The benchmark of facts on almost nothing: every measurement is made, and the report says so."""

from __future__ import annotations

import json

import pytest

from benchmarks import facts
from benchmarks import facts_report as report
from memnn.errors import InputError

TINY = facts.Effort(sample=200, epochs=1, questions=12, flat_questions=3, torch_triples=0)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    said = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(facts, "throughput", lambda *_: {"left_out": "it takes too long"})
        results = facts.run(600, folder, effort=TINY, say=said.append, keep=True)
    return folder, results, said


def test_everything_is_measured(measured):
    folder, results, _ = measured
    (row,) = results["sizes"]
    assert row["facts"] == 600
    assert 0 < row["build"]["facts"] <= row["facts"]
    assert row["build"]["bytes"] > 0
    assert set(row["answer"]) == {"none", "word", "cluster"}
    assert row["cold"]["answer"]
    assert row["answer"]["none"]["agreement"] == 1.0
    assert row["answer"]["none"]["candidates"] == row["build"]["facts"]
    assert row["answer"]["word"]["candidates"] < row["build"]["facts"]
    assert row["answer"]["word"]["agreement"] > 0.5
    for name in ("exact", "one thread", "two threads"):
        assert row["flat"][name]["p95_ms"] >= row["flat"][name]["median_ms"] > 0
    assert json.loads((folder / "results.json").read_text()) == results


def test_the_report_says_what_was_aimed_at(measured):
    folder, results, _ = measured
    text = (folder / "report.md").read_text()
    assert "## 600 facts" in text
    assert "Training beside PyTorch was left out: it takes too long." in text
    for what, reached, *_ in report.aims(results):
        assert f"| {what} | {reached} |" in text


def test_what_is_finished_is_not_measured_again(measured, monkeypatch):
    folder, results, _ = measured
    monkeypatch.setattr(facts, "measured", lambda *_: pytest.fail("measured again"))
    again = facts.run(600, folder, effort=TINY, keep=True)
    assert again["sizes"] == results["sizes"]


@pytest.mark.parametrize(("text", "size"), [("100k", 100_000), ("14M", 14_000_000), ("7", 7)])
def test_sizes(text, size):
    assert facts.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "k", "many", "-5", "0", "1.5M"])
def test_no_sizes(text):
    with pytest.raises(InputError, match="no size"):
        facts.parse_size(text)


def test_smaller_sizes_come_first(monkeypatch, tmp_path):
    monkeypatch.setattr(facts, "SIZES", (300, 600))
    monkeypatch.setattr(facts, "_kept", lambda *_: {"left_out": "nothing is measured here"})
    monkeypatch.setattr(facts, "_save", lambda *_: None)
    results = facts.run(600, tmp_path / "bench", effort=TINY)
    assert [row["facts"] for row in results["sizes"]] == [300, 600]
    assert not (tmp_path / "bench" / "work").exists()
