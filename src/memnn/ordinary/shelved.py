"""Statements that were heard before, kept in a memory in parts: they are heard again as needed.

What a statement's pronouns stand for follows from what was told before it. That is kept, as lists
of words by statement; so are the statements that mention something, by its stem, and, of everything
that was ever named, who first and who last mentioned it. The rest follows from the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, overload
from weakref import ref

import numpy as np

from memnn.errors import MemoryStoreError
from memnn.kernels.arrays import Ints
from memnn.memory import Memory
from memnn.memory.shelves import Lists, ShelvedLists, packed_head, unpacked_head
from memnn.ordinary.hearing import KIND, MeantWords
from memnn.ordinary.words import Token, tokens

MOST_HELD = 20_000
"""Statements that a process holds of what it read."""
NOT_YET = -1


class HeardStretch(NamedTuple):
    """What is new in a stretch of a memory, in the order of its numbers."""

    words: list[str]
    stems: list[str]
    of: list[int]
    """The numbers of the stems of these words: to find a stem takes longer than to read it."""
    tokens: list[Token]
    """Words that pronouns stand for, as they were written."""
    named: Ints
    ids: Ints
    first: Mapping[int, int]
    """Which statement mentioned a stem first, of those that were first mentioned here."""
    last: Mapping[int, int]

    def packed(self) -> bytes:
        lists = [self.words, self.stems, self.of, self.tokens, self.named.tolist()]
        mentions = [list(each.items()) for each in (self.first, self.last)]
        return packed_head([*lists, *mentions], self.ids)


def unpacked(data: bytes) -> HeardStretch | None:
    """None where it is none."""
    head = unpacked_head(data)
    if head is None:
        return None
    try:
        words, stems, of, told, named, first, last = head[0]
        found = [Token(str(text), str(form), bool(pause)) for text, form, pause in told]
        return HeardStretch(
            words, stems, of, found, np.array(named, np.int64), head[1], dict(first), dict(last)
        )
    except (ValueError, TypeError):
        return None


class ToldBefore:
    """The statements until the last segment."""

    def __init__(
        self, memory: Memory, lists: ShelvedLists, ids: Ints, told: Sequence[Token],
        first: Mapping[int, int], last: Mapping[int, int],
    ) -> None:  # fmt: skip
        self._memory, self._lists, self._ids, self._tokens = ref(memory), lists, ids, told
        self._first, self._last = first, last
        self._held: dict[int, tuple[list[Token], list[MeantWords]]] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def first(self, stem: int) -> int:
        """The statement that mentioned a stem first, NOT_YET for none."""
        return self._first.get(stem, NOT_YET)

    def newest(self, stem: int, n: int) -> int:
        """The last of the first n that mentions it, -1 for none."""
        last = self._last.get(stem, NOT_YET)
        if last < n:
            return last
        rows = self._lists.latest(_of_stem(stem), n, 1)
        return int(rows[-1]) if len(rows) else NOT_YET

    def latest(self, stem: int, n: int, most: int) -> list[int]:
        """The last statements before n that mention it."""
        if stem not in self._first:
            return []
        rows: list[int] = self._lists.latest(_of_stem(stem), n, most).tolist()
        return rows

    def fetch_mentions(self, stems: Iterable[int], n: int, most: int) -> None:
        """Have at hand what `latest` tells of these, by one call."""
        self._lists.fetch_latest([_of_stem(s) for s in stems if s in self._first], n, most)

    def fetch(self, rows: Iterable[int]) -> None:
        """Have these statements at hand, by one call or two."""
        held = self._held
        new = sorted({row for row in rows if 0 <= row < len(self) and row not in held})
        if not new:
            return
        memory = self._memory()
        if memory is None:
            raise MemoryStoreError("this memory is closed; open it again")
        slots = memory.read(self._ids[new].tolist())
        texts = {row: tokens(slot.text) for row, slot in zip(new, slots, strict=True)}
        going_on = [row for row in new if any(token.text in KIND for token in texts[row])]
        self._lists.fetch([_of_row(row) for row in going_on])
        meant: dict[int, list[MeantWords]] = {row: [()] * len(texts[row]) for row in new}
        for row in going_on:
            for number, at in zip(*self._lists.of(_of_row(row)), strict=True):
                meant[row][at] = (*meant[row][at], self._tokens[number])
        if len(self._held) > MOST_HELD:
            self._held = {}
        self._held.update({row: (texts[row], meant[row]) for row in new})

    def heard(self, row: int) -> tuple[list[Token], list[MeantWords]]:
        """The words of a statement, and what each of them stands for."""
        while row not in self._held:  # another thread may have made room
            self.fetch([row])
        found = self._held.get(row)
        return found if found is not None else self.heard(row)


class TextsAfter(Sequence[Any]):
    """Statements that were told before, then those that were heard since."""

    def __init__(self, before: ToldBefore, made: Any, since: list[Any]) -> None:
        self._before, self._made, self._since = before, made, since

    def __len__(self) -> int:
        return len(self._before) + len(self._since)

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> list[Any]: ...
    def __getitem__(self, at: int | slice) -> Any:
        if isinstance(at, slice):
            rows = range(len(self))[at]
            self._before.fetch(rows)
            return [self[row] for row in rows]
        base = len(self._before)
        return self._since[at - base] if at >= base else self._made(*self._before.heard(at))


def lists_of(
    mentions: Mapping[int, Sequence[int]],
    meant: Mapping[int, Sequence[MeantWords]],
    numbers: dict[Token, int],
) -> Lists:
    """What is mentioned where, and what pronouns stand for, as lists; words get their numbers."""
    entries = [(_of_stem(stem), row, 0) for stem, rows in mentions.items() for row in rows]
    entries += _meant(meant, numbers)
    entries.sort(key=lambda entry: entry[0])  # and else as they are
    rows, values, counts = np.array(entries, np.int64).reshape(-1, 3).T
    return Lists(rows, values.astype(np.int32), counts.astype(np.int32))


def _meant(
    meant: Mapping[int, Sequence[MeantWords]], numbers: dict[Token, int]
) -> Iterator[tuple[int, int, int]]:
    for row, words in meant.items():
        for at, stands_for in enumerate(words):
            for token in stands_for:
                yield _of_row(row), numbers.setdefault(token, len(numbers)), at


def _of_stem(stem: int) -> int:
    return 2 * stem


def _of_row(row: int) -> int:
    return 2 * row + 1
