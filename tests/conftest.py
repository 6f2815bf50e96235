"""Shared by all tests: a small trained network, and the real data when it is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import memnn
from memnn.dialogue import train as dialogue
from memnn.dialogue.model import EnsembleModel
from memnn.dialogue.wordings import world as world_facts
from memnn.facts.model import FactsModel
from memnn.facts.recipe import FactsRecipe
from memnn.facts.train import fit
from memnn.network import MemoryNetwork
from memnn.paper.toy import Toy, toy
from memnn.stories.train import fit as train_stories


@pytest.fixture(scope="session")
def trained() -> MemoryNetwork:
    """The default recipe on the default simulation; tests take it with a memory of their own."""
    return memnn.train(memnn.simulate(seed=0))


@pytest.fixture(scope="session")
def small() -> EnsembleModel:
    """A small ensemble: few stories, a few hundred facts."""
    story = train_stories(
        memnn.simulate(statements=5000, questions=2200), memnn.Recipe(unseen=True, match=True)
    )
    some = [t for i, t in enumerate(world_facts()) if i % 8 == 0 or "milk" in t.subject]
    return dialogue.ensemble(story, some)


@pytest.fixture
def net(trained: MemoryNetwork) -> MemoryNetwork:
    return trained.with_memory(memnn.RamMemory())


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data that is not part of the project; tests that need it are skipped without it."""
    root = Path(__file__).parent.parent
    folder = Path(os.environ.get("MEMNN_DATA") or root.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("the real data sets are not here (MEMNN_DATA names their folder)")
    return folder


@pytest.fixture(scope="session")
def world() -> Toy:
    """A small made-up world of facts."""
    return toy(40)


@pytest.fixture(scope="session")
def facts_model(world: Toy) -> FactsModel:
    return fit(world.triples, world.train, recipe=FactsRecipe(dim=64, epochs=3, match=True))


@pytest.fixture(scope="session")
def facts_files(tmp_path_factory: pytest.TempPathFactory, world: Toy) -> Path:
    """A folder with triples.tsv and questions.tsv."""
    folder = tmp_path_factory.mktemp("facts")
    rows = ["\t".join(triple) + "\n" for triple in world.triples]
    (folder / "triples.tsv").write_text("".join(rows))
    header = "question\tnarg1\tnrel\tnarg2\n"
    for name, asked in (("questions.tsv", world.test), ("train.tsv", world.train)):
        lines = ["\t".join((q.question, *q.gold)) + "\n" for q in asked]
        (folder / name).write_text(header + "".join(lines))
    return folder
