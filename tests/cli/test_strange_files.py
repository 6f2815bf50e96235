"""Pipes, devices, folders and files that nobody of ours wrote: one line, at once, never a wait."""

from __future__ import annotations

import json
import os
import random
import shutil

import pytest

import memnn
from memnn.cli.app import run
from memnn.errors import MemnnError
from memnn.facts.model import save as save_facts
from memnn.loading import load

STRANGE = ("fifo", "/dev/null", "/dev/zero", "folder", "latin-1", "none")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a pipe that nobody writes to, and other things that are no files of ours."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    os.mkdir("folder")
    (tmp_path / "latin-1").write_bytes("1 caf\xe9\n".encode("latin-1"))
    return tmp_path


@pytest.fixture(scope="module")
def models(tmp_path_factory, trained, facts_model, small, over_paths):
    """A model of each kind."""
    folder = tmp_path_factory.mktemp("models")
    trained.model.save(folder / "story")
    save_facts(facts_model, folder / "facts")
    small.save(folder / "ensemble")
    over_paths.save(folder / "paths")
    stories = memnn.simulate(statements=700, questions=300)
    memnn.train(stories, memnn.Recipe(stream=True)).save(folder / "stream")
    return folder


def said(capsys, code):
    """The one line of an error; what comes before it is no error."""
    assert code == 2
    err = capsys.readouterr().err
    assert "Traceback" not in err
    line = err.splitlines()[-1]
    assert line.startswith("memnn: ")
    return line


COMMANDS = [
    "train {} -o out", "evaluate {story} {}", "evaluate {} train.txt", "ask {} Who?",
    "ask {story} Who? --story {}", "ask {story} Who? --store {}", "chat {}",
    "memory list {}", "memory info {}", "memory verify {}", "memory import new.db {}",
    "memory compact {}", "facts train {} -o out", "facts train triples.tsv --questions {} -o out",
    "facts train triples.tsv --paraphrases {} -o out", "facts index {facts} {} -o out",
    "facts index {} triples.tsv -o out", "facts ask {facts} {} Who?",
    "facts ask {} triples.tsv Who?", "facts verify {}",
    "facts evaluate {facts} triples.tsv --questions {}",
    "facts evaluate {facts} triples.tsv --labels {}",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_paths_that_are_no_files(place, models, capsys, command):
    (place / "triples.tsv").write_text("a\tb\tc\nd\te\tf\n")
    names = {"story": models / "story", "facts": models / "facts"}
    for strange in STRANGE:
        if "--paraphrases" in command and strange == "latin-1":
            continue  # lines that are not UTF-8 are left out and counted
        words = command.format(strange, **names).split()
        line = said(capsys, run(words))
        assert strange in line or "triple" in line, line
        for left in ("out", "new.db"):
            assert not (place / left).exists(), words


@pytest.mark.parametrize("name", ["model.json", "weights.safetensors"])
@pytest.mark.parametrize("kind", ["story", "paths", "facts", "ensemble"])
def test_a_pipe_inside_a_model(place, models, capsys, kind, name):
    shutil.copytree(models / kind, "model")
    (place / "model" / name).unlink()
    os.mkfifo(place / "model" / name)
    said(capsys, run(["ask", "model", "Where is Joe?"]))
    said(capsys, run(["train", "latin-1", "-o", "model"]))


@pytest.mark.parametrize("name", ["index.json", "words.txt", "entries.u32", "checksums.u32"])
def test_a_pipe_inside_an_index(place, models, capsys, name):
    (place / "triples.tsv").write_text("a\tb\tc\nd\te\tf\n")
    assert run(["facts", "index", str(models / "facts"), "triples.tsv", "-o", "index"]) == 0
    (place / "index" / name).unlink()
    os.mkfifo(place / "index" / name)
    said(capsys, run(["facts", "ask", str(models / "facts"), "index", "Who?"]))
    assert run(["facts", "verify", "index"]) in (1, 2)


ODD = (None, True, -1, 0, 10**30, 1e308, float("nan"), "", "x", [], {}, [[]], {"a": []}, ["x", 1])


def places_in(about, before=()):
    """Every place in a JSON value, deep ones too, of long lists the first."""
    yield before
    if isinstance(about, dict):
        for key in about:
            yield from places_in(about[key], (*before, key))
    elif isinstance(about, list) and about:
        yield from places_in(about[0], (*before, 0))


def changed(about, where, value):
    copy = json.loads(json.dumps(about))
    target = copy
    for step in where[:-1]:
        target = target[step]
    if value == "gone":
        del target[where[-1]]
    else:
        target[where[-1]] = value
    return copy


def use(folder):
    """Load a model, tell it something and ask; only errors of ours may come out."""
    net = load(folder)
    net.tell("Joe went to the kitchen. Joe took the milk.")
    for question in ("Where is Joe?", "Where is the milk?", "Who wrote Hamlet?"):
        net.ask(question)


FOLDERS = [
    ("story", ""), ("stream", ""), ("paths", ""), ("facts", ""),
    ("ensemble", ""), ("ensemble", "story"), ("ensemble", "facts"),
]  # fmt: skip
"""Every kind of model, and the parts of the one that has some."""


@pytest.mark.parametrize(("kind", "part"), FOLDERS)
def test_settings_that_no_memnn_wrote(models, tmp_path, kind, part):
    """Some at random here, since there are thousands; all of them with `make soak`."""
    attack(models, tmp_path, kind, part, most=60)


@pytest.mark.soak
@pytest.mark.parametrize(("kind", "part"), FOLDERS)
def test_all_settings_that_no_memnn_wrote(models, tmp_path, kind, part):
    attack(models, tmp_path, kind, part)


def attack(models, tmp_path, kind, part, most=None):
    shutil.copytree(models / kind, tmp_path / "model")
    file = tmp_path / "model" / part / "model.json"
    about = json.loads(file.read_bytes())
    cases = [
        (where, value)
        for where in places_in({k: v for k, v in about.items() if k != "card"})
        if where
        for value in (*ODD, "gone")
    ]
    rng = random.Random(f"{kind} {part}")
    loaded = 0
    for where, value in rng.sample(cases, min(most or len(cases), len(cases))):
        file.write_text(json.dumps(changed(about, where, value)))
        try:
            use(tmp_path / "model")
            loaded += 1
        except MemnnError as error:
            assert "\n" not in str(error), (where, value)  # noqa: PT017
    assert loaded < len(cases)


def test_forms_that_are_no_words(models, tmp_path, capsys):
    shutil.copytree(models / "facts", tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    file.write_text(json.dumps(json.loads(file.read_bytes()) | {"forms": {"a": []}}))
    (tmp_path / "triples.tsv").write_text("a\tb\tc\n")
    arguments = ["facts", "ask", str(tmp_path / "model"), str(tmp_path / "triples.tsv"), "a b?"]
    assert "must be strings" in said(capsys, run(arguments))
