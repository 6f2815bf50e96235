"""Training a path network: O on the supports, then R on the answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from memnn.errors import InputError, TrainingError
from memnn.kernels.rng import new_state
from memnn.memory import Memory
from memnn.network import MemoryNetwork
from memnn.stories.examples import numbered, story_list
from memnn.stories.train import Progress
from memnn.support_paths.examples import encode
from memnn.support_paths.learning import fit_O, fit_R
from memnn.support_paths.model import PathModel
from memnn.support_paths.network import network
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.silence import Silence
from memnn.support_paths.vocabulary import PathVocabulary
from memnn.types import Story
from memnn.version import __version__


def train(
    stories: Iterable[Story] | Story | str | Path,
    recipe: PathRecipe | None = None,
    *,
    memory: Memory | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> MemoryNetwork:
    """Train a path network on stories (or a story file) and return it with an empty memory."""
    return network(fit(story_list(stories), recipe, progress), memory)


def fit(
    stories: list[Story],
    recipe: PathRecipe | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> PathModel:
    """A network for these stories: the same seed gives the same one."""
    recipe = recipe or PathRecipe()
    if not any(True for story in stories for _ in numbered(story)):  # every line is checked
        raise TrainingError("there is nothing to learn from: no statements and no questions")
    vocabulary = PathVocabulary.learn(stories)
    examples = encode(stories, vocabulary)
    hops = recipe.hops or examples.most_supports
    if examples.most_supports > hops:
        raise InputError(
            f"a question has {examples.most_supports} supporting statements, but hops is {hops}; "
            "leave it out, or raise it"
        )
    start = time.perf_counter()
    rng = np.random.default_rng(recipe.seed)
    state = new_state(recipe.seed)
    epochs = recipe.epochs + recipe.answer_epochs
    told = {"O": float("nan"), "R": float("nan")}

    def moved(name: str, epoch: int, loss: float) -> None:
        if not np.isfinite(loss):
            raise TrainingError(f"training diverged in epoch {epoch}; use a smaller lr")
        told[name] = loss
        if progress is not None:
            progress(Progress(epoch, epochs, told["O"], told["R"]))

    A = fit_O(examples, recipe, hops, rng, state, len(vocabulary), moved)
    R = fit_R(examples, recipe, rng, state, vocabulary, moved)
    if not all(np.isfinite(table).all() for table in (A, *R)):
        raise TrainingError("training diverged: weights grew too large; use a smaller lr")
    card = {
        "trained_on": sorted({story.source for story in stories}),
        "stories": len(stories),
        "statements": examples.statements,
        "questions": len(examples),
        "epochs": epochs,
        "loss_O": told["O"],
        "loss_R": told["R"],
        "seconds": round(time.perf_counter() - start, 3),
        "memnn": __version__,
    }
    silence = Silence.learn(stories, vocabulary.split)
    return PathModel(recipe, vocabulary, A, R, hops, silence, card)
