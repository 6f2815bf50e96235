"""A small network of the world in ordinary language, trained once."""

from __future__ import annotations

from pathlib import Path

import pytest

from memnn.network import MemoryNetwork
from memnn.ordinary.network import load
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.train import train_ordinary
from tests.conftest import once

SMALL = OrdinaryRecipe(epochs=3, answer_epochs=3, judge_epochs=2, bits=19, answer_bits=18)


@pytest.fixture(scope="session")
def ordinary(run_folder: Path) -> MemoryNetwork:
    """Few questions: it knows the commonest ways to say things."""
    folder = run_folder / "ordinary"
    with once(folder) as first:
        if first:
            train_ordinary(questions=3_000, recipe=SMALL).save(folder)
    return load(folder)
