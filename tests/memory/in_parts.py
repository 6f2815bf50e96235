"""A memory in RAM that keeps overviews in parts, as one in Milvus does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memnn.memory import RamMemory


class InParts(RamMemory):
    """What was kept goes with a deletion; `asked` counts the parts that were read."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: dict[str, bytes] = {}
        self.asked = 0

    @property
    def lasts(self) -> bool:
        return True

    @property
    def keeps_parts(self) -> bool:
        return True

    def keep_parts(self, name: str, parts: Mapping[str, bytes], deletions: int) -> None:
        if deletions == self.deletions:
            assert self.parts.keys().isdisjoint(parts), "a name is used once"
            self.parts.update(parts)

    def kept_parts(self, names: Iterable[str]) -> dict[str, bytes]:
        wanted = list(names)
        self.asked += len(wanted)
        return {name: self.parts[name] for name in wanted if name in self.parts}

    def drop_parts(self, names: Iterable[str]) -> None:
        for name in names:
            del self.parts[name]

    def delete(self, ids: Iterable[int]) -> None:
        super().delete(ids)
        self.parts = {}
