"""Overviews of a memory that processes keep for each other, whole or in parts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Protocol

from memnn.memory.batch import BatchMemory
from memnn.memory.milvus import extras, parts_kept
from memnn.memory.milvus.table import Dropped, Table
from memnn.memory.protocol import Changes


class Overviews(BatchMemory, Protocol):
    """For the memory to inherit."""

    @property
    @abstractmethod
    def _table(self) -> Table: ...

    @abstractmethod
    def _newest(self) -> Changes:
        """What has changed, as of now."""

    def keep(self, name: str, data: bytes, deletions: int) -> None:
        """Keep an overview. A process that only reads may do this: it need not be the writer.

        The overview names the count of deletions it belongs to, so that nobody takes an old one
        for new; if something was deleted meanwhile, it is taken back.
        """
        if len(data) > extras.MOST_KEPT or self._newest().deletions != deletions:
            return
        if not (self._table.look() and self._table.current):
            return
        rows = extras.kept_rows(name, data, deletions, self._table.dim)
        with suppress(Dropped):
            self._table.insert(rows)
            if self._newest().deletions == deletions:
                self._table.remove(extras.outdated(self._table, name, rows[0]["meta"]["made"]))
            else:
                self._table.remove([row["id"] for row in rows])

    def kept(self, name: str) -> bytes | None:
        return extras.kept(self._table, name, self.deletions)

    @property
    def keeps_parts(self) -> bool:
        return True

    def keep_parts(self, name: str, parts: Mapping[str, bytes], deletions: int) -> None:
        """As `keep`; parts say no count, since what names them does."""
        if self._newest().deletions == deletions and self._table.look() and self._table.current:
            rows = parts_kept.rows(name, parts, self._table.dim)
            with suppress(Dropped):
                self._table.insert(rows)
                if self._newest().deletions != deletions:
                    self._table.remove([row["id"] for row in rows])

    def kept_parts(self, names: Iterable[str]) -> dict[str, bytes]:
        return parts_kept.read(self._table, names)

    def drop_parts(self, names: Iterable[str]) -> None:
        self._table.remove(parts_kept.ids(self._table, names))
