"""A story before it has words: facts in the order they are told, questions with their supports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from memnn.errors import InputError
from memnn.simulator.twenty.meaning import Asking, Fact, Reply
from memnn.simulator.twenty.words import TaskWords

QUESTIONS = 5
"""How many questions a story has."""
STATEMENTS = 2
"""After how many statements one is asked, if there is anything to ask."""
PATIENCE = 10_000
"""Statements without anything to ask after which a story is given up."""


@dataclass(frozen=True, slots=True)
class Posed:
    question: Asking
    answer: Reply
    supports: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """What a story is made from."""

    words: TaskWords
    rng: Random
    difficulty: int
    """How many statements back what is asked about may lie."""


class Plot:
    """The lines so far; the id of a line is its place, as in bAbI text."""

    def __init__(self) -> None:
        self.lines: list[Fact | Posed] = []
        self._told: list[tuple[int, Fact]] = []

    def tell(self, fact: Fact) -> int:
        """Add a fact; the id that supports name it by."""
        self.lines.append(fact)
        self._told.append((len(self.lines), fact))
        return len(self.lines)

    def ask(self, question: Asking, answer: Reply, *supports: int) -> None:
        self.lines.append(Posed(question, answer, supports))

    def recent(self, difficulty: int) -> list[tuple[int, Fact]]:
        """The facts told last, each with its id, oldest first."""
        return self._told[-difficulty:]


def alternate(
    act: Callable[[], bool],
    ask: Callable[[], bool],
    *,
    questions: int = QUESTIONS,
    statements: int = STATEMENTS,
) -> None:
    """Tell a few facts, ask if one can, and so on until enough was asked.

    `act` says whether anything could still happen, `ask` whether there was anything to ask.
    """
    idle = 0
    while questions:
        if not all(act() for _ in range(statements)):
            return
        if ask():
            questions -= 1
            idle = 0
        elif (idle := idle + statements) > PATIENCE:
            raise InputError(
                f"{PATIENCE:,} statements gave nothing to ask; use more people, places or things"
            )
