"""What O has read of one memory: its statements as they were heard."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Ints
from memnn.kernels.ordinary_words import WordTables, WordTexts
from memnn.memory import Memory
from memnn.memory.follow import Cache
from memnn.ordinary.hearing import Taken
from memnn.ordinary.lexicon import WordTable
from memnn.ordinary.model import OrdinaryModel
from memnn.ordinary.texts import GrowingTexts
from memnn.ordinary.words import tokens


class OrdinaryView(NamedTuple):
    """A memory at one moment."""

    ids: Ints
    words: WordTables
    texts: WordTexts
    latest: Ints
    """The last statement that mentions a stem, or -1."""
    table: WordTable
    """Whose words these are; it may have grown since."""
    taken: dict[int, list[Taken]]
    """What pronouns were taken for, by row; it may have grown since."""
    forms: list[tuple[str, ...]]
    """The words of each statement as they are written; it may have grown since."""


class OrdinaryReader(Cache[OrdinaryView]):
    """Hears a memory's statements as they come."""

    def __init__(self, model: OrdinaryModel) -> None:
        self._table, self._texts = WordTable(model.lexicon), GrowingTexts()
        self._listener = model.hearing.listen()
        self._taken: dict[int, list[Taken]] = {}
        self._forms: list[tuple[str, ...]] = []
        self._latest = np.full(len(self._table) + 256, -1)

    def read_on(self, memory: Memory, after: int) -> int:
        for ids, texts in memory.pages(after):
            for id, text in zip(ids.tolist(), texts.split("\0")[:-1], strict=True):
                self._read(id, text)
            after = int(ids[-1])
        return after

    def _read(self, id: int, text: str) -> None:
        heard, taken = self._listener.hear(tokens(text))
        words = [self._table.add(token.text) for token in heard]
        stems = [self._table.stem(word) for word in words]
        if len(self._table) > len(self._latest):
            more = np.full(len(self._table), -1)
            self._latest = np.concatenate([self._latest, more])
        row = len(self._texts)
        self._latest[stems] = row
        self._texts.append(words, stems)
        self._forms.append(tuple(token.form for token in heard))
        if taken:
            self._taken[row] = taken
        self._texts.name(id)

    def view(self) -> OrdinaryView:
        return OrdinaryView(
            self._texts.names(), self._table.words(), self._texts.texts(),
            self._latest[: len(self._table)].copy(), self._table, self._taken, self._forms,
        )  # fmt: skip
