"""Stories to the arrays that the training kernels read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from memnn.errors import FormatError, TrainingError
from memnn.kernels.arrays import Ints
from memnn.kernels.ordinary_answers import MOST_STEPS, SaidAnswers
from memnn.kernels.ordinary_train import AskedQuestions
from memnn.kernels.ordinary_words import WordTables, WordTexts
from memnn.ordinary.lexicon import WordLexicon, WordTable
from memnn.ordinary.texts import GrowingTexts, plain_texts
from memnn.ordinary.words import Token, parts_of, tokens
from memnn.stories.examples import numbered
from memnn.types import Question, Statement, Story

Hear = Callable[[Sequence[Sequence[Token]]], list[list[Token]]]
"""Statements of a story as they are understood: pronouns replaced by what they stand for."""


@dataclass(frozen=True)
class OrdinaryExamples:
    """Every statement, and every question with its supports and answer."""

    words: WordTables
    texts: WordTexts
    labels: AskedQuestions
    said: SaidAnswers
    answers: tuple[str, ...]
    """Answers in the form in which they are compared."""

    def __len__(self) -> int:
        return len(self.labels.first)


def heard(story: Story, hear: Hear) -> list[list[Token]]:
    """The statements of a story as words, each understood by those before it."""
    return hear([tokens(statement.text) for statement in story.statements])


def words_of(stories: Iterable[Story], hear: Hear) -> tuple[list[str], list[str]]:
    """The words of training in order of first appearance, and the answers that stand nowhere.

    An answer's word is learnt if it is not a word of its supports, in more than one story.
    """
    words: dict[str, None] = {}
    nowhere: Counter[str] = Counter()
    for story in stories:
        told = heard(story, hear)
        for text in told:
            words.update(dict.fromkeys(token.text for token in text))
        row_of = _rows(story)
        for question in story.questions:
            words.update(dict.fromkeys(token.text for token in tokens(question.text)))
            have = {t.text for id in question.supports for t in told[row_of[id]]}
            missing = {t.text for t in _parts(question.answer or "")} - have
            nowhere.update(missing)
    return list(words), sorted(word for word, n in nowhere.items() if n > 2)


def _rows(story: Story) -> dict[int, int]:
    """The place of each statement among the statements, by its id."""
    ids = [time for time, line in numbered(story) if isinstance(line, Statement)]
    return {id: row for row, id in enumerate(ids)}


def _parts(answer: str) -> list[Token]:
    return [token for part in parts_of(answer) for token in part]


def encode(
    stories: Sequence[Story], lexicon: WordLexicon, learnt: Sequence[str], hear: Hear
) -> OrdinaryExamples:
    """Questions whose answer is "" have no supports: nothing answers them."""
    table, told = WordTable(lexicon), GrowingTexts()
    row_of_answer = {word: row for row, word in enumerate(learnt, start=1)}
    asked: list[list[int]] = []
    bounds: list[tuple[int, int]] = []
    supports: list[list[int]] = []
    said: list[list[int]] = []
    answers: list[str] = []

    def identities(text: Sequence[Token]) -> list[int]:
        return [table.add(token.text) for token in text]

    for story in stories:
        start, texts = len(told), iter(heard(story, hear))
        told.new_story()
        row_of: dict[int, int] = {}
        for number, (time, line) in enumerate(numbered(story)):
            if isinstance(line, Statement):
                words = identities(next(texts))
                row_of[time] = len(told)
                told.append(words, [table.stem(word) for word in words])
                continue
            _check(line, row_of, story.source, story.first_line + number)
            asked.append(identities(tokens(line.text)))
            bounds.append((start, len(told)))
            rows = [row_of[id] for id in dict.fromkeys(line.supports)]
            supports.append(rows)
            parts = _parts(line.answer or "")
            wanted = identities(parts)
            have = {word for row in rows for word in told.words(row)}
            said.append(
                [
                    word if word in have else _learnt(row_of_answer.get(token.text), word)
                    for word, token in zip(wanted, parts, strict=True)
                ][:MOST_STEPS]
            )
            answers.append(plain(line.answer or ""))
    if not asked:
        raise TrainingError("there are no questions to learn from")
    first, end = np.array(bounds, np.int64).T
    labels = AskedQuestions(plain_texts(asked), first.copy(), end.copy(), *_flat(supports))
    return OrdinaryExamples(
        table.words(), told.texts(), labels, SaidAnswers(*_flat(said)), tuple(answers)
    )


def _learnt(row: int | None, word: int) -> int:
    """A word that its supports lack: as a learnt answer, if it is one."""
    return word if row is None else -1 - row


def plain(answer: str) -> str:
    """An answer as it is compared: words of its parts, without articles that people leave out."""
    return ",".join(" ".join(token.text for token in part) for part in parts_of(answer))


def _check(question: Question, row_of: dict[int, int], source: str, line: int) -> None:
    for id in question.supports:
        if id not in row_of:
            raise FormatError(source, line, f"there is no statement {id} before the question")


def _flat(lists: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    ptr = np.array([0, *accumulate(map(len, lists))], np.int64)
    return ptr, np.array([x for each in lists for x in each], np.int64)
