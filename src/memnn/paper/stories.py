"""What the story experiments share: data by seed, word streams, networks and baselines."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from memnn.paper.baselines.evaluate import evaluate_baseline
from memnn.paper.baselines.language import CHOSEN, BaselineSettings, train_baseline
from memnn.paper.plan import Size, Values
from memnn.simulator import simulate
from memnn.stories.evaluate import evaluate
from memnn.stories.network import network
from memnn.stories.recipe import Recipe
from memnn.stories.train import fit
from memnn.stories.train_segmenter import train_segmenter
from memnn.text.cutting import segment
from memnn.types import Story

TEST = 1000
"""Test stories have seeds of their own: 1000 more than the training stories'."""

MEMNN_ROWS: dict[str, dict[str, Any]] = {
    "MemNN k=1": {"hops": 1, "time": "none", "first_supports": True},
    "MemNN k=1 (+time)": {"hops": 1, "first_supports": True},
    "MemNN k=2 (+time)": {"hops": 2},
}
BASELINE_ROWS = {"RNN": "rnn", "LSTM": "lstm"}
TASKS = {
    "D1 actor w/o before": (1, "actor-now"),
    "D1 actor": (1, "actor"),
    "D1 actor+object": (1, "actor+object"),
    "D1 actor w/o before + object": (1, "actor-now+object"),
    "D5 actor w/o before": (5, "actor-now"),
    "D5 actor w/o before + object": (5, "actor-now+object"),
    "D5 actor": (5, "actor"),
    "D5 actor+object": (5, "actor+object"),
}
"""Difficulty and questions, by the names of the tables' columns."""


def data(
    difficulty: int, ask: str, seed: int, size: Size, **options: Any
) -> tuple[list[Story], list[Story]]:
    """Training and test stories."""
    train, test = (told(difficulty, ask, s, size, **options) for s in (seed, TEST + seed))
    return train, test


def told(difficulty: int, ask: str, seed: int, size: Size, **options: Any) -> list[Story]:
    """Stories of one seed, as many as the size of the run says."""
    return simulate(
        difficulty=difficulty,
        ask=ask,
        seed=seed,
        statements=size.statements,
        questions=size.questions,
        **options,
    )


@lru_cache(maxsize=4)
def streams(
    difficulty: int, ask: str, seed: int, size: Size, sentences: bool = False
) -> tuple[list[Story], list[Story], float]:
    """Word streams as a segmenter trained on the first reads them; how many segments are exact."""
    train, test = data(difficulty, ask, seed, size, stream=True, sentences=sentences)
    segmenter = train_segmenter(train)
    cut, boundaries = segment(test, segmenter)
    return segment(train, segmenter)[0], cut, boundaries.exact


def memnn_accuracy(train: list[Story], test: list[Story], **recipe: Any) -> Values:
    result = evaluate(network(fit(train, Recipe(habits=False, **recipe))), test)
    return {"accuracy": result.accuracy, "support_accuracy": result.support_accuracy}


def shortened(settings: BaselineSettings, size: Size) -> BaselineSettings:
    """Two epochs are enough for a quick run."""
    return replace(settings, epochs=min(settings.epochs, 2)) if size.quick else settings


def baseline_accuracy(
    row: str, train: list[Story], test: list[Story], seed: int, size: Size, *,
    sentences: bool = False, **changes: Any,
) -> Values:  # fmt: skip
    settings = shortened(replace(CHOSEN[BASELINE_ROWS[row]], **changes), size)
    baseline = train_baseline(train, settings, seed=seed)
    return {"accuracy": evaluate_baseline(baseline, test, sentences=sentences).accuracy}
