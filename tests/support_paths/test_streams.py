"""A path network on a stream of words: it learns what its segmenter cuts, and hears so."""

from __future__ import annotations

import json

import pytest

import memnn
from memnn.checkpoint import Checkpoint
from memnn.choosing import Training
from memnn.errors import FormatError, ModelError
from memnn.stories.evaluate import evaluate
from memnn.support_paths.model import load
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit, train
from memnn.text.cutting import segmented
from memnn.types import Question, Statement, Story

RECIPE = PathRecipe(stream=True, bits=14, answer_epochs=20)


def streams(seed, n=300):
    return memnn.simulate(
        statements=n, questions=n // 2, story_length=10, difficulty=1, stream=True, seed=seed
    )


@pytest.fixture(scope="module")
def net():
    return train(streams(0), RECIPE)


def test_it_learns_and_answers(net):
    test = segmented(streams(1, 200), net.model.segmenter)
    assert evaluate(net, test).accuracy >= 0.9
    fresh = net.with_memory(memnn.RamMemory())
    fresh.tell("joe went to the kitchen fred went to the garden joe went")
    fresh.tell("to the office fred travelled to the bathroom")
    assert fresh.ask("where is joe").text == "office"
    assert fresh.ask("where is fred").text == "bathroom"
    assert [slot.text for slot in fresh.memory.scan()][:2] == [
        "joe went to the kitchen",
        "fred went to the garden",
    ]


def test_the_folder_has_the_segmenter(net, tmp_path):
    model = net.model
    model.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.id == model.id
    assert again.segmenter.settings() == model.segmenter.settings()
    loaded = memnn.load(tmp_path / "m")
    loaded.tell("joe went to the kitchen fred went to the garden")
    assert loaded.ask("where is joe").text == "kitchen"
    about = json.loads((tmp_path / "m" / "model.json").read_text())
    about["segmenter"] = None
    (tmp_path / "m" / "model.json").write_text(json.dumps(about))
    with pytest.raises(ModelError):
        load(tmp_path / "m")


def test_the_same_seed_gives_the_same_network(net, tmp_path):
    """Chosen and measured on stories held back, or trained at once: the same recipe."""
    few = streams(2, 120)
    settings = {"stream": True, "epochs": 2}
    training = Training(few, wanted="paths", settings=settings)
    model, choice = training.run(Checkpoint(tmp_path / "m", training.key))
    assert choice.held_back.questions > 0
    assert model.segmenter is not None
    assert model.id == fit(few, PathRecipe(stream=True, epochs=2)).id


def test_labels_are_checked_where_they_stand():
    lines = (Statement("joe went home"), Question("where is joe", answer="home", supports=(7,)))
    with pytest.raises(FormatError) as error:
        fit([Story(lines, "words.txt")], RECIPE)
    assert "words.txt:2" in str(error.value)
