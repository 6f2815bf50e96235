"""G, generalization of §2: writes to memory. H chooses the slot, and so what is forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memnn.memory import Memory
from memnn.types import Slot, Statement


class Generalization(Protocol):
    """G: updates the memory with a new statement and returns the slot it went to."""

    def __call__(self, statement: Statement, memory: Memory) -> Slot: ...


class SlotChoice(Protocol):
    """H: the id of the memory that a new statement replaces, or None for the next empty slot."""

    def __call__(self, statement: Statement, memory: Memory) -> int | None: ...


def next_empty(statement: Statement, memory: Memory) -> int | None:
    """The basic H: N = N + 1. Nothing told is ever lost."""
    return None


class Store:
    """m_H(x) = I(x), Eq. 1: store the statement as it was told; other memories stay untouched."""

    def __init__(self, H: SlotChoice = next_empty) -> None:
        self.H = H

    def __call__(self, statement: Statement, memory: Memory) -> Slot:
        replaced = self.H(statement, memory)
        if replaced is not None:
            memory.read([replaced])  # an H that names nothing is an error before anything changes
        slot = memory.write(statement.text, id=statement.id)
        if replaced is not None:
            memory.delete([replaced])
        return slot

    def all(self, statements: Sequence[Statement], memory: Memory) -> list[Slot]:
        """Several statements told at once: kept together or, where one is refused, not at all."""
        if self.H is next_empty and all(statement.id is None for statement in statements):
            return memory.write_many([statement.text for statement in statements])
        return [self(statement, memory) for statement in statements]
