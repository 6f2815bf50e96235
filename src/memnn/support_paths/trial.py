"""A training that shows how good a path network becomes: measured on stories held back from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats
from memnn.stories.train import Progress
from memnn.support_paths.fitting import Fitting
from memnn.support_paths.held_back import HeldBack
from memnn.support_paths.learning import Arrays
from memnn.support_paths.recipe import PathRecipe
from memnn.types import Story

CALM_O, CALM_R = 3, 10
"""It ends once everything held back was right for this many epochs in a row, …"""
PATIENCE_O, PATIENCE_R = 6, 20
"""… or none of this many was better than those before."""


@dataclass
class Best:
    """The epoch with the most right, the latest one of several; epochs count from 1."""

    questions: int
    calm: int
    patience: int
    epoch: int = 0
    right: float = 0.0
    last: float = 0.0
    perfect: int = 0
    """How many epochs in a row were without a mistake."""
    waited: int = 0
    """How many epochs were not better."""

    def add(self, epoch: int, right: float) -> bool:
        """Count an epoch; returns whether there was none better."""
        self.waited = 0 if right > self.right else self.waited + 1
        self.perfect = self.perfect + 1 if right == 1.0 else 0
        self.last = right
        best = right >= self.right
        if best:
            self.epoch, self.right = epoch, right
        return best

    @property
    def enough(self) -> bool:
        return self.perfect >= self.calm or self.waited >= self.patience

    @property
    def passed(self) -> bool:
        """Whether the last epoch was clearly worse: by more than two standard errors.

        Anything less is chance, and the recipe's number of epochs is as good.
        """
        wrong = (1 - self.right) * self.questions
        p = (wrong + 1) / (self.questions + 2)
        return (self.right - self.last) * self.questions > 2 * sqrt(self.questions * p * (1 - p))


class Trial:
    """A `Fitting` with an eye on stories that it does not learn from."""

    def __init__(
        self, stories: Sequence[Story], recipe: PathRecipe, held_back: Sequence[Story]
    ) -> None:
        self.fitting = Fitting(stories, recipe)
        self.held_back = HeldBack(held_back, self.fitting.vocabulary, self.fitting.silence)
        n = len(self.held_back)
        self.O, self.R = Best(n, CALM_O, PATIENCE_O), Best(n, CALM_R, PATIENCE_R)
        self._best_A: Floats | None = None
        self._supports = nan

    @property
    def ended(self) -> bool:
        return self.fitting.ended or self.R.enough

    def next_epoch(self) -> Progress:
        """One epoch, and what is right on the stories held back."""
        fitting = self.fitting
        if fitting.R is None and (fitting.O.ended or self.O.enough):
            fitting.end_O(self._best_A if self.O.passed else None)
            if self.O.passed:
                self._supports = self.held_back.supports_right(fitting.A, fitting.O.search)
        progress = fitting.next_epoch()
        if fitting.R is None:
            A = fitting.A
            self._supports = self.held_back.supports_right(A, fitting.O.search)
            if not isnan(self._supports) and self.O.add(fitting.O.epoch, self._supports):
                self._best_A = A
            return replace(progress, supports=self._supports)
        answers = self.held_back.answers_right(fitting.R.weights, fitting.recipe)
        self.R.add(fitting.R.epoch, answers)
        return replace(progress, supports=self._supports, answers=answers)

    @property
    def answers(self) -> float:
        """The share of right answers, of the training that `recipe` asks for."""
        return self.R.right if self.R.passed else self.R.last

    @property
    def supports(self) -> float:
        return self._supports

    @property
    def recipe(self) -> PathRecipe:
        """For all stories: with fewer epochs where more made it worse."""
        given = self.fitting.recipe
        return replace(
            given,
            epochs=self.O.epoch if self.O.passed else given.epochs,
            answer_epochs=self.R.epoch if self.R.passed else given.answer_epochs,
        )

    def put_away(self) -> tuple[dict[str, Any], Arrays]:
        about, arrays = self.fitting.put_away()
        about = {**about, "O": asdict(self.O), "R": asdict(self.R)}
        if self._best_A is not None and self.fitting.R is None:
            cells = np.flatnonzero(self._best_A)
            arrays |= {"best.cells": cells, "best.values": self._best_A[cells]}
        return about, arrays

    def take_up(self, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        self.fitting.take_up(about, arrays)
        self.O, self.R = Best(**about["O"]), Best(**about["R"])
        self._supports = self.held_back.supports_right(self.fitting.A, self.fitting.O.search)
        if "best.cells" in arrays:
            self._best_A = np.zeros_like(self.fitting.A)
            self._best_A[arrays["best.cells"]] = arrays["best.values"]
