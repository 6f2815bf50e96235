"""What O has heard of one memory."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

from memnn.errors import MemoryStoreError
from memnn.kernels.arrays import Ints
from memnn.memory import Memory
from memnn.memory.follow import Cache
from memnn.memory.growing import Growing
from memnn.memory.shelves import SEALED, Shelves
from memnn.ordinary.heard import HeardQuestion, HeardTexts
from memnn.ordinary.hearing import Hearing, Taken
from memnn.ordinary.lexicon import WordTable
from memnn.ordinary.model import OrdinaryModel
from memnn.ordinary.shelved import HeardStretch, ToldBefore, lists_of, unpacked
from memnn.ordinary.words import Token, tokens
from memnn.text.lemmas import CLOSER


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
    """Hears a memory's statements as they come, and lets it keep what was heard."""

    def __init__(self, model: OrdinaryModel) -> None:
        self._hearing = model.hearing
        self._table = WordTable(model.literals, model.hearing.vectors)
        self._texts, self._ids = HeardTexts(self._table, model.hearing), Growing("int64")
        self._shelves: Shelves | None = None
        self._tokens: dict[Token, int] = {}
        self._first: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._unkept = 0

    def begin(self, memory: Memory) -> int:
        """Take up what was kept, if it is of this memory as it is."""
        last_id, deletions = memory.changes()
        if not memory.keeps_parts:
            return 0
        self._shelves = Shelves(memory, name_of(self._hearing), deletions)
        heads = [unpacked(data) for data in self._shelves.open(memory)]
        found = [head for head in heads if head is not None]
        there = bool(found) and len(found) == len(heads) and found[-1].ids[-1] <= last_id
        if not there or memory.changes().deletions != deletions:
            self._shelves.empty(memory)
            return 0
        for head in found:
            self._table.take_up(head.words, head.stems, head.of)
            for token in head.tokens:
                self._tokens.setdefault(token, len(self._tokens))
            self._ids.extend(head.ids)
            self._texts.named.extend(head.named)
            self._first |= head.first
            self._last |= head.last
        self._texts = self._texts.after(self._before(memory, self._shelves))
        return int(self._ids.values[-1])

    def _before(self, memory: Memory, shelves: Shelves) -> ToldBefore:
        told = list(self._tokens)
        return ToldBefore(memory, shelves.lists, self._ids.values, told, self._first, self._last)

    def read_on(self, memory: Memory, after: int) -> int:
        for ids, texts in memory.pages(after):
            for text in texts.split("\0")[:-1]:
                self._texts.hear(tokens(text))
            self._ids.extend(ids)
            after = int(ids[-1])
            self._unkept += len(ids)
            if self._shelves is not None and self._unkept >= SEALED:
                self._unkept = 0
                with suppress(MemoryStoreError):  # it is heard again next time
                    self._keep(memory, self._shelves)
        return after

    def _keep(self, memory: Memory, shelves: Shelves) -> None:
        texts = self._texts
        lists = lists_of(texts.mentions, texts.meant, self._tokens)
        for stem, rows in texts.mentions.items():
            self._first.setdefault(stem, rows[0])
            self._last[stem] = rows[-1]
        table = self._table
        marks = (
            len(self._ids.values), len(table.words), len(table.stems), len(self._tokens),
            len(texts.named.values),
        )  # fmt: skip
        if shelves.add(lists, marks, self._head):
            self._texts = texts.after(self._before(memory, shelves))

    def _head(self, first: tuple[int, ...], last: tuple[int, ...]) -> bytes:
        """What is new between two marks."""
        rows, words, stems, told, named = map(slice, first or (0,) * 5, last)
        mentions = (
            {stem: row for stem, row in each.items() if rows.start <= row < rows.stop}
            for each in (self._first, self._last)
        )
        return HeardStretch(
            self._table.words[words], self._table.stems[stems],
            self._table.stems_of_words[words], list(self._tokens)[told],
            self._texts.named.values[named], self._ids.values[rows], *mentions,
        ).packed()  # fmt: skip

    def holds(self) -> bool:
        return self._shelves is None or self._shelves.hold

    def view(self) -> OrdinaryView:
        return OrdinaryView(self._ids.values, self._texts)


def name_of(hearing: Hearing) -> str:
    """What is heard depends on what was learnt about pronouns, on what words mean, and on which
    forms they have."""
    learnt = sha256(hearing.weights.tobytes())
    learnt.update(f"{CLOSER} {hearing.vectors.mark}".encode())
    return f"heard-3-{learnt.hexdigest()[:16]}"
