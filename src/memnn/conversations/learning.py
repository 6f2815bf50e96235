"""Learn from lessons: weights of a memory's own, near the shipped ones, kept with it.

Whoever taught which turns answer a question has said what a scorer should have ranked first. The
loss is that of training, held by a prior to the shipped weights. A lesson that these find nearly
impossible may be wrong, and counts for little. What is learnt is used only if it ranks lessons that
it did not learn from better than the shipped weights do, by more than chance.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memnn.conversations.features import FEATURES, measured
from memnn.conversations.index import Ints, TurnIndex
from memnn.conversations.question import TurnQuestion
from memnn.conversations.scoring import LinearScorer
from memnn.conversations.train import LabelledTurns, fit, ranks
from memnn.errors import InputError
from memnn.memory import Memory
from memnn.types import Lesson

NAME = "learnt-1"
PRIOR = 100.0
"""Lessons that one spread of a weight's feature is worth."""
DOUBT = 0.02
"""A lesson whose turns have this probability counts half."""
FOLDS, LEAST = 5, 5
CANDIDATES = 200
"""Turns that a lesson is learnt against."""


@dataclass(frozen=True)
class Learnt:
    """What lessons taught, measured on lessons that were held back."""

    lessons: int
    """Those with something that answers."""
    none: int
    """Those that nothing answers: they teach no ranking."""
    first_before: int
    """For how many held-back lessons a turn that answers stood first, with the shipped weights …"""
    first_after: int
    """… and with weights learnt from the others."""
    mean_before: float
    """The mean of 1/rank, of the same two."""
    mean_after: float
    kept: bool
    weights: Mapping[str, float]


def learn(memory: Memory, index: TurnIndex, shipped: LinearScorer) -> Learnt:
    """Fit weights to a memory's lessons, and let it keep them if they are better."""
    deletions = memory.changes().deletions
    taught = memory.lessons()
    lessons = [lesson for lesson in taught if lesson.ids]
    if len(lessons) < LEAST:
        raise InputError(
            f"{len(lessons)} lessons say what answers a question; teach at least {LEAST} "
            "(memnn teach)"
        )
    labelled = [_labelled(lesson, index, shipped) for lesson in lessons]
    fold = np.arange(len(labelled)) % FOLDS
    before = np.array(ranks(shipped, labelled))
    after = np.zeros(len(labelled), np.int64)
    for k in range(FOLDS):
        rest = [each for each, f in zip(labelled, fold, strict=True) if f != k]
        held = [each for each, f in zip(labelled, fold, strict=True) if f == k]
        after[fold == k] = ranks(_fitted(rest, shipped), held)
    better = _better(before, after)
    weights = _fitted(labelled, shipped).weights if better else shipped.weights
    if better:
        about = {"shipped": name_of(shipped), "weights": weights}
        memory.keep(NAME, json.dumps(about).encode(), deletions)
    else:
        forget(memory)
    return Learnt(
        len(lessons), len(taught) - len(lessons), int((before == 1).sum()), int((after == 1).sum()),
        float((1 / before).mean()), float((1 / after).mean()), better, weights,
    )  # fmt: skip


def forget(memory: Memory) -> None:
    """Go back to the shipped weights; lessons stay."""
    if memory.kept(NAME) is not None:
        memory.keep(NAME, b"{}", memory.changes().deletions)


def learnt_scorer(memory: Memory, shipped: LinearScorer) -> LinearScorer:
    """What a memory has learnt; the shipped weights where that is nothing, or of older ones."""
    data = memory.kept(NAME)
    if data is None:
        return shipped
    try:
        about = json.loads(data)
        if about.get("shipped") != name_of(shipped) or set(about["weights"]) != set(FEATURES):
            return shipped
        weights = {str(k): float(v) for k, v in about["weights"].items()}
        return LinearScorer(weights, read=shipped.read)
    except (ValueError, KeyError, TypeError, AttributeError):
        return shipped


def carry(source: Memory, copy: Memory) -> None:
    """Let a copy know what its source has learnt."""
    data = source.kept(NAME)
    if data != copy.kept(NAME):
        copy.keep(NAME, data or b"{}", copy.changes().deletions)


def name_of(shipped: LinearScorer) -> str:
    """Which weights these are: what was learnt on others does not fit."""
    return f"{zlib.crc32(json.dumps(sorted(shipped.weights.items())).encode()):08x}"


def _labelled(lesson: Lesson, index: TurnIndex, shipped: LinearScorer) -> LabelledTurns:
    end = int(index.ids.searchsorted(lesson.as_of, side="right"))
    asked = TurnQuestion(lesson.question, index, end)
    answers: Ints = index.ids.searchsorted(np.array(lesson.ids, np.int64))
    places = asked.holding() if asked.few else asked.best(10 * CANDIDATES, _all)
    places = np.union1d(places, answers)
    features = measured(asked, places)
    right = np.isin(places, answers)
    w = np.array([shipped.weights[name] for name in FEATURES])
    chosen = np.zeros(len(places), np.bool_)
    chosen[np.argsort(-(w @ features), kind="stable")[:CANDIDATES]] = True
    chosen |= right
    return LabelledTurns(features[:, chosen], right[chosen], "lesson")


def _all(places: Ints) -> NDArray[np.bool_]:
    return np.ones(len(places), np.bool_)


def _fitted(labelled: list[LabelledTurns], shipped: LinearScorer) -> LinearScorer:
    weights = fit(labelled, PRIOR / len(labelled), towards=shipped, doubt=DOUBT)
    return LinearScorer(weights, shipped.spread, shipped.read)


def _better(before: Ints, after: Ints) -> bool:
    """Whether ranks improved by more than one standard error, with no fewer first."""
    gain = 1 / after - 1 / before
    error = float(gain.std()) / len(gain) ** 0.5
    return bool(gain.mean() > error and (after == 1).sum() >= (before == 1).sum())
