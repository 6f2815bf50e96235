"""The command that trains the models that come with the package, and what they are worth."""

from __future__ import annotations

import sys

import pytest

from benchmarks import default_models, dialogue
from memnn import default
from memnn.dialogue.model import load as load_ensemble
from memnn.dialogue.network import Ensemble
from memnn.ordinary.model import load as load_ordinary


def test_a_small_reader(tmp_path, monkeypatch, capsys):
    trained = default_models.train_ordinary

    def little(**options):
        return trained(stories=[], **options)

    monkeypatch.setattr(default_models, "train_ordinary", little)
    command = ["models", "-o", str(tmp_path), "--only", "ordinary", "--questions", "40"]
    command += ["--epochs", "1"]
    monkeypatch.setattr(sys, "argv", command)
    default_models.main()
    place = tmp_path / "ordinary"
    assert load_ordinary(place).card["questions"] > 20
    assert str(place) in capsys.readouterr().out


def test_a_small_ensemble(tmp_path, monkeypatch, small):
    monkeypatch.setattr(default, "train_story", lambda: small.story)
    monkeypatch.setattr(default_models.dialogue, "ensemble", lambda story, **_: small)
    monkeypatch.setattr(sys, "argv", ["models", "-o", str(tmp_path), "--only", "dialogue"])
    default_models.main()
    kept = load_ensemble(tmp_path / "dialogue")
    assert kept.triples == small.triples
    halved = sum(file.stat().st_size for file in (tmp_path / "dialogue" / "facts").iterdir())
    assert halved < 0.7 * small.facts.U_O.nbytes
    assert abs(kept.facts.U_O - small.facts.U_O).max() < 0.01


def test_models_and_vectors_are_small():
    """What everybody downloads and every clone holds."""
    package = default.folder().parent.parent
    kinds = ("*.safetensors", "*.npz", "english/**/model.json")
    assert sum(f.stat().st_size for kind in kinds for f in package.rglob(kind)) < 10_000_000


@pytest.mark.soak
def test_training_anew_gives_as_good_models(tmp_path, monkeypatch):
    """The shipped ensemble and one trained now, on one set of questions."""
    monkeypatch.setattr(sys, "argv", ["models", "-o", str(tmp_path), "--only", "dialogue"])
    default_models.main()
    anew = load_ensemble(tmp_path / "dialogue")
    shipped, other = (
        dialogue.stories_among(Ensemble(model))["right"]
        for model in (load_ensemble(default.folder()), anew)
    )
    assert shipped > 0.99
    assert other == pytest.approx(shipped, abs=0.01)
