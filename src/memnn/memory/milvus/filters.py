"""What the engine is asked to look for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from memnn.memory.protocol import AsOf, resolve_as_of


def chosen(
    as_of: AsOf, buckets: Iterable[str] | None, clusters: Iterable[int] | None
) -> str | None:
    """What the engine is to look for; None if nothing can be found."""
    limit = resolve_as_of(as_of)
    parts = ["id > 0"]
    if isinstance(limit, int):
        parts.append(f"id <= {limit}")
    elif limit is not None:
        parts.append(f"time <= {quoted(limit)}")
    for some, expression in ((buckets, in_buckets), (clusters, in_clusters)):
        if some is not None:
            distinct: Any = sorted(set(some))
            if not distinct:
                return None
            parts.append(expression(distinct))
    return " and ".join(parts)


def hash_words(words: Iterable[str]) -> list[int]:
    """Buckets as numbers: a word may be longer than Milvus lets an element of an array be."""
    return [_hash(word) for word in words]


@lru_cache(65_536)
def _hash(word: str) -> int:
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big", signed=True)


def in_buckets(words: Iterable[str]) -> str:
    """The filter for rows in at least one of these word buckets; a long text needs two arrays."""
    hashes = hash_words(words)
    return f"(array_contains_any(words, {hashes}) or array_contains_any(more_words, {hashes}))"


def in_clusters(clusters: Iterable[int]) -> str:
    return f"array_contains_any(clusters, {[int(c) for c in clusters]})"


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
