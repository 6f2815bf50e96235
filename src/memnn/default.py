"""The models that are used when none is named; they come with the package.

`demo` shows the story network; `chat` and the services talk to the ensemble, in which a network for
ordinary language reads what was told. `make models` trains them anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from memnn.dialogue import model as ensembles
from memnn.dialogue.model import EnsembleModel
from memnn.ordinary import model as ordinary_model
from memnn.ordinary.model import OrdinaryModel
from memnn.stories import model as stories
from memnn.stories.recipe import Recipe

if TYPE_CHECKING:
    from memnn.stories.train import Progress

RECIPE = Recipe(unseen=True, match=True)
SIMULATION = {"difficulty": 5, "ask": "actor+object", "seed": 0}


def folder(room: str = "dialogue") -> Path:
    """Where the model of a room lies in the package."""
    return Path(str(files(f"memnn.{room}") / "english"))


@cache
def story() -> stories.Model:
    """The story network: the paper's, with words that it has never seen."""
    return stories.load(folder() / "story")


@cache
def ordinary() -> OrdinaryModel:
    """The network for ordinary language."""
    return ordinary_model.load(folder("ordinary"))


@cache
def ensemble() -> EnsembleModel:
    """All of them: stories, ordinary language, what was told, and facts of the world."""
    return replace(ensembles.shipped(), ordinary=ordinary())


def train_story(progress: Callable[[Progress], None] | None = None) -> stories.Model:
    """The story network, trained anew as the shipped one was."""
    from memnn.simulator import simulate  # a trained model needs neither: they take 5 MB
    from memnn.stories.train import fit

    return fit(simulate(**SIMULATION), RECIPE, progress)  # type: ignore[arg-type]
