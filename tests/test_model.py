"""Model folders: whole, or a clear error."""

from __future__ import annotations

import json

import numpy as np
import pytest

import memnn
from memnn import model as models
from memnn.errors import ModelError


@pytest.fixture
def folder(trained, tmp_path):
    return trained.save(tmp_path / "m")


def edit(folder, **changes):
    about = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(about | changes))


def test_round_trip(trained, folder):
    assert sorted(p.name for p in folder.iterdir()) == ["model.json", "weights.safetensors"]
    assert [p.name for p in folder.parent.iterdir()] == ["m"]
    again = memnn.load(folder)
    assert again.model.id == trained.model.id
    assert np.array_equal(again.model.U_O, trained.model.U_O)
    assert again.model.recipe == trained.model.recipe
    again.tell("Joe went to the kitchen.")
    assert again.ask("Where is Joe?").text == "kitchen"


def test_the_card_tells_where_it_comes_from(folder):
    about = json.loads((folder / "model.json").read_text())
    assert about["kind"] == "story"
    assert about["format"] == 1
    assert about["recipe"]["hops"] == 2
    assert about["card"]["questions"] == 3000
    assert about["tokeniser"] == "words-1"


def test_saving_over_a_model_replaces_it(trained, folder):
    models.save(trained.model, folder)
    assert memnn.load(folder).model.id == trained.model.id
    assert [p.name for p in folder.parent.iterdir()] == ["m"]


def test_saving_over_something_else_is_refused(trained, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "diary.txt").write_text("dear diary")
    with pytest.raises(ModelError, match="not just a model"):
        trained.save(tmp_path / "notes")
    assert (tmp_path / "notes" / "diary.txt").read_text() == "dear diary"


def test_saving_over_a_model_with_company_is_refused(trained, folder):
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(ModelError, match="not just a model"):
        trained.save(folder)
    assert (folder / "notes.txt").read_text() == "mine"


def test_saving_where_nothing_can_be_written(trained, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="cannot write"):
        trained.save(tmp_path / "file" / "m")


def test_a_failed_save_leaves_the_old_model(trained, folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(models.os, "fsync", full)
    with pytest.raises(ModelError, match="No space left"):
        trained.save(folder)
    monkeypatch.undo()
    assert memnn.load(folder).model.id == trained.model.id
    assert [p.name for p in folder.parent.iterdir()] == ["m"]


def truncate(folder):
    weights = folder / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])


BROKEN = {
    "no such folder": (lambda f: f.rename(f.with_name("gone")), "no model"),
    "not a model": (lambda f: (f / "model.json").unlink(), "not a model"),
    "truncated weights": (truncate, "damaged: weights"),
    "no weights": (lambda f: (f / "weights.safetensors").unlink(), "damaged: weights"),
    "truncated json": (lambda f: (f / "model.json").write_text('{"format": 1, '), "damaged"),
    "json of another kind": (lambda f: (f / "model.json").write_text("[]"), "damaged"),
    "some other json": (lambda f: (f / "model.json").write_text("{}"), "not a memnn model"),
    "newer": (lambda f: edit(f, format=99), "format 99.*newer memnn"),
    "another kind": (lambda f: edit(f, kind="facts"), "kind 'facts'"),
    "words missing": (lambda f: edit(f, words=["a"]), "do not fit"),
    "unknown tokeniser": (lambda f: edit(f, tokeniser="runes"), "tokeniser 'runes'"),
    "recipe of another kind": (lambda f: edit(f, recipe={"hops": 0}), "hops"),
    "key missing": (lambda f: edit(f, recipe=None), "damaged"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_broken_folders(folder, how):
    breakage, message = BROKEN[how]
    breakage(folder)
    with pytest.raises(ModelError, match=message) as caught:
        memnn.load(folder)
    assert "\n" not in str(caught.value)
