"""Model folders: whole, or a clear error."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load as load_file
from safetensors.numpy import save as save_file

import memnn
from memnn.errors import ModelError
from memnn.folder import check_place
from memnn.stories import babi
from memnn.stories import model as models
from memnn.stories.examples import encode


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

    monkeypatch.setattr(os, "fsync", full)
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
    "another kind": (lambda f: edit(f, kind="oracle"), "kind 'oracle'"),
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


def rewrite(folder, **tensors):
    """Other weights, and the hash to match."""
    data = save_file(tensors)
    (folder / "weights.safetensors").write_bytes(data)
    edit(folder, id=hashlib.sha256(data).hexdigest()[:32])


def about(folder):
    return json.loads((folder / "model.json").read_text())


def change_recipe(folder, **changes):
    edit(folder, recipe=about(folder)["recipe"] | changes)


def change_weights(folder, change):
    tensors = load_file((folder / "weights.safetensors").read_bytes())
    rewrite(folder, **{name: change(U.copy()) for name, U in tensors.items()})


def with_nan(U):
    U[0, 0] = np.nan
    return U


EDITED = {
    "hops 2.5": lambda f: change_recipe(f, hops=2.5),
    "hops true": lambda f: change_recipe(f, hops=True),
    "no such response": lambda f: change_recipe(f, response="poem"),
    "response list": lambda f: change_recipe(f, response=[]),
    "recipe list": lambda f: edit(f, recipe=[1]),
    "words as lists": lambda f: edit(f, words=[[w] for w in about(f)["words"]]),
    "answers as numbers": lambda f: edit(f, answers=[1 for _ in about(f)["answers"]]),
    "no answers": lambda f: edit(f, answers=[]),
    "entities that are no words": lambda f: edit(f, entities=["zebra"]),
    "indices null": lambda f: edit(f, indices=None),
    "indices text": lambda f: edit(f, indices="0"),
    "indices negative": lambda f: edit(f, indices=-1),
    "tokeniser list": lambda f: edit(f, tokeniser=[]),
    "card list": lambda f: edit(f, card=[1]),
    "format true": lambda f: edit(f, format=True),
    "deep": lambda f: (f / "model.json").write_text("[" * 100_000),
    "NaN": lambda f: change_weights(f, with_nan),
    "int32": lambda f: change_weights(f, lambda U: U.astype(np.int32)),
}


@pytest.mark.parametrize("how", EDITED)
def test_edited_folders(folder, how):
    EDITED[how](folder)
    with pytest.raises(ModelError) as caught:
        memnn.load(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ['{"three": "js"}', "[1]", "[" * 100_000, '{"format": true}'])
def test_a_foreign_model_json_is_not_overwritten(trained, tmp_path, text):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "model.json").write_text(text)
    with pytest.raises(ModelError, match="not just a model"):
        trained.save(tmp_path / "m")
    assert (tmp_path / "m" / "model.json").read_text() == text


@pytest.mark.parametrize("moment", [1, 2])
def test_ctrl_c_while_saving_keeps_a_model(trained, folder, monkeypatch, moment):
    """Before or after the second of the two moves."""
    moves = []

    def replace(*places, really=os.replace):
        moves.append(places)
        if len(moves) != 2 or moment == 2:
            really(*places)
        if len(moves) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        trained.save(folder)
    monkeypatch.undo()
    assert memnn.load(folder).model.id == trained.model.id
    assert [p.name for p in folder.parent.iterdir()] == ["m"]


SAVING = """
import sys
from memnn.stories import model as models
model = models.load(sys.argv[1])
for _ in range(60):
    models.save(model, sys.argv[2])
    assert models.load(sys.argv[2]).id == model.id
"""


def test_two_processes_save_and_load_one_folder(folder, tmp_path):
    both = [
        subprocess.Popen(
            [sys.executable, "-c", SAVING, folder, tmp_path / "shared"], stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    for process in both:
        _, err = process.communicate(timeout=600)
        assert process.returncode == 0, err.decode()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m", "shared"]


def test_a_saver_that_comes_after_leaves_nothing_behind(trained, folder, tmp_path, monkeypatch):
    """Another saver, who could get no lock, has moved our model away before we are done."""
    away, really, moves = tmp_path / "away", os.replace, []

    def replace(*places):
        really(*places)
        moves.append(places)
        if len(moves) == 2:
            really(folder, away)

    monkeypatch.setattr(os, "replace", replace)
    trained.save(folder)
    monkeypatch.undo()
    os.replace(away, folder)
    trained.save(folder)  # the other saver
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_savers_without_a_lock_do_not_fail(trained, folder, tmp_path, monkeypatch):
    """Between our two moves somebody else's model comes to the place: ours comes after it."""
    other, really, moves = trained.save(tmp_path / "other"), os.replace, []

    def replace(*places):
        moves.append(places)
        if len(moves) == 2:
            really(other, folder)
        really(*places)

    monkeypatch.setattr(os, "replace", replace)
    trained.save(folder)
    monkeypatch.undo()
    assert memnn.load(folder).model.id == trained.model.id
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


KILLED = """
import os, signal, sys
from memnn.stories import model as models
model, moves, really = models.load(sys.argv[1]), [], os.replace
def replace(*places):
    really(*places)
    os.kill(os.getpid(), signal.SIGKILL)
os.replace = replace
models.save(model, sys.argv[1])
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_model_survives_a_kill_between_the_two_moves(trained, folder, tmp_path):
    def kill():
        done = subprocess.run([sys.executable, "-c", KILLED, folder], check=False)
        assert done.returncode == -signal.SIGKILL
        assert not folder.exists()

    kill()
    assert memnn.load(folder).model.id == trained.model.id
    kill()
    trained.save(folder)
    assert memnn.load(folder).model.id == trained.model.id
    left = [p for p in tmp_path.iterdir() if p != folder]  # what the killed ones wanted to save
    assert len(left) == 2
    for path in left:
        os.utime(path, (0, 0))
    trained.save(folder)
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_reading_leaves_no_trace_and_needs_no_lock(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("memnn.folder.exclusive", lambda *_: pytest.fail("a lock"))
    memnn.load(folder)
    with pytest.raises(ModelError, match="no model"):
        memnn.load(tmp_path / "none")
    (folder / "model.json").write_text("{}")
    with pytest.raises(ModelError, match="not a memnn model"):
        memnn.load(folder)


def test_links_stay_links(trained, folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    (tmp_path / "dangling").symlink_to(tmp_path / "new")
    for name in ("link", "dangling"):
        trained.save(tmp_path / name)
        assert (tmp_path / name).is_symlink()
        assert memnn.load(tmp_path / name).model.id == trained.model.id
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(ModelError):
        trained.save(tmp_path / "loop")
    with pytest.raises(ModelError):
        memnn.load(tmp_path / "loop")


def test_a_place_is_tried_and_left_as_it_was(tmp_path, monkeypatch):
    check_place(tmp_path / "a" / "b" / "m")
    assert list(tmp_path.iterdir()) == []
    for bad in (tmp_path / ("m" * 300), tmp_path / "new" / ("m" * 300), "/proc/m"):
        with pytest.raises(ModelError, match="cannot write"):
            check_place(bad)
    check_place(tmp_path / ("m" * 250))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="folder you are in"):
        check_place(".")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", [None, 5, b"\0", "a\0b", "\ud800", ["m"]])
def test_paths_that_are_none(trained, path):
    for call in (memnn.load, trained.save, babi.read, lambda p: babi.write(p, [])):
        with pytest.raises(memnn.MemnnError, match="not a path"):
            call(path)


def test_a_training_file_may_have_any_name(trained, tmp_path):
    model = replace(trained.model, card={"trained_on": ["caf\udce9.txt"]})
    assert models.load(models.save(model, tmp_path / "m")).card == model.card


@pytest.mark.parametrize(
    "wrong",
    [
        {"hops": 2.5}, {"hops": True}, {"hops": 101}, {"dim": 10_001}, {"dim": "100"},
        {"seed": 2**63}, {"seed": -1}, {"epochs": 10**6 + 1}, {"epochs": 0}, {"tries": 10**7},
        {"recent": 10**7}, {"time": None}, {"time": "soon"}, {"response": []}, {"unseen": 1},
        {"margin": float("inf")}, {"margin": 0}, {"lr": float("nan")}, {"lr": "fast"},
        {"init": float("inf")}, {"init": 10**400}, {"bow": float("inf")}, {"bow": -1},
        {"dropout": float("nan")}, {"dropout": 2}, {"lesions": None},
    ],
    ids=str,
)  # fmt: skip
def test_recipes_that_cannot_be(wrong):
    with pytest.raises(memnn.InputError, match=next(iter(wrong)).split("_")[0]):
        memnn.Recipe(**wrong)


@pytest.mark.parametrize("call", ["tell", "ask", "respond"])
@pytest.mark.parametrize("text", [None, 5, b"Joe left.", "Joe \ud800?", "where " * 2_000 + "?"])
def test_texts_that_are_none(net, call, text):
    with pytest.raises(memnn.InputError):
        list(getattr(net, call)(text))


@pytest.mark.parametrize("id", [None, True, 2.5, "1", [1], -1, 10**30])
def test_ids_that_are_none(net, id):
    net.tell("Joe went to the kitchen.")
    with pytest.raises(memnn.InputError):
        net.forget(id)
    assert len(net.memory) == 1


@pytest.mark.parametrize(
    "wrong", [{"statements": 2.5}, {"questions": True}, {"difficulty": 10**20}, {"seed": "x"}]
)
def test_simulations_that_cannot_be(wrong):
    with pytest.raises(memnn.InputError, match=next(iter(wrong))):
        memnn.simulate(**wrong)


def story(*lines):
    return memnn.Story(lines, "s")


TOLD = memnn.Statement("Joe went to the kitchen.")
ASKED = memnn.Question("Where is Joe?", None, "kitchen", (1,))


@pytest.mark.parametrize(
    "lines",
    [
        (replace(TOLD, id=-5), replace(ASKED, supports=(-5,))),
        (replace(TOLD, id=True), ASKED),
        (replace(TOLD, id=1.0), ASKED),
        (replace(TOLD, id=2**62), ASKED),
        (replace(TOLD, id=3), ASKED),
        (TOLD, replace(ASKED, supports=("1",))),
        (TOLD, replace(ASKED, supports=1)),
        (TOLD, replace(ASKED, text=5)),
        (TOLD, replace(ASKED, answer=5)),
        (TOLD, "Where is Joe?"),
    ],
    ids=range(10),
)
def test_stories_that_cannot_be(net, lines):
    recipe, dictionary = memnn.Recipe(time="index"), net.model.dictionary
    for use in (
        lambda: encode([story(*lines)], dictionary, recipe),
        lambda: memnn.evaluate(net, [story(*lines)]),
    ):
        with pytest.raises(memnn.FormatError, match=r"s:[12]: "):
            use()


def test_lines_without_ids_have_their_numbers(net):
    """In training and evaluation alike; questions are lines, too."""
    lines = (TOLD, ASKED, replace(TOLD, text="Joe went to the garden."))
    last = memnn.Question("Where is Joe?", None, "garden", [3])
    result = memnn.evaluate(net, story(*lines, last))
    assert (result.accuracy, result.support_accuracy) == (1.0, 1.0)
    examples = encode([story(*lines, last)], net.model.dictionary, memnn.Recipe())
    assert examples.statements.times.tolist() == [1, 3]
    assert examples.supports.tolist() == [[0, 0], [1, 1]]


def test_evaluating_a_file(net, tmp_path):
    (tmp_path / "s").write_text("1 Joe went to the kitchen.\n2 Where is Joe?\tkitchen\t1\n")
    assert memnn.evaluate(net, tmp_path / "s").accuracy == 1.0
    for wrong in (5, [5], None):
        with pytest.raises(memnn.InputError, match="Story objects"):
            memnn.evaluate(net, wrong)


def test_index_features_are_not_without_end():
    far = story(replace(TOLD, id=2**61), replace(ASKED, id=2**61 + 1, supports=(2**61,)))
    with pytest.raises(memnn.TrainingError, match="feature per id"):
        memnn.train([far], memnn.Recipe(time="index"))
