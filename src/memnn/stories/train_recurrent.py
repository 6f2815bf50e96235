"""Training of R as RNN or LSTM (§3.1): the log likelihood of r given [x, o_1, o_2].

The supports are the true ones of the training questions; what O finds is for test time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from memnn.errors import FormatError, TrainingError
from memnn.settings import COUNT, POSITIVE, BaseSettings, same_as, setting
from memnn.stories.language_model import (
    LanguageModel,
    cross_entropy,
    diverged,
    one_thread,
    require_torch,
    step,
    vocabulary,
)
from memnn.stories.recipe import MOST_RESPONSE_EPOCHS, RESPONSE_EPOCHS, Recipe
from memnn.stories.recurrent import RecurrentResponse, read_aloud
from memnn.types import Statement, Story

if TYPE_CHECKING:
    import torch

IGNORE = -100
"""The target where nothing is to be said: the words that are read."""


@dataclass(frozen=True)
class ResponseSettings(BaseSettings):
    """Sizes and steps of R; chosen on validation data (docs/log.md)."""

    dim: int = setting(32, "The size of the vector of a word.", range=(1, 10_000))
    hidden: int = same_as(Recipe, "response_size")
    epochs: int | None = same_as(Recipe, "response_epochs")
    batch: int = setting(16, "Examples a step.", range=COUNT)
    lr: float = setting(0.005, "The learning rate of the first epoch.", range=POSITIVE)
    clip: float = setting(1.0, "The longest a gradient may be.", range=POSITIVE)

    def epochs_for(self, questions: int) -> int:
        """12 over 3,000 questions; more over fewer, 100 at most."""
        if self.epochs is not None:
            return self.epochs
        enough = -(-15_000 // max(1, questions))
        return max(RESPONSE_EPOCHS, min(MOST_RESPONSE_EPOCHS, enough))


def train_response(
    stories: Sequence[Story],
    cell: str,
    settings: ResponseSettings | None = None,
    *,
    hops: int = 2,
    seed: int = 0,
    progress: Callable[[int, int, float], None] | None = None,
) -> RecurrentResponse:
    """An R that words its answers as the stories do; `progress` hears epoch, epochs, loss."""
    settings = settings or ResponseSettings()
    torch = require_torch(f"R as {cell.upper()}")
    model = LanguageModel(
        cell, vocabulary(stories), dim=settings.dim, hidden=settings.hidden, seed=seed
    )
    examples: list[Example] = []
    written: dict[str, str] = {}
    for x, supports, r in response_examples(stories, hops):
        said = model.words(r)
        examples.append((read_aloud(model, x, supports), [*said, model.stop]))
        if model.text(said).lower() != r.lower():
            written[model.text(said)] = r
    if not examples:
        raise TrainingError("R has nothing to learn from: no question has an answer and supports")
    epochs = settings.epochs_for(len(examples))
    optimiser = torch.optim.Adam(model.net.parameters(), lr=settings.lr)
    rng = np.random.default_rng(seed)
    with one_thread():
        for epoch in range(1, epochs + 1):
            _decay(optimiser, settings.lr, epoch, epochs)
            losses = []
            for some in _batches(examples, settings.batch, rng):
                words, targets = padded(some)
                losses.append(step(model, optimiser, loss(model, words, targets), settings.clip))
            if diverged(losses):
                raise TrainingError(f"training of R diverged in epoch {epoch}; use a smaller lr")
            if progress is not None:
                progress(epoch, epochs, float(np.mean(losses)))
    return RecurrentResponse(model, max(len(r) - 1 for _, r in examples), written)


Example = tuple[list[int], list[int]]  # [x, o_1, o_2] and r, both as words


def padded(examples: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
    """The fed sequence [x, o_1, o_2, r] and what each word should be followed by, both (T, B)."""
    torch = require_torch("R")
    rnn = torch.nn.utils.rnn
    words, targets = [], []
    for read, said in examples:
        words.append(torch.tensor(read + said[:-1]))
        targets.append(torch.tensor([IGNORE] * (len(read) - 1) + said))
    return rnn.pad_sequence(words), rnn.pad_sequence(targets, padding_value=IGNORE)


def loss(model: LanguageModel, words: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Minus the mean log likelihood of the words that are to be said."""
    h, _ = model.read(words)
    to_say = targets != IGNORE
    return cross_entropy(model.scores(h[to_say]), targets[to_say])


def response_examples(stories: Sequence[Story], hops: int) -> Iterator[tuple[str, list[str], str]]:
    """The question, its supports and its answer; a repeated support means stop and is left out."""
    for story in stories:
        told: dict[int, str] = {}
        for number, line in enumerate(story.lines, start=1):
            if isinstance(line, Statement):
                told[number if line.id is None else line.id] = line.text
            elif line.answer and line.answer.strip() and line.supports:
                ids = [id for id, _ in groupby(line.supports[:hops])]
                for id in ids:
                    if id not in told:
                        where = story.first_line + number - 1
                        problem = f"supporting statement {id} is not among those before it"
                        raise FormatError(story.source, where, problem)
                yield line.text, [told[id] for id in ids], line.answer.strip()


def _batches(
    examples: Sequence[Example], size: int, rng: np.random.Generator
) -> Iterator[list[Example]]:
    """Random batches of examples of about the same length, in random order."""
    lengths = np.array([len(read) + len(said) for read, said in examples])
    order = np.argsort(lengths + rng.uniform(0, 4, len(examples)), kind="stable")
    starts = np.arange(0, len(examples), size)
    for start in rng.permutation(starts):
        yield [examples[i] for i in order[start : start + size]]


def _decay(optimiser: torch.optim.Optimizer, lr: float, epoch: int, epochs: int) -> None:
    """Large steps first, small ones last."""
    for group in optimiser.param_groups:
        group["lr"] = lr * (1 - (epoch - 1) / epochs)
