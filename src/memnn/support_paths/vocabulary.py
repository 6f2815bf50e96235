"""The words of a path network, and the answers it has learnt to give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from memnn.kernels.arrays import Ints
from memnn.kernels.path_features import MOST_WORDS
from memnn.kernels.path_response import OTHER
from memnn.support_paths.phrases import JOINT, Phrases, head
from memnn.text.tokens import (
    DEFAULT_TOKENISER,
    MARKED_TOKENISER,
    as_written,
    tokeniser,
    words_1,
    words_2,
)
from memnn.types import Story

UNKNOWN = 0
"""The identity of no word: rows of words start at 1."""
LIST = ","
"""What stands between the parts of an answer that has several."""


@dataclass(frozen=True)
class PathVocabulary:
    """Words and phrases by their identity, from 1 on; answers by their row, from OTHER + 1 on."""

    words: tuple[str, ...]
    answers: tuple[str, ...]
    phrases: Phrases = field(default_factory=Phrases)
    forms: tuple[str, ...] = ()
    """How people write the word that each one ends in."""
    tokeniser: str = DEFAULT_TOKENISER

    def __len__(self) -> int:
        """How many identities there are, the unknown one included."""
        return len(self.words) + 1

    @cached_property
    def _identity(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words, start=1)}

    @cached_property
    def _row(self) -> dict[str, int]:
        return {a.lower(): row for row, a in enumerate(self.answers, start=OTHER + 1)}

    @cached_property
    def answer_of(self) -> Ints:
        """The answer that each word is, or OTHER; a phrase counts as the word it ends in."""
        row = self._row
        found = [row.get(word, row.get(head(word), OTHER)) for word in self.words]
        return np.array([OTHER, *found], np.int64)

    def identity(self, word: str) -> int:
        return self._identity.get(word, UNKNOWN)

    def rows_of(self, answer: str) -> list[int]:
        """The rows of an answer's parts; ValueError where one was never learnt."""
        try:
            return [self._row[part] for part in parts(answer)]
        except KeyError as error:
            raise ValueError(f"{error} is no answer") from None

    def split(self, text: str) -> list[str]:
        """Words and phrases of a text.

        A word that only ever came as the beginning of phrases belongs to the unknown word after
        it: "the cellar" is one, if "the kitchen" is.
        """
        words = self.phrases.join(tokeniser(self.tokeniser)(text))
        known = self._identity
        for i in range(len(words) - 2, -1, -1):
            if words[i] not in known and words[i + 1] not in known and words[i] in self._openings:
                words[i : i + 2] = [words[i] + JOINT + words[i + 1]]
        return words

    @cached_property
    def _openings(self) -> frozenset[str]:
        """What phrases begin with."""
        starts: set[str] = set()
        for word in self.words:
            pieces = word.split(JOINT)
            starts.update(JOINT.join(pieces[:n]) for n in range(1, len(pieces)))
            starts.update(pieces[:-1])
        return frozenset(starts)

    def written(self, text: str) -> list[str]:
        """The words of a text as it writes them."""
        return as_written(self.tokeniser)(text)

    def said(self, identity: int) -> str:
        """A word as an answer says it."""
        row = int(self.answer_of[identity])
        return self.answers[row - OTHER - 1] if row != OTHER else self.forms[identity - 1]

    @classmethod
    def learn(cls, stories: Iterable[Story]) -> PathVocabulary:
        """Words in order of first appearance, from training stories."""
        stories = list(stories)
        texts = [line.text for story in stories for line in story.lines]
        marked = any(not text.isascii() and words_1(text) != words_2(text) for text in texts)
        name = MARKED_TOKENISER if marked else DEFAULT_TOKENISER
        read, surface = tokeniser(name), as_written(name)
        phrases = Phrases.learn(read(text)[:MOST_WORDS] for text in texts)
        words: dict[str, None] = {}
        written: dict[str, Counter[str]] = {}
        answers: dict[str, str] = {}
        for text in texts:
            words.update(dict.fromkeys(phrases.join(read(text))))
            for form in surface(text):
                written.setdefault(form.lower(), Counter())[form] += 1
        for story in stories:
            for question in story.questions:
                for part in _split(question.answer or ""):
                    answers.setdefault(part.lower(), part)
        forms = [written[head(word)].most_common(1)[0][0] for word in words]
        return cls(tuple(words), tuple(answers.values()), phrases, tuple(forms), name)


def parts(answer: str) -> list[str]:
    """What an answer says, one after the other, as it is compared."""
    return [part.lower() for part in _split(answer)]


def joined(answers: Sequence[str]) -> str:
    """One answer of its parts."""
    return LIST.join(answers)


def _split(answer: str) -> list[str]:
    return [part for piece in answer.split(LIST) if (part := piece.strip())]
