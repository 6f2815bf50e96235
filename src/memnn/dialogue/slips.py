"""Slips of the typist in a question, put right by what was told until then (`text.spelling`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from memnn.memory import AsOf, Memory
from memnn.memory.protocol import buckets_of
from memnn.text.spelling import Read, alike, mended
from memnn.text.vectors import english

NEWEST = 100
"""How many statements that hold such a word are counted."""


def put_right(
    question: str, memory: Memory, as_of: AsOf, known: Collection[str]
) -> tuple[str, Read]:
    """The question as it was meant, and which of its words were taken for others."""

    def counts(words: Collection[str]) -> Counter[str]:
        return _told(memory, as_of, words)

    def which(words: Collection[str]) -> set[str]:
        return {word for word in words if len(memory.candidates(as_of, buckets=[word]))}

    return mended(question, counts, english(), known, which)


def did_you_mean(question: str, memory: Memory, as_of: AsOf) -> str:
    """A name that was told and looks like one that was not, as a question; empty without one."""
    found = alike(question, lambda words: _told(memory, as_of, words, names=True))
    return f"did you mean {' and '.join(other for _, other in found)}?" if found else ""


def _told(memory: Memory, as_of: AsOf, words: Collection[str], names: bool = False) -> Counter[str]:
    """How often each word was told of late; as a name, with a capital."""
    ids = memory.candidates(as_of, buckets=sorted(words))
    slots = memory.read(ids[-NEWEST:].tolist()) if len(ids) else []
    held = [buckets_of(slot.text) & set(words) for slot in slots]
    return Counter(
        word
        for slot, each in zip(slots, held, strict=True)
        for word in each
        if not names or word.capitalize() in slot.text
    )
