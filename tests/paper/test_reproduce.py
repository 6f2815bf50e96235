"""The machinery of `memnn reproduce`: cells, resuming, the report. Figures are for real runs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from memnn.errors import InputError, UnknownName
from memnn.paper import report, runner
from memnn.paper.plan import Cell, Size
from memnn.paper.registry import EXPERIMENTS, named
from memnn.paper.tables import TABLE3, TABLE5


def test_names_and_groups():
    assert [e.name for e in named(["table5", "figure1"])] == ["figure1", "table5"]
    apart = ("babi", "baselines-search", "conversations", "paths")
    assert {e.name for e in named(["all"])} == {
        name for name in EXPERIMENTS if not name.startswith(apart)
    }
    with pytest.raises(UnknownName, match="table9"):
        named(["table9"])


def test_the_paper_s_figures_stand_where_they_belong():
    assert TABLE3.paper["MemNN k=1 (+time)", "D5 actor+object"] == 44.4
    assert TABLE3.paper["LSTM", "D1 actor"] == 64.8
    assert TABLE5.paper["MemNN k=2 (+time)", "D1 actor w/o before + object"] == 99.95
    assert len(TABLE3.cells(5, quick=False)) == 125


def test_a_run_goes_on_where_it_stopped(tmp_path):
    small = replace(TABLE5, rows=["MemNN k=2 (+time)"], columns=list(TABLE5.columns[:2]))
    results = runner.Results.open(tmp_path, quick=True)
    measured = []
    runner.run([small], results, seeds=1, jobs=1, progress=lambda *what: measured.append(what))
    assert len(measured) == 2
    again = runner.Results.open(tmp_path, quick=True)
    assert again.cells == results.cells
    runner.run([small], again, seeds=1, jobs=1, progress=lambda *what: measured.append(what))
    assert len(measured) == 2, "a finished cell is not computed again"
    (cell,) = again.of("table5", "MemNN k=2 (+time)", "D1 actor w/o before")
    assert cell["seed"] == 0
    assert 0 < cell["accuracy"] <= 1

    page = report.write(again, [small], left_out=["a problem"])
    text = (tmp_path / "report.md").read_text()
    assert f"{100 * cell['accuracy']:.1f} (100)" in text
    assert "- a problem" in text
    assert "<table>" in page.read_text()
    assert json.loads((tmp_path / "results.json").read_text())["machine"]["cores"]
    with pytest.raises(InputError, match="quick run"):
        runner.Results.open(tmp_path, quick=False)


def test_results_that_are_none(tmp_path):
    (tmp_path / "results.json").write_text("[]")
    with pytest.raises(InputError, match="not a file of results"):
        runner.Results.open(tmp_path, quick=False)


def test_rows_whose_extra_is_missing_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "has_torch", lambda: False)
    small = replace(TABLE5, rows=["RNN"], columns=list(TABLE5.columns[:1]))
    results = runner.Results.open(tmp_path, quick=True)
    (problem,) = runner.run([small], results, seeds=1, jobs=1)
    assert "memnn[recurrent]" in problem
    assert results.cells == {}


LEARNABLE = {
    "figure1": ("MemNN k=2 (+time)", "3 questions", 1.0),
    "table1": ("all", "all", 0.8),
    "table2": ("all", "all", 0.8),
    "table3": ("MemNN k=2 (+time)", "D5 actor+object", 0.8),
    "table4": ("3000", "D5 actor+object", 0.8),
    "table5": ("MemNN k=2 (+time)", "D5 actor w/o before + object", 0.75),
    "table6": ("LSTM", "MemNN: [x, m_o1, m_o2]", 0.75),
    "figure2": ("LSTM as R", "D5 actor+object", 0.75),
    "figure3": ("--unseen --match", "Lord of the Rings", 1.0),
    "figure4": ("calibrated", "story questions", 1.0),
    "ablations": ("no lesions", "accuracy", 0.8),
    "dropout": ("drawn", "all names replaced", 0.8),
    "lengths": ("2", "accuracy", 0.85),
    "difficulty": ("MemNN k=2 (+time)", "50", 0.65),
    "forgetting": ("least useful, difficulty 50", "128", 0.8),
    "babi-strong": ("1", "all", 0.8),
    "babi-weak": ("1", "all", 0.6),
    "babi-joint": ("all twenty", "all", 0.7),
    "babi-swaps": ("1", "unknown people", 0.8),
    "babi-transfer": ("1", "2000", 0.8),
    "paths": ("Table 3, D1 actor w/o before", "paths", 0.8),
}
"""A cell of each experiment that little data is enough for, and what is far above chance, 0.2."""


@pytest.mark.parametrize("name", LEARNABLE)
def test_a_quick_run_learns_what_can_be_learnt(name):
    row, column, least = LEARNABLE[name]
    cells = EXPERIMENTS[name].cells(1, quick=True)
    (cell,) = [c for c in cells if (c.row, c.column) == (row, column)]
    if cell.needs_torch:
        pytest.importorskip("torch")
    assert least <= EXPERIMENTS[name].measure(cell, Size.of(quick=True))["accuracy"] <= 1


@pytest.mark.parametrize("name", sorted(set(EXPERIMENTS) - set(LEARNABLE) - {"conversations"}))
def test_baselines_run(name):
    """In two epochs an RNN learns nothing: `test_baselines.py` shows that they can.

    Conversations have a test of their own, `test_conversations.py`.
    """
    pytest.importorskip("torch")
    cell = EXPERIMENTS[name].cells(1, quick=True)[0]
    assert set(EXPERIMENTS[name].measure(cell, Size(140, 60, quick=True))) == {"accuracy"}


def quoted(text, row):
    """The cells of a row of a table in the report."""
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {row} |")]
    return [cell.strip() for cell in line.strip("|").split("|")[1:]]


def test_facts_show_the_paper_s_figures_beside_ours(tmp_path):
    results = runner.Results.open(tmp_path, quick=True, split="valid")
    assert runner.run(named(["table1", "table2"]), results, seeds=1, jobs=1) == []
    report.write(results, list(EXPERIMENTS.values()), [])
    text = (tmp_path / "report.md").read_text()
    assert text.startswith("# Facts")
    assert "a made-up world" in text
    assert "Not comparable" in text
    assert quoted(text, "Paralex (Fader et al. 2013), as quoted in the paper")[0] == "0.54"
    assert quoted(text, "Bordes et al. 2014b, as quoted in the paper")[0] == "0.73"
    assert quoted(text, "MemNN: embedding")[0] == "0.72"
    assert quoted(text, "MemNN: embedding + λ·BoW")[0] == "0.82"
    (cell,) = results.of("table1", "all", "all")
    for row in ("TF-IDF", "MemNN: embedding", "MemNN: embedding + matching"):
        ours = cell["rows"][row]
        assert quoted(text, row)[1:3] == [f"{ours['f1']:.3f}", f"{ours['hit@1']:.3f}"]
        assert 0 < ours["hit@1"] <= ours["hit@10"] <= 1
    (two,) = results.of("table2", "all", "all")
    assert two["rows"]["No hashing"]["fewer"] == 1
    assert two["rows"]["Word hash"]["fewer"] > 1
    assert two["replaced"]["questions"] > 0
    for row in two["replaced"]["rows"].values():
        assert row["all after held"] <= row["all before held"] <= 1
    held = {row: values["held"] for row, values in two["nicknames"]["rows"].items()}
    assert held["Word hash"] < held["Cluster hash"] <= held["No hashing"] == 1
    assert "(0.63)" in text
    assert "(177k)" in text
    with pytest.raises(InputError, match="other data"):
        runner.Results.open(tmp_path, quick=True, split="test")


def test_without_bm25_its_row_says_so(monkeypatch):
    from memnn.paper import table1

    monkeypatch.setattr(table1, "has_bm25", lambda: False)
    cell = Cell("table1", "all", "all", 0)
    values = table1.measure_table1(cell, Size.of(quick=True))
    assert "BM25, tuned on validation" not in values["rows"]
    assert any("pip install bm25s" in note for note in values["notes"])
    text = "\n".join(table1.show_table1([values]))
    assert quoted(text, "BM25, tuned on validation") == ["–"] * 8


def test_a_quick_run_never_opens_the_test_questions(shared_data, monkeypatch):
    from memnn.facts import triples
    from memnn.paper import facts

    opened = []
    real = triples._opened
    monkeypatch.setattr(triples, "_opened", lambda path: opened.append(path.name) or real(path))
    for size in (Size.of(True, str(shared_data)), Size.of(False, str(shared_data), "valid")):
        data = facts.load(size)
        assert data.asked == data.valid
        assert "very questions" in data.about
    assert "questions-valid.tsv" in opened
    assert "questions-test.tsv" not in opened


def test_a_folder_without_the_data(tmp_path):
    from memnn.paper import facts

    with pytest.raises(InputError, match=r"no triples\.tsv\.gz"):
        facts.load(Size.of(True, str(tmp_path)))


def test_plots_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    results = runner.Results.open(tmp_path, quick=True)
    experiment = EXPERIMENTS["forgetting"]
    for row in experiment.rows:
        for column in experiment.columns:
            results.add(Cell("forgetting", row, column, 0), {"accuracy": int(column) / 128}, 0.1)
    results.add(
        Cell("figure1", "MemNN k=2 (+time)", "3 questions", 0),
        {
            "accuracy": 1.0,
            "said": [{"question": "Where?", "answer": "here", "evidence": ["It is here."]}],
            "strip": {
                "memories": ["It is here.", "It rains."],
                "questions": [
                    {
                        "question": "Where?",
                        "hops": [
                            {"scores": [1.0, 0.2], "support": 0},
                            {"scores": [0.1, 0.2], "support": 1},
                        ],
                    }
                ],
            },
        },
        0.1,
    )
    report.write(results, [EXPERIMENTS["figure1"], experiment], [])
    for name in ("forgetting.png", "figure1.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    text = (tmp_path / "report.md").read_text()
    assert "(forgetting.png)" in text
    assert "Where? **here** (“It is here.”)" in text
    assert "data:image/png;base64" in (tmp_path / "report.html").read_text()
