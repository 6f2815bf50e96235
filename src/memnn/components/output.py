"""O, the output feature map of §2: k hops over the memory (Eq. 2-3, Algorithm 1)."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from memnn.features.bags import Bags
from memnn.features.bilinear import bilinear
from memnn.features.dictionary import Dictionary
from memnn.kernels.embed import Floats, Ints
from memnn.kernels.infer import Doubles, find_supports
from memnn.kernels.write_time import CODES
from memnn.memory import AsOf, Memory
from memnn.types import Comparison, Hop, Output, Question


class OutputMap(Protocol):
    """O: finds the memories that support an answer."""

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> Output: ...


class Supports:
    """The embedding model s_O with write time; each hop keeps the support's closest call."""

    def __init__(self, dictionary: Dictionary, U_O: Floats, hops: int, time: str) -> None:
        self.dictionary = dictionary
        self.hops = hops
        self.mode = CODES[time]
        self.A = bilinear(U_O, 2 * len(dictionary))  # (2|W|, |W| + 3)
        self._view: _View | None = None

    def __call__(self, question: Question, memory: Memory, as_of: AsOf = None) -> Output:
        ids = memory.candidates(as_of)
        if not len(ids):
            return Output(question, ())
        view = self._read(memory)
        bags = view.bags
        # The question comes after every memory it may see and is never its own candidate.
        t_x = int(ids[-1]) + 1
        question = Question(question.text, t_x)
        x = np.array(self.dictionary.rows(question.text, t_x), np.int64)
        found = np.empty((self.hops, 2), np.int64)
        numbers = np.empty((self.hops, 3), np.float64)
        n = find_supports(
            self.A, x, bags.ptr, bags.words, bags.kinds[: len(ids)], self.mode, found, numbers
        )  # fmt: skip
        hops = self._hops(memory, ids, found[:n], numbers[:n])
        return Output(question, hops, view.missing(question.text, int(ids[-1]), self.dictionary))

    def _hops(self, memory: Memory, ids: Ints, found: Ints, numbers: Doubles) -> tuple[Hop, ...]:
        """The kernel's numbers as evidence, in a form that people can read."""
        places = [i for i in found.ravel().tolist() if i >= 0]
        slots = dict(zip(places, memory.read(ids[places].tolist()), strict=True))
        hops = []
        for h, ((t, rival), (c_t, c_rival, by_time)) in enumerate(
            zip(found.tolist(), numbers.tolist(), strict=True), start=1
        ):
            decisive = (
                None
                if rival < 0
                else Comparison(slots[rival], c_rival, content=c_t - c_rival, write_time=by_time)
            )
            hops.append(Hop(h, slots[t], c_t, decisive))
        return tuple(hops)

    def _read(self, memory: Memory) -> _View:
        """The memory as bags: a cache that reads on from where it was."""
        view = self._view
        if view is None or view.memory is not memory or view.deletions != memory.deletions:
            view = self._view = _View(memory)
        if view.last_id < memory.last_id:
            view.read_on(self.dictionary)
        return view


class _View:
    """What O has read of one memory."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.deletions = memory.deletions
        self.last_id = 0
        self.bags = Bags()
        self.first_mention: dict[int, int] = {}
        """When each word of the dictionary was first told."""

    def read_on(self, dictionary: Dictionary) -> None:
        for slot in self.memory.scan(after=self.last_id):
            rows = dictionary.rows(slot.text, slot.id)
            self.bags.append(rows, slot.id)
            for row in rows:
                self.first_mention.setdefault(row, slot.id)
            self.last_id = slot.id

    def missing(self, text: str, last_id: int, dictionary: Dictionary) -> tuple[str, ...]:
        """The words a question is about that no memory until `last_id` mentions."""
        first = self.first_mention
        return tuple(
            dictionary.answers[row]
            for row in dictionary.rows(text)
            if row in dictionary.entity_rows and first.get(row, last_id + 1) > last_id
        )
