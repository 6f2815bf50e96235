"""What O has heard of one memory."""

from __future__ import annotations

from typing import NamedTuple

from memnn.kernels.arrays import Ints
from memnn.memory import Memory
from memnn.memory.follow import Cache
from memnn.memory.growing import Growing
from memnn.ordinary.heard import HeardQuestion, HeardTexts
from memnn.ordinary.hearing import Taken
from memnn.ordinary.lexicon import WordTable
from memnn.ordinary.model import OrdinaryModel
from memnn.ordinary.words import tokens


class OrdinaryView(NamedTuple):
    """A memory at one moment."""

    ids: Ints
    texts: HeardTexts
    """It may have grown since; the first statements stay as they are."""

    def asked(self, question: str, n: int) -> HeardQuestion:
        """A question when n statements had been told."""
        return self.texts.asked(tokens(question), n)

    def taken(self, row: int) -> list[Taken]:
        return self.texts.taken(row)


class MemoryListener(Cache[OrdinaryView]):
    """Hears a memory's statements as they come."""

    def __init__(self, model: OrdinaryModel) -> None:
        table = WordTable(model.literals, model.hearing.vectors)
        self._texts, self._ids = HeardTexts(table, model.hearing), Growing("int64")

    def read_on(self, memory: Memory, after: int) -> int:
        for ids, texts in memory.pages(after):
            for text in texts.split("\0")[:-1]:
                self._texts.hear(tokens(text))
            self._ids.extend(ids)
            after = int(ids[-1])
        return after

    def view(self) -> OrdinaryView:
        return OrdinaryView(self._ids.values, self._texts)
