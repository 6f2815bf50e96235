"""§3.3: hashes choose the buckets a question is looked up in, so that few facts are scored.

A fact is in the bucket of each of its words. A hash says which words' buckets a question opens:
its own (word hash), or also those of the words in the same clusters (`cluster_hash`). Very frequent
words open none, or nothing would be gained.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from memnn.facts.recipe import CAP
from memnn.kernels.arrays import Ints


class Hash(Protocol):
    """From the words of a question to the words whose buckets are opened."""

    def __call__(self, words: Ints) -> Ints: ...


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
