"""`memnn train --recipe paths`, and the commands that read what it wrote."""

from __future__ import annotations

import json
import re

import pytest

from memnn.cli import app as cli
from memnn.stories import babi
from memnn.support_paths.model import load
from memnn.support_paths.recipe import PathRecipe

pytestmark = pytest.mark.usefixtures("compiled")
SIMULATE = ["--statements", "100", "--questions", "50", "--story-length", "6", "--difficulty", "1"]


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        capsys.readouterr()
        code = cli.run(list(arguments))
        return code, *capsys.readouterr()

    return command


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with stories and a model of them."""
    place = tmp_path_factory.mktemp("paths")
    stories, model = str(place / "train.txt"), str(place / "model")
    assert cli.run(["simulate", "-o", stories, *SIMULATE]) == 0
    assert cli.run(["train", stories, "-o", model, "--recipe", "paths"]) == 0
    return place


def test_the_json_of_training_has_the_same_keys_for_both_networks(run):
    run("simulate", "-o", "a", *SIMULATE)
    printed = {}
    for recipe in ("paths", "paper"):
        code, out, _ = run("train", "a", "-o", recipe, "--recipe", recipe, "--json")
        assert code == 0
        printed[recipe] = json.loads(out)
    assert {"model", "id", "questions", "statements", "seconds"} <= set(printed["paths"])
    assert set(printed["paths"]) == set(printed["paper"])
    assert load("paths").id == printed["paths"]["id"]


def test_what_is_shown_for_people(run, folder):
    code, out, err = run("train", str(folder / "train.txt"), "-o", "m", "--recipe", "paths")
    assert (code, out) == (0, "")
    assert "Learnt from 50 questions about 100 statements in " in err
    assert load("m").id == load(folder / "model").id, "the same seed"


def test_evaluate(run, folder):
    code, out, _ = run("evaluate", str(folder / "model"), str(folder / "train.txt"), "--json")
    assert code == 0
    assert json.loads(out)["accuracy"] > 0.9


def test_ask_shows_the_path(run, folder):
    (folder / "story.txt").write_text("Joe went to the kitchen.\nFred went to the garden.\n")
    asked = [str(folder / "model"), "Where is Joe?", "--story", str(folder / "story.txt")]
    code, out, _ = run("ask", *asked)
    assert code == 0
    assert out.startswith("→ kitchen\n   1. Joe went to the kitchen.  [1]\n")
    assert "membership" in out
    code, out, _ = run("ask", *asked, "--json")
    answer = json.loads(out)
    assert answer["answer"] == "kitchen"
    (hop,) = answer["evidence"]
    terms = hop["decisive"]["terms"]
    assert set(terms) == {"words", "membership", "write time", "stop"}
    assert sum(terms.values()) == pytest.approx(hop["decisive"]["margin"])


def test_settings_of_story_networks_are_refused(run, folder):
    code, out, err = run("ask", str(folder / "model"), "Where?", "--organised")
    assert (code, out) == (2, "")
    assert "story networks only" in err


def test_options_that_both_networks_have(run):
    run("simulate", "-o", "a", *SIMULATE)
    shared = ["--hops", "4", "--epochs", "1", "--seed", "7"]
    assert run("train", "a", "-o", "m", "--recipe", "paths", *shared)[0] == 0
    model = load("m")
    assert model.recipe == PathRecipe(hops=4, epochs=1, seed=7)
    assert model.hops == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--recipe", "poem"], "recipe 'poem'"),
        (["--recipe", "paths", "--dim", "50"], "--dim is for the paper's network"),
        (["--recipe", "paths", "--unseen"], "--unseen is for the paper's network"),
        (["--recipe", "paths", "--stream"], "--stream is for the paper's network"),
        (["--recipe", "paths", "--first-supports"], "--first-supports is for the paper's"),
        (["--recipe", "paths", "--hops", "31"], "hops must be between 1 and 30"),
        (["--recipe", "paths", "--hops", "0"], "hops must be between 1 and"),
        (["--recipe", "paths", "--first", "0"], "at least 1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_that_do_not_fit(run, tmp_path, options, message):
    (tmp_path / "a").write_text("1 Joe went home\n2 Where is Joe?\thome\t1\n")
    code, out, err = run("train", "a", "-o", "m", *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


MANY = "".join(f"{n} Joe took thing{n}\n" for n in range(1, 33))
FILES = {
    "empty": ("", "is empty"),
    "no question": ("1 Joe went home\n", "a: there are no questions to learn from"),
    "no support": ("1 Joe went home\n2 Where is Joe?\thome\n", "a:2: .*third column"),
    "a support nowhere": ("1 Joe went home\n2 Where is Joe?\thome\t9\n", "a:2: .*statement 9"),
    "a support forward": ("1 Joe left\n2 Where?\thome\t3\n3 Joe came\n", "a:2: .*statement 3"),
    "no answer": ("1 Joe went home\n2 Where is Joe?\t\t1\n", "a:2: .*no answer"),
    "commas": ("1 Joe went home\n2 Where is Joe?\t, ,\t1\n", "a:2: .*no answer"),
    "many parts": (
        f"1 Joe left\n2 How?\t{','.join('abcdefghijklmnopq')}\t1\n", "a:2: .*17 parts"
    ),
    "many supports": (
        f"{MANY}33 What?\tx\t{' '.join(map(str, range(1, 33)))}\n", "a:33: .*32 supporting"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_that_cannot_be_learnt_from(run, tmp_path, name):
    text, message = FILES[name]
    (tmp_path / "a").write_text(text)
    code, out, err = run("train", "a", "-o", "m", "--recipe", "paths")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("memnn: ")
    assert re.search(message, err), err
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_several_files_make_one_model(run, tmp_path):
    where = "1 Joe went home\n2 Ann went out\n3 Where is Joe?\thome\t1\n"
    count = "1 Joe took milk\n2 Joe took bread\n3 How many?\ttwo\t1 2\n"
    for name, text in (("a", where), ("b", count)):
        (tmp_path / name).write_text(text)
        assert len(babi.read(tmp_path / name)) == 1
    assert run("train", "a", "b", "-o", "m", "--recipe", "paths")[0] == 0
    assert load("m").hops == 2
    assert load("m").card["trained_on"] == ["a", "b"]
