"""What a member of an ensemble does: look at a question, and say what it would answer and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from memnn.conversations.search import Reads
from memnn.dialogue.match_features import Inquiry, inquiry
from memnn.dialogue.personal import personal
from memnn.facts.bags import FactDictionary
from memnn.memory import Memory
from memnn.types import Answer, Question, Slot


@dataclass(frozen=True)
class Request:
    """A question as it is presented to all members; more fields may be added."""

    question: Question
    until: int
    """The id of the last memory that may be seen: all members see the same moment."""
    dictionary: FactDictionary
    """Of the network over facts."""

    @cached_property
    def personal(self) -> bool:
        """Whether it is about who asks, of whom the world knows nothing."""
        return personal(self.question.text)

    @cached_property
    def inquiry(self) -> Inquiry:
        """The question as a network over facts reads it."""
        return inquiry(self.question.text, self.dictionary)


class Finding(NamedTuple):
    """What one member would answer, and what speaks for it."""

    member: str
    answer: Answer
    features: Mapping[str, float]
    """What a calibration reads; empty where the member abstains."""
    unmatched: tuple[str, ...] = ()
    """Words of the question that the evidence has nothing to do with, for people."""
    doubts: tuple[Slot, ...] = ()
    """Newer memories about the same that it did not understand."""
    goes_on: frozenset[int] = frozenset()
    """Newer statements with a pronoun that may be about the same, by their ids."""
    probability: float | None = None
    """How likely it is right, where the member knows by itself; else it is calibrated."""
    told_of: bool = False
    """Whether the question is about a thing that was told, which is no matter of the world's."""


class Member(Protocol):
    """A network of an ensemble, on any memory, from any thread."""

    @property
    def name(self) -> str: ...

    reads: Reads | None = None
    """How probable it finds it that statements answer a question, for search."""

    def find(self, request: Request, memory: Memory) -> Finding | None:
        """What it finds; None where it has nothing to look at."""

    def follow(self, memory: Memory) -> None:
        """Read on in a memory before it is asked about."""
        return
