"""The fields of a row of a collection."""

from __future__ import annotations

import json
from typing import Any

from memnn.errors import UnreadableMemory

Row = dict[str, Any]

ARRAY = 4_096  # the most elements of a Milvus array
TEXT = 65_535  # bytes
OLD_SLOT = ["id", "text", "time", "source"]
TURN = ["speaker", "said", "session", "meta", "supersedes"]
SLOT = [*OLD_SLOT, *TURN]
FILTERED = {
    "time": ("INVERTED", "Trie"), "model": ("INVERTED", "Trie"), "kind": ("INVERTED", "Trie"),
    "words": ("INVERTED",), "more_words": ("INVERTED",), "clusters": ("INVERTED",),
    "supersedes": ("INVERTED", "STL_SORT"),
}  # fmt: skip
"""Fields that are filtered by, and the indexes that serve it; Milvus 2.3 knows only the last."""


def blank(id: int, dim: int) -> Row:
    """A row that says nothing: Milvus wants a value in every field."""
    return {
        "id": id, "text": "", "time": "", "source": "",
        "speaker": "", "said": "", "session": "", "meta": {}, "supersedes": 0,
        "words": [], "more_words": [], "clusters": [], "vector": [0.0] * dim, "model": "",
        "kind": "", "state": "",
    }  # fmt: skip


def own_state(text: str, *counts: str) -> dict[str, Any]:
    """What a row of memnn's own says; `counts` are whole numbers that it must have."""
    try:
        about = json.loads(text)
        if all(isinstance(about.get(each), int) for each in counts):
            return dict(about)
    except (ValueError, TypeError, AttributeError):
        pass
    raise UnreadableMemory(
        "what memnn notes about this memory was changed by something else; use a backup of it"
    )
