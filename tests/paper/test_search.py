"""The search for the baselines' settings: what it tries, on what, and what it concludes."""

from __future__ import annotations

import pytest

from memnn.paper import report, runner
from memnn.paper.baselines import CHOSEN
from memnn.paper.plan import Cell, Size
from memnn.paper.search import COLUMNS, SEARCH, SETTINGS, TRAIN, VALIDATION, conclude, named


def test_what_was_chosen_is_among_what_is_tried():
    assert len(SETTINGS) == 16
    for settings in CHOSEN.values():
        assert SETTINGS[named(settings)] == settings
    assert named(CHOSEN["lstm"]) == "LSTM 100 / 50 / 0.005"


def test_it_is_measured_on_stories_that_no_table_uses(monkeypatch):
    pytest.importorskip("torch")
    from memnn.paper import search

    seeds, real = [], search.told

    def told(difficulty, ask, seed, *rest, **options):
        seeds.append(seed)
        return real(difficulty, ask, seed, *rest, **options)

    monkeypatch.setattr(search, "told", told)
    cell = Cell(SEARCH.name, "RNN 50 / 25 / 0.003", "D1 actor", 0)
    values = search.measure_setting(cell, Size(140, 60, quick=True))
    assert seeds == [TRAIN, VALIDATION]
    assert 0 <= values["accuracy"] <= 1


def means(**accuracies):
    """The same accuracy in every column, by row."""
    return {(row, column): a for row, a in accuracies.items() for column in COLUMNS}


def test_it_says_whether_the_best_is_the_one_chosen():
    rows = dict.fromkeys(SETTINGS, 0.3)
    agreed = conclude(means(**rows | {"RNN 100 / 50 / 0.001": 0.4, "LSTM 100 / 50 / 0.005": 0.5}))
    assert [note.split("; ")[1] for note in agreed] == ["it is the one chosen."] * 2
    other = conclude(means(**rows | {"LSTM 50 / 25 / 0.01": 0.5}))
    assert "LSTM 50 / 25 / 0.01 (50.0); chosen was LSTM 100 / 50 / 0.005 (30.0)." in other[1]


def test_it_says_nothing_of_what_was_not_measured_everywhere():
    assert conclude({("LSTM 100 / 50 / 0.005", "D1 actor"): 0.5}) == []


def test_the_conclusion_is_in_the_report(tmp_path):
    results = runner.Results.open(tmp_path, quick=True)
    for row in SETTINGS:
        for column in COLUMNS:
            accuracy = 0.5 if row == "LSTM 50 / 50 / 0.01" else 0.25
            results.add(Cell(SEARCH.name, row, column, 0), {"accuracy": accuracy}, 0.1)
    report.write(results, [SEARCH], [])
    text = (tmp_path / "report.md").read_text()
    assert "- Best on average over the columns: LSTM 50 / 50 / 0.01 (50.0); chosen was" in text
