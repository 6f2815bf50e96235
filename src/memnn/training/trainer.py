"""SGD over the questions of stories (§3.1): the same seed gives the same network."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from memnn.components import response_named
from memnn.errors import TrainingError
from memnn.features.dictionary import Dictionary
from memnn.kernels.chance import new_state
from memnn.kernels.train import train_epoch
from memnn.kernels.write_time import CODES
from memnn.memory import Memory
from memnn.model import Model, initial
from memnn.network import MemoryNetwork, network
from memnn.recipe import Recipe
from memnn.training.examples import encode
from memnn.types import Story
from memnn.version import __version__


@dataclass(frozen=True)
class Progress:
    """Told after every epoch; losses are means per question."""

    epoch: int
    epochs: int
    loss_O: float
    loss_R: float


def train(
    stories: Iterable[Story] | str | Path,
    recipe: Recipe | None = None,
    *,
    memory: Memory | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> MemoryNetwork:
    """Train a network on stories (or a story file) and return it with an empty memory."""
    if isinstance(stories, str | Path):
        from memnn.formats import babi

        stories = babi.read(stories)
    model = fit(list(stories), recipe or Recipe(), progress)
    return network(model, memory)


def fit(
    stories: list[Story], recipe: Recipe, progress: Callable[[Progress], None] | None = None
) -> Model:
    """The parameters that minimise Eq. 6-8 (Appendix C with write time) on the stories."""
    response_named(recipe.response)
    if not any(True for story in stories for _ in story.lines):
        raise TrainingError("there is nothing to learn from: no statement, no question")
    dictionary = Dictionary.build(stories, index_features=recipe.time == "index")
    examples = encode(stories, dictionary, recipe)
    rng = np.random.default_rng(recipe.seed)
    model = initial(dictionary, recipe, rng)
    state = new_state(recipe.seed)
    W = len(dictionary)
    q, d = np.empty(recipe.dim, np.float32), np.empty(recipe.dim, np.float32)
    most = max(W, len(dictionary.answers))
    p, stamp, clock = np.empty(most, np.float32), np.zeros(most, np.int64), np.zeros(1, np.int64)
    s, x = examples.statements, examples.questions
    spare = np.empty(int(np.diff(s.ptr).max()), np.int64)
    epochs = recipe.epochs_for(len(examples))
    start = time.perf_counter()
    for epoch in range(1, epochs + 1):
        losses = train_epoch(
            model.U_O, model.U_R, W,
            s.ptr, s.words, s.kinds, s.times, x.ptr, x.words, x.kinds, x.times,
            examples.first, examples.last, examples.supports, examples.answers,
            rng.permutation(len(examples)), CODES[recipe.time], recipe.margin, recipe.lr,
            recipe.tries, recipe.recent, round(100 * recipe.lesions), state, q, d, p, stamp, clock,
            spare,
        )  # fmt: skip
        loss_O, loss_R = (loss / len(examples) for loss in losses)
        # Not the losses: a comparison with NaN is false, and so looks like a margin kept.
        if not (np.isfinite(model.U_O).all() and np.isfinite(model.U_R).all()):
            raise TrainingError(
                f"training diverged in epoch {epoch}; use a smaller --lr or --margin"
            )
        if progress is not None:
            progress(Progress(epoch, epochs, loss_O, loss_R))
    card = {
        "trained_on": sorted({story.source for story in stories}),
        "stories": len(stories),
        "statements": len(s),
        "questions": len(examples),
        "epochs": epochs,
        "loss_O": loss_O,
        "loss_R": loss_R,
        "seconds": round(time.perf_counter() - start, 3),
        "memnn": __version__,
    }
    return replace(model, card=card)
