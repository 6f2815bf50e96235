"""`memnn train` with the network that fits or with paths, and the commands that read the model."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from memnn import checkpoint
from memnn.checkpoint import Checkpoint
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
    assert re.search(r"Of \d+ questions held back .*% were answered right, .*% with the", err)
    assert "Chose" not in err
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
    code, out, err = run("ask", str(folder / "model"), "Where?", "--superseding")
    assert (code, out) == (2, "")
    assert "story networks only" in err


def test_a_large_memory_may_be_organised(run, folder):
    asked = [str(folder / "model"), "Where is Joe?", "--story", str(folder / "story.txt")]
    assert run("ask", *asked, "--organised") == run("ask", *asked)


def test_word_streams(run):
    run("simulate", "-o", "a", *SIMULATE, "--stream")
    assert run("train", "a", "-o", "m", "--recipe", "paths", "--stream", "--epochs", "2")[0] == 0
    assert load("m").segmenter is not None
    code, out, _ = run("train", "a", "-o", "n", "--stream", "--epochs", "1", "--json")
    assert (code, json.loads(out)["recipe"]) == (0, "paper")
    code, _, err = run("train", "a", "-o", "n", "--recipe", "paths", "--stream", "--match")
    assert code == 2
    assert "--match is for the paper's network" in err


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


def test_with_nothing_said_it_chooses_and_says_why(run):
    run("simulate", "-o", "a", *SIMULATE)
    code, out, err = run("train", "a", "-o", "m")
    assert (code, out) == (0, "")
    assert (
        len(re.findall(r"^Chose the .* network: it has .* held-back answers right", err, re.M)) == 1
    )
    printed = json.loads(run("train", "a", "-o", "m", "--json")[1])
    assert printed["recipe"] in ("paths", "paper")
    assert "held-back answers right" in printed["why"]
    assert set(printed["held_back"]) == {"questions", "answers", "supports"}


@pytest.mark.parametrize(
    "option", [["--match"], ["--dim", "10"], ["--time", "ordered"], ["--first-supports"]], ids=str
)
def test_an_option_of_the_paper_s_network_implies_it(run, option):
    run("simulate", "-o", "a", *SIMULATE)
    code, out, err = run("train", "a", "-o", "m", *option, "--epochs", "1", "--json")
    assert code == 0
    assert "Chose" not in err
    printed = json.loads(out)
    assert (printed["recipe"], printed["why"]) == ("paper", f"{option[0]} is for it")
    assert printed["held_back"] is None
    asked = json.loads(
        run("train", "a", "-o", "n", "--epochs", "1", "--recipe", "paper", "--json")[1]
    )
    assert (asked["recipe"], asked["why"]) == ("paper", "as asked")
    if option[0] in ("--time", "--first-supports"):
        assert asked["id"] == printed["id"], "they were the settings anyway"


def test_the_curve(run, tmp_path):
    pytest.importorskip("matplotlib")
    run("simulate", "-o", "a", *SIMULATE)
    few = ["--recipe", "paths", "--epochs", "2"]
    assert run("train", "a", "-o", "m", *few, "--curve", "c.json", "--curve", "c.png")[0] == 0
    written = json.loads((tmp_path / "c.json").read_text())
    assert (written["model"], written["recipe"]) == ("m", "paths")
    first, last = written["curve"][0], written["curve"][-1]
    assert set(first) == {"stage", "epoch", "loss_O", "loss_R", "supports", "answers"}
    assert (first["stage"], first["epoch"], first["loss_R"]) == ("Four fifths", 1, None)
    assert 0 <= first["supports"] <= 1
    assert (last["stage"], last["supports"]) == ("All stories", None)
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    paper = ["--recipe", "paper", "--epochs", "2", "--curve", "p.json"]
    assert run("train", "a", "-o", "p", *paper)[0] == 0
    assert len(json.loads((tmp_path / "p.json").read_text())["curve"]) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a", "c.json", "c.png", "m", "p", "p.json",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("curve", "message"),
    [("c.txt", "as .json or .png"), ("none/c.json", "no folder none")],
)
def test_a_curve_that_cannot_be_written_is_no_training(run, tmp_path, curve, message):
    (tmp_path / "a").write_text("1 Joe went home\n2 Where is Joe?\thome\t1\n")
    code, out, err = run("train", "a", "-o", "m", "--curve", curve)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_curve_as_png_without_matplotlib(run, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    (tmp_path / "a").write_text("1 Joe went home\n2 Where is Joe?\thome\t1\n")
    code, _, err = run("train", "a", "-o", "m", "--curve", "c.png")
    assert code == 2
    assert "pip install 'memnn[plots]'" in err


def test_ctrl_c_and_resume(run, tmp_path, monkeypatch):
    """What is left goes on to the model that would have been, and nothing stays behind."""
    run("simulate", "-o", "a", *SIMULATE)
    train = ["train", "a", "-o", "m", "--recipe", "paths", "--epochs", "3"]
    whole = json.loads(run(*train, "--json")[1])["id"]
    (tmp_path / "m").rename(tmp_path / "whole")
    monkeypatch.setattr(checkpoint, "EVERY", 0.0)
    kept = Checkpoint.keep

    def pressed(self, state):
        if self.written:
            raise KeyboardInterrupt
        kept(self, state)

    monkeypatch.setattr(Checkpoint, "keep", pressed)
    code, out, err = run(*train)
    assert (code, out) == (130, "")
    assert err.splitlines()[-1] == (
        "memnn: interrupted; the same command with --resume goes on from there"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "m.training", "whole"]
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*train, "--seed", "1", "--resume")
    assert (code, out) == (2, "")
    assert "was begun with other stories, settings or another version; leave out --resume" in err
    code, out, _ = run(*train, "--resume", "--json")
    assert (code, json.loads(out)["id"]) == (0, whole)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "m", "whole"]
    code, out, err = run(*train, "--resume", "--json")
    assert "There is nothing to resume; starting from the beginning" in err
    assert json.loads(out)["id"] == whole


HALF_WAY = """
import signal
from memnn import checkpoint
from memnn.cli import main
kept = checkpoint.Checkpoint.keep
def keep(self, state):
    kept(self, state)
    if self.written:
        print("written", flush=True)
        signal.pause()
checkpoint.Checkpoint.keep, checkpoint.EVERY = keep, 0.0
main()
"""
"""`memnn`, which stops when it has written what it would go on from."""


def test_a_kill_leaves_no_half_written_model(run, tmp_path):
    run("simulate", "-o", "a", *SIMULATE)
    train = [sys.executable, "-c", HALF_WAY, "train", "a", "-o", "m", "--recipe", "paths"]
    with subprocess.Popen(train, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "written\n"
        process.kill()
    left = {path.name for path in tmp_path.iterdir() if not path.name.startswith(".memnn-")}
    assert left == {"a", "m.training"}
    code, _, err = run("ask", "m", "Where is Joe?")
    assert code == 2
    assert "there is no model at m" in err
    assert run("train", "a", "-o", "m", "--recipe", "paths", "--epochs", "1")[0] == 0
    assert {path.name for path in tmp_path.iterdir()} >= {"a", "m"}
    assert not (tmp_path / "m.training").exists(), "a new training starts from the beginning"


def test_contradictions_are_one_line(run, tmp_path):
    twice = "1 Joe went home\n2 Where is Joe?\thome\t1\n3 Where is Joe?\taway\t1\n"
    (tmp_path / "a").write_text(twice * 2)
    code, _, err = run("train", "a", "-o", "m")
    assert code == 0
    assert err.splitlines()[0] == (
        "2 questions are answered in two ways after the same statements, first at a:3"
    )


def test_one_question(run, tmp_path):
    (tmp_path / "a").write_text("1 Joe went home\n2 Where is Joe?\thome\t1\n")
    code, _, err = run("train", "a", "-o", "m")
    assert code == 0
    assert "Chose the path network: there are too few stories to compare networks on" in err


def test_an_answer_never_seen_in_training_is_wrong_and_no_error(run, tmp_path):
    story = "1 Joe went home\n2 Where is Joe?\thome\t1\n"
    (tmp_path / "a").write_text(story * 4 + story.replace("\thome", "\tnobody knows,ever"))
    code, out, _ = run("train", "a", "-o", "m", "--recipe", "paths", "--json")
    assert code == 0
    assert json.loads(out)["held_back"]["answers"] == 0
    (tmp_path / "b").write_text(story.replace("\thome", "\telsewhere"))
    assert json.loads(run("evaluate", "m", "b", "--json")[1])["accuracy"] == 0


def test_a_label_that_is_wrong_in_a_long_story(run, tmp_path):
    """One line: nothing is said about a choice that comes to nothing."""
    told = "".join(f"{n} Joe went to room{n}.\n" for n in range(1, 500))
    (tmp_path / "a").write_text(f"{told}500 Where is Joe?\troom499\t499\n501 Where is Ann?\tx\n")
    code, out, err = run("train", "a", "-o", "m")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "a:501: the question names no supporting statement" in err
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_hundred_thousand_statements_in_one_story(run, tmp_path):
    told = [f"{n} Joe{n % 999} went to room{n % 50}.\n" for n in range(1, 100_001)]
    asked = [f"{100_001 + n} Where is Joe{n}?\troom{n}\t{99_900 + n}\n" for n in range(2, 10)]
    (tmp_path / "a").write_text(
        "".join([*told, "100001 Joe left.\n", "100002 Ann left.\n", *asked])
    )
    code, _, err = run("train", "a", "-o", "m", "--epochs", "1")
    assert code == 0, err
    assert "Chose the paper's network: 100,002 statements stand before a question" in err


def test_a_hundred_thousand_statements_for_a_path_network(run, tmp_path):
    told = "".join(f"{n} Joe{n % 99} went to room{n % 50}.\n" for n in range(1, 100_001))
    (tmp_path / "a").write_text(f"{told}100001 Where is Joe10?\troom0\t100000\n")
    code, out, err = run("train", "a", "-o", "m", "--recipe", "paths", "--epochs", "1", "--json")
    assert code == 0, err
    assert json.loads(out)["statements"] == 100_000


MANY = "".join(f"{n} Joe took thing{n}\n" for n in range(1, 33))


def test_without_supports(run, tmp_path):
    """They are found; the paper's network needs them."""
    run("simulate", "--task", "1", "--questions", "100", "-o", "a")
    bare = [line.rsplit("\t", 1)[0] for line in (tmp_path / "a").read_text().splitlines()]
    (tmp_path / "b").write_text("\n".join(bare) + "\n")
    code, out, err = run("train", "b", "-o", "m", "--recipe", "paper")
    assert (code, out) == (2, "")
    assert "names no supporting statement" in err
    code, out, err = run("train", "b", "-o", "m", "--json")
    assert code == 0, err
    found = r"100 questions name no supports, .* those found explain \d+\.\d% of the answers"
    assert re.search(found, err), err
    held_back = json.loads(out)["held_back"]
    assert held_back["answers"] > 0.8
    assert held_back["supports"] is None, "there is nothing to compare those found with"
    assert json.loads(run("evaluate", "m", "a", "--json")[1])["support_accuracy"] > 0.8


def test_without_supports_the_last_line_says_what_was_measured(run, tmp_path):
    story = "1 Joe went home\n2 Where is Joe?\thome\n"
    (tmp_path / "a").write_text(story * 10)
    code, _, err = run("train", "a", "-o", "m")
    assert code == 0, err
    assert err.splitlines()[-1] == (
        "Of 2 questions held back from a training on the other stories, 100.0% were answered "
        "right, from supports that were found, not named"
    )


FILES = {
    "empty": ("", "is empty"),
    "no question": ("1 Joe went home\n", "a: there are no questions to learn from"),
    "nothing told": ("1 Where is Joe?\thome\n2 Joe left\n", "a:1: .*no statement before"),
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


@pytest.mark.parametrize("recipe", [[], ["--recipe", "paths"]], ids=["chosen", "paths"])
@pytest.mark.parametrize("name", FILES)
def test_files_that_cannot_be_learnt_from(run, tmp_path, name, recipe):
    text, message = FILES[name]
    (tmp_path / "a").write_text(text)
    code, out, err = run("train", "a", "-o", "m", *recipe)
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
