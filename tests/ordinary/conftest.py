"""The network that comes with the package, and a toy that is trained once."""

from __future__ import annotations

from pathlib import Path

import pytest

from memnn import default
from memnn.network import MemoryNetwork
from memnn.ordinary.hearing import Hearing, learn
from memnn.ordinary.network import load, network
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.train import train_ordinary
from memnn.simulator.ordinary import annotated
from memnn.text.vectors import english
from tests.conftest import once
from tests.ordinary.written import some

TINY = OrdinaryRecipe(epochs=2)


@pytest.fixture(scope="session")
def ordinary() -> MemoryNetwork:
    """What `memnn chat` reads with."""
    return network(default.ordinary())


@pytest.fixture(scope="session")
def hearing() -> Hearing:
    """Pronouns, learnt from a few simulated stories."""
    world = list(annotated(seed=0, questions=60))
    resolved = [[line.resolved for line in each.told] for each in world]
    return learn([each.story for each in world], english(), resolved)


@pytest.fixture(scope="session")
def toy(run_folder: Path) -> MemoryNetwork:
    """From few questions: enough to tell learning from guessing."""
    folder = run_folder / "ordinary"
    with once(folder) as first:
        if first:
            train_ordinary(questions=600, recipe=TINY, stories=some(80)).save(folder)
    return load(folder)
