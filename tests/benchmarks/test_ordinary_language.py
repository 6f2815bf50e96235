"""The benchmark of ordinary language, on a small network."""

from __future__ import annotations

from benchmarks import ordinary_language
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.train import train_ordinary
from memnn.simulator.ordinary import annotated

TINY = OrdinaryRecipe(epochs=1)


def test_a_row_of_the_table(capsys):
    model = train_ordinary(questions=80, recipe=TINY, stories=[]).model
    new = ordinary_language.SETS["new ways to ask"]
    stories = list(annotated(seed=1, questions=30, hold_out=new))
    rows = list(ordinary_language.asked(model, stories))
    assert len(rows) >= 30
    assert {row["supported"] for row in rows} == {True, False}
    assert all(0 <= row["p"] <= 1 for row in rows)
    ordinary_language.measure("new ways to ask", rows, model.judgement.sure, kinds=True)
    assert "declined" in capsys.readouterr().out
