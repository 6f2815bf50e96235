"""What is to be known of a stretch of a memory before any of its turns: the head of a segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memnn.conversations.index import Ints
from memnn.memory.shelves import packed_head, unpacked_head
from memnn.text.english import FUNCTION_WORDS
from memnn.text.lemmas import CLOSER
from memnn.text.related import related_english

COLUMNS = ("words", "sizes", "speaker", "session", "form", "said")
"""What is kept of each turn, in blocks."""
Meta = Mapping[tuple[str, str], Sequence[int]]


class TurnStretch(NamedTuple):
    """What was new in it, in order."""

    ids: Ints
    total: int
    """How many words all turns until its end have."""
    words: list[str]
    """Lemmas that have a meaning: others may be like them. All else is found by its name."""
    speakers: list[str]
    sessions: list[str]
    meta: list[tuple[str, str, list[int]]]

    def packed(self) -> bytes:
        return packed_head(list(self[1:]), self.ids)


def unpacked(data: bytes) -> TurnStretch | None:
    """None where it is none."""
    head = unpacked_head(data)
    if head is None:
        return None
    try:
        total, words, speakers, sessions, meta = head[0]
        meta = [(str(key), str(value), list(map(int, places))) for key, value, places in meta]
        return TurnStretch(head[1], int(total), words, speakers, sessions, meta)
    except (ValueError, TypeError):
        return None


def name_in_parts() -> str:
    """Which words have a meaning depends on the vectors."""
    return f"turns-7-{CLOSER}-{related_english().mark:08x}"


def meant(words: Sequence[str]) -> list[str]:
    """Those of these lemmas that others may be like."""
    vectors = related_english()
    return [w for w in words if w not in FUNCTION_WORDS and vectors.of(w) is not None]
