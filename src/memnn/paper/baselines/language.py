"""Language modelling with truncated back-propagation through time, on answer words only (§5.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memnn.errors import TrainingError
from memnn.paper.baselines.stream import IGNORE, TARGETS, Words, encode
from memnn.settings import COUNT, POSITIVE, BaseSettings, setting
from memnn.stories.language_model import (
    CELLS,
    LanguageModel,
    cross_entropy,
    detached,
    diverged,
    one_thread,
    require_torch,
    step,
    vocabulary,
)
from memnn.types import Question, Story

if TYPE_CHECKING:
    import torch

    from memnn.stories.language_model import State


@dataclass(frozen=True)
class BaselineSettings(BaseSettings):
    """The paper tuned hidden size, BPTT steps and learning rate; so does `memnn.paper.search`."""

    cell: str = setting(
        "lstm", "The network.", choices=dict.fromkeys(CELLS, ""), noun="recurrent cell"
    )
    hidden: int = setting(64, "The size of the hidden state.", range=(1, 10_000))
    bptt: int = setting(50, "How many words back the gradient goes at most.", range=COUNT)
    lr: float = setting(0.005, "The learning rate.", range=POSITIVE)
    epochs: int = setting(20, "Passes over the stream.", range=COUNT)
    dim: int = setting(32, "The size of the vector of a word.", range=(1, 10_000))
    streams: int = setting(
        16, "The training stream is cut into this many, read side by side.", range=COUNT
    )
    clip: float = setting(1.0, "The longest a gradient may be.", range=POSITIVE)
    on: str = setting(
        "answers",
        "The words whose log likelihood is the loss.",
        choices=dict.fromkeys(TARGETS, ""),
        noun="choice of words to predict",
    )


CHOSEN: dict[str, BaselineSettings] = {
    "rnn": BaselineSettings("rnn", hidden=100, bptt=50, lr=0.001, epochs=12),
    "lstm": BaselineSettings("lstm", hidden=100, bptt=50, lr=0.005, epochs=20),
}
"""One setting for all data sets, chosen on validation stories (docs/log.md).

`memnn reproduce baselines-search` repeats the search.
"""


class Baseline:
    """A trained language model that answers the questions of a story as it reads along."""

    def __init__(self, model: LanguageModel, settings: BaselineSettings, longest: int) -> None:
        self.model = model
        self.settings = settings
        self.longest = longest

    def respond(self, story: Story) -> Iterator[tuple[Question, str]]:
        """Every question with the answer, in order; the true answers are never read.

        The answer is greedy: the likeliest word, then the likeliest after it, until `stop`. The
        state goes on from there, so what the model hears after a question is what it said itself.
        """
        torch = require_torch("a baseline")
        model = self.model
        state: State | None = None
        words = [model.bar]
        for line in story.lines:
            words += model.words(line.text)
            if not isinstance(line, Question):
                continue
            with torch.inference_mode(), one_thread():
                h, state = model.read(torch.tensor([*words, model.ask]).unsqueeze(1), state)
                said, _, state = model.say(h[-1], state, self.longest)
            yield line, model.text(said[0])
            words = []


def train_baseline(
    stories: Sequence[Story],
    settings: BaselineSettings | None = None,
    *,
    seed: int = 0,
    progress: Callable[[int, int, float], None] | None = None,
) -> Baseline:
    """A language model of the stories; `progress` hears epoch, epochs, mean loss."""
    settings = settings or CHOSEN["lstm"]
    torch = require_torch(f"the {settings.cell.upper()} baseline")
    model = LanguageModel(
        settings.cell, vocabulary(stories), dim=settings.dim, hidden=settings.hidden, seed=seed
    )
    stream, targets = encode(stories, model, settings.on)
    if (targets == IGNORE).all():
        raise TrainingError("the baseline has nothing to learn from: no question has an answer")
    optimiser = torch.optim.Adam(model.net.parameters(), lr=settings.lr)
    rng = np.random.default_rng(seed)
    with one_thread():
        for epoch in range(1, settings.epochs + 1):
            for group in optimiser.param_groups:  # large steps first, small ones last
                group["lr"] = settings.lr * (1 - (epoch - 1) / settings.epochs)
            losses = []
            state: State | None = None
            for words, wanted in _side_by_side(stream, targets, settings, rng):
                value, state = loss(model, torch.from_numpy(words), torch.from_numpy(wanted), state)
                if value is not None:
                    losses.append(step(model, optimiser, value, settings.clip))
            if diverged(losses):
                raise TrainingError(
                    f"training of the baseline diverged in epoch {epoch}; use a smaller lr"
                )
            if progress is not None:
                progress(epoch, settings.epochs, float(np.mean(losses)))
    longest = max(len(model.words(q.answer or "")) for story in stories for q in story.questions)
    return Baseline(model, settings, longest)


def loss(
    model: LanguageModel, words: torch.Tensor, targets: torch.Tensor, state: State | None = None
) -> tuple[torch.Tensor | None, State]:
    """Minus the mean log likelihood of the targets, if any, and the state to go on from.

    The state is carried over, the gradient is not: that is the truncation.
    """
    h, state = model.read(words, state)
    wanted = targets != IGNORE
    if not wanted.any():
        return None, detached(state)
    return cross_entropy(model.scores(h[wanted]), targets[wanted]), detached(state)


def _side_by_side(
    stream: Words, targets: Words, settings: BaselineSettings, rng: np.random.Generator
) -> Iterator[tuple[Words, Words]]:
    """Windows (bptt, streams) that follow each other; every epoch the cuts fall elsewhere."""
    start = int(rng.integers(len(stream)))
    streams = max(1, min(settings.streams, len(stream) // settings.bptt))
    length = len(stream) // streams

    def cut(words: Words) -> Words:
        turned = np.roll(words, -start)[: streams * length]
        return np.ascontiguousarray(turned.reshape(streams, length).T)  # (length, streams)

    words, wanted = cut(stream), cut(targets)
    for i in range(0, length, settings.bptt):
        yield words[i : i + settings.bptt], wanted[i : i + settings.bptt]
