"""How good a network is on stories that its training does not see, measured while it learns."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.path_reading import SupportSet, read_supports, unread
from memnn.kernels.path_response import MOST_STEPS, OTHER, Weights, new_scratch, say
from memnn.kernels.path_search import BeamSettings, find_paths, new_beam, new_work
from memnn.stories.examples import numbered
from memnn.support_paths.lines import GrowingLines
from memnn.support_paths.phrases import head
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.silence import Silence
from memnn.support_paths.vocabulary import UNKNOWN, PathVocabulary, parts
from memnn.types import Statement, Story

NO_TRUTH = np.zeros(0, np.int64)


class HeldBack:
    """Questions of stories held back, read as a memory would read them.

    `found` are the supports that O found when it was last asked; R answers from them.
    """

    def __init__(
        self, stories: Sequence[Story], vocabulary: PathVocabulary, silence: Silence
    ) -> None:
        self._vocabulary = vocabulary
        self._strangers: dict[str, int] = {}
        told = GrowingLines()
        self._asked: list[Ints] = []
        self._range: list[tuple[int, int]] = []
        self._supports: list[list[int]] = []
        self._answers: list[list[str]] = []
        silent: list[bool] = []
        for story in stories:
            start, row_of, mentioned = len(told), dict[int, int](), set[str]()
            told.new_story()
            for time, line in numbered(story):
                words = vocabulary.split(line.text)
                identities = [self._identity(word) for word in words]
                if isinstance(line, Statement):
                    row_of[time] = len(told)
                    told.append(identities)
                    mentioned.update(words)
                elif line.answer is not None and len(told) > start:
                    self._asked.append(np.array(identities, np.int64))
                    self._range.append((start, len(told)))
                    self._supports.append(
                        [row_of.get(id, -1) for id in dict.fromkeys(line.supports)]
                    )
                    self._answers.append(parts(line.answer))
                    silent.append(bool(silence.missing(words, mentioned)))
        self._lines, self._silent = told.lines(), np.array(silent, np.bool_)
        self._names = {id: word for word, id in self._strangers.items()}
        words_known = len(vocabulary)
        self._words = words_known + len(self._strangers)
        self._literal = np.arange(self._words)
        self._literal[words_known:] = UNKNOWN
        self.found: list[Ints] = []

    def __len__(self) -> int:
        return len(self._asked)

    def _identity(self, word: str) -> int:
        known = self._vocabulary.identity(word)
        return known or self._strangers.setdefault(
            word, len(self._vocabulary) + len(self._strangers)
        )

    def supports_right(self, A: Floats, search: BeamSettings) -> float:
        """The share of questions whose supports are found, all of them and in their order.

        Questions without supports do not count; NaN if there are no others.
        """
        beam, work = new_beam(search), new_work(self._words)
        self.found = []
        for asked, (first, end) in zip(self._asked, self._range, strict=True):
            find_paths(
                A, asked, self._literal, self._lines, first, end, NO_TRUTH, search, beam, work
            )
            self.found.append(beam.paths[0, : beam.lengths[0]].copy())
        right = [
            found.tolist() == true
            for found, true in zip(self.found, self._supports, strict=True)
            if true
        ]
        return float(np.mean(right)) if right else nan

    def answers_right(self, R: Weights, recipe: PathRecipe) -> float:
        """The share of questions that R answers right from the supports found last."""
        return float(np.mean(self._right(R, recipe)))

    def _right(self, R: Weights, recipe: PathRecipe) -> NDArray[np.bool_]:
        scratch, said = new_scratch(recipe.dim), np.zeros(MOST_STEPS, np.int64)
        seen, places = np.zeros(self._words, np.int64), np.zeros(self._words, np.int64)
        right = ~self._silent
        for i in np.flatnonzero(right):
            told, asked = self.found[i].copy(), self._asked[i]
            reading = SupportSet(told, np.zeros(len(told), np.int64), seen, places)
            read_supports(reading, asked, self._lines)
            n, _ = say(
                said, asked, self._lines, self._literal, R, self._vocabulary.answer_of, reading,
                scratch, recipe.literal_answers, recipe.scale,
            )  # fmt: skip
            unread(reading, asked, self._lines)
            right[i] = [self._said(word) for word in said[:n].tolist()] == self._answers[i]
        return right

    def _said(self, word: int) -> str:
        vocabulary = self._vocabulary
        if word < 0:
            return vocabulary.answers[-word - OTHER - 1].lower()
        if word < len(vocabulary):
            return vocabulary.said(word).lower()
        return head(self._names[word])
