"""§3.3: hashes choose the buckets a question is looked up in, so that few memories are scored.

A memory is in the bucket of each of its words. A hash says which words' buckets a question opens:
its own (word hash), or also those of the words in the same clusters (cluster hash). Very frequent
words open none, or nothing would be gained.
"""

from __future__ import annotations

from typing import Protocol

from memnn.hashing.clusters import ClusterHash, cluster_words
from memnn.hashing.words import WordHash
from memnn.kernels.arrays import Ints

__all__ = ["ClusterHash", "Hash", "WordHash", "cluster_words"]


class Hash(Protocol):
    """From the words of a question to the words whose buckets are opened."""

    def __call__(self, words: Ints) -> Ints: ...
