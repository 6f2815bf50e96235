"""A saved reader is read with the word vectors that it learnt with."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from memnn import default
from memnn.errors import ModelError
from memnn.ordinary.hearing import Hearing
from memnn.ordinary.model import BEFORE, load
from memnn.ordinary.view import name_of
from memnn.text.related import related_english
from memnn.text.vectors import english


@pytest.fixture
def saved(tmp_path):
    """The default reader, with or without related words drawn together."""

    def save(related):
        model = default.ordinary()
        vectors = related_english() if related else english()
        recipe = replace(model.recipe, related=related)
        hearing = Hearing(vectors, model.hearing.weights)
        return replace(model, recipe=recipe, hearing=hearing).save(tmp_path / str(related))

    return save


def changed(folder, **entries):
    file = folder / "model.json"
    about = json.loads(file.read_text("utf-8"))
    about["recipe"] |= entries.pop("recipe", {})
    for name in entries.pop("without", ()):
        del about["recipe"][name]
    file.write_text(json.dumps(about | entries), encoding="utf-8")


@pytest.mark.parametrize("related", [True, False])
def test_it_is_read_with_what_it_learnt_with(saved, related):
    model = load(saved(related))
    assert model.hearing.vectors is (related_english() if related else english())
    assert model.recipe.related == related


def test_those_of_before_learnt_with_plain_vectors_and_stories_alone(saved):
    folder = saved(False)
    changed(folder, without=("related", "mixed"))
    about = json.loads((folder / "model.json").read_text("utf-8"))
    del about["vectors"]
    (folder / "model.json").write_text(json.dumps(about), encoding="utf-8")
    model = load(folder)
    assert model.hearing.vectors is english()
    assert {name: getattr(model.recipe, name) for name in BEFORE} == BEFORE


def test_other_vectors_than_it_learnt_with_are_refused(saved):
    folder = saved(True)
    codes = english().codes.copy()
    codes[0] = -codes[0]
    other = replace(english(), codes=codes)
    with pytest.raises(ModelError, match="other word vectors"):
        load(folder, other)
    changed(folder, recipe={"related": False})
    with pytest.raises(ModelError, match="other word vectors"):
        load(folder)


def test_what_is_heard_is_kept_apart_by_vectors():
    """Memories keep what pronouns stand for; it depends on what words mean."""
    weights = default.ordinary().hearing.weights
    plain, drawn = Hearing(english(), weights), Hearing(related_english(), weights)
    assert name_of(plain) != name_of(drawn)
    assert name_of(plain) == name_of(Hearing(english(), np.array(weights)))
