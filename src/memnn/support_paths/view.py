"""What O has read of one memory: its statements as words in order."""

from __future__ import annotations

from typing import NamedTuple

from memnn.kernels.arrays import Ints
from memnn.kernels.path_features import MOST_WORDS, WordLines
from memnn.memory import Memory
from memnn.memory.follow import Cache
from memnn.support_paths.index import MentionIndex
from memnn.support_paths.lines import GrowingInts, GrowingLines
from memnn.support_paths.vocabulary import UNKNOWN, PathVocabulary


class PathView(NamedTuple):
    """A memory at one moment."""

    ids: Ints
    lines: WordLines
    first_told: dict[str, int]
    """The id of the statement that first had a word; it may have grown since."""
    strangers: dict[str, int]
    """Identities of words that were never learnt; they may have grown since."""
    words: int
    """How many identities there were."""
    mentions: MentionIndex | None
    """Where they are mentioned, for who asked for it; it may have grown since."""

    def told(self, words: list[str], until: int) -> set[str]:
        """Those of the words that statements until this id have."""
        return {word for word in words if self.first_told.get(word, until + 1) <= until}


class PathReader(Cache[PathView]):
    """Reads a memory's statements as they come."""

    def __init__(self, vocabulary: PathVocabulary, indexed: bool = False) -> None:
        self._vocabulary = vocabulary
        self._lines = GrowingLines()
        self._ids = GrowingInts()
        self._first_told: dict[str, int] = {}
        self._strangers: dict[str, int] = {}
        self._index = MentionIndex() if indexed else None

    def read_on(self, memory: Memory, after: int) -> int:
        for ids, texts in memory.pages(after):
            for id, text in zip(ids.tolist(), texts.split("\0")[:-1], strict=True):
                self._read(id, text)
            after = int(ids[-1])
        return after

    def _read(self, id: int, text: str) -> None:
        words = self._vocabulary.split(text)
        for word in words:
            self._first_told.setdefault(word, id)
        identities = [self._identity(word) for word in words]
        row = len(self._lines)
        first = self._lines.append(identities)
        self._ids.append(id)
        if self._index is not None:
            self._index.append(row, identities[:MOST_WORDS], first)

    def _identity(self, word: str) -> int:
        known = self._vocabulary.identity(word)
        if known != UNKNOWN:
            return known
        return self._strangers.setdefault(word, len(self._vocabulary) + len(self._strangers))

    def view(self) -> PathView:
        return PathView(
            self._ids.array(), self._lines.lines(), self._first_told,
            self._strangers, len(self._vocabulary) + len(self._strangers), self._index,
        )  # fmt: skip
