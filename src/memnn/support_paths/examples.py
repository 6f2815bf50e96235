"""Stories to the arrays that the training kernels read; every label is checked here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memnn.errors import FormatError, TrainingError
from memnn.kernels.arrays import Ints
from memnn.kernels.path_features import WordLines
from memnn.kernels.path_reading import MOST_SUPPORTS
from memnn.kernels.path_response import MOST_STEPS
from memnn.kernels.path_response_train import AnswerLabels
from memnn.kernels.path_train import PathLabels
from memnn.stories.examples import numbered
from memnn.support_paths.lines import GrowingLines, plain_lines
from memnn.support_paths.vocabulary import PathVocabulary, parts
from memnn.types import Question, Statement, Story


@dataclass(frozen=True)
class PathExamples:
    """Every statement, and every question with its supports and answer."""

    lines: WordLines
    labels: PathLabels
    said: AnswerLabels

    def __len__(self) -> int:
        return len(self.labels.first)

    @property
    def statements(self) -> int:
        return len(self.lines.ptr) - 1

    @property
    def most_supports(self) -> int:
        return int(np.diff(self.labels.ptr).max())

    @property
    def longest(self) -> int:
        """Statements before a question, at most."""
        return int((self.labels.end - self.labels.first).max())

    def chosen(self, which: Ints, paths: Ints, lengths: Ints) -> PathExamples:
        """Some of the questions, with other supports: paths[i, :lengths[i]]."""
        labels, said = self.labels, self.said
        asked = _rows(labels.questions.ptr, labels.questions.words, which)
        supports = [paths[i, : lengths[i]].tolist() for i in which]
        new = PathLabels(
            plain_lines(asked), labels.first[which], labels.end[which], *_flat(supports)
        )
        answers = AnswerLabels(*_flat(_rows(said.ptr, said.rows, which)), said.answer_of)
        return PathExamples(self.lines, new, answers)


def encode(
    stories: Sequence[Story], vocabulary: PathVocabulary, *, unsupported: bool = False
) -> PathExamples:
    """With `unsupported`, questions may lack supports: they then have none."""
    told = GrowingLines()
    asked: list[list[int]] = []
    first: list[int] = []
    end: list[int] = []
    supports: list[list[int]] = []
    answers: list[list[int]] = []
    for story in stories:
        start = len(told)
        told.new_story()
        row_of: dict[int, int] = {}
        for number, (time, line) in enumerate(numbered(story), start=1):
            words = [vocabulary.identity(word) for word in vocabulary.split(line.text)]
            if isinstance(line, Statement):
                row_of[time] = len(told)
                told.append(words)
                continue
            _check(line, row_of, story.source, story.first_line + number - 1, unsupported)
            asked.append(words)
            first.append(start)
            end.append(len(told))
            supports.append([row_of[id] for id in dict.fromkeys(line.supports)])
            answers.append(vocabulary.rows_of(line.answer or ""))
    if not asked:
        names = ", ".join(dict.fromkeys(story.source for story in stories)) or "no story"
        raise TrainingError(f"{names}: there are no questions to learn from")
    labels = PathLabels(
        plain_lines(asked), np.array(first, np.int64), np.array(end, np.int64), *_flat(supports)
    )
    return PathExamples(told.lines(), labels, AnswerLabels(*_flat(answers), vocabulary.answer_of))


def check(stories: Sequence[Story], *, unsupported: bool = False) -> None:
    """Every label of every story, without encoding anything."""
    for story in stories:
        told: dict[int, int] = {}
        for number, (time, line) in enumerate(numbered(story), start=1):
            if isinstance(line, Statement):
                told[time] = number
            else:
                _check(line, told, story.source, story.first_line + number - 1, unsupported)


def _check(
    question: Question, row_of: dict[int, int], source: str, line: int, unsupported: bool
) -> None:
    if not row_of and unsupported and not question.supports:
        raise FormatError(source, line, "there is no statement before the question to learn from")
    if not question.supports and not unsupported:
        raise FormatError(
            source, line,
            "the question names no supporting statement, but training needs one: "
            "add its id in a third column",
        )  # fmt: skip
    for support in question.supports:
        if support not in row_of:
            raise FormatError(
                source, line, f"supporting statement {support} is not among the lines before it"
            )
    if (n := len(set(question.supports))) > MOST_SUPPORTS:
        raise FormatError(
            source, line, f"the question has {n} supporting statements, more than {MOST_SUPPORTS}"
        )
    said = parts(question.answer or "")
    if not said:
        raise FormatError(source, line, "the question has no answer to learn from")
    if len(said) > MOST_STEPS:
        raise FormatError(source, line, f"the answer has {len(said)} parts, more than {MOST_STEPS}")


def _rows(ptr: Ints, values: Ints, which: Ints) -> list[list[int]]:
    return [values[ptr[i] : ptr[i + 1]].tolist() for i in which]


def _flat(rows: list[list[int]]) -> tuple[Ints, Ints]:
    ptr = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=ptr[1:])
    return ptr, np.array([x for row in rows for x in row], np.int64)
