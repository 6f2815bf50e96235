"""Train a network for ordinary language, on any stories or on the simulator's."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from memnn.errors import TrainingError
from memnn.network import MemoryNetwork
from memnn.ordinary.examples import encode, words_of
from memnn.ordinary.hearing import SCALARS, Hearing, learn
from memnn.ordinary.learning import Moved, fit_judgement, fit_O, fit_R
from memnn.ordinary.lexicon import WordLexicon
from memnn.ordinary.model import OrdinaryModel
from memnn.ordinary.network import network
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.simulator.ordinary import HoldOut, annotated
from memnn.text.vectors import WordVectors, english
from memnn.types import Story
from memnn.version import __version__

QUESTIONS = 30_000
"""Of simulated stories, for the network that comes with the package."""


def _quiet(part: str, epoch: int, loss: float) -> None:
    """Nobody is told."""


def train(
    stories: Sequence[Story],
    recipe: OrdinaryRecipe | None = None,
    *,
    vectors: WordVectors | None = None,
    resolved: Sequence[Sequence[str]] | None = None,
    moved: Moved = _quiet,
) -> OrdinaryModel:
    """O, R, what pronouns mean and when to decline, from stories with supports and answers.

    A question with the answer "" is one that nothing told answers. The last stories are kept for
    declining, so that it learns from questions which O and R have not seen. `resolved` has the
    statements of each story with every pronoun replaced, where that is known.
    """
    recipe = recipe or OrdinaryRecipe()
    start = time.perf_counter()
    if not recipe.vectors:
        vectors = WordVectors.none()
    elif vectors is None:
        vectors = english()
    kept = max(1, round(recipe.judged * len(stories)))
    first, rest = stories[:-kept], stories[-kept:]
    if not first:
        raise TrainingError("there are too few stories to learn from; give at least two")
    hearing = Hearing(vectors, np.zeros((0, vectors.dim + SCALARS), np.float32))
    if recipe.pronouns:
        hearing = learn(first, vectors, None if resolved is None else resolved[:-kept])
    words, learnt = words_of(first, hearing)
    lexicon = WordLexicon(tuple(words), vectors)
    examples = encode(first, lexicon, learnt, hearing)
    with ThreadPoolExecutor(2) as both:  # the kernels leave each other alone
        O = both.submit(fit_O, examples, recipe, moved)  # noqa: E741
        R = both.submit(fit_R, examples, recipe, len(learnt) + 1, moved)
        A, V = O.result(), R.result()
    others = encode(rest, lexicon, learnt, hearing)
    judgement = fit_judgement(others, recipe, A, V, len(learnt) + 1, moved)
    card = {
        "trained_on": sorted({story.source for story in stories}),
        "stories": len(stories),
        "statements": sum(1 for story in stories for _ in story.statements),
        "questions": len(examples) + len(others),
        "seconds": round(time.perf_counter() - start, 3),
        "memnn": __version__,
    }
    return OrdinaryModel(
        recipe, lexicon, tuple(learnt), hearing, A, V, judgement.J, judgement.measures,
        judgement.slope, card,
    )  # fmt: skip


def train_ordinary(
    *,
    seed: int = 0,
    questions: int = QUESTIONS,
    recipe: OrdinaryRecipe | None = None,
    language: str = "english",
    hold_out: HoldOut | str | None = None,
    moved: Moved = _quiet,
) -> MemoryNetwork:
    """The network for ordinary language, from the simulator's stories and nothing else."""
    world = list(annotated(seed=seed, questions=questions, language=language, hold_out=hold_out))
    model = train(
        [each.story for each in world],
        recipe or OrdinaryRecipe(seed=seed),
        resolved=[[told.resolved for told in each.told] for each in world],
        moved=moved,
    )
    return network(model)
