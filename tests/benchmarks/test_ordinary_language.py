"""The benchmark of ordinary language, on a small network."""

from __future__ import annotations

import json

import pytest

from benchmarks import ordinary_answers, ordinary_language, ordinary_parts, report
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.train import train_ordinary
from memnn.simulator.ordinary import annotated

TINY = OrdinaryRecipe(epochs=1)


def test_a_row_of_the_table():
    model = train_ordinary(questions=80, recipe=TINY, stories=[]).model
    new = ordinary_language.SETS["new ways to ask"]
    stories = list(annotated(seed=1, questions=30, hold_out=new))
    rows = list(ordinary_language.asked(model, stories))
    assert len(rows) >= 30
    assert {row["supported"] for row in rows} == {True, False}
    assert all(0 <= row["p"] <= 1 for row in rows)
    found = ordinary_language.measure(rows)
    assert found["right"][1] + found["unsupported declined"][1] == len(rows)
    kinds = ordinary_language.by_kind(rows)
    assert sum(n for _, n in kinds.values()) == len(rows)


def test_stories_of_three_statements():
    found = ordinary_language.of_length(3, 5)
    assert found
    assert all(len(each.told) == 3 for each in found)


@pytest.mark.parametrize("name", ["without contexts", "without the simulated world"])
def test_a_part_is_taken_away(name):
    effort = ordinary_parts.Effort(questions=20, stories=2000, epochs=1, files=200, cases=3)
    kept = []
    ordinary_parts.run(effort, [name], kept.append)
    assert kept[0][name]["stories"]["questions"] > 20
    assert name in ordinary_parts.table(kept[0])


def test_honesty_and_speed(tmp_path):
    said = [(0.15, False), (0.15, False), (0.95, True)]
    steps = ordinary_answers.steps(said)
    assert [step["questions"] for step in steps] == [2, 1]
    assert ordinary_answers.calibration_error(steps) == pytest.approx(
        (2 * 0.15 + 0.05) / 3, abs=1e-4
    )
    kept = {"said": [[0.6, True]] * 30 + [[0.85, True]] * 30}
    (tmp_path / "dialogues-dev.json").write_text(json.dumps(kept))
    found = ordinary_answers.run(200, (20,), 5, tmp_path)
    assert found["honesty"]["dialogues, development"]["calibration_error"] == pytest.approx(0.275)
    assert found["milliseconds"]["reader"]["20"] > 0
    if report.can_plot():
        ordinary_answers.draw(found["honesty"], tmp_path / "reliability.png")
        assert (tmp_path / "reliability-dark.png").exists()
