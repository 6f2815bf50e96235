"""Which of many hashes were there before: an open-addressing table that grows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.jit import kernel

Hashes = NDArray[np.uint64]


def new_table(size: int) -> Hashes:
    """An empty table; its size is a power of two, and a hash is never 0. The last entry counts."""
    return np.zeros(size + 1, np.uint64)


def unseen(table: Hashes, hashes: Hashes) -> tuple[Hashes, NDArray[np.bool_]]:
    """Which hashes are new, of equal ones the first; they go into the table, which may grow."""
    size = len(table) - 1
    while 2 * (int(table[-1]) + len(hashes)) > size:
        size *= 2
    if size != len(table) - 1:
        old = table[:-1][table[:-1] != 0]
        table = new_table(size)
        _enter(table, old, np.zeros(len(old), np.bool_))
    new = np.zeros(len(hashes), np.bool_)
    _enter(table, hashes, new)
    return table, new


@kernel
def _enter(table: Hashes, hashes: Hashes, new: NDArray[np.bool_]) -> None:
    last = np.uint64(len(table) - 2)
    for i in range(len(hashes)):
        place = (hashes[i] >> np.uint64(17)) & last
        while table[place] != 0 and table[place] != hashes[i]:
            place = (place + np.uint64(1)) & last
        if table[place] == 0:
            table[place] = hashes[i]
            table[len(table) - 1] += np.uint64(1)
            new[i] = True
