"""SGD over the questions of stories (§3.1): the same seed gives the same network."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import nan
from pathlib import Path

import numpy as np

from memnn.errors import TrainingError
from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.phi import Contexts, Sparse
from memnn.kernels.rng import new_state
from memnn.kernels.story_examples import Labels, Scratch, Settings
from memnn.kernels.story_train import train_epoch
from memnn.kernels.write_time import CODES
from memnn.memory import Memory
from memnn.network import MemoryNetwork
from memnn.stories.dictionary import Dictionary
from memnn.stories.examples import encode, numbered, story_list
from memnn.stories.invariants import Habits
from memnn.stories.language_model import require_torch
from memnn.stories.model import Model, initial
from memnn.stories.network import network
from memnn.stories.recipe import Recipe
from memnn.stories.responses import RECURRENT, response_named
from memnn.stories.train_invariants import learn_habits
from memnn.stories.train_recurrent import ResponseSettings, response_examples, train_response
from memnn.stories.train_segmenter import SegmenterSettings, train_segmenter
from memnn.text.cutting import segmented
from memnn.types import Story
from memnn.version import __version__


@dataclass(frozen=True)
class Progress:
    """Told after every epoch; losses are means per question.

    An RNN or LSTM as R is trained after O, in epochs that count on. Until then its loss is NaN,
    then minus the mean log likelihood of a word. Where stories are held back from training,
    `supports` and `answers` are the shares that are right on them, else NaN.
    """

    epoch: int
    epochs: int
    loss_O: float
    loss_R: float
    supports: float = nan
    answers: float = nan
    stage: str = ""
    """What it is trained for, where it is trained more than once."""


def train(
    stories: Iterable[Story] | Story | str | Path,
    recipe: Recipe | None = None,
    *,
    memory: Memory | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> MemoryNetwork:
    """Train a network on stories (or a story file) and return it with an empty memory."""
    return network(fit(story_list(stories), recipe or Recipe(), progress), memory)


def fit(
    stories: list[Story], recipe: Recipe, progress: Callable[[Progress], None] | None = None
) -> Model:
    """The parameters that minimise Eq. 6-8 (Appendix C with write time) on the stories."""
    response_named(recipe.response)
    if recipe.response in RECURRENT:
        require_torch(f"R as {recipe.response.upper()}")
    lines = [line for story in stories for line in numbered(story)]  # every line is checked
    if not lines:
        raise TrainingError("there is nothing to learn from: no statements and no questions")
    segmenter = None
    if recipe.stream:
        # Labels are checked where they stand: later the lines have other numbers.
        encode(stories, Dictionary.build(stories), recipe)
        segmenter = train_segmenter(stories, SegmenterSettings.named(recipe.segmenter, recipe.seed))
        stories = segmented(stories, segmenter)
    dictionary = Dictionary.build(stories, index_features=recipe.time == "index")
    examples = encode(stories, dictionary, recipe)
    rng = np.random.default_rng(recipe.seed)
    model = initial(dictionary, recipe, rng)
    state = new_state(recipe.seed)
    texts, questions = examples.texts(), examples.question_texts()
    entities = np.array(sorted(dictionary.entity_rows), np.int64)[: None if recipe.unseen else 0]
    contexts, scratch = workspace(model, len(entities), examples.longest)
    settings = kernel_settings(recipe)
    labels = Labels(examples.first, examples.last, examples.supports, examples.answers)
    epochs = recipe.epochs_for(len(examples))
    later = epochs_of_R(stories, recipe)
    start = time.perf_counter()
    for epoch in range(1, epochs + 1):
        losses = train_epoch(
            model.U_O, model.U_R, model.layout_O.blocks, model.layout_R.blocks,
            len(dictionary.words), texts, questions, labels, entities, contexts,
            rng.permutation(len(examples)), settings, state, scratch,
        )  # fmt: skip
        loss_O, loss_R = (loss / len(examples) for loss in losses)
        loss_R = float("nan") if later else loss_R
        # Not the losses: a comparison with NaN is false, and so looks like a margin kept.
        if not (np.isfinite(model.U_O).all() and np.isfinite(model.U_R).all()):
            raise TrainingError(
                f"training diverged in epoch {epoch}; use a smaller --lr or --margin"
            )
        if progress is not None:
            progress(Progress(epoch, epochs + later, loss_O, loss_R))
    card = {
        "trained_on": sorted({story.source for story in stories}),
        "stories": len(stories),
        "statements": len(examples.statements),
        "questions": len(examples),
        "epochs": epochs,
        "loss_O": loss_O,
        "loss_R": loss_R,
        "seconds": round(time.perf_counter() - start, 3),
        "memnn": __version__,
    }
    habits = learn_habits(stories, dictionary, recipe.hops) if recipe.habits else Habits()
    model = replace(model, card=card, segmenter=segmenter, habits=habits)
    return with_recurrent(model, stories, progress) if later else model


def settings_of_R(recipe: Recipe) -> ResponseSettings:
    return ResponseSettings(hidden=recipe.response_size, epochs=recipe.response_epochs)


def epochs_of_R(stories: list[Story], recipe: Recipe) -> int:
    """How long R is trained after O: not at all unless it is an RNN or LSTM."""
    if recipe.response not in RECURRENT:
        return 0
    n = sum(1 for _ in response_examples(stories, recipe.hops))
    return settings_of_R(recipe).epochs_for(n)


def with_recurrent(
    model: Model, stories: list[Story], progress: Callable[[Progress], None] | None
) -> Model:
    """The model with an RNN or LSTM as its R, and R's own loss on its card."""
    recipe, card = model.recipe, model.card
    loss = float("nan")

    def moved(epoch: int, epochs: int, now: float) -> None:
        nonlocal loss
        loss = now
        if progress is not None:
            before = card["epochs"]
            progress(Progress(before + epoch, before + epochs, card["loss_O"], now))

    start = time.perf_counter()
    R = train_response(
        stories, recipe.response, settings_of_R(recipe), hops=recipe.hops, seed=recipe.seed,
        progress=moved,
    )  # fmt: skip
    seconds = round(card["seconds"] + time.perf_counter() - start, 3)
    card = {**card, "loss_R": loss, "seconds": seconds}
    return replace(model, card=card, R_settings=R.settings(), R_weights=R.weights())


def kernel_settings(recipe: Recipe) -> Settings:
    return Settings(
        mode=CODES[recipe.time],
        margin=recipe.margin,
        lr=recipe.lr,
        tries=recipe.tries,
        recent=recipe.recent,
        lesions=round(1000 * recipe.lesions),
        dropout=-1 if recipe.dropout is None else round(1000 * recipe.dropout),
        bow=recipe.bow,
    )


def workspace(model: Model, entities: int, longest: int) -> tuple[Contexts, Scratch]:
    """Arrays for the kernels: contexts of hidden words, and scratch."""
    W, n = len(model.dictionary), model.recipe.dim
    D = max(model.layout_O.D, model.layout_R.D)
    candidates = max(W, len(model.dictionary.answers))
    # A hidden word has at most all words on either side, and matches with two sources.
    per_token = 6 * W + 3 if entities else 3

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, np.int64)

    def floats(size: int) -> Floats:
        return np.zeros(size, np.float32)

    def sparse(tokens: int) -> Sparse:
        return Sparse(ints(tokens * per_token), floats(tokens * per_token))

    contexts = Contexts(np.full(W, -1, np.int64), ints(2 * entities + 1), ints(2 * entities * W))
    scratch = Scratch(
        q=floats(n), d=floats(n),
        x=sparse((model.recipe.hops + 1) * longest), y=sparse(longest + 2), y2=sparse(longest + 2),
        p=floats(D), p_at=ints(D), e=floats(candidates), e_at=ints(candidates),
        in_x=ints(W), in_m=ints(W), spare=ints(longest + 2),
        left=ints(entities, W), right=ints(entities, W),
        candidates=np.arange(candidates), clock=ints(2),
    )  # fmt: skip
    return contexts, scratch
