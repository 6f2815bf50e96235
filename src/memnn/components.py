"""The four components of §2 as protocols: I, G, O and R, and H, which chooses a slot for G.

Inherit from a protocol to write a component of your own: the call is all you need, the rest has a
default.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Protocol, Self

from memnn.memory import AsOf, Memory
from memnn.memory.protocol import check_text
from memnn.types import Answer, Output, Question, Slot, Statement, Story

DONT_KNOW = "I don't know"


class Input(Protocol):
    """I: from text to statements and questions."""

    streams: ClassVar[bool] = False
    """Whether it may hold back the end of a text until more comes; then it has one memory."""

    def __call__(self, text: str) -> Iterator[Statement | Question]: ...

    def flush(self) -> list[Statement | Question]:
        """The text has ended: what was held back."""
        return []

    def fresh(self) -> Self:
        """The same I for another memory."""
        return self

    def hear(self, stories: Sequence[Story]) -> list[Story]:
        """Stories as it hears them, for evaluation: a segmenter cuts other statements."""
        return list(stories)


class Generalization(Protocol):
    """G: updates the memory with a new statement and returns the slot it went to."""

    def __call__(self, statement: Statement, memory: Memory) -> Slot: ...

    def all(self, statements: Sequence[Statement], memory: Memory) -> list[Slot]:
        """Several statements told at once; nothing is written before all were checked."""
        for statement in statements:
            check_text(statement.text)
        return [self(statement, memory) for statement in statements]


class SlotChoice(Protocol):
    """H: the id of the memory that a new statement replaces, or None for the next empty slot."""

    def __call__(self, statement: Statement, memory: Memory) -> int | None: ...


class OutputMap(Protocol):
    """O: finds the memories that support an answer. It may be called from several threads."""

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> Output: ...

    def follow(self, memory: Memory) -> None:
        """Read on in a memory before it is asked about, if that saves time then."""
        return


class Response(Protocol):
    """R: decodes the output into an answer. It may be called from several threads."""

    def __call__(self, output: Output) -> Answer: ...


def abstain(output: Output, reason: str) -> Answer:
    """An answer too: it says why there is none."""
    return Answer(DONT_KNOW, 0.0, abstained=True, evidence=output.hops, reason=reason)
