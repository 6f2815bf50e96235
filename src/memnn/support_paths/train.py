"""Training a path network: O on the supports, then R on the answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memnn.errors import InputError, TrainingError
from memnn.kernels.arrays import Floats
from memnn.kernels.path_response import OTHER, AnswerScratch, Weights, new_scratch
from memnn.kernels.path_response_train import Rates, train_answers
from memnn.kernels.path_search import BeamSettings, new_beam, new_work
from memnn.kernels.path_train import CellTable, train_paths
from memnn.kernels.rng import State, new_state
from memnn.memory import Memory
from memnn.network import MemoryNetwork
from memnn.stories.examples import numbered, story_list
from memnn.stories.train import Progress
from memnn.support_paths.examples import PathExamples, encode
from memnn.support_paths.model import PathModel, rounded
from memnn.support_paths.network import network
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.silence import Silence
from memnn.support_paths.vocabulary import PathVocabulary
from memnn.types import Story
from memnn.version import __version__

LEARNT_O, LEARNT_R = 0.002, 0.005
"""A mean loss below which further epochs teach nothing."""
CONTENT_FIRST = 8
"""Epochs in which R learns what belongs to an answer before it learns to say it."""
START = np.float32(1e-2)
"""What AdaGrad's sums of squares begin with."""
FEATURE_BITS = 3
"""R's features have fewer rows than O has cells, by this many bits."""


@dataclass
class Mean:
    """The mean of tables over the later half of the epochs: steadier than the last one."""

    tables: list[Floats]
    count: int = 0

    @classmethod
    def like(cls, tables: tuple[Floats, ...]) -> Mean:
        return cls([np.zeros_like(table) for table in tables])

    def add(self, tables: tuple[Floats, ...]) -> None:
        for total, table in zip(self.tables, tables, strict=True):
            total += table
        self.count += 1

    def of(self, tables: tuple[Floats, ...]) -> list[Floats]:
        """The means, or the tables themselves where training ended early."""
        if not self.count:
            return list(tables)
        return [total / np.float32(self.count) for total in self.tables]


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

    A = _fit_O(examples, recipe, hops, rng, state, len(vocabulary), moved)
    R = _fit_R(examples, recipe, rng, state, vocabulary, moved)
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


def _fit_O(
    examples: PathExamples,
    recipe: PathRecipe,
    hops: int,
    rng: np.random.Generator,
    state: State,
    words: int,
    moved: Callable[[str, int, float], None],
) -> Floats:
    """A, averaged over the later epochs."""
    search = BeamSettings(hops, recipe.beam, recipe.literal, recipe.close)
    beam, work = new_beam(search), new_work(words)
    size = 1 << recipe.bits_for(words)
    table = CellTable(np.zeros(size, np.float32), np.full(size, START))
    mean, literal = Mean.like((table.weights,)), np.arange(words)
    for epoch in range(1, recipe.epochs + 1):
        loss = train_paths(
            table, examples.lines, examples.labels, rng.permutation(len(examples)), recipe.lr,
            recipe.hidden, search, beam, work, literal, state,
        ) / len(examples)  # fmt: skip
        moved("O", epoch, loss)
        if epoch > recipe.epochs // 2:
            mean.add((table.weights,))
        if loss < LEARNT_O:
            break
    return rounded(mean.of((table.weights,))[0])


def _fit_R(
    examples: PathExamples,
    recipe: PathRecipe,
    rng: np.random.Generator,
    state: State,
    vocabulary: PathVocabulary,
    moved: Callable[[str, int, float], None],
) -> Weights:
    """The weights of R, averaged over the later epochs."""
    words, dim = len(vocabulary), recipe.dim
    bits = recipe.bits_for(words)
    size, rows = 1 << bits, 1 << (bits - FEATURE_BITS)
    answers = rng.normal(0.0, 0.3, (3, len(vocabulary.answers) + OTHER + 1, dim))
    answers[1:] *= 0.3
    start = rng.normal(0.0, 0.02, (rows, dim)).astype(np.float32)
    R = Weights(start.copy(), answers.astype(np.float32), np.zeros(size, np.float32))
    squares = Weights(
        np.full_like(R.features, START),
        np.full_like(R.answers, 1e-1),
        np.full_like(R.copies, START),
    )
    rates = Rates(
        recipe.lr_embeddings, recipe.lr_copies, recipe.lr_order, recipe.hidden_answers,
        recipe.literal_answers, recipe.scale, recipe.blind,
    )  # fmt: skip
    scratch: AnswerScratch = new_scratch(dim)
    seen, asked = np.zeros(words, np.int64), np.zeros(words, np.int64)
    mean, literal = Mean.like(R), np.arange(words)
    for epoch in range(1 - CONTENT_FIRST, recipe.answer_epochs + 1):
        now = rates if epoch > 0 else rates._replace(embeddings=0.0)
        loss = train_answers(
            R, squares, examples.lines, examples.labels, examples.said,
            rng.permutation(len(examples)), now, seen, asked, scratch, literal, state,
        ) / len(examples)  # fmt: skip
        if epoch < 1:
            continue
        moved("R", recipe.epochs + epoch, loss)
        if epoch > recipe.answer_epochs // 2:
            mean.add(R)
        if loss < LEARNT_R:
            break
    found = Weights(*mean.of(R))
    found.features[(squares.features == START).all(axis=1)] = 0.0  # never read, never needed
    return Weights(*map(rounded, found))
