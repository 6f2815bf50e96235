"""What the story experiments share: data by seed, word streams, networks and baselines."""

from __future__ import annotations

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


def data(
    difficulty: int, ask: str, seed: int, size: Size, **options: Any
) -> tuple[list[Story], list[Story]]:
    """Training and test stories."""
    train, test = (
        simulate(
            difficulty=difficulty,
            ask=ask,
            seed=s,
            statements=size.statements,
            questions=size.questions,
            **options,
        )
        for s in (seed, TEST + seed)
    )
    return train, test


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


def baseline_settings(row: str, size: Size, **changes: Any) -> BaselineSettings:
    from dataclasses import replace

    settings = replace(CHOSEN[BASELINE_ROWS[row]], **changes)
    return replace(settings, epochs=min(settings.epochs, 2)) if size.quick else settings


def baseline_accuracy(
    row: str, train: list[Story], test: list[Story], seed: int, size: Size, *,
    sentences: bool = False, **changes: Any,
) -> Values:  # fmt: skip
    baseline = train_baseline(train, baseline_settings(row, size, **changes), seed=seed)
    return {"accuracy": evaluate_baseline(baseline, test, sentences=sentences).accuracy}
