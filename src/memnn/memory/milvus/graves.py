"""What was deleted, kept by memnn itself.

The engine may bring deleted rows back when its server is killed (docs/milvus.md), but loses none
that were inserted. So a deletion is first written down, in a row of its own, and then done. Every
read looks for such rows that it does not know yet, and leaves out what they name. What is back is
deleted once more by the next deletion.

These rows have the lowest ids there are, in the order in which they were written. A rebuilt
collection holds nothing that was deleted and begins without them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from memnn.memory.milvus.fields import Row, blank, own_state

LOWEST, ROOM = -(2**63) + 1, 2**40
MANY = 16_384
IN_ONE_ROW = 25
"""Ranges of ids that a row has room for, however long their digits are."""


class Graves:
    """What one process knows of the deletions in a memory. Threads share it: it only grows."""

    def __init__(self, born: str = "") -> None:
        self.born = born
        """Which memory of its name it is about: ids begin again in one that is made anew."""
        self.last = self._next = LOWEST
        self.rows = 0
        """Notes that were read."""
        self.deletions = 0
        """What the memory's count of deletions is at least."""
        self.highest = 0
        self.gone: set[int] = set()
        self.back: set[int] = set()
        """What was seen again since."""

    @property
    def news(self) -> str:
        """The filter for what is not known yet, and for the row that says which memory it is."""
        return f"id == 0 or (id > {self.last} and id < {LOWEST + ROOM})"

    @property
    def crowded(self) -> bool:
        """Whether it is time for a collection without what was deleted."""
        return max(len(self.gone), self.rows) > MANY

    def learn(self, page: Sequence[Row]) -> bool:
        """Take in what a page of rows has; False if it is of another memory than all before."""
        for row in page:
            if row["id"] == 0:
                born = own_state(row["state"]).get("born", "")
                if self.born and born != self.born:
                    return False
                self.born = born
        for row in page:
            if is_grave(row):
                self._learn(row)
        return True

    def _learn(self, row: Row) -> None:
        about = own_state(row["state"], "deletions")
        for first, count in about["gone"]:
            self.gone.update(range(first, first + count))
            self.highest = max(self.highest, first + count - 1)
        self.deletions = max(self.deletions, about["deletions"])
        self.rows += row["id"] > self.last
        self.last = max(self.last, row["id"])

    def left(self, page: Iterable[Row]) -> Iterator[Row]:
        """The rows that were not deleted, without these notes."""
        for row in page:
            if row["id"] in self.gone:
                self.back.add(row["id"])
            elif not is_grave(row):
                yield row

    def dig(self, ids: Iterable[int], deletions: int, dim: int) -> list[Row]:
        """The rows that say that these are gone. No two calls number them alike."""
        made, all_ = [], ranges(ids)
        for i in range(0, len(all_), IN_ONE_ROW):
            self._next = max(self._next, self.last) + 1
            about = {"beat": 0, "deletions": deletions, "gone": all_[i : i + IN_ONE_ROW]}
            made.append(blank(self._next, dim) | {"kind": "gone", "state": json.dumps(about)})
        return made

    def emptied(self) -> Graves:
        """What holds for a collection that was filled without what was deleted."""
        fresh = Graves(self.born)
        fresh.last, fresh._next = self.last, self._next
        fresh.deletions, fresh.highest = self.deletions, self.highest
        return fresh

    def marker(self, dim: int) -> list[Row]:
        """What a rebuilt collection begins with, so that its numbers go on."""
        if self.last == LOWEST:
            return []
        about = {"beat": 0, "deletions": self.deletions, "gone": []}
        return [blank(self.last, dim) | {"kind": "gone", "state": json.dumps(about)}]


def is_grave(row: Row) -> bool:
    """Rows of extras might lie as low by chance."""
    return row["id"] < LOWEST + ROOM and '"gone"' in row["state"]


def ranges(ids: Iterable[int]) -> list[tuple[int, int]]:
    """Ids as the first and the number of those that follow each other."""
    ordered = sorted(set(ids))
    starts = [0, *(i for i, (a, b) in enumerate(pairwise(ordered), 1) if b != a + 1)]
    ends = [*starts[1:], len(ordered)]
    return [(ordered[a], b - a) for a, b in zip(starts, ends, strict=True) if b > a]
