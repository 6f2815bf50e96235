"""Language modelling with truncated back-propagation through time, on answer words only (§5.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from memnn.errors import InputError, TrainingError, UnknownName
from memnn.paper.baselines.stream import IGNORE, TARGETS, Words, encode
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
class BaselineSettings:
    """The paper tuned hidden size, BPTT steps and learning rate; so does `memnn.paper.search`."""

    cell: str = "lstm"
    hidden: int = 64
    bptt: int = 50
    """How many words back the gradient goes at most."""
    lr: float = 0.005
    epochs: int = 20
    dim: int = 32
    """The size of the vector of a word."""
    streams: int = 16
    """The training stream is cut into this many, read side by side."""
    clip: float = 1.0
    on: str = "answers"
    """The words whose log likelihood is the loss: "answers", or "questions+answers"."""

    def __post_init__(self) -> None:
        if self.cell not in CELLS:
            raise UnknownName("recurrent cell", self.cell, CELLS)
        if self.on not in TARGETS:
            raise UnknownName("choice of words to predict", self.on, TARGETS)
        for name in ("hidden", "bptt", "lr", "epochs", "dim", "streams", "clip"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} must be greater than 0, not {getattr(self, name)}")

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


CHOSEN: dict[str, BaselineSettings] = {
    "rnn": BaselineSettings("rnn", hidden=100, bptt=50, lr=0.001, epochs=12),
    "lstm": BaselineSettings("lstm", hidden=100, bptt=50, lr=0.005, epochs=20),
}
"""One setting for all data sets, found by `memnn reproduce baselines-search` (docs/log.md)."""


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
