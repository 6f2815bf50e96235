"""Told sentences by their words alone, where a memory keeps that in parts: no bag of any of them is
held, and those that a question is about are read from the memory when it is asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple
from weakref import ref

import numpy as np

from memnn.errors import MemoryStoreError
from memnn.facts.bags import MOST_WORDS, FactDictionary, Words, flat, scales
from memnn.facts.reading import Reading
from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.facts_packed import Facts
from memnn.memory import Memory
from memnn.memory.follow import Cache
from memnn.memory.growing import Growing
from memnn.memory.shelves import (
    SEALED,
    Lists,
    ShelvedLists,
    Shelves,
    packed_head,
    unpacked_head,
)


class Filed(NamedTuple):
    """The sentences of a memory at one moment; lists may hold newer ones."""

    words: Words
    idf: Floats
    ids: Ints
    shelved: ShelvedLists | None
    new: dict[int, list[int]]
    memory: ref[Memory] | None

    def reading(self, places: Sequence[int] = ()) -> Reading:
        """These sentences, in their order, as a network over facts reads them."""
        memory = None if self.memory is None else self.memory()
        if memory is None:
            raise MemoryStoreError("this memory is closed; open it again")
        ids = self.ids[list(places)]
        bags = [self.words.parts([slot.text]) for slot in memory.read(ids.tolist())]
        ptr, entries = flat(bags, np.uint32)
        held: dict[int, list[int]] = {}
        for place, bag in enumerate(bags):
            for entry in bag:
                held.setdefault(entry & MOST_WORDS - 1, []).append(place)
        scale = scales(ptr, entries, self.idf, self.words.dictionary.typical)
        return Reading(self.words, Facts(ptr, entries, scale), None, self.idf, ids, held)

    def held_by(self, rows: Sequence[int], end: int) -> list[Ints]:
        """The places before `end` of the sentences that hold each of these words."""
        lists = []
        if self.shelved is not None:
            self.shelved.fetch(rows)
        for row in rows:
            new = np.array(self.new.get(row, ()), np.int64)
            old = new[:0] if self.shelved is None else self.shelved.of(row)[0].astype(np.int64)
            both = np.concatenate([old, new])
            lists.append(both[: int(both.searchsorted(end))])
        return lists


class FilingReader(Cache[Filed]):
    """Files sentences under their words as they are told, and lets the memory keep that."""

    def __init__(self, dictionary: FactDictionary) -> None:
        self._words = Words(dictionary)
        self._ids = Growing(np.int64)
        self._new: dict[int, list[int]] = {}
        self._shelves: Shelves | None = None
        self._shelved: ShelvedLists | None = None
        self._memory: ref[Memory] | None = None
        self._unkept = 0

    def begin(self, memory: Memory) -> int:
        last_id, deletions = memory.changes()
        self._memory = ref(memory)
        self._shelves = Shelves(memory, name_of(self._words.dictionary), deletions)
        heads = [unpacked_head(data) for data in self._shelves.open(memory)]
        found = [head for head in heads if head is not None]
        there = bool(found) and len(found) == len(heads) and found[-1][1][-1] <= last_id
        if not there or memory.changes().deletions != deletions:
            self._shelves.empty(memory)
            return 0
        for words, ids in found:
            self._ids.extend(ids)
            for word in words:
                self._words.add(word)
        self._shelved = self._shelves.lists
        return int(self._ids.values[-1])

    def read_on(self, memory: Memory, after: int) -> int:
        for ids, texts in memory.pages(after):
            first = len(self._ids.values)
            for place, text in enumerate(texts.split("\0")[:-1], start=first):
                for entry in self._words.parts([text]):
                    self._new.setdefault(entry & MOST_WORDS - 1, []).append(place)
            self._ids.extend(ids)
            after = int(ids[-1])
            self._unkept += len(ids)
            if self._shelves is not None and self._unkept >= SEALED:
                self._unkept = 0
                with suppress(MemoryStoreError):  # it is read again next time
                    self._keep(self._shelves)
        return after

    def _keep(self, shelves: Shelves) -> None:
        rows = sorted(self._new)
        sizes = [len(self._new[row]) for row in rows]
        values = np.array([place for row in rows for place in self._new[row]], np.int32)
        lists = Lists(np.repeat(np.array(rows, np.int64), sizes), values, np.zeros_like(values))
        if shelves.add(lists, (len(self._ids.values), len(self._words.extra)), self._head):
            self._shelved, self._new = shelves.lists, {}

    def _head(self, first: tuple[int, ...], last: tuple[int, ...]) -> bytes:
        places, words = map(slice, first or (0, 0), last)
        return packed_head(self._words.extra[words], self._ids.values[places])

    def holds(self) -> bool:
        return self._shelves is None or self._shelves.hold

    def view(self) -> Filed:
        words = self._words
        return Filed(words, words.idf, self._ids.values, self._shelved, self._new, self._memory)


def name_of(dictionary: FactDictionary) -> str:
    """Which words are forms of one depends on the dictionary."""
    about = [dictionary.tokeniser, dictionary.words, sorted(dictionary.forms.items())]
    return "told-3-" + sha256(json.dumps(about).encode()).hexdigest()[:16]
