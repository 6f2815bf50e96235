"""Every benchmark on almost nothing: it runs to its end, and its report says what was measured."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks import (
    abstaining,
    cost,
    dialogue,
    organised,
    path_answering,
    path_organised,
    report,
    store,
    two_hops,
)
from memnn.dialogue.wordings import world as world_facts
from memnn.errors import InputError
from memnn.kernels import jit
from memnn.support_paths.recipe import PathRecipe

ROOT = Path(__file__).parents[2]


def test_every_benchmark_has_a_short_run():
    """It is among the tests: here, beside it, or where its server is."""
    tests = "".join(file.read_text() for file in (ROOT / "tests").rglob("test_*.py"))
    for file in (ROOT / "benchmarks").glob("*.py"):
        if "argparse" in file.read_text():
            assert re.search(rf"\b{file.stem}\.\w+\(", tests), file.name


def test_stories(tmp_path):
    """Ours, PyTorch and NumPy agree on what is answered; with few memories many are abstained."""
    pytest.importorskip("torch")
    from benchmarks import stories

    effort = stories.Effort(sizes=(10, 100), rounds=1, questions=40, seconds=0.01)
    said = []
    result = stories.run(effort, trainings=1, questions=300, say=said.append)
    for row in result["answering"]:
        assert row["questions"] == 40
        assert min(row["agreement"].values()) >= 0.99
    assert len(said) == 3
    stories.write(result, tmp_path)
    assert json.loads((tmp_path / "stories.json").read_text()) == result
    text = (tmp_path / "stories.md").read_text()
    assert "| 100 | " in text
    assert "memnn, encoded question, 100 memories, against PyTorch's vectors" in text
    assert (tmp_path / "answers.png").exists() == report.can_plot()


def test_the_facts_of_pytorch(monkeypatch):
    pytest.importorskip("torch")
    from benchmarks import facts_torch

    for name, few in (
        ("HELD_OUT", 100),
        ("MOST_EPOCHS", 1),
        ("BATCHES", (64,)),
        ("RATES", (0.01,)),
    ):
        monkeypatch.setattr(facts_torch, name, few)
    result = facts_torch.measure(1_000, threads=1, seed=0)
    assert result["memnn"]["epochs"] == 1
    for name in ("memnn", "torch"):
        assert result[name]["loss"] < result["start_loss"]


def test_store(monkeypatch):
    """One writes and four ask: that has a test of its own, among those of the memory."""
    shared = {"seconds": 1.0, "readers": 4, "writes": 5, "reads": 6, "errors": []}
    monkeypatch.setattr(store, "under_load", lambda *_: shared)
    result = store.run(2_000, 1.0)
    assert result["bulk"]["facts"] == 2_000
    text = store.page(result)
    assert "| 2,000 at once |" in text
    assert "0 errors or stale answers" in text


def test_organised(monkeypatch):
    """The organised memory answers as the full walk does, and looks at less."""
    monkeypatch.setattr(organised, "THINGS", 60)
    result = organised.run(statements=3_000, actors=100, questions=30, told=2_000)
    for one in result.values():
        asked = one["questions"]["all"]
        assert asked["questions"] == 30
        assert asked["different"] == 0
        assert asked["looked at, mean"] < 1
    assert organised.table(result).count("\n| known |") == 5


def test_path_answering():
    """Both networks answer what is asked; how fast is not for a test to say."""
    few = PathRecipe(epochs=2, answer_epochs=3)
    result = path_answering.run(sizes=(40, 80), questions=5, statements=700, recipe=few)
    for rows in result["worlds"].values():
        assert [(row["memories"], row["questions"]) for row in rows] == [(40, 5), (80, 5)]
        assert all(row["ratio"] > 0 for row in rows)
    assert path_answering.table(result).count("names | ") == 4


def test_path_organised(monkeypatch):
    """Both searches are asked, of a memory that is longer than what is read at once."""
    few = PathRecipe(epochs=2, answer_epochs=3)
    monkeypatch.setattr(path_organised.organised, "FEW", 100)
    tasks = (1, path_organised.WORLD)
    kinds = (path_organised.AMONG, path_organised.SAME)
    rows = path_organised.run(kinds, tasks, 220, 5, training=60, recipe=few)
    assert [(row["questions"], row["memories"] >= 220) for row in rows] == [(5, True)] * 3
    assert all(row["looked_at"] < row["memories"] for row in rows)
    shown = path_organised.tables(rows)
    assert "of 5 questions" in shown  # one task among others
    assert "of 10 questions" in shown  # a task and the world, all the same


def test_abstaining():
    """What nothing supports is abstained from more often with what was learnt than without."""
    rows = abstaining.run([20], 30)
    assert len(rows) == 6
    without, with_habits = rows[:2]
    assert with_habits["recall"] > without["recall"]
    assert abstaining.table(rows).count("\n") == 7


def test_two_hops(capsys):
    one, two = two_hops.run(world_facts()[:600], seed=0)
    assert one["hops"], two["hops"] == (1, 2)
    assert one["questions"] == two["questions"] > 0
    assert one["chain"] == 0
    assert capsys.readouterr().out.count("\n") == 2


def test_cost(monkeypatch, compiled):
    """This version beside itself; how fast it is is not for a test to say."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(jit.cache_folder().parent))
    monkeypatch.setattr(cost, "CALLS", 2)
    monkeypatch.setattr(cost, "REQUESTS", 2)
    monkeypatch.setattr(cost, "COMMANDS", {"import memnn": ("-c", "import memnn")})
    result = cost.run(ROOT, pairs=1, rounds=2)
    assert len(result) == 8 + 2 + 2
    for row in result:
        assert row["before"] > 0
        assert 0 < row["ratio"] < 100


def test_cost_needs_a_checkout(tmp_path):
    with pytest.raises(InputError, match="not a checkout of memnn"):
        cost.run(tmp_path, pairs=1, rounds=1)


def test_dialogue(small, tmp_path):
    told = "statement\tquestion\tother\n"
    told += "The keys are in the drawer.\tWhere are the keys?\tThe keys are in the car.\n"
    asked = "question\tnarg1\tnrel\tnarg2\n"
    asked += "What does milk come from?\tmilk\tcomes from\tcows\n"
    files = {
        "told.tsv": told,
        "world-questions.tsv": asked,
        "unanswerable.txt": "Who ate the moon?\nWhy is it so?\n",
        "others.txt": "The lamp is broken.\nMy aunt called.\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = dialogue.run(small, tmp_path, "tiny", stories=2)
    for rule in ("calibrated", "paper"):
        assert found[rule]["nothing supports"]["questions"] == 2
        assert found[rule]["told, contradicted"]["questions"] == 1
    assert len(found["curve"]) == 101
    assert f"`{found['set']}`, with 2 other sentences" in dialogue.report(found)
    if report.can_plot():
        dialogue.plot(found, tmp_path / "plot.png")
        assert (tmp_path / "plot.png").exists()
