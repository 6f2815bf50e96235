"""Stories to the arrays that the training kernel reads; every label is checked here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memnn.errors import FormatError, InputError, TrainingError
from memnn.kernels.story_examples import Texts
from memnn.memory.protocol import check_id, check_text, is_id
from memnn.stories import babi
from memnn.stories.bags import Bags
from memnn.stories.dictionary import Dictionary
from memnn.stories.recipe import Recipe
from memnn.types import Question, Statement, Story

MOST_INDICES = 1_000_000


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
    ids = tuple(question.supports)[:hops]
    return ids + ids[-1:] * (hops - len(ids))


def story_list(stories: Iterable[Story] | Story | str | Path) -> list[Story]:
    """Stories as callers give them: several, one, or the file that holds them."""
    if isinstance(stories, str | Path):
        return babi.read(stories)
    if isinstance(stories, Story):
        return [stories]
    found = list(stories) if isinstance(stories, Iterable) else [stories]
    if not all(isinstance(story, Story) for story in found):
        raise InputError("stories must be Story objects or the path of a story file")
    return found


def numbered(story: Story) -> Iterator[tuple[int, Statement | Question]]:
    """The lines with their ids; one that has none takes its line number, questions count, too."""
    last = 0
    for number, line in enumerate(story.lines, start=1):
        try:
            if not isinstance(line, Statement | Question):
                raise InputError("a line must be a Statement or a Question")
            check_text(line.text)
            last = check_id(number if line.id is None else line.id, last)
            if isinstance(line, Question):
                if not isinstance(line.answer, str | None):
                    raise InputError(f"an answer must be a str, not {type(line.answer).__name__}")
                if not all(map(is_id, line.supports)):
                    raise InputError("supports must be ids: whole numbers from 1")
        except (InputError, TypeError) as error:
            raise FormatError(story.source, story.first_line + number - 1, str(error)) from None
        yield last, line


def encode(stories: Sequence[Story], dictionary: Dictionary, recipe: Recipe) -> Examples:
    if dictionary.indices > MOST_INDICES:
        raise TrainingError(
            f"time 'index' learns a feature per id, and ids go up to {dictionary.indices:,}; "
            f"{MOST_INDICES:,} is the limit: number the lines from 1, or choose another time mode"
        )
    statements, questions = Bags(as_sets=recipe.match or recipe.bow > 0), Bags()
    in_order: list[list[int]] = []
    first: list[int] = []
    last: list[int] = []
    supports: list[list[int]] = []
    answers: list[int] = []
    for story in stories:
        start = len(statements)
        row_of: dict[int, int] = {}
        for number, (time, line) in enumerate(numbered(story), start=1):
            if isinstance(line, Statement):
                row_of[time] = len(statements)
                in_order.append(dictionary.rows(line.text, time))
                statements.append(in_order[-1], time)
                continue
            where = (story.source, story.first_line + number - 1)
            if not line.supports:
                raise FormatError(
                    *where,
                    "the question names no supporting statement, but training needs one: "
                    "add its id in a third column",
                )
            if len(line.supports) > recipe.hops and not recipe.first_supports:
                raise TrainingError(
                    f"{where[0]}:{where[1]}: the question has {len(line.supports)} supporting "
                    f"statements but the network has {recipe.hops} hop{'s' * (recipe.hops > 1)}; "
                    f"train with --hops {_most_supports(stories)}, or with --first-supports to "
                    "use only the first"
                )
            for support in line.supports:
                if support not in row_of:
                    raise FormatError(
                        *where, f"supporting statement {support} is not among the lines before it"
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
        raise TrainingError(f"{_names(stories)}: there are no questions to learn from")
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
