"""Facts as entries (word, part, repeated), packed as `facts.bags` has them, and posting lists.

Facts may come from a file. Whatever its pointers and words are, nothing outside the arrays is read:
`begin_of` and `end_of` bound the entries of a fact, and a word without a weight is passed over.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.jit import inlined, kernel

Entries = NDArray[np.uint32]

WORD = np.uint32(2**28 - 1)
ROLE, REPEATED = np.uint32(28), np.uint32(30)
THREE = np.uint32(3)


class Facts(NamedTuple):
    """Memories: fact i has entries[ptr[i]:ptr[i + 1]], each weighing idf · scale[i]."""

    ptr: Ints
    entries: Entries
    scale: Floats


class Postings(NamedTuple):
    """The facts that hold word w: facts[ptr[w]:ptr[w + 1]]."""

    ptr: Ints
    facts: NDArray[np.int32]


@inlined
def word_of(entry: np.uint32) -> int:
    return np.int64(entry & WORD)  # type: ignore[return-value]


@inlined
def begin_of(ptr: Ints, f: int) -> int:
    """Where the entries of a fact begin."""
    return int(max(ptr[f], 0))


@inlined
def end_of(ptr: Ints, f: int, entries: Entries) -> int:
    """Where they end."""
    return int(min(ptr[f + 1], len(entries)))


@kernel
def post(ptr: Ints, entries: Entries, counts: Ints, out: NDArray[np.int32]) -> None:
    """Fill the posting lists: counts[w] is where the next fact of word w goes."""
    for f in range(len(ptr) - 1):
        for k in range(begin_of(ptr, f), end_of(ptr, f, entries)):
            w = word_of(entries[k])
            if not entries[k] >> REPEATED and w < len(counts) and counts[w] < len(out):
                out[counts[w]] = f
                counts[w] += 1
