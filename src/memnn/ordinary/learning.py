"""Learning O and R on true supports, then declining on stories that neither has seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.errors import TrainingError
from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.ordinary_answers import (
    MOST_STEPS,
    AnswerRows,
    new_answer_desk,
    word_at,
)
from memnn.kernels.ordinary_answers_train import train_answers
from memnn.kernels.ordinary_beam import find_paths
from memnn.kernels.ordinary_features import MOST_WORDS
from memnn.kernels.ordinary_judge import (
    MEASURES,
    JudgedAnswers,
    describe,
    judge,
    learn_judgement,
    new_judged,
)
from memnn.kernels.ordinary_say import say
from memnn.kernels.ordinary_search import SearchSettings, new_beam, new_desk
from memnn.kernels.ordinary_train import Hiding, train_paths
from memnn.kernels.ordinary_words import hide_words, new_reading, read_plainly
from memnn.kernels.path_features import Doubles
from memnn.kernels.path_train import CellTable
from memnn.kernels.rng import new_state
from memnn.ordinary.examples import OrdinaryExamples
from memnn.ordinary.model import rounded
from memnn.ordinary.recipe import OrdinaryRecipe

START = np.float32(1e-2)
"""What AdaGrad's sums of squares begin with."""
PARTS = 2
"""Looks at the weights an epoch, for their mean."""
NO_TRUTH = np.zeros(0, np.int64)
Moved = Callable[[str, int, float], None]
"""Told after an epoch: whose it was, its number, the mean loss of a question."""


class Judgement(NamedTuple):
    """What declining has learnt."""

    measures: Doubles
    J: Floats
    slope: tuple[float, float]


def _table(bits: int) -> CellTable:
    return CellTable(np.zeros(1 << bits, np.float32), np.full(1 << bits, START))


def search_of(recipe: OrdinaryRecipe) -> SearchSettings:
    return SearchSettings(recipe.hops, recipe.beam)


def _fit(
    table: CellTable, epochs: int, n: int, seed: int, read: Callable[[Ints], float], moved: Moved,
    name: str,
) -> Floats:  # fmt: skip
    """The mean of the table over the later half of the epochs."""
    rng = np.random.default_rng(seed)
    total, count = np.zeros_like(table.weights), 0
    for epoch in range(epochs):
        loss = 0.0
        for part in np.array_split(rng.permutation(n), PARTS):
            loss += read(part)
            if epoch >= epochs // 2:
                total += table.weights
                count += 1
        if not np.isfinite(loss):
            raise TrainingError(f"training diverged in epoch {epoch + 1}; use a smaller lr")
        moved(name, epoch + 1, loss / n)
    return rounded(total / np.float32(count))


def fit_O(examples: OrdinaryExamples, recipe: OrdinaryRecipe, moved: Moved) -> Floats:
    """A, against its own beam."""
    search, table, state = search_of(recipe), _table(recipe.bits), new_state(recipe.seed)
    words, reading = examples.words, new_reading(examples.words)
    beam, desk, hiding = new_beam(search), new_desk(len(words.stem)), Hiding(*_hiding(recipe))
    latest = np.full(len(words.stem), -1)

    def read(part: Ints) -> float:
        return train_paths(
            table, words, reading, examples.texts, latest, examples.labels, part, recipe.lr,
            hiding, search, beam, desk, state,
        )  # fmt: skip

    return _fit(table, recipe.epochs, len(examples), recipe.seed, read, moved, "O")


def fit_R(examples: OrdinaryExamples, recipe: OrdinaryRecipe, learnt: int, moved: Moved) -> Floats:
    """The weights of R, on the true supports; `learnt` counts the end."""
    table, state = _table(recipe.answer_bits), new_state(recipe.seed + 1)
    words, reading = examples.words, new_reading(examples.words)
    desk, hiding = new_answer_desk(len(words.stem)), Hiding(*_hiding(recipe))

    def read(part: Ints) -> float:
        return train_answers(
            table, words, reading, examples.texts, examples.labels, examples.said, part, learnt,
            recipe.lr, hiding, desk, state,
        )  # fmt: skip

    return _fit(table, recipe.answer_epochs, len(examples), recipe.seed, read, moved, "R")


def _hiding(recipe: OrdinaryRecipe) -> tuple[float, float]:
    return (recipe.like, recipe.unknown) if recipe.vectors else (0.0, recipe.unknown)


class OrdinaryTrial(NamedTuple):
    """A network's answer to a question of which the answer is known."""

    right: bool
    supported: bool
    path: tuple[int, ...]
    judged: JudgedAnswers
    nf: int
    nc: int


class Answering:
    """O and R on encoded questions, one after the other, without a memory."""

    def __init__(
        self, examples: OrdinaryExamples, recipe: OrdinaryRecipe, A: Floats, R: Floats, learnt: int
    ) -> None:
        self.examples, self.A, self.R, self.learnt = examples, A, R, learnt
        self.recipe, self.search = recipe, search_of(recipe)
        words = len(examples.words.stem)
        self.reading, self._state = new_reading(examples.words), new_state(recipe.seed + 2)
        self._beam, self._desk = new_beam(self.search), new_desk(words)
        self._answer_desk, self._judged = new_answer_desk(words), new_judged()
        self._out = np.zeros(MOST_STEPS, np.int64)
        self._latest = np.full(words, -1)
        self._story = -1

    def hide(self) -> None:
        """Read words as in training: as words like them, or as unknown."""
        hide_words(self.reading, self.examples.words, *_hiding(self.recipe), self._state)

    def plainly(self) -> None:
        read_plainly(self.reading, self.examples.words)

    def _mentions(self, first: int, end: int) -> Ints:
        """The last mention of every stem in a story."""
        if self._story != first:
            self._latest[:] = -1
            self._story = first
        texts, words = self.examples.texts, self.examples.words
        at = slice(texts.ptr[first], texts.ptr[end])
        rows = np.repeat(np.arange(first, end), np.diff(texts.ptr[first : end + 1]))
        self._latest[words.stem[texts.words[at]]] = rows  # the last one stays
        return self._latest

    def __call__(self, i: int) -> OrdinaryTrial:
        ex = self.examples
        labels, words, texts = ex.labels, ex.words, ex.texts
        asked = labels.texts.words[labels.texts.ptr[i] : labels.texts.ptr[i + 1]]
        first, end = int(labels.first[i]), int(labels.end[i])
        latest = self._mentions(first, end)
        found, _, _ = find_paths(
            self.A, asked, words, self.reading, texts, latest, first, end, NO_TRUTH, self.search,
            self._beam, self._desk,
        )  # fmt: skip
        path = np.sort(self._beam.paths[0, : self._beam.lengths[0]])
        rows = AnswerRows(path, np.zeros(len(path) * MOST_WORDS, np.int64), np.zeros(1, np.int64))
        n, certainty, margin = say(
            self._out, self.R, self._answer_desk, rows, asked, words, self.reading, texts,
            self.learnt,
        )  # fmt: skip
        said = self._out[:n]
        nf, nc = describe(
            self._judged, self._beam, found, said, certainty, margin, rows, self._answer_desk,
            asked, words, self.reading, texts, latest, first, end,
        )  # fmt: skip
        supported = bool(labels.ptr[i + 1] > labels.ptr[i])
        wanted = ex.said.words[ex.said.ptr[i] : ex.said.ptr[i + 1]].tolist()
        got = [word_at(x, rows, texts) if x >= 0 else x for x in said.tolist()]
        right = supported and got == wanted
        return OrdinaryTrial(right, supported, tuple(path.tolist()), self._judged, nf, nc)


def fit_judgement(
    examples: OrdinaryExamples,
    recipe: OrdinaryRecipe,
    A: Floats,
    R: Floats,
    learnt: int,
    moved: Moved,
) -> Judgement:
    """Whether an answer is right, on questions that O and R have not seen, words hidden.

    The last third of them is not learnt from: it says what the scores are worth.
    """
    table = _table(recipe.judge_bits)
    weights, squares = np.zeros(len(MEASURES) + 1), np.full(len(MEASURES) + 1, 1.0)
    answering = Answering(examples, recipe, A, R, learnt)
    n, rng = len(examples), np.random.default_rng(recipe.seed)
    kept = 2 * n // 3
    for epoch in range(recipe.judge_epochs):
        loss = 0.0
        for i in rng.permutation(kept):
            answering.hide()
            trial = answering(int(i))
            if not (trial.supported or recipe.unsupported):
                continue
            loss += learn_judgement(
                trial.judged, trial.nf, trial.nc, trial.right, weights, squares, table,
                recipe.lr_judge, recipe.lr_pairs,
            )  # fmt: skip
        moved("J", epoch + 1, loss / max(kept, 1))
    J = rounded(table.weights)
    scores, right = [], []
    for i in range(kept, n):
        answering.hide()
        trial = answering(i)
        if trial.supported or recipe.unsupported:
            scores.append(judge(trial.judged, trial.nf, trial.nc, weights, J))
            right.append(trial.right)
    return Judgement(weights, J, platt(np.array(scores), np.array(right)))


def platt(scores: Doubles, right: NDArray[np.bool_]) -> tuple[float, float]:
    """A factor and an addend that make scores log odds, by Newton's method."""
    if len(scores) < 10 or right.all() or not right.any():
        return 1.0, 0.0
    X = np.stack([scores, np.ones(len(scores))], axis=1)
    w = np.array([1.0, 0.0])
    for _ in range(25):
        p = 1.0 / (1.0 + np.exp(-np.clip(X @ w, -30, 30)))
        H = (X * (p * (1 - p))[:, None]).T @ X + 1e-3 * np.eye(2)
        w = w + np.linalg.solve(H, X.T @ (right - p) - 1e-3 * (w - [1.0, 0.0]))
    return (float(w[0]), float(w[1])) if w[0] > 0 else (1.0, 0.0)
