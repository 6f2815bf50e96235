"""The models that are used when none is named: trained once, then cached, or shipped.

`demo` shows the story network; `chat` and the services talk to the ensemble, in which a network for
ordinary language, which comes with the package, reads what was told.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from memnn.dialogue import calibrate, examples
from memnn.dialogue import model as ensemble
from memnn.dialogue import train as dialogue
from memnn.dialogue.model import EnsembleModel
from memnn.dialogue.wordings import shipped
from memnn.errors import ModelError
from memnn.facts.train import FactsProgress
from memnn.ordinary import model as ordinary_model
from memnn.ordinary.model import OrdinaryModel
from memnn.paths import private_folder
from memnn.stories import model as models
from memnn.stories.recipe import Recipe
from memnn.text import english
from memnn.version import __version__

if TYPE_CHECKING:
    from memnn.stories.train import Progress

RECIPE = Recipe(unseen=True, match=True)
SIMULATION = {"difficulty": 5, "ask": "actor+object", "seed": 0}


def folder() -> Path:
    """Keyed by version and recipe, so that an upgrade never meets an old model."""
    key = json.dumps([__version__, RECIPE.to_json(), SIMULATION], sort_keys=True)
    name = f"story-{__version__}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"
    return user_cache_path("memnn") / "models" / name


def cached() -> models.Model | None:
    try:
        return models.load(folder())
    except ModelError:
        return None


def train(progress: Callable[[Progress], None] | None = None) -> tuple[models.Model, Path | None]:
    """A new default model and where it was kept; None when the cache cannot be written."""
    from memnn.simulator import simulate  # a trained model needs neither: they take 5 MB
    from memnn.stories.train import fit

    model = fit(simulate(**SIMULATION), RECIPE, progress)  # type: ignore[arg-type]
    return model, _kept(folder(), model.save)


DATA = (
    "world.tsv", "wordings.tsv", "told.tsv", "asked.tsv", "unanswered.txt", "unsupported.txt",
)  # fmt: skip


def ensemble_folder() -> Path:
    """Keyed by what goes into it: version, recipes and the files of the package."""
    texts = [*map(shipped, DATA), english.TEXT]
    data = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    how = [
        asdict(dialogue.RECIPE), dialogue.WAYS, dialogue.FEATURES, dialogue.DECLINED,
        dialogue.HELD_BACK, calibrate.SETTINGS, examples.SETTINGS,
    ]  # fmt: skip
    key = json.dumps([folder().name, how, data], sort_keys=True)
    name = f"ensemble-{__version__}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"
    return user_cache_path("memnn") / "models" / name


@cache
def ordinary() -> OrdinaryModel:
    """The network for ordinary language that comes with the package."""
    return ordinary_model.load(Path(str(files("memnn.ordinary") / "english")))


def cached_ensemble() -> EnsembleModel | None:
    try:
        return _reading(ensemble.load(ensemble_folder()))
    except ModelError:
        return None


def _reading(model: EnsembleModel) -> EnsembleModel:
    """The ensemble with the network that is shipped, whatever was cached with it."""
    return replace(model, ordinary=ordinary())


def train_ensemble(
    story: models.Model, progress: Callable[[FactsProgress], None] | None = None
) -> tuple[EnsembleModel, Path | None]:
    """A new default ensemble around a story network, and where it was kept."""
    model = dialogue.ensemble(story, progress=progress)
    return _reading(model), _kept(ensemble_folder(), model.save)


def _kept(place: Path, save: Callable[[Path], Path]) -> Path | None:
    """Save a model for this user alone; None when the cache cannot be written."""
    try:
        private_folder(place.parent)
        save(place)
        for path in (place, *place.rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)
    except (ModelError, OSError):
        return None
    return place
