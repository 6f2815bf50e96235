"""Learning without supports: find paths that explain the answers, then learn from those.

Rounds of guessing and learning (stochastic EM). In the first ones, a path is a chain of statements
that share rare words with the question and with each other; later it comes from O's own beam. R
says how probable the answer is from it, and one path is drawn in proportion. Who guesses for a
question never learnt from it: the stories are dealt into folds, and a fold is read by networks
that learnt from the others. A path that merely fits one answer by chance thus finds no support.

How many hops the questions need is not known either. One, two and three are tried, and the best of
them again from another start: what counts is how many questions are answered by networks that had
not learnt from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.path_features import Doubles
from memnn.kernels.path_latent import Guesses, Judge, draw_connected, draw_explained
from memnn.kernels.path_response import Weights, new_scratch
from memnn.kernels.path_search import BeamSettings, new_beam, new_work
from memnn.kernels.rng import new_state
from memnn.stories.examples import numbered
from memnn.stories.train import Progress
from memnn.support_paths.examples import PathExamples, encode
from memnn.support_paths.learning import LearningO, LearningR
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.vocabulary import PathVocabulary
from memnn.types import Question, Statement, Story

HOPS = (1, 2, 3)
"""How many supports are tried."""
EXPLAINED = 0.98
"""A share of answers with which nothing else is tried."""
AGAIN, SEEDS = 2, 1_000_003
"""How often the best number of hops is tried once more, with a seed that lies this far off."""
FOLDS = 4
CONNECTED, EXACT, FREE = 4, 16, 2
"""Rounds with chains of shared words, with paths of so many hops, and with paths of any length."""
O_EPOCHS, R_EPOCHS, CONTENT = 3, 8, 2
"""What is learnt in a round."""
FEWEST_BITS, SPARED_BITS = 12, 3
"""Tables are smaller than those of the model: they are made anew in every round."""
DRAWS, WIDTH = 32, 16
"""Chains and paths to choose from."""
RARITY = 12.0
"""What a shared word adds to a chain's logarithm of odds, if it occurred once only."""
SHARPEST = 2.0
"""The best path is preferred more and more, up to this power of the odds."""
LIKELY = np.log(0.5)


@dataclass(frozen=True)
class Latent:
    """Stories with supports for every question, and how they were found."""

    stories: list[Story]
    hops: int
    explained: float
    """The share of answers that networks which had not learnt from them found likely."""


def unsupported(stories: Sequence[Story]) -> int:
    """How many questions name no supporting statement."""
    return sum(not q.supports for story in stories for q in story.questions)


def find_supports(
    stories: Sequence[Story],
    recipe: PathRecipe,
    *,
    hops: Sequence[int] = HOPS,
    progress: Callable[[Progress], None] | None = None,
) -> Latent:
    """The stories with supports where they had none; those that are given stay."""
    vocabulary = PathVocabulary.learn(stories)
    examples = encode(stories, vocabulary, unsupported=True)
    folds = _folds(stories)
    best: Guessing | None = None
    for number in range(len(hops) + AGAIN):
        if number < len(hops):
            n, seed = hops[number], recipe.seed
        else:  # once more with what was best so far: it may have got stuck
            assert best is not None
            n, seed = best.hops, recipe.seed + SEEDS * (number - len(hops) + 1)
        search = Guessing(examples, vocabulary, replace(recipe, seed=seed), n, folds)
        search.run(progress or (lambda moved: None))
        if best is None or search.explained > best.explained:
            best = search
        if best.explained >= EXPLAINED:
            break
    assert best is not None
    return Latent(_labelled(stories, best.found), best.hops, best.explained)


def _folds(stories: Sequence[Story]) -> Ints:
    """Which fold a question belongs to: that of its story, or, in a long one, of its part of it."""
    asked = [sum(1 for _ in story.questions) for story in stories]
    total = max(1, sum(asked))
    if len(stories) >= 5 * FOLDS:
        return np.repeat(np.arange(len(stories)) % FOLDS, asked)
    return np.arange(total) * 5 * FOLDS // total % FOLDS


def _rarity(examples: PathExamples, words: int) -> Doubles:
    """What it says that two texts share a word: nothing for one that is everywhere."""
    lines = examples.lines
    rows = np.repeat(np.arange(examples.statements), np.diff(lines.ptr))
    pairs = np.unique(np.stack((rows, lines.words[: len(rows)])), axis=1)
    within = np.bincount(pairs[1], minlength=words)[:words]
    n = examples.statements + 1
    rarity: Doubles = RARITY * np.log(n / (within + 1)) / np.log(n)
    return rarity


class Guessing:
    """One number of hops."""

    def __init__(
        self,
        examples: PathExamples,
        vocabulary: PathVocabulary,
        recipe: PathRecipe,
        hops: int,
        folds: NDArray[np.int64],
    ) -> None:
        self.examples, self.vocabulary, self.hops, self.folds = examples, vocabulary, hops, folds
        labels, words = examples.labels, len(vocabulary)
        bits = max(FEWEST_BITS, recipe.bits_for(words) - SPARED_BITS)
        self.recipe = replace(recipe, epochs=O_EPOCHS, answer_epochs=R_EPOCHS, bits=bits)
        self.given = np.diff(labels.ptr)
        self.most = max(hops, *HOPS, int(self.given.max()))
        n = len(examples)
        self.found = Guesses(
            np.zeros((n, self.most), np.int64), self.given.copy(), np.full(n, -np.inf)
        )
        for i in np.flatnonzero(self.given):
            path = labels.supports[labels.ptr[i] : labels.ptr[i + 1]]
            self.found.paths[i, : len(path)] = path
        self.rng, self.state = np.random.default_rng(recipe.seed), new_state(recipe.seed)
        self.by = Judge(
            new_scratch(recipe.dim), np.zeros(words, np.int64), np.zeros(words, np.int64),
            np.arange(words), recipe.literal_answers, recipe.scale,
        )  # fmt: skip
        self.work, self.rarity = new_work(words), _rarity(examples, words)
        self.explained = nan

    def run(self, progress: Callable[[Progress], None]) -> None:
        rounds = CONNECTED + EXACT + FREE
        A: list[Floats] = []
        R: list[Weights] = []
        stage = f"Finding {self.hops} support{'s' if self.hops > 1 else ''}"
        for number in range(rounds):
            for fold in range(FOLDS):
                which = np.flatnonzero((self.folds == fold) & (self.given == 0))
                if number < CONNECTED:
                    self._connect(which, R[fold] if R else None)
                else:
                    self._explain(which, A[fold], R[fold], number)
            if number >= CONNECTED:
                self.explained = float((self.found.surest[self.given == 0] > LIKELY).mean())
            R = [self._learn_R(fold) for fold in range(FOLDS)]
            if number >= CONNECTED - 1:
                A = [self._learn_O(fold) for fold in range(FOLDS)]
            progress(Progress(number + 1, rounds, nan, nan, nan, self.explained, stage))

    def _connect(self, which: Ints, R: Weights | None) -> None:
        examples = self.examples
        draw_connected(
            self.found, self._untaught if R is None else R, examples.lines, examples.labels,
            examples.said, which, self.hops, DRAWS, R is not None, self.rarity, self.work.marks,
            self.by, self.state,
        )  # fmt: skip

    def _explain(self, which: Ints, A: Floats, R: Weights, number: int) -> None:
        recipe, examples = self.recipe, self.examples
        exact = number < CONNECTED + EXACT
        search = BeamSettings(
            self.hops if exact else self.most, WIDTH, recipe.literal, recipe.close
        )
        sharpness = 1 + (SHARPEST - 1) * min(1.0, (number - CONNECTED) / EXACT)
        draw_explained(
            self.found, A, R, examples.lines, examples.labels, examples.said, which, exact,
            sharpness, search, new_beam(search), self.work, self.by, self.state,
        )  # fmt: skip

    @property
    def _untaught(self) -> Weights:
        return LearningR(self.examples, self.recipe, self.vocabulary, self.rng).weights

    def _others(self, fold: int) -> PathExamples:
        """What the other folds teach, with the paths found for them; a lone question, itself."""
        others = np.flatnonzero(self.folds != fold)
        which = others if len(others) else np.arange(len(self.folds))
        return self.examples.chosen(which, self.found.paths, self.found.lengths)

    def _learn_O(self, fold: int) -> Floats:
        learning = LearningO(self._others(fold), self.recipe, self.most, len(self.vocabulary))
        while not learning.ended:
            learning.next_epoch(self.rng, self.state)
        return learning.A

    def _learn_R(self, fold: int) -> Weights:
        learning = LearningR(
            self._others(fold), self.recipe, self.vocabulary, self.rng, content_first=CONTENT
        )
        while not learning.ended:
            learning.next_epoch(self.rng, self.state)
        return learning.weights


def _labelled(stories: Sequence[Story], found: Guesses) -> list[Story]:
    """The stories with what was found for the questions, in their order."""
    supports: list[list[int]] = []
    time_of: dict[int, int] = {}
    for story in stories:
        for time, line in numbered(story):
            if isinstance(line, Question):
                i = len(supports)
                rows = found.paths[i, : found.lengths[i]].tolist()
                supports.append([time_of[row] for row in rows])
            else:
                time_of[len(time_of)] = time
    return with_supports(stories, supports)


def supports_of(stories: Sequence[Story]) -> list[list[int]]:
    """The supports of every question."""
    return [list(question.supports) for story in stories for question in story.questions]


def with_supports(stories: Sequence[Story], supports: Sequence[Sequence[int]]) -> list[Story]:
    """The stories with these supports, for all questions in their order."""
    left = iter(supports)

    def supported(line: Statement | Question) -> Statement | Question:
        return replace(line, supports=tuple(next(left))) if isinstance(line, Question) else line

    return [replace(story, lines=tuple(map(supported, story.lines))) for story in stories]
