"""Slots as rows of a collection, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError
from memnn.memory.milvus.fields import ARRAY, Row, blank
from memnn.memory.milvus.filters import hash_words
from memnn.memory.milvus.table import BATCH, WINDOW, Table
from memnn.memory.protocol import Embedder, buckets_of
from memnn.types import Slot, Turn

Ids = NDArray[np.int64]
LONGEST_SOURCE = 4_000


def check_sources(sources: Sequence[str]) -> None:
    for source in sources:
        if not isinstance(source, str) or len(source.encode(errors="replace")) > LONGEST_SOURCE:
            raise InputError(f"a source must be a string of at most {LONGEST_SOURCE:,} bytes")


def slot_rows(texts: list[str], embedder: Embedder | None) -> list[Row]:
    """What can be made of texts before it is one's turn to write: buckets and vectors."""
    vectors, clusters = _embedded(texts, embedder)
    rows = []
    for text, vector, cluster in zip(texts, vectors, clusters, strict=True):
        words = hash_words(sorted(buckets_of(text)))
        row = {"words": words[:ARRAY], "more_words": words[ARRAY:], "clusters": cluster}
        rows.append(row | ({} if embedder is None else {"vector": vector, "model": embedder.id}))
    return rows


def _embedded(
    texts: list[str], embedder: Embedder | None
) -> tuple[list[list[float]], list[list[int]]]:
    if embedder is None:
        return [[]] * len(texts), [[]] * len(texts)
    vectors = np.asarray(embedder.embed(texts), np.float32)
    if vectors.shape != (len(texts), embedder.dim) or not np.isfinite(vectors).all():
        raise InputError(
            f"the embedder's vectors have the shape {vectors.shape} or are not finite; "
            f"{len(texts)} texts need ({len(texts)}, {embedder.dim})"
        )
    made = getattr(embedder, "clusters", None)
    clusters = [[]] * len(texts) if made is None else [sorted(map(int, c)) for c in made(texts)]
    return vectors.tolist(), clusters


def fitted(made: Row, slot: Slot, dim: int) -> Row:
    """The row of a slot for a collection of this dimension, with what was made of its text."""
    turn = slot.turn or Turn()
    told = {
        "text": slot.text, "time": slot.time, "source": slot.source,
        "speaker": turn.speaker or "", "said": turn.said or "", "session": turn.session or "",
        "meta": dict(turn.meta or {}), "supersedes": turn.supersedes or 0,
    }  # fmt: skip
    return blank(slot.id, dim) | {k: v for k, v in made.items() if k in MADE} | told


MADE = {"words", "more_words", "clusters", "vector", "model"}


def slot_of(row: Row) -> Slot:
    """The slot of a row; one of format 1 has no turn."""
    turn = Turn(
        speaker=row.get("speaker") or None,
        said=row.get("said") or None,
        session=row.get("session") or None,
        meta=row.get("meta") or None,
        supersedes=row.get("supersedes") or None,
    )
    told = None if turn == Turn() else turn
    return Slot(row["id"], row["text"], row["time"], row["source"], told)


def in_parts(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows as many at a time as one message may have."""
    rest = iter(rows)
    while part := list(islice(rest, BATCH)):
        yield part


def slots_by_id(table: Table, ids: Sequence[int]) -> dict[int, Slot]:
    """Those of these slots that are there."""
    found: dict[int, Slot] = {}
    for i in range(0, len(ids), WINDOW):
        rows = table.rows(f"id in {list(ids[i : i + WINDOW])}", table.slot())
        found.update((row["id"], slot_of(row)) for row in rows)
    return found


def ids_found(table: Table, filter: str | None) -> Ids:
    """The ids that a filter finds; of none, none."""
    rows = () if filter is None else table.rows(filter, ["id"])
    ids = np.array([row["id"] for row in rows], np.int64)
    ids.flags.writeable = False
    return ids
