"""Stories to the arrays that the training kernel reads; every label is checked here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memnn.errors import FormatError, InputError, TrainingError
from memnn.features.bags import Bags
from memnn.features.dictionary import Dictionary
from memnn.kernels.train import Texts
from memnn.recipe import Recipe
from memnn.types import Question, Statement, Story


@dataclass(frozen=True)
class Examples:
    """Every statement as a bag; every question with its supports, answer and visible memories."""

    statements: Bags
    questions: Bags
    first: NDArray[np.int64]  # (Q,) memories of the question's story start here
    last: NDArray[np.int64]  # (Q,) and end before here: those written before the question
    supports: NDArray[np.int64]  # (Q, k) rows of statements
    answers: NDArray[np.int64]  # (Q,) candidates of R, -1 where R is not trained
    in_order: list[list[int]]  # the words of every statement as they stood

    @property
    def longest(self) -> int:
        """The most words in a statement or question."""
        return int(max(np.diff(self.statements.ptr).max(), np.diff(self.questions.ptr).max()))

    def texts(self) -> Texts:
        """The statements as the kernels read them."""
        ends = np.zeros(len(self.in_order) + 1, np.int64)
        np.cumsum([len(words) for words in self.in_order], out=ends[1:])
        words = np.array([word for words in self.in_order for word in words], np.int64)
        s = self.statements
        return Texts(s.ptr, s.words, s.kinds, s.times, ends, words)

    def question_texts(self) -> Texts:
        """The questions, whose words need no order."""
        q, none = self.questions, np.zeros(1, np.int64)
        return Texts(q.ptr, q.words, q.kinds, q.times, none, none)

    def __len__(self) -> int:
        return len(self.questions)


def support_ids(question: Question, hops: int) -> tuple[int, ...]:
    """The supports for k hops: fewer than k means that the last repeats, which means stop."""
    ids = question.supports[:hops]
    return ids + ids[-1:] * (hops - len(ids))


def encode(stories: Sequence[Story], dictionary: Dictionary, recipe: Recipe) -> Examples:
    statements, questions = Bags(as_sets=recipe.match or recipe.bow > 0), Bags()
    in_order: list[list[int]] = []
    first: list[int] = []
    last: list[int] = []
    supports: list[list[int]] = []
    answers: list[int] = []
    for story in stories:
        start = len(statements)
        row_of: dict[int, int] = {}
        for number, line in enumerate(story.lines, start=1):
            time = line.id if line.id is not None else number
            if isinstance(line, Statement):
                row_of[time] = len(statements)
                in_order.append(dictionary.rows(line.text, time))
                statements.append(in_order[-1], time)
                continue
            where = (story.source, story.first_line + number - 1)
            if not line.supports:
                raise FormatError(
                    *where,
                    "the question names no supporting statement, and training needs one: "
                    "add its id in a third column",
                )
            if len(line.supports) > recipe.hops and not recipe.first_supports:
                raise TrainingError(
                    f"{where[0]}:{where[1]}: the question has {len(line.supports)} supporting "
                    f"statements and the network {recipe.hops} hop{'s' * (recipe.hops > 1)}; "
                    f"train with --hops {_most_supports(stories)}, or with --first-supports to "
                    "use the first alone"
                )
            for support in line.supports:
                if support not in row_of:
                    raise FormatError(
                        *where, f"supporting statement {support} is not among those before it"
                    )
            if not (line.answer or "").strip():
                raise FormatError(*where, "the question has no answer to learn from")
            questions.append(dictionary.rows(line.text, time), time)
            first.append(start)
            last.append(len(statements))
            supports.append([row_of[i] for i in support_ids(line, recipe.hops)])
            answer = dictionary.answer_row(line.answer or "")
            answers.append(answer if answer is not None and recipe.response == "word" else -1)
    if not supports:
        raise TrainingError(f"{_names(stories)}: there is no question to learn from")
    return Examples(
        statements,
        questions,
        np.array(first, np.int64),
        np.array(last, np.int64),
        np.array(supports, np.int64),
        np.array(answers, np.int64),
        in_order,
    )


def first_questions(stories: Iterable[Story], n: int) -> list[Story]:
    """The stories until their n-th question, statements before it included."""
    if n < 1:
        raise InputError(f"the number of questions must be at least 1, not {n}")
    kept: list[Story] = []
    for story in stories:
        lines: list[Statement | Question] = []
        for line in story.lines:
            lines.append(line)
            n -= isinstance(line, Question)
            if not n:
                return [*kept, replace(story, lines=tuple(lines))]
        kept.append(story)
    return kept


def _most_supports(stories: Sequence[Story]) -> int:
    return max(len(q.supports) for story in stories for q in story.questions)


def _names(stories: Sequence[Story]) -> str:
    return ", ".join(dict.fromkeys(story.source for story in stories)) or "no story"
