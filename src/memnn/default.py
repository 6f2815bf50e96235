"""The model that `demo` and `chat` use when none is named: trained once, then cached."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from platformdirs import user_cache_path

from memnn import model as models
from memnn.errors import ModelError
from memnn.recipe import Recipe
from memnn.simulator import simulate
from memnn.training.trainer import Progress, fit
from memnn.version import __version__

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
    model = fit(simulate(**SIMULATION), RECIPE, progress)  # type: ignore[arg-type]
    try:
        return model, models.save(model, folder())
    except ModelError:
        return model, None
