"""Which network `memnn train` takes, and that an interrupted training goes on to the same model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import memnn
from memnn import checkpoint as checkpoints
from memnn import choosing
from memnn.checkpoint import Checkpoint
from memnn.choosing import Choice, Judged, Training, split, statements_before
from memnn.errors import FormatError, InputError, ModelError
from memnn.stories import babi
from memnn.support_paths import latent, search
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit
from memnn.types import Question, Statement, Story

STORIES = memnn.simulate(statements=100, questions=50, story_length=5, difficulty=1)
FEW = {"seed": 3, "epochs": 2}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """As quick as can be: what is learnt does not matter here."""
    monkeypatch.setattr(
        choosing,
        "PathRecipe",
        lambda **given: PathRecipe(**{"bits": 12, "answer_epochs": 3, **given}),
    )


def story(n: int, source: str = "a") -> Story:
    told = [Statement(f"Joe went to room{i}.", i) for i in range(1, n + 1)]
    return Story((*told, Question("Where is Joe?", n + 1, f"room{n}", (n,))), source)


def test_the_last_fifth_of_every_file_is_held_back():
    stories = [story(n, source) for source in "ab" for n in range(1, 11)]
    kept, held_back = split(stories)
    assert held_back == [s for s in stories if len(s.lines) >= 10]
    assert len(kept) == 16
    few = [story(n) for n in range(1, 5)]
    assert split(few) == (few, [])


def test_nothing_is_held_back_where_no_question_is_left():
    silent = [Story((Statement("Joe left.", 1),), "a")] * 4
    assert split([*silent, story(1)]) == ([*silent, story(1)], [])
    assert split([story(1)] * 4 + silent[:1]) == ([story(1)] * 4 + silent[:1], [])


def test_statements_before_a_question():
    assert statements_before([story(3), story(5)]) == 4
    assert statements_before([Story(())]) == 0


def test_long_stories_are_for_the_paper_s_network(monkeypatch):
    monkeypatch.setattr(choosing, "LONG", 3)
    model, choice = Training([story(4)], settings=FEW).run()
    assert (choice.network, choice.held_back) == ("paper", None)
    assert choice.why.startswith("4 statements stand before a question")
    assert model.recipe == memnn.Recipe(hops=1, **FEW)


def test_few_stories_are_not_compared():
    model, choice = Training(STORIES[:3], settings=FEW).run()
    assert choice == Choice("paths", "there are too few stories to compare networks on")
    assert model.id == fit(STORIES[:3], PathRecipe(bits=12, answer_epochs=3, **FEW)).id


def test_nearly_all_right_needs_no_comparison(monkeypatch):
    monkeypatch.setattr(choosing, "GOOD", 0.0)
    monkeypatch.delattr(choosing, "evaluate")
    model, choice = Training(STORIES, settings=FEW).run()
    assert choice.network == "paths"
    assert choice.held_back.questions == sum(len(list(s.questions)) for s in split(STORIES)[1])
    assert "held-back answers right" in choice.why
    assert model.card["stories"] == len(STORIES), "trained on all stories in the end"


@pytest.mark.parametrize(("paper", "network"), [(1.1, "paper"), (-0.1, "paths")])
def test_in_doubt_the_better_one_is_taken(monkeypatch, paper, network):
    monkeypatch.setattr(choosing, "GOOD", 2.0)
    result = memnn.Evaluation(8, paper, 0.5, 0.0, 0.0)
    monkeypatch.setattr(choosing, "evaluate", lambda *_: result)
    told = []
    model, choice = Training(STORIES, settings=FEW, chosen=told.append).run()
    assert told == [choice]
    assert choice.network == network
    assert f"{paper:.1%}" in choice.why
    assert isinstance(model.recipe, memnn.Recipe) == (network == "paper")
    assert model.card["stories"] == len(STORIES)


def test_what_is_asked_for_is_only_measured(monkeypatch):
    monkeypatch.setattr(choosing, "LONG", 0)
    monkeypatch.setattr(choosing, "GOOD", 2.0)
    _, choice = Training(STORIES, wanted="paths", settings=FEW).run()
    assert (choice.network, choice.why) == ("paths", "as asked")
    assert choice.held_back is not None


def test_labels_of_stories_held_back_are_checked_too():
    bad = replace(story(1), lines=(Statement("x", 1), Question("y?", 2, "z", (9,))))
    with pytest.raises(FormatError, match="supporting statement 9"):
        Training([*(story(1) for _ in range(9)), bad]).run()


def test_an_answer_that_training_never_had():
    stories = [story(2) for _ in range(4)] + [
        Story((Statement("Joe left.", 1), Question("Who left?", 2, "nobody,ever", (1,))), "a")
    ]
    _, choice = Training(stories, settings=FEW).run()
    assert choice.held_back.questions == 1


def test_a_choice_as_json():
    for choice in (Choice("paper", "why"), Choice("paths", "so", Judged(3, 0.5, 1.0))):
        assert Choice.from_json(choice.to_json()) == choice


class Killed(BaseException):
    """A process that ends in the middle."""


def killed_after(epochs: int):
    seen = []

    def moved(progress):
        seen.append(progress)
        if len(seen) > epochs:
            raise Killed

    return moved


@pytest.fixture
def always(monkeypatch):
    """A checkpoint after every epoch."""
    monkeypatch.setattr(checkpoints, "EVERY", 0.0)
    monkeypatch.setattr(checkpoints, "SHARE", 1e9)


@pytest.mark.parametrize("epochs", [1, 3, 5, 6, 8])
def test_a_killed_training_goes_on_to_the_same_model(tmp_path, monkeypatch, always, epochs):
    monkeypatch.setattr(choosing, "GOOD", 0.0)
    whole = Training(STORIES, settings=FEW)
    model, choice = whole.run()
    assert len(whole.curve) == 10
    place = tmp_path / "model"
    half = Training(STORIES, settings=FEW, progress=killed_after(epochs))
    with pytest.raises(Killed):
        half.run(Checkpoint(place, half.key))
    assert [path.name for path in tmp_path.iterdir()] == ["model.training"]
    rest = Training(STORIES, settings=FEW)
    again, chosen = rest.run(Checkpoint(place, rest.key), resume=True)
    assert (again.id, chosen) == (model.id, choice)
    assert list(map(str, rest.curve)) == list(map(str, whole.curve))


@pytest.mark.parametrize("rounds", [1, 9, 20, 30])
def test_a_killed_search_for_supports_goes_on_to_the_same_model(
    tmp_path, monkeypatch, always, rounds
):
    """In the search on four fifths, in the trial, in the search on all stories, or at the end."""
    monkeypatch.setattr(latent, "EXACT", 1)
    monkeypatch.setattr(latent, "FREE", 1)
    monkeypatch.setattr(search, "EXPLAINED", 0.0)
    bare = search.with_supports(STORIES, [()] * len(search.supports_of(STORIES)))
    whole = Training(bare, settings=FEW)
    model, choice = whole.run()
    place = tmp_path / "model"
    killed = min(rounds, len(whole.curve) - 1)
    half = Training(bare, settings=FEW, progress=killed_after(killed))
    with pytest.raises(Killed):
        half.run(Checkpoint(place, half.key))
    rest = Training(bare, settings=FEW)
    again, chosen = rest.run(Checkpoint(place, rest.key), resume=True)
    assert (again.id, str(chosen)) == (model.id, str(choice))  # NaN is not NaN
    assert list(map(str, rest.curve)) == list(map(str, whole.curve))


def test_nobody_goes_on_from_other_stories(tmp_path, always):
    checkpoint = Checkpoint(tmp_path / "model", "these")
    checkpoint.keep(lambda: ({"stage": "x"}, {"a": np.arange(3)}))
    about, arrays = checkpoint.load()
    assert (about, arrays["a"].tolist()) == ({"stage": "x"}, [0, 1, 2])
    with pytest.raises(InputError, match="leave out --resume to start again"):
        Checkpoint(tmp_path / "model", "others").load()
    checkpoint.remove()
    assert checkpoint.load() is None
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_is_not_written_all_the_time(tmp_path):
    checkpoint = Checkpoint(tmp_path / "model", "these")
    checkpoint.keep(lambda: pytest.fail("too early"))
    assert not checkpoint.written


def test_a_damaged_checkpoint(tmp_path, always):
    checkpoint = Checkpoint(tmp_path / "model", "these")
    checkpoint.keep(lambda: ({}, {"a": np.arange(3)}))
    (checkpoint.folder / "weights.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match="damaged"):
        checkpoint.load()


def test_somebody_s_folder_is_left_alone(tmp_path):
    checkpoint = Checkpoint(tmp_path / "model", "these")
    checkpoint.folder.mkdir()
    (checkpoint.folder / "mine.txt").write_text("mine")
    for refused in (checkpoint.check, checkpoint.remove):
        with pytest.raises(ModelError, match="not just a model"):
            refused()
    assert (checkpoint.folder / "mine.txt").exists()


def test_the_longest_name_of_a_model(tmp_path):
    Checkpoint(tmp_path / ("m" * 255), "these").check()


def test_the_key_is_of_stories_and_settings():
    keys = {
        Training(STORIES).key,
        Training(STORIES[1:]).key,
        Training(STORIES, wanted="paths").key,
        Training(STORIES, settings={"seed": 1}).key,
    }
    assert len(keys) == 4
    assert Training(babi.loads(babi.dumps(STORIES))).key == Training(STORIES).key
