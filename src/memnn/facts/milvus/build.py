"""Writing facts into Milvus: a part at a time, and if it was stopped, on from where it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from memnn.errors import InputError
from memnn.facts.bags import Words, words_of
from memnn.facts.build import BuildProgress, fingerprint, mark_of
from memnn.facts.index import facts_of
from memnn.facts.milvus.table import BUCKETS, TEXT, FactTable, Noted, bucket_of, row_of
from memnn.facts.model import FactsModel
from memnn.facts.triples import Skipped, Triple, triples
from memnn.kernels.facts_scan import embed_facts
from memnn.kernels.facts_seen import new_table, unseen
from memnn.kernels.phi import Y
from memnn.memory.milvus.fields import Row
from memnn.paths import path_of

FORMAT = 1
PART, PART_BYTES = 2_000, 4_000_000
"""Facts of one message, and letters."""


def build_facts(
    model: FactsModel,
    source: str | Path,
    where: str,
    *,
    progress: Callable[[BuildProgress], None] | None = None,
) -> tuple[int, Skipped]:
    """Read triples into the store at an address; how many facts there are, what was left out."""
    tell, place = progress or (lambda _: None), path_of(source)
    job = {
        "format": FORMAT, "model": model.id, "source": fingerprint(place),
        "part": [PART, PART_BYTES],
    }  # fmt: skip
    table = FactTable(where)
    try:
        return _build(model, place, table, job | {"index": table.kind}, tell)
    finally:
        table.close()


def _build(
    model: FactsModel,
    source: Path,
    table: FactTable,
    job: dict[str, Any],
    tell: Callable[[BuildProgress], None],
) -> tuple[int, Skipped]:
    dim, skipped = model.U_O.shape[1], Skipped()
    about, count = table.about(), 0
    if about is not None and about.job == job and about.finished:
        return about.facts, Skipped(**about.skipped)
    for part in parts(new_triples(source, skipped)):
        if not count and (about is None or about.job != job):  # not before there is something new
            table.create(dim)
            about = Noted(job)
            table.note(about, dim)
        assert about is not None
        if not count:
            table.cut(about.facts)
        first, count = count, count + len(part)
        if count <= about.facts:  # parts are the same every time
            continue
        table.add(rows_of(model, part, first + 1))
        about.facts = count
        table.note(about, dim)
        tell(BuildProgress("writing facts", count))
    if about is None or not count:
        raise InputError(f"{source} has no triple{f': {skipped}' if skipped.total else ''}")
    table.note(Noted(job, count, True, vars(skipped)), dim)
    return count, skipped


def parts(rows: Iterator[Triple]) -> Iterator[list[Triple]]:
    """Facts that fit into one message."""
    part, size = list[Triple](), 0
    for triple in rows:
        part.append(triple)
        size += sum(map(len, triple))
        if len(part) == PART or size > PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def new_triples(source: Path, skipped: Skipped) -> Iterator[Triple]:
    """Those of a file, each once; what Milvus has no room for is left out, too."""
    seen, rows = new_table(2**16), triples(source, skipped)
    while chunk := list(islice(rows, 10 * PART)):
        texts = ["\t".join(triple).encode() for triple in chunk]
        seen, new = unseen(seen, np.array([mark_of(text) for text in texts], np.uint64))
        skipped.count("that are there twice", None, len(chunk) - int(new.sum()))
        for triple, text, is_new in zip(chunk, texts, new.tolist(), strict=True):
            if is_new and len(text) > TEXT:
                skipped.count("too long for Milvus", None)
            elif is_new:
                yield triple


def rows_of(model: FactsModel, part: list[Triple], first: int) -> list[Row]:
    """Facts as rows, numbered from `first` on."""
    words = Words(model.dictionary)
    bags = [words.parts(triple) for triple in part]
    entries = np.array([entry for bag in bags for entry in bag], np.uint32)
    facts = facts_of(entries, np.array([len(bag) for bag in bags], np.int64), words)
    vectors = np.zeros((len(part), model.U_O.shape[1]), np.float32)
    known, block = len(model.dictionary), int(model.layout.blocks[Y])
    embed_facts(model.U_O, block, known, facts, 0, words.idf, vectors)
    return [
        row_of(
            first + i, "\t".join(triple),
            rarest(words, words_of(facts.entries[facts.ptr[i] : facts.ptr[i + 1]]).tolist()),
            vectors[i].tolist(),
        )
        for i, triple in enumerate(part)
    ]  # fmt: skip


def rarest(words: Words, rows: list[int]) -> list[int]:
    """The buckets of the rarest words, as the model weighs them."""
    order = sorted(dict.fromkeys(rows), key=lambda row: (-words.weight(row), row))
    return [bucket_of(words.word(row)) for row in order[: len(BUCKETS)]]
