"""Shared by all tests: a small trained network, and the real data when it is there."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import hypothesis
import pytest

import memnn
from memnn.dialogue import train as dialogue
from memnn.dialogue.model import EnsembleModel
from memnn.dialogue.model import load as load_ensemble
from memnn.dialogue.wordings import world as world_facts
from memnn.facts.model import FactsModel
from memnn.facts.recipe import FactsRecipe
from memnn.facts.train import fit
from memnn.kernels import (
    facts_warm_up,
    path_warm_up,
    story_train_warm_up,
    story_warm_up,
)
from memnn.locks import exclusive
from memnn.network import MemoryNetwork
from memnn.paper.toy import Toy, toy
from memnn.stories.model import load as load_story
from memnn.stories.network import network as story_network
from memnn.stories.train import fit as train_stories
from memnn.support_paths.model import load as load_paths
from memnn.support_paths.network import network as path_network
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit as fit_paths
from tests.scheduling import pytest_collection_modifyitems, pytest_xdist_make_scheduler

__all__ = ["pytest_collection_modifyitems", "pytest_xdist_make_scheduler"]

# No test is about the clock: on a busy machine anything takes long now and then.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")

# Tests that are started in the background ignore Ctrl-C, and so would the commands they interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Hundreds of commands are run as processes: they need not compile the package each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of a test run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@contextmanager
def once(folder: Path) -> Iterator[bool]:
    """Whether this worker is the first to need a folder, and so the one to make it."""
    with exclusive(folder.with_name(f"{folder.name}.lock"), patience=600):
        yield not folder.exists()


@pytest.fixture(scope="session")
def compiled(run_folder: Path) -> None:
    """The kernels are compiled: no command has to say that it waits for that.

    Workers share it out: what another one is at comes last.
    """
    for patience in (0, 600):
        for needed in (path_warm_up, story_train_warm_up, story_warm_up, facts_warm_up):
            lock = run_folder / f"{needed.__name__}.lock"
            with suppress(*([TimeoutError] if patience == 0 else [])), exclusive(lock, patience):
                if not needed.compiled():
                    needed.warm_up()


@pytest.fixture(scope="session")
def trained_folder(run_folder: Path) -> Path:
    """A folder with the default recipe on the default simulation; tests read it, and no more."""
    folder = run_folder / "trained"
    with once(folder) as first:
        if first:
            memnn.train(memnn.simulate(seed=0)).save(folder)
    return folder


@pytest.fixture(scope="session")
def trained(trained_folder: Path) -> MemoryNetwork:
    """That network; tests take it with a memory of their own."""
    return story_network(load_story(trained_folder))


@pytest.fixture(scope="session")
def unseen(run_folder: Path) -> MemoryNetwork:
    """The same stories, learnt by a network that can be told words it has never seen."""
    folder = run_folder / "unseen"
    with once(folder) as first:
        if first:
            memnn.train(memnn.simulate(seed=0), memnn.Recipe(unseen=True, match=True)).save(folder)
    return story_network(load_story(folder))


@pytest.fixture(scope="session")
def streaming_folder(run_folder: Path) -> Path:
    """A network that learnt from a stream of words."""
    folder = run_folder / "streaming"
    with once(folder) as first:
        if first:
            stories = memnn.simulate(seed=0, stream=True)
            memnn.train(stories, memnn.Recipe(stream=True)).save(folder)
    return folder


@pytest.fixture(scope="session")
def over_paths(run_folder: Path) -> MemoryNetwork:
    """A small path network of the simulated world, with a memory of its own for each test."""
    folder = run_folder / "over-paths"
    with once(folder) as first:
        if first:
            stories = memnn.simulate(statements=400, questions=200, story_length=10, difficulty=2)
            fit_paths(stories, PathRecipe(bits=14, answer_epochs=20)).save(folder)
    return path_network(load_paths(folder))


@pytest.fixture(scope="session")
def small(run_folder: Path) -> EnsembleModel:
    """A small ensemble: few stories, a few hundred facts."""
    folder = run_folder / "small"
    with once(folder) as first:
        if first:
            stories = memnn.simulate(statements=5000, questions=2200)
            story = train_stories(stories, memnn.Recipe(unseen=True, match=True))
            some = [t for i, t in enumerate(world_facts()) if i % 8 == 0 or "milk" in t.subject]
            dialogue.ensemble(story, some).save(folder)
    return load_ensemble(folder)


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
