"""The feature space: which rows of U belong to which part of Φ (§3.1, §3.4, §3.5, §3.6).

In this order, each block with |W| rows but where said otherwise:

X  M      words of the question; words of supports
L  R      left and right context of unseen words, on either side of s  (unseen)
Y         words of a candidate; for U_R one row per candidate answer
MX MM     candidate words that occur in the question; in a support     (match)
MXL MXR   contexts of unseen words that do                             (match and unseen)
MML MMR
T         three write-time features, for U_O alone
PX PM     how much of a fact's subject, relation and object occurs in the question; in a support:
          one of 27 patterns, of which the first, nothing, is no feature        (facts, match)

The paper counts D = 3|W|, 5|W| with contexts and 8|W| with matches, which it gives one block (and
two for contexts). Ours has two of each, for matches with the question and with supports: in a
bilinear score a single block must mean the same for both, and "before" questions need them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError

BLOCKS = ("X", "M", "L", "R", "Y", "MX", "MXL", "MXR", "MM", "MML", "MMR", "T", "PX", "PM")
PATTERNS = 27
MOST_ENTRIES = 2**28
"""A gigabyte for A: stories have a few hundred words, this is for some thousand."""


@dataclass(frozen=True)
class Layout:
    """Rows of U for |W| words and a number of candidates."""

    words: int
    candidates: int
    unseen: bool = False
    match: bool = False
    time: bool = False
    patterns: bool = False
    supports: bool = True
    """Whether there are further hops, whose inputs have supports: none in a k = 1 network."""
    shared: bool = False
    """One dictionary for all roles (X, M and Y are one block), which the paper found worse."""

    @cached_property
    def blocks(self) -> NDArray[np.int64]:
        """The first row of each block in the order of BLOCKS, -1 where there is none; then D."""
        both = self.unseen and self.match
        present = {
            "X": self.words,
            "M": self.words * self.supports,
            "L": self.words * self.unseen,
            "R": self.words * self.unseen,
            "Y": self.candidates,
            "MX": self.words * self.match,
            "MXL": self.words * both,
            "MXR": self.words * both,
            "MM": self.words * (self.match and self.supports),
            "MML": self.words * both,
            "MMR": self.words * both,
            "T": 3 * self.time,
            "PX": PATTERNS * self.patterns,
            "PM": PATTERNS * (self.patterns and self.supports),
        }
        starts, row = [], 0
        for name in BLOCKS:
            if self.shared and name in "XM":
                starts.append(0)  # as Y, which has the rows
                continue
            starts.append(row if present[name] else -1)
            row += present[name]
        return np.array([*starts, row], np.int64)

    @property
    def _first_candidate(self) -> int:
        """X and M are features of inputs alone."""
        return 0 if self.shared else 2 * self.words

    @property
    def D(self) -> int:
        """The number of features."""
        return int(self.blocks[-1])

    def bilinear(self, U: NDArray[np.float32]) -> NDArray[np.float32]:
        """A = U_x' U_y: inputs (X, M, L, R) by candidate features (all from L on)."""
        return np.ascontiguousarray(U[: self._inputs] @ U[self._first_candidate :].T)

    @property
    def _inputs(self) -> int:
        return (1 if self.shared else 4 if self.unseen else 2) * self.words

    def check(self) -> None:
        """Refuse a dictionary that no network could hold; called before training."""
        if self._inputs * (self.D - self._first_candidate) > MOST_ENTRIES:
            raise InputError(
                f"the dictionary has {self.words:,} words, too many for a story network; "
                "train on text with a smaller vocabulary"
            )

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """Where the blocks start among the columns of A, -1 where they have none."""
        blocks = self.blocks
        first = self._first_candidate
        return np.where(blocks >= first, blocks - first, -1)
