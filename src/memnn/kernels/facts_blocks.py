"""Which blocks of an index's files a question is about to read, and whether they were compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Ints
from memnn.kernels.jit import inlined, kernel

Flags = NDArray[np.bool_]
SHIFT = 12
"""A block has 2^12 bytes."""


@inlined
def _all(done: Flags, first: int, last: int) -> bool:
    """Whether the blocks of bytes first..last-1 are done, where there are such bytes."""
    done_all = True
    for block in range(max(first, 0) >> SHIFT, min((last - 1) >> SHIFT, len(done) - 1) + 1):
        done_all = done_all and done[block]
    return done_all


@kernel
def facts_done(
    places: NDArray[np.int32], ptr: Ints, of_ptr: Flags, of_scale: Flags, of_entries: Flags
) -> bool:
    """Whether all that is read of these facts was compared."""
    n = len(ptr) - 1
    for f in places:
        if f < 0 or f >= n:
            continue
        if not (_all(of_ptr, 8 * f, 8 * f + 16) and _all(of_scale, 4 * f, 4 * f + 4)):
            return False
        if not _all(of_entries, 4 * ptr[f], 4 * ptr[f + 1]):
            return False
    return True


@kernel
def words_done(words: Ints, ptr: Ints, of_postings: Flags) -> bool:
    """Whether the posting lists of these words were compared."""
    done = True
    for w in words:
        done = done and _all(of_postings, 4 * ptr[w], 4 * ptr[w + 1])
    return done
