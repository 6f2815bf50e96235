"""Training a path network: O on the supports, then R on the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from memnn.memory import Memory
from memnn.network import MemoryNetwork
from memnn.stories.examples import story_list
from memnn.stories.train import Progress
from memnn.support_paths.examples import check
from memnn.support_paths.fitting import Fitting
from memnn.support_paths.model import PathModel
from memnn.support_paths.network import network
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.search import find_supports, unsupported
from memnn.support_paths.streams import heard
from memnn.types import Story


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
    """A network for these stories: the same seed gives the same one.

    Supports that a question does not name are found first.
    """
    recipe = recipe or PathRecipe()
    if recipe.stream:  # labels are checked where they stand: later the lines have other numbers
        check(stories, unsupported=unsupported(stories) > 0)
    stories, segmenter = heard(stories, recipe)
    if unsupported(stories):
        stories = find_supports(stories, recipe, progress=progress).stories
    fitting = Fitting(stories, recipe)
    while not fitting.ended:
        moved = fitting.next_epoch()
        if progress is not None:
            progress(moved)
    return replace(fitting.model(), segmenter=segmenter)
