"""A memory from afar, for `organised`: its words, and the patterns of its statements.

Of single statements nothing is kept, so that a million of them take a moment to open.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from memnn.errors import MemoryStoreError
from memnn.kernels.arrays import Ints
from memnn.memory import Memory
from memnn.memory.follow import Cache
from memnn.memory.shelves import SEALED
from memnn.stories.contexts import Lexicon
from memnn.stories.dictionary import Dictionary
from memnn.stories.pattern_bounds import PatternBounds, Patterns
from memnn.stories.recipe import Recipe
from memnn.stories.view import Mentions, StatementReader

LEAST_KEPT, SHARE_UNKEPT = 10_000, 8
"""This many statements, or an eighth of all, are read in a moment: no need to keep them yet."""


class Overview(NamedTuple):
    """A memory at one moment."""

    first_id: int
    last_id: int
    lexicon: Lexicon
    patterns: Patterns
    mentioned: Mentions
    mentions: Mapping[int, int]
    """How many statements hold each name: the size of its bucket, if not newer ones as well."""
    bounds: PatternBounds

    def names(self, texts: Iterable[Ints]) -> list[int]:
        return self.bounds.names(token for tokens in texts for token in tokens.tolist())


class OverviewReader(StatementReader, Cache[Overview]):
    """Reads on, and lets the memory keep what was read."""

    def __init__(self, dictionary: Dictionary, recipe: Recipe) -> None:
        super().__init__(dictionary, recipe)
        self.bounds = PatternBounds(dictionary, as_sets=recipe.as_sets)
        self.mentions: dict[int, int] = {}
        self.first_id = self.last_id = 0
        self.unkept = self._deletions = 0

    def begin(self, memory: Memory) -> int:
        """Take up what was kept, if it is of this memory as it is."""
        last_id, self._deletions = memory.changes()
        data = memory.kept(self._name)
        if data is None:
            return 0
        if memory.changes().deletions == self._deletions and self._taken_up(data, last_id):
            return self.last_id
        self.lexicon.from_json([[], [], [], []])
        self.bounds.from_json([])
        return 0

    def _taken_up(self, data: bytes, last_id: int) -> bool:
        try:
            first, last, mentioned, mentions, lexicon, bounds = json.loads(data)
            self.lexicon.from_json(lexicon)
            self.bounds.from_json(bounds)
            if last > last_id or not self._fits():
                return False
            self.mentioned, self.mentions = Mentions(mentioned), dict(mentions)
        except (ValueError, TypeError, AttributeError, OverflowError):  # no overview of ours
            return False
        self.first_id, self.last_id = first, last
        return True

    def _fits(self) -> bool:
        """Whether every number that kernels will go by is of this dictionary or this story."""
        known, words = len(self.lexicon.dictionary), len(self.lexicon.words)
        patterns, contexts = self.bounds.patterns(), self.lexicon.now().contexts()
        return (
            len(contexts.ptr) == 2 * words + 1
            and _within(contexts.words, known)
            and _within(patterns.words, known)
            and _within(patterns.names, known + words)
        )

    def read_on(self, memory: Memory, after: int) -> int:
        self.last_id = super().read_on(memory, after)
        if memory.keeps_parts:  # it is far: the next process should read little
            enough = self.unkept >= SEALED
        else:
            enough = self.unkept > LEAST_KEPT and self.unkept > len(memory) // SHARE_UNKEPT
        if enough:
            self.keep(memory)
        return self.last_id

    def take(self, tokens: list[int], id: int) -> None:
        self.first_id = self.first_id or id
        self.unkept += 1
        for name in self.bounds.read(tokens):
            self.mentions[name] = self.mentions.get(name, 0) + 1

    def take_page(self, ptr: Ints, tokens: Ints, ids: Ints) -> None:
        self.first_id = self.first_id or int(ids[0])
        self.unkept += len(ids)
        counts = np.bincount(self.bounds.read_page(ptr, tokens))
        for name in np.flatnonzero(counts).tolist():
            self.mentions[name] = self.mentions.get(name, 0) + int(counts[name])

    def view(self) -> Overview:
        return Overview(
            self.first_id, self.last_id, self.lexicon.now(), self.bounds.patterns(),
            self.mentioned, self.mentions, self.bounds,
        )  # fmt: skip

    @property
    def _name(self) -> str:
        """Depends on the dictionary alone: a model trained anew on the same words reads it, too."""
        d = self.lexicon.dictionary
        about = [d.words, sorted(d.entities), d.tokeniser, self.lexicon.unseen]
        about.append(self.bounds.as_sets)
        return "overview-" + hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]

    def keep(self, memory: Memory) -> None:
        """Let the memory keep it, unless something was deleted since it began."""
        about = [
            self.first_id,
            self.last_id,
            list(self.mentioned.items()),
            list(self.mentions.items()),
            self.lexicon.to_json(),
            self.bounds.to_json(),
        ]
        with suppress(MemoryStoreError):  # one that may only be read is read again next time
            data = json.dumps(about, separators=(",", ":")).encode()
            memory.keep(self._name, data, self._deletions)
        self.unkept = 0


def _within(numbers: Ints, end: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < end)
