"""Word hash: as many buckets as there are words."""

from __future__ import annotations

import numpy as np

from memnn.kernels.arrays import Ints

CAP = 1000


class WordHash:
    """A question opens the buckets of its words that at most `cap` memories hold.

    If all its words are more frequent than that, the rarest is opened nevertheless.
    """

    def __init__(self, frequency: Ints, cap: int = CAP) -> None:
        self.frequency = frequency
        self.cap = cap

    def __call__(self, words: Ints) -> Ints:
        return open_buckets(words, self.frequency, self.cap)


def open_buckets(words: Ints, frequency: Ints, cap: int) -> Ints:
    words = words[frequency[words] > 0]
    rare = words[frequency[words] <= cap]
    if len(rare) or not len(words):
        return rare
    return words[[int(np.argmin(frequency[words]))]]
