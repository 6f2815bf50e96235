"""A story as one stream of words: statements, questions, and after each question its answer.

Punctuation is no word. Three signs are: `bar` opens a story, `ask` stands for the question mark,
`stop` ends an answer.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from memnn.errors import UnknownName
from memnn.stories.language_model import LanguageModel
from memnn.types import Question, Story

IGNORE = -100
"""The target of a word after which nothing is to be predicted."""
TARGETS = ("answers", "questions+answers")

Words = NDArray[np.int64]


def encode(
    stories: Iterable[Story], model: LanguageModel, on: str = "answers"
) -> tuple[Words, Words]:
    """The words (N,) of the stories in a row, and for each the word to predict after it (N,).

    With `on="answers"` only the words of answers and their `stop` are to be predicted ("we
    backprop only on answer words"), with "questions+answers" those of questions too.
    """
    if on not in TARGETS:
        raise UnknownName("choice of words to predict", on, TARGETS)
    words: list[int] = []
    predicted: list[bool] = []
    for story in stories:
        words.append(model.bar)
        predicted.append(False)
        for line in story.lines:
            text = model.words(line.text)
            is_question = isinstance(line, Question)
            words += text
            predicted += [is_question and on == "questions+answers"] * len(text)
            if isinstance(line, Question):
                answer = model.words(line.answer or "")
                words += [model.ask, *answer, model.stop]
                predicted += [False, *[True] * (len(answer) + 1)]
    stream, mask = np.array(words, np.int64), np.array(predicted, bool)
    targets = np.full(len(stream), IGNORE, np.int64)
    targets[:-1][mask[1:]] = stream[1:][mask[1:]]
    return stream, targets
