"""Training questions that contradict each other: nobody can learn both answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memnn.types import Question, Story


class Contradiction(NamedTuple):
    """A question that was answered differently after the very same statements."""

    source: str
    line: int


def contradictions(stories: Iterable[Story]) -> list[Contradiction]:
    """Same statements in the same order, same question, another answer."""
    answers: dict[tuple[int, str], str] = {}
    found = []
    for story in stories:
        told = hash("")
        for number, line in enumerate(story.lines, start=story.first_line):
            if not isinstance(line, Question):
                told = hash((told, line.text))
            elif line.answer is not None:
                said = line.answer.strip().lower()
                if answers.setdefault((told, line.text.strip()), said) != said:
                    found.append(Contradiction(story.source, number))
    return found
