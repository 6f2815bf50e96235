"""Folders of path networks: the same network again, or one line that says what is wrong."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest
from safetensors.numpy import load as load_file
from safetensors.numpy import save as save_file

import memnn
from memnn.errors import InputError, ModelError
from memnn.support_paths.model import load, rounded
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit

STORIES = memnn.simulate(statements=40, questions=20, story_length=5)
QUICK = PathRecipe(bits=12, epochs=1, answer_epochs=1)


@pytest.fixture
def folder(over_paths, tmp_path):
    return over_paths.save(tmp_path / "m")


def answers(net):
    stories = memnn.simulate(statements=40, questions=20, story_length=10, seed=5)
    found = []
    memnn.evaluate(net, stories, on_answer=lambda _, answer: found.append(plain(answer)))
    return found


def plain(answer):
    """An answer without the times of writing."""
    hops = [
        (hop.id, hop.text, hop.score, hop.decisive and dict(hop.decisive.terms))
        for hop in answer.evidence
    ]
    return answer.text, answer.score, answer.abstained, answer.reason, hops


def test_saving_and_loading_changes_no_answer(over_paths, folder):
    again = memnn.load(folder)
    assert again.model.id == over_paths.model.id
    assert again.model.hops == over_paths.model.hops
    assert again.model.vocabulary == over_paths.model.vocabulary
    assert again.model.silence == over_paths.model.silence
    assert again.model.recipe == over_paths.model.recipe
    assert np.array_equal(again.model.A, over_paths.model.A)
    assert all(map(np.array_equal, again.model.R, over_paths.model.R))
    assert answers(again) == answers(over_paths)


def test_training_hands_out_what_saving_keeps(tmp_path):
    model = fit(STORIES, QUICK)
    again = load(model.save(tmp_path / "m"))
    assert again.id == model.id
    assert np.array_equal(again.A, model.A)
    assert all(map(np.array_equal, again.R, model.R))


def test_rounded_is_half_precision():
    table = np.array([1.0, 1 / 3, 1e-9, -2.5], np.float32)
    assert np.array_equal(rounded(table), table.astype(np.float16).astype(np.float32))
    assert np.array_equal(rounded(rounded(table)), rounded(table))


@pytest.mark.parametrize("settings", [{"bits": 8}, {"bits": 11}, {"dim": 1}, {"beam": 1}], ids=str)
def test_every_recipe_that_can_be_trained_can_be_loaded(settings, tmp_path):
    model = fit(STORIES, PathRecipe(**{"bits": 12, "epochs": 1, "answer_epochs": 1} | settings))
    assert load(model.save(tmp_path / "m")).id == model.id


def test_the_card_tells_where_it_comes_from(folder):
    about = json.loads((folder / "model.json").read_text())
    assert (about["kind"], about["hops"], about["tokeniser"]) == ("paths", 2, "words-1")
    assert about["card"]["questions"] == 200
    assert about["recipe"]["bits"] == 14


def test_a_model_of_a_task_is_small(folder):
    assert sum(path.stat().st_size for path in folder.iterdir()) < 3_000_000


def test_settings_of_story_networks_are_refused(folder):
    with pytest.raises(InputError, match="story networks only"):
        memnn.load(folder, superseding=True)
    assert memnn.load(folder, organised=True).O.indexed


def edit(folder, **changes):
    about = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(about | changes))


def about(folder, key):
    return json.loads((folder / "model.json").read_text())[key]


def rewrite(folder, **changes):
    """Other weights, and the hash to match; None takes one away."""
    tensors = load_file((folder / "weights.safetensors").read_bytes()) | changes
    data = save_file({name: each for name, each in tensors.items() if each is not None})
    (folder / "weights.safetensors").write_bytes(data)
    edit(folder, id=hashlib.sha256(data).hexdigest()[:32])


def cut(folder):
    weights = folder / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])


def ints(*numbers):
    return np.array(numbers, np.int64)


def one(value, dtype=np.float16):
    return np.array([value], dtype)


FAR, NEAR = np.array([2**31], np.uint32), np.array([1], np.uint32)
BROKEN = {
    "cut weights": (cut, "damaged: weights"),
    "no weights": (lambda f: (f / "weights.safetensors").unlink(), "damaged: weights"),
    "another kind": (lambda f: edit(f, kind="story"), "damaged"),
    "no hops": (lambda f: edit(f, hops=0), "hops must be a whole number from 1 to 30"),
    "too many hops": (lambda f: edit(f, hops=31), "hops"),
    "hops of another kind": (lambda f: edit(f, hops="2"), "hops"),
    "true hops": (lambda f: edit(f, hops=True), "hops"),
    "no words": (lambda f: edit(f, words=None), "words must be a list"),
    "words that are none": (lambda f: edit(f, words=[1]), "words must be a list"),
    "fewer words": (lambda f: edit(f, words=["joe"]), "words and forms do not fit"),
    "fewer answers": (lambda f: edit(f, answers=["home"]), "weights and answers do not fit"),
    "unknown tokeniser": (lambda f: edit(f, tokeniser="runes"), "runes"),
    "tokeniser of another kind": (lambda f: edit(f, tokeniser=[]), "damaged"),
    "phrases of another kind": (lambda f: edit(f, phrases={}), "phrases"),
    "silence of another kind": (lambda f: edit(f, silence=[]), "damaged"),
    "less silence": (lambda f: edit(f, silence={"asking": []}), "excused"),
    "no recipe": (lambda f: edit(f, recipe=None), "damaged"),
    "wrong recipe": (lambda f: edit(f, recipe={"beam": 0}), "beam"),
    "another dimension": (
        lambda f: edit(f, recipe=about(f, "recipe") | {"dim": 7}),
        "weights and answers do not fit",
    ),
    "card of another kind": (lambda f: edit(f, card=3), "damaged"),
    "no answers": (lambda f: rewrite(f, **{"R.answers": None}), "R.answers"),
    "no size": (lambda f: rewrite(f, **{"A.size": None}), "A.size"),
    "two sizes": (lambda f: rewrite(f, **{"A.size": ints(1, 2)}), "damaged"),
    "odd size": (lambda f: rewrite(f, **{"A.size": ints(1000)}), "power of two"),
    "no room": (lambda f: rewrite(f, **{"A.size": ints(0)}), "power of two"),
    "negative size": (lambda f: rewrite(f, **{"A.size": ints(-4)}), "power of two"),
    "huge size": (lambda f: rewrite(f, **{"R.features.size": ints(2**40)}), "power of two"),
    "broken size": (lambda f: rewrite(f, **{"A.size": one(4.5, np.float32)}), "damaged"),
    "cells elsewhere": (
        lambda f: rewrite(f, **{"A.cells": FAR, "A.values": one(1)}), "A does not fit"
    ),
    "fewer cells": (lambda f: rewrite(f, **{"R.copies.cells": NEAR}), "R.copies does not fit"),
    "negative cells": (
        lambda f: rewrite(f, **{"A.cells": ints(-1), "A.values": one(1)}), "A does not fit"
    ),
    "broken cells": (
        lambda f: rewrite(f, **{"A.cells": one(0.5), "A.values": one(1)}), "A does not fit"
    ),
    "a table of cells": (
        lambda f: rewrite(f, **{"A.cells": FAR[None], "A.values": one(1)[None]}), "does not fit"
    ),
    "flat rows": (
        lambda f: rewrite(f, **{"R.features.cells": NEAR, "R.features.values": one(1)}),
        "R.features does not fit",
    ),
    "no numbers": (
        lambda f: rewrite(f, **{"A.cells": NEAR, "A.values": one(np.nan)}), "not numbers"
    ),
    "infinite numbers": (
        lambda f: rewrite(f, **{"R.copies.cells": NEAR, "R.copies.values": one(np.inf)}),
        "not numbers",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_damaged_folders(folder, name):
    damage, message = BROKEN[name]
    damage(folder)
    with pytest.raises(ModelError, match=message) as caught:
        memnn.load(folder)
    assert "\n" not in str(caught.value)


def test_cells_are_bounded_however_many_words_there_are():
    """A thousand words asked for a gigabyte."""
    recipe = PathRecipe()
    assert [recipe.bits_for(words) for words in (10, 37, 133, 1_000, 10**6)] == [18, 20, 22, 22, 22]
    assert PathRecipe(bits=26).bits_for(10) == 26
