"""Eq. 5 multiplied out: the matrix A = U_x' U_y between words of the input and candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError

MOST_ENTRIES = 2**28
"""A gigabyte: dictionaries of about 11,000 words. Stories have a few hundred."""


def bilinear(U: NDArray[np.float32], inputs: int) -> NDArray[np.float32]:
    """A (inputs, candidates) for U whose first rows are inputs and whose other rows candidates."""
    if inputs * (len(U) - inputs) > MOST_ENTRIES:
        raise InputError(
            f"the dictionary has {inputs // 2:,} words, too many for a story network; "
            "train on text with fewer different words"
        )
    return np.ascontiguousarray(U[:inputs] @ U[inputs:].T)
