"""What a question asks for: which relation, and which part of it, from its words.

"Which limb ends in a foot?" asks for what something is part of. Each word speaks for every kind by
what it means (its vector) and, where it was seen often enough, by itself; so words count that no
question had in training. It is learnt (`train_kinds`), a linear softmax through a narrow layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from memnn.kernels.arrays import Floats
from memnn.text.related import related_english

SUBJECT, OBJECT = "s", "o"
"""The part of a fact that is asked for."""
PARTS = ("own", "meaning", "out", "usual")
"""The arrays of a `Kinds`."""
MOST_KEPT = 4_096
"""Words whose say is kept; then it starts anew."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """log P(kind) = usual + Σ (own + vector · meaning) · out / √words, up to a constant."""

    names: tuple[tuple[str, str], ...]
    """A relation as the dictionary writes it, and the part that is asked for."""
    words: tuple[str, ...]
    own: Floats  # (words, n)
    meaning: Floats  # (vectors' dimension, n)
    out: Floats  # (n, kinds)
    usual: Floats  # (1, kinds)
    _said: dict[str, Floats | None] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        n, kinds = self.out.shape
        if (
            self.own.shape != (len(self.words), n)
            or self.meaning.shape[1] != n
            or self.usual.shape != (1, kinds)
            or len(self.names) != kinds
        ):
            raise ValueError("what questions ask for is incomplete")
        if not all(np.isfinite(getattr(self, part)).all() for part in PARTS):
            raise ValueError("what questions ask for contains values that are not numbers")

    @cached_property
    def place(self) -> dict[tuple[str, str], int]:
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def _row(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def __call__(self, words: Sequence[str]) -> Floats:
        """The logarithm of each kind's probability, of a question with its names left out."""
        total = self.usual[0].copy()
        said = [say for word in words if (say := self._says(word)) is not None]
        if said:
            total += np.sum(said, axis=0) / np.float32(max(1, len(words)) ** 0.5)
        total -= total.max()
        total -= np.log(np.exp(total).sum())
        found: Floats = total
        return found

    def _says(self, word: str) -> Floats | None:
        """How much a word speaks for each kind; None where nothing is known of it."""
        said = self._said
        if word not in said:
            if len(said) >= MOST_KEPT:
                said.clear()
            said[word] = self._hear(word)
        return said.get(word)

    def _hear(self, word: str) -> Floats | None:
        row, vector = self._row.get(word), related_english().of(word)
        inner = None if row is None else self.own[row]
        if vector is not None and len(vector) == len(self.meaning):
            by_meaning = vector @ self.meaning
            inner = by_meaning if inner is None else inner + by_meaning
        return None if inner is None else inner @ self.out
