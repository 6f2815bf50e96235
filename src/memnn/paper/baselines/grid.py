"""The hyper-parameters of the baselines (§5.2): hidden size, BPTT steps, learning rate.

Every cell of the grid is tried on data held out from training, and every trial is logged.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from memnn.errors import InputError, TrainingError
from memnn.paper.baselines.evaluate import evaluate_baseline
from memnn.paper.baselines.language import CHOSEN, BaselineSettings, train_baseline
from memnn.types import Question, Statement, Story

GRID: Mapping[str, Sequence[Any]] = {
    "hidden": (50, 100),
    "bptt": (20, 50, 100),
    "lr": (0.001, 0.003, 0.01),
}


def search(
    stories: Sequence[Story],
    grid: Mapping[str, Sequence[Any]] | None = None,
    *,
    start: BaselineSettings | None = None,
    validation: Sequence[Story] | None = None,
    budget_seconds: float = 600.0,
    seed: int = 0,
    sentences: bool = False,
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> tuple[BaselineSettings, list[dict[str, Any]]]:
    """The best settings on the validation stories, and a log with one entry for every cell.

    `start` has the settings that the grid does not name. Without `validation` the last fifth of
    the stories is held out. Cells are tried in random order until the time is up; the log marks
    those that were left out with accuracy None.
    """
    grid = GRID if grid is None else grid
    start = start or CHOSEN["lstm"]
    cells = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    settings = [replace(start, **cell) for cell in cells]  # a wrong name or value is found at once
    if validation is None:
        stories, validation = hold_out(stories)
    log: list[dict[str, Any]] = []
    began = time.perf_counter()
    for i in np.random.default_rng(seed).permutation(len(cells)):
        entry: dict[str, Any] = {"cell": start.cell, **cells[i], "epochs": settings[i].epochs}
        entry |= {"seed": seed, "accuracy": None, "loss": None, "seconds": 0.0, "index": int(i)}
        if time.perf_counter() - began < budget_seconds:
            entry |= _try(settings[i], stories, validation, seed, sentences)
        log.append(entry)
        if progress is not None:
            progress(entry)
    tried = [entry for entry in log if entry["accuracy"] is not None]
    if not tried:
        raise InputError("no cell of the grid could be tried: more time or smaller steps may help")
    best = max(tried, key=lambda entry: float(entry["accuracy"]))
    return settings[best["index"]], log


def _try(
    settings: BaselineSettings,
    stories: Sequence[Story],
    validation: Sequence[Story],
    seed: int,
    sentences: bool,
) -> dict[str, Any]:
    losses: list[float] = []
    began = time.perf_counter()
    try:
        baseline = train_baseline(
            stories, settings, seed=seed, progress=lambda epoch, epochs, loss: losses.append(loss)
        )
    except TrainingError as error:  # it diverged: that is a result, too
        return {"problem": str(error), "seconds": round(time.perf_counter() - began, 2)}
    seconds = round(time.perf_counter() - began, 2)
    result = evaluate_baseline(baseline, validation, sentences=sentences)
    return {"accuracy": result.accuracy, "loss": round(losses[-1], 4), "seconds": seconds}


def hold_out(stories: Sequence[Story], share: float = 0.2) -> tuple[list[Story], list[Story]]:
    """The last stories, or the end of the only one, for validation: `share` of the questions."""
    questions = _questions(stories)
    left = round(questions * (1 - share))
    if not 0 < left < questions:
        raise InputError("there are too few questions to hold some out for validation")
    if len(stories) > 1:
        kept = 1
        while kept < len(stories) - 1 and _questions(stories[: kept + 1]) <= left:
            kept += 1
        return list(stories[:kept]), list(stories[kept:])
    (story,) = stories
    lines: list[Statement | Question] = []
    for line in story.lines:
        lines.append(line)
        left -= isinstance(line, Question)
        if not left:
            break
    rest = story.lines[len(lines) :]
    return [replace(story, lines=tuple(lines))], [replace(story, lines=rest)]


def _questions(stories: Sequence[Story]) -> int:
    return sum(1 for story in stories for _ in story.questions)
