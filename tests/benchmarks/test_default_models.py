"""The command that trains the network that comes with the package."""

from __future__ import annotations

import sys

from benchmarks import default_models
from memnn.ordinary.model import load
from memnn.ordinary.recipe import OrdinaryRecipe


def test_a_small_one(tmp_path, monkeypatch, capsys):
    trained = default_models.train_ordinary

    def little(**options):
        return trained(stories=[], recipe=OrdinaryRecipe(epochs=1), **options)

    monkeypatch.setattr(default_models, "train_ordinary", little)
    place = tmp_path / "model"
    monkeypatch.setattr(sys, "argv", ["models", "-o", str(place), "--questions", "40"])
    default_models.main()
    assert load(place).card["questions"] > 20
    assert str(place) in capsys.readouterr().out
