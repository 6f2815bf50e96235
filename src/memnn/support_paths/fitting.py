"""The training of one path network as a course of epochs, which can be put away and taken up."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from math import isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError, TrainingError
from memnn.kernels.arrays import Floats
from memnn.kernels.rng import new_state
from memnn.stories.examples import numbered
from memnn.stories.train import Progress
from memnn.support_paths.examples import encode
from memnn.support_paths.learning import Arrays, LearningO, LearningR
from memnn.support_paths.model import PathModel
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.silence import Silence
from memnn.support_paths.vocabulary import PathVocabulary
from memnn.types import Story
from memnn.version import __version__


class Fitting:
    """O, then R, an epoch at a time: the same seed gives the same network."""

    def __init__(self, stories: Sequence[Story], recipe: PathRecipe) -> None:
        if not any(True for story in stories for _ in numbered(story)):  # every line is checked
            raise TrainingError("there is nothing to learn from: no statements and no questions")
        self.recipe = recipe
        self.vocabulary = PathVocabulary.learn(stories)
        self.examples = encode(stories, self.vocabulary)
        self.hops = recipe.hops or self.examples.most_supports
        if self.examples.most_supports > self.hops:
            raise InputError(
                f"a question has {self.examples.most_supports} supporting statements, but hops is "
                f"{self.hops}; leave it out, or raise it"
            )
        self.silence = Silence.learn(stories, self.vocabulary.split)
        self._sources, self._stories = sorted({story.source for story in stories}), len(stories)
        self._rng, self._state = np.random.default_rng(recipe.seed), new_state(recipe.seed)
        self._seconds = 0.0
        self._losses = {"O": nan, "R": nan}
        self.O = LearningO(self.examples, recipe, self.hops, len(self.vocabulary))
        self.R: LearningR | None = None
        """None until O has learnt."""
        self._A: Floats | None = None
        self._before: Mapping[str, Any] = {}

    @property
    def epochs(self) -> int:
        """How many there are at most."""
        return self.recipe.epochs + self.recipe.answer_epochs

    @property
    def ended(self) -> bool:
        return self.R is not None and self.R.ended

    @property
    def A(self) -> Floats:
        """O's weights, as far as they are learnt."""
        return self.O.A if self._A is None else self._A

    def end_O(self, A: Floats | None = None) -> None:
        """Go on with R; O keeps these weights, or those it has."""
        self._A = self.A if A is None else A
        self._before = self._rng.bit_generator.state
        self.R = LearningR(self.examples, self.recipe, self.vocabulary, self._rng)

    def next_epoch(self) -> Progress:
        """Read every question once, for O or, when it has learnt, for R."""
        start = time.perf_counter()
        if self.R is None and self.O.ended:
            self.end_O()
        if self.R is None:
            self._losses["O"] = loss = self.O.next_epoch(self._rng, self._state)
            epoch = self.O.epoch
        else:
            self._losses["R"] = loss = self.R.next_epoch(self._rng, self._state)
            epoch = self.recipe.epochs + self.R.epoch
        if not isfinite(loss):
            raise TrainingError(f"training diverged in epoch {epoch}; use a smaller lr")
        self._seconds += time.perf_counter() - start
        return Progress(epoch, self.epochs, self._losses["O"], self._losses["R"])

    def model(self) -> PathModel:
        """What was learnt."""
        if self.R is None:
            raise TrainingError("R has not learnt anything yet")
        A, R = self.A, self.R.weights
        if not all(np.isfinite(table).all() for table in (A, *R)):
            raise TrainingError("training diverged: weights grew too large; use a smaller lr")
        card = {
            "trained_on": self._sources,
            "stories": self._stories,
            "statements": self.examples.statements,
            "questions": len(self.examples),
            "epochs": self.epochs,
            "loss_O": self._losses["O"],
            "loss_R": self._losses["R"],
            "seconds": round(self._seconds, 3),
            "memnn": __version__,
        }
        return PathModel(
            self.recipe, self.vocabulary, A, R, self.hops, self.silence, card,
            longest=self.examples.longest,
        )  # fmt: skip

    def put_away(self) -> tuple[dict[str, Any], Arrays]:
        """All that the rest of the training depends on, beside stories and recipe."""
        about = {
            "losses": [None if loss != loss else loss for loss in self._losses.values()],
            "seconds": self._seconds,
            "random": self._rng.bit_generator.state,
            "before": dict(self._before),
            "state": int(self._state[0]),
        }
        if self.R is None:
            return about, {f"O.{name}": array for name, array in self.O.arrays().items()}
        cells = np.flatnonzero(self.A)
        return about, {
            "A.cells": cells,
            "A.values": self.A[cells],
            **{f"R.{name}": array for name, array in self.R.arrays().items()},
        }

    def take_up(self, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from there; to be called before the first epoch."""

        def of(part: str) -> Arrays:
            start = f"{part}."
            return {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}

        if "A.cells" in arrays:
            A = np.zeros_like(self.A)
            A[arrays["A.cells"]] = arrays["A.values"]
            self._rng.bit_generator.state = about["before"]
            self.end_O(A)
        if self.R is None:
            self.O.take_up(of("O"))
        else:
            self.R.take_up(of("R"))
        losses = [nan if loss is None else loss for loss in about["losses"]]
        self._losses = dict(zip("OR", losses, strict=True))
        self._seconds = about["seconds"]
        self._rng.bit_generator.state = about["random"]
        self._state[0] = about["state"]
