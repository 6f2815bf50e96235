"""G, generalization of §2: writes to memory. H chooses the slot, and so what is forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from memnn.components import Generalization, SlotChoice
from memnn.memory import Memory
from memnn.types import Slot, Statement


def next_empty(statement: Statement, memory: Memory) -> int | None:
    """The basic H: N = N + 1. Nothing told is ever lost."""
    return None


class Append(Generalization):
    """m_H(x) = I(x), Eq. 1: store the statement as it was told; other memories stay untouched."""

    def __init__(self, H: SlotChoice = next_empty) -> None:
        self.H = H
        self._choosing = Lock()  # between choosing a slot and writing to it nobody else chooses

    def __reduce__(self) -> tuple[type[Append], tuple[SlotChoice]]:
        return type(self), (self.H,)  # a lock belongs to its process

    def __call__(self, statement: Statement, memory: Memory) -> Slot:
        if self.H is next_empty:
            return _write(statement, memory)
        with self._choosing:
            replaced = self.H(statement, memory)
            if replaced is not None:
                memory.read(
                    [replaced]
                )  # one that names nothing is an error before anything changes
            slot = _write(statement, memory)
            if replaced is not None:
                memory.delete([replaced])
            return slot

    def all(self, statements: Sequence[Statement], memory: Memory) -> list[Slot]:
        """Several statements told at once: kept together or, where one is refused, not at all."""
        if self.H is next_empty and {statement.id for statement in statements} <= {None}:
            texts = [statement.text for statement in statements]
            turns = [statement.turn for statement in statements]
            return memory.write_many(texts, turns=turns) if any(turns) else memory.write_many(texts)
        return super().all(statements, memory)


def _write(statement: Statement, memory: Memory) -> Slot:
    if statement.turn is None:
        return memory.write(statement.text, id=statement.id)
    return memory.write(statement.text, id=statement.id, turn=statement.turn)
