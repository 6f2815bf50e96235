"""What supersedes something told: the same turn in other words."""

from __future__ import annotations

from memnn.errors import InputError
from memnn.memory import Memory
from memnn.memory.present import superseded
from memnn.types import Statement, Turn


def updated(memory: Memory, id: int, text: str, given: Turn | None = None) -> Statement:
    """A statement that supersedes what was told under an id, and is not superseded itself.

    It has the speaker, time said, session and metadata of the old one unless others are given.
    """
    (old,) = memory.read([id])
    newer = superseded(memory).get(old.id)
    if newer is not None:
        raise InputError(f"memory {id} was superseded by {newer}; update that one")
    new, kept = given or Turn(), old.turn or Turn()
    turn = Turn(
        new.speaker or kept.speaker,
        new.said or kept.said,
        new.session or kept.session,
        kept.meta if new.meta is None else new.meta,
        supersedes=old.id,
    )
    return Statement(text, turn=turn)
