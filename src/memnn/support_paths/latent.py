"""Learning without supports: find paths that explain the answers, then learn from those.

Rounds of guessing and learning (stochastic EM). In the first ones, a path is a chain of statements
that share rare words with the question and with each other; later it comes from O's own beam. R
says how probable the answer is from it, and one path is drawn in proportion. Who guesses for a
question never learnt from it: the stories are dealt into folds, and a fold is read by networks
that learnt from the others. A path that merely fits one answer by chance thus finds no support.

`search.py` decides how many hops are tried, and from how many starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.path_features import Doubles
from memnn.kernels.path_latent import Guesses, Judge, draw_connected, draw_explained
from memnn.kernels.path_response import Weights, new_scratch
from memnn.kernels.path_search import BeamSettings, new_beam, new_work
from memnn.kernels.rng import new_state
from memnn.stories.train import Progress
from memnn.support_paths.examples import PathExamples
from memnn.support_paths.learning import Arrays, LearningO, LearningR
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.vocabulary import PathVocabulary
from memnn.types import Story

MOST = 3
"""How long a path may get in the last rounds."""
FOLDS, JUDGED = 4, 2
"""So many parts; the share explained is at last measured on this many of them."""
CONNECTED, EXACT, FREE = 4, 40, 8
"""Rounds with chains of shared words, with paths of so many hops, with paths of any length, …"""
SETTLED, WAITED, LITTLE = 0.98, 5, 0.01
"""… at most: they end when this much is explained, or when so many rounds did not add a little."""
SHARP = 12
"""Rounds until the best path is preferred as much as it will be."""
O_EPOCHS, R_EPOCHS, CONTENT = 2, 4, 2
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


def folds_of(stories: Sequence[Story]) -> Ints:
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


def _copy(found: Guesses) -> Guesses:
    return Guesses(found.paths.copy(), found.lengths.copy(), found.surest.copy())


def _settled(shares: list[float], most: int) -> bool:
    """Whether further rounds of this kind would explain no more."""
    if len(shares) >= most or (shares and shares[-1] >= SETTLED):
        return True
    if len(shares) <= WAITED:
        return False
    return max(shares[-WAITED:]) < max(shares[:-WAITED]) + LITTLE


class Guessing:
    """Paths of one number of hops from one start, round by round.

    Between rounds there is nothing but the paths: whoever guesses is trained anew.
    """

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
        self._thorough = replace(recipe, bits=bits)
        self.recipe = replace(self._thorough, epochs=O_EPOCHS, answer_epochs=R_EPOCHS)
        self.given = np.diff(labels.ptr)
        self.most = max(hops + 1, MOST, int(self.given.max()))
        n = len(examples)
        self.found = Guesses(
            np.zeros((n, self.most), np.int64), self.given.copy(), np.full(n, -np.inf)
        )
        for i in np.flatnonzero(self.given):
            path = labels.supports[labels.ptr[i] : labels.ptr[i + 1]]
            self.found.paths[i, : len(path)] = path
        self._rng, self._state = np.random.default_rng(recipe.seed), new_state(recipe.seed)
        self._by = Judge(
            new_scratch(recipe.dim), np.zeros(words, np.int64), np.zeros(words, np.int64),
            np.arange(words), recipe.literal_answers, recipe.scale,
        )  # fmt: skip
        self._work, self._rarity = new_work(words), _rarity(examples, words)
        self._exact: list[float] = []
        self._free: list[float] = []
        """What was explained after each round with paths of so many hops, then of any length."""
        self._kept, self._kept_exact = self.found, True
        """The paths after the round that explained most, and whether it was of so many hops."""
        self.round, self.explained, self.ended = 0, nan, False

    @property
    def settled(self) -> bool:
        """Whether paths of so many hops explain as much as they will."""
        return _settled(self._exact, EXACT)

    @property
    def share(self) -> float:
        """The most that paths of so many hops explained in a round."""
        return max(self._exact, default=0.0)

    def next_round(self) -> Progress:
        """Guess once for every question, and tell how many answers are explained by now."""
        exact = not self.settled
        last = not exact and _settled(self._free, FREE)
        if last:  # the rounds since then only made it worse
            exact, self.found = self._kept_exact, _copy(self._kept)
        surest = []
        for fold in range(FOLDS):
            which = np.flatnonzero((self.folds == fold) & (self.given == 0))
            if not len(which) or (last and fold >= JUDGED):
                continue
            recipe = self._thorough if last else self.recipe
            R = self._learn_R(fold, recipe) if self.round else None
            if R is None or self.round < CONNECTED:
                self._connect(which, R, self.hops)
                continue
            self._explain(which, self._learn_O(fold, recipe, exact), R, exact)
            surest.append(self.found.surest[which])
            if not exact and not last:
                self._connect(which[surest[-1] <= LIKELY], R, self.hops + 1)
        if surest:
            self.explained = float((np.concatenate(surest) > LIKELY).mean())
            self._keep(exact, last)
        self.round, self.ended = self.round + 1, last
        stage = f"Finding {self.hops} support{'s' if self.hops > 1 else ''}"
        rounds = self.round if last else CONNECTED + EXACT + FREE + 1
        return Progress(self.round, rounds, nan, nan, nan, self.explained, stage)

    def _keep(self, exact: bool, last: bool) -> None:
        """Remember the best paths; the last ones only count if none were better."""
        most = max((*self._exact, *self._free), default=0.0)
        if not last:
            (self._exact if exact else self._free).append(self.explained)
            if self.explained >= most:
                self._kept, self._kept_exact = _copy(self.found), exact
        elif self.explained < most:
            self.found, self.explained = self._kept, most

    def _connect(self, which: Ints, R: Weights | None, hops: int) -> None:
        examples = self.examples
        draw_connected(
            self.found, self._untaught if R is None else R, examples.lines, examples.labels,
            examples.said, which, hops, DRAWS, R is not None, self._rarity, self._work.marks,
            self._by, self._state,
        )  # fmt: skip

    def _explain(self, which: Ints, A: Floats, R: Weights, exact: bool) -> None:
        recipe, examples = self.recipe, self.examples
        search = BeamSettings(
            self.hops if exact else self.most, WIDTH, recipe.literal, recipe.close
        )
        gone = min(1.0, len(self._exact) / SHARP) if exact else 1.0
        draw_explained(
            self.found, A, R, examples.lines, examples.labels, examples.said, which, exact,
            1 + (SHARPEST - 1) * gone, search, new_beam(search), self._work, self._by, self._state,
        )  # fmt: skip

    @property
    def _untaught(self) -> Weights:
        return LearningR(self.examples, self.recipe, self.vocabulary, self._rng).weights

    def _others(self, fold: int) -> PathExamples:
        """What the other folds teach, with the paths found for them; a lone question, itself."""
        others = np.flatnonzero((self.folds != fold) & (self.found.lengths > 0))
        which = others if len(others) else np.flatnonzero(self.found.lengths > 0)
        return self.examples.chosen(which, self.found.paths, self.found.lengths)

    def _learn_O(self, fold: int, recipe: PathRecipe, exact: bool) -> Floats:
        others = self._others(fold)
        most = others.most_supports if exact else self.most  # what is longer is not looked for yet
        learning = LearningO(others, recipe, most, len(self.vocabulary), words_first=0)
        while not learning.ended:
            learning.next_epoch(self._rng, self._state)
        return learning.A

    def _learn_R(self, fold: int, recipe: PathRecipe) -> Weights:
        learning = LearningR(
            self._others(fold), recipe, self.vocabulary, self._rng, content_first=CONTENT
        )
        while not learning.ended:
            learning.next_epoch(self._rng, self._state)
        return learning.weights

    def put_away(self) -> tuple[dict[str, Any], Arrays]:
        """All that the next round depends on, beside the examples."""
        about = {
            "hops": self.hops,
            "round": self.round,
            "exact": self._exact,
            "free": self._free,
            "kept_exact": self._kept_exact,
            "explained": None if self.explained != self.explained else self.explained,
            "random": self._rng.bit_generator.state,
            "state": int(self._state[0]),
        }
        kept = {f"kept.{name}": array for name, array in self._kept._asdict().items()}
        return about, {**self.found._asdict(), **kept}

    def take_up(self, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        self.round = about["round"]
        self._exact, self._free = list(about["exact"]), list(about["free"])
        self.explained = nan if about["explained"] is None else about["explained"]
        self._rng.bit_generator.state = about["random"]
        self._state[0] = about["state"]
        self.found = Guesses(**{name: arrays[name].copy() for name in Guesses._fields})
        self._kept = Guesses(**{name: arrays[f"kept.{name}"].copy() for name in Guesses._fields})
        self._kept_exact = about["kept_exact"]
