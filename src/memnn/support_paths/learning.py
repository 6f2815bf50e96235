"""Learning O and R, epoch by epoch; what is half learnt can be put away and taken up again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats
from memnn.kernels.path_response import OTHER, Weights, new_scratch
from memnn.kernels.path_response_train import Rates, train_answers
from memnn.kernels.path_search import BeamSettings, new_beam, new_work
from memnn.kernels.path_train import CellTable, train_paths
from memnn.kernels.rng import State
from memnn.support_paths.examples import PathExamples
from memnn.support_paths.model import rounded
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.vocabulary import PathVocabulary

LEARNT_O, LEARNT_R = 0.002, 0.005
"""A mean loss below which further epochs teach nothing."""
CONTENT_FIRST = 8
"""Epochs in which R learns what belongs to an answer before it learns to say it."""
START = np.float32(1e-2)
"""What AdaGrad's sums of squares begin with."""
WORDS_FIRST, TOLD = 3, 0.2
"""O reads words alone so many times before it reads write time, too. Where they tell nearly every
path, a mean loss below this, it goes on from there: time cannot outweigh what words are sure of."""
FEATURE_BITS = 3
"""R's features have fewer rows than O has cells, by this many bits."""

Arrays = dict[str, NDArray[Any]]
Moved = Callable[[str, int, float], None]
"""Told after an epoch: whose it was, its number, the mean loss of a question."""


@dataclass
class Mean:
    """The mean of tables over the later half of the epochs: steadier than the last one."""

    tables: list[Floats]
    count: int = 0

    @classmethod
    def like(cls, tables: tuple[Floats, ...]) -> Mean:
        return cls([np.zeros_like(table) for table in tables])

    def add(self, tables: tuple[Floats, ...]) -> None:
        for total, table in zip(self.tables, tables, strict=True):
            total += table
        self.count += 1

    def of(self, tables: tuple[Floats, ...]) -> list[Floats]:
        """The means, or the tables themselves where training ended early."""
        if not self.count:
            return list(tables)
        return [total / np.float32(self.count) for total in self.tables]


class Learning(Protocol):
    """One of the two components while it learns."""

    epoch: int
    """How many epochs are over."""
    ended: bool

    def next_epoch(self, rng: np.random.Generator, state: State) -> float:
        """Read every question once; returns the mean loss of one."""

    def arrays(self) -> Arrays:
        """All that the next epoch depends on, beside the two generators of random numbers."""

    def take_up(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from there."""


class LearningO:
    """A of O, against its own beam."""

    def __init__(
        self,
        examples: PathExamples,
        recipe: PathRecipe,
        hops: int,
        words: int,
        *,
        words_first: int = WORDS_FIRST,
    ) -> None:
        self.examples, self.recipe, self._words_first = examples, recipe, words_first
        self.search = BeamSettings(hops, recipe.beam, recipe.literal, recipe.close)
        self._beam, self._work = new_beam(self.search), new_work(words)
        self._literal = np.arange(words)
        size = 1 << recipe.bits_for(words)
        self._table = CellTable(np.zeros(size, np.float32), np.full(size, START))
        self._mean = Mean.like((self._table.weights,))
        self.epoch, self.ended = 0, False

    def next_epoch(self, rng: np.random.Generator, state: State) -> float:
        if not self.epoch and self._words_first:
            self._read_words(rng, state)
        loss = self._read(self.search, rng, state)
        self.epoch += 1
        if self.epoch > self.recipe.epochs // 2:
            self._mean.add((self._table.weights,))
        self.ended = self.epoch >= self.recipe.epochs or loss < LEARNT_O
        return loss

    def _read_words(self, rng: np.random.Generator, state: State) -> None:
        """A start from words alone, or none."""
        for _ in range(self._words_first):
            loss = self._read(self.search._replace(timed=False), rng, state)
        if loss > TOLD:
            self._table.weights[:] = 0
            self._table.squares[:] = START

    def _read(self, search: BeamSettings, rng: np.random.Generator, state: State) -> float:
        recipe, examples = self.recipe, self.examples
        total = train_paths(
            self._table, examples.lines, examples.labels, rng.permutation(len(examples)),
            recipe.lr, recipe.hidden, search, self._beam, self._work, self._literal, state,
        )  # fmt: skip
        return float(total / len(examples))

    @property
    def A(self) -> Floats:
        """What is learnt so far, averaged over the later epochs."""
        (table,) = self._mean.of((self._table.weights,))
        return rounded(table)

    def arrays(self) -> Arrays:
        # A very small step may change a weight and not its sum of squares.
        changed = np.flatnonzero((self._table.squares != START) | (self._table.weights != 0))
        return {
            "epoch": np.array([self.epoch, self._mean.count, self.ended], np.int64),
            "cells": changed,
            "weights": self._table.weights[changed],
            "squares": self._table.squares[changed],
            "mean": self._mean.tables[0][changed],
        }

    def take_up(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.epoch, self._mean.count, ended = arrays["epoch"].tolist()
        self.ended, cells = bool(ended), arrays["cells"]
        self._table.weights[cells] = arrays["weights"]
        self._table.squares[cells] = arrays["squares"]
        self._mean.tables[0][cells] = arrays["mean"]


class LearningR:
    """The weights of R, on the true supports."""

    def __init__(
        self,
        examples: PathExamples,
        recipe: PathRecipe,
        vocabulary: PathVocabulary,
        rng: np.random.Generator,
        *,
        content_first: int = CONTENT_FIRST,
    ) -> None:
        self.examples, self.recipe, self._content_first = examples, recipe, content_first
        words, dim = len(vocabulary), recipe.dim
        bits = recipe.bits_for(words)
        size, rows = 1 << bits, 1 << (bits - FEATURE_BITS)
        answers = rng.normal(0.0, 0.3, (3, len(vocabulary.answers) + OTHER + 1, dim))
        answers[1:] *= 0.3
        self._before, self._rows = rng.bit_generator.state, rows
        self._now = Weights(
            self._start(rng), answers.astype(np.float32), np.zeros(size, np.float32)
        )
        self._squares = Weights(
            np.full_like(self._now.features, START),
            np.full_like(self._now.answers, 1e-1),
            np.full_like(self._now.copies, START),
        )
        self._rates = Rates(
            recipe.lr_embeddings, recipe.lr_copies, recipe.lr_order, recipe.hidden_answers,
            recipe.literal_answers, recipe.scale, recipe.blind,
        )  # fmt: skip
        self._scratch = new_scratch(dim)
        self._seen, self._asked = np.zeros(words, np.int64), np.zeros(words, np.int64)
        self._mean, self._literal = Mean.like(self._now), np.arange(words)
        self.epoch, self.ended = 0, False

    def _start(self, rng: np.random.Generator) -> Floats:
        """The features' first weights."""
        return rng.normal(0.0, 0.02, (self._rows, self.recipe.dim)).astype(np.float32)

    def next_epoch(self, rng: np.random.Generator, state: State) -> float:
        if not self.epoch:
            for _ in range(self._content_first):
                self._read(self._rates._replace(embeddings=0.0), rng, state)
        loss = self._read(self._rates, rng, state)
        self.epoch += 1
        if self.epoch > self.recipe.answer_epochs // 2:
            self._mean.add(self._now)
        self.ended = self.epoch >= self.recipe.answer_epochs or loss < LEARNT_R
        return loss

    def _read(self, rates: Rates, rng: np.random.Generator, state: State) -> float:
        examples = self.examples
        total = train_answers(
            self._now, self._squares, examples.lines, examples.labels, examples.said,
            rng.permutation(len(examples)), rates, self._seen, self._asked, self._scratch,
            self._literal, state,
        )  # fmt: skip
        return float(total / len(examples))

    @property
    def weights(self) -> Weights:
        """What is learnt so far, averaged over the later epochs."""
        features, answers, copies = self._mean.of(self._now)
        read = np.flatnonzero((self._squares.features != START).any(axis=1))
        found = np.zeros(features.shape, np.float32)
        found[read] = rounded(features[read])
        return Weights(found, rounded(answers), rounded(copies))

    def arrays(self) -> Arrays:
        kept: Arrays = {"epoch": np.array([self.epoch, self._mean.count, self.ended], np.int64)}
        rng = np.random.default_rng()
        rng.bit_generator.state = self._before
        now, squares = self._now, self._squares
        read = (
            np.flatnonzero(
                ((squares.features != START) | (now.features != self._start(rng))).any(axis=1)
            ),
            np.arange(len(now.answers)),
            np.flatnonzero((squares.copies != START) | (now.copies != 0)),
        )
        mean = Weights(*self._mean.tables)
        for name, cells in zip(Weights._fields, read, strict=True):
            kept[f"{name}.cells"] = cells
            for what, tables in (("now", self._now), ("squares", self._squares), ("mean", mean)):
                kept[f"{name}.{what}"] = getattr(tables, name)[cells]
        return kept

    def take_up(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.epoch, self._mean.count, ended = arrays["epoch"].tolist()
        self.ended = bool(ended)
        for _ in range(self._mean.count):  # what was never read has its first weights in the mean
            self._mean.tables[0] += self._now.features
        mean = Weights(*self._mean.tables)
        for name in Weights._fields:
            cells = arrays[f"{name}.cells"]
            for what, tables in (("now", self._now), ("squares", self._squares), ("mean", mean)):
                getattr(tables, name)[cells] = arrays[f"{name}.{what}"]


def fit_O(
    examples: PathExamples,
    recipe: PathRecipe,
    hops: int,
    rng: np.random.Generator,
    state: State,
    words: int,
    moved: Moved,
) -> Floats:
    """A, averaged over the later epochs; for texts whose identities are below `words`."""
    learning = LearningO(examples, recipe, hops, words)
    while not learning.ended:
        loss = learning.next_epoch(rng, state)
        moved("O", learning.epoch, loss)
    return learning.A


def fit_R(
    examples: PathExamples,
    recipe: PathRecipe,
    rng: np.random.Generator,
    state: State,
    vocabulary: PathVocabulary,
    moved: Moved,
) -> Weights:
    """The weights of R, averaged over the later epochs, which count on from those of O."""
    learning = LearningR(examples, recipe, vocabulary, rng)
    while not learning.ended:
        loss = learning.next_epoch(rng, state)
        moved("R", recipe.epochs + learning.epoch, loss)
    return learning.weights
