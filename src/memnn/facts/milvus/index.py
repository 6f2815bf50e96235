"""Asking facts in Milvus: candidates come from there, scores are those of an index on disk.

Candidates are the facts whose vectors fit the question best, and of those that share one of its
rarest words again the best: the vectors know nothing of names that training never saw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from memnn.errors import MemoryStoreError, ModelError
from memnn.facts.bags import Words, question_values
from memnn.facts.evaluate import DEPTH, Find
from memnn.facts.index import FactIndex, in_memory
from memnn.facts.lookup import Found, Lookup
from memnn.facts.milvus.build import rarest
from memnn.facts.milvus.table import FactTable, bucket_of
from memnn.facts.model import FactsModel
from memnn.facts.triples import Triple
from memnn.kernels.phi import X
from memnn.types import Output, Slot

FINALISTS = 200
"""Candidates by their vectors, and as many by their words."""


class FoundFacts(NamedTuple):
    """What the engine found: facts as an index of their own, and their ids in the store."""

    facts: FactIndex
    ids: list[int]


class MilvusFacts:
    """The facts of a store; several threads may ask."""

    def __init__(self, where: str, model: FactsModel) -> None:
        self.model, self._table = model, FactTable(where)
        try:
            about = self._table.about()
            again = f"memnn facts index MODEL TRIPLES -o {self._table.where}"
            if about is None:
                raise MemoryStoreError(f"there are no facts; write them with: {again}")
            if model.recipe.hops > 1:
                raise ModelError("facts in Milvus are for models of one hop; use an index folder")
            if not about.finished:
                raise MemoryStoreError(f"writing the facts was stopped; go on with: {again}")
            if about.job.get("model") != model.id:
                raise ModelError(f"these facts were written with another model; again: {again}")
            self._facts, self._table.kind = about.facts, str(about.job.get("index"))
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return self._facts

    def candidates(self, question: str, k: int = FINALISTS) -> FoundFacts | None:
        """For one question; None where nothing was found."""
        model, words = self.model, Words(self.model.dictionary)
        rows, _ = words.question(question)
        values = question_values(rows, words.idf)
        q = np.asarray(values @ model.U_O[int(model.layout.blocks[X]) + rows], np.float32)
        new = [w for w in model.dictionary.normal(question) if w not in model.dictionary.row]
        held = [*map(bucket_of, new), *rarest(words, rows[1:].tolist())]
        found = self._table.nearest(q, k)
        if held:
            found |= self._table.holding(held, q, k)
        if not found:
            return None
        ids: dict[Triple, int] = {}
        try:
            for id in sorted(found):
                ids.setdefault(Triple(*found[id].split("\t")), id)
        except TypeError:
            raise MemoryStoreError("a fact was changed by something else; build it again") from None
        return FoundFacts(in_memory(model, ids), list(ids.values()))

    def close(self) -> None:
        self._table.close()


def finder(facts: MilvusFacts, lookup: Lookup, places: Mapping[Triple, int]) -> Find:
    """These facts as a system that is evaluated; `places` are the numbers of gold triples."""

    def find(question: str) -> tuple[list[Found], int]:
        some = facts.candidates(question)
        if some is None:
            return [], 0
        reading = some.facts.reading(facts.model.dictionary)
        found = lookup.search(question, reading, k=DEPTH).found
        ranked = [Found(places.get(some.facts.triple(f.place), -1), f.score) for f in found]
        return ranked, len(some.ids)

    return find


def as_stored(output: Output, ids: Sequence[int]) -> Output:
    """Supports with the ids that they have in the store; among candidates they count from 1."""

    def stored(slot: Slot) -> Slot:
        return replace(slot, id=ids[slot.id - 1])

    hops = []
    for hop in output.hops:
        rival = hop.decisive
        if rival is not None:
            rival = replace(rival, against=stored(rival.against))
        hops.append(replace(hop, support=stored(hop.support), decisive=rival))
    return replace(output, hops=tuple(hops))
