"""Slips of the typist in a question, put right by what was told until then (`text.spelling`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from memnn.memory import AsOf, Memory
from memnn.memory.protocol import buckets_of
from memnn.text.spelling import Read, mended
from memnn.text.vectors import english

NEWEST = 100
"""How many statements that hold such a word are counted."""


def put_right(
    question: str, memory: Memory, as_of: AsOf, known: Collection[str]
) -> tuple[str, Read]:
    """The question as it was meant, and which of its words were taken for others."""

    def told(words: Collection[str]) -> Counter[str]:
        ids = memory.candidates(as_of, buckets=sorted(words))
        slots = memory.read(ids[-NEWEST:].tolist()) if len(ids) else []
        return Counter(word for slot in slots for word in buckets_of(slot.text) & set(words))

    return mended(question, told, english(), known)
