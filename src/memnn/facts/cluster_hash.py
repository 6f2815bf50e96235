"""Cluster hash: k-means over word vectors, so that a question also finds its synonyms' memories."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memnn.facts.recipe import CAP, CLUSTERS
from memnn.facts.word_hash import open_buckets
from memnn.kernels.arrays import Floats, Ints


class ClusterHash:
    """A question opens the buckets of all words in the clusters of its own words.

    The cap on frequency is on words, as for the word hash: a rare word opens its whole cluster,
    less the frequent words in it: where the cap is higher than usual, because there are millions
    of facts, it is not for its neighbours. So does a word that no memory holds: it may be a synonym
    that only questions use. Words without an embedding are clusters of their own.
    """

    def __init__(self, clusters: NDArray[np.int32], frequency: Ints, cap: int = CAP) -> None:
        self.clusters = clusters  # (|W|,) of the words that have an embedding
        self.frequency = frequency
        self.cap = cap
        self._members = np.argsort(clusters, kind="stable").astype(np.int64)
        count = int(clusters.max(initial=-1)) + 1
        self._start = np.searchsorted(clusters[self._members], np.arange(count + 1))

    def __call__(self, words: Ints) -> Ints:
        own = open_buckets(words, self.frequency, self.cap)
        chosen = [own]
        asking = np.concatenate([own, words[self.frequency[words] == 0]])
        for cluster in np.unique(self.clusters[asking[asking < len(self.clusters)]]):
            members = self._members[self._start[cluster] : self._start[cluster + 1]]
            chosen.append(members[self.frequency[members] <= min(self.cap, CAP)])
        return np.unique(np.concatenate(chosen))


def cluster_words(vectors: Floats, K: int = CLUSTERS, seed: int = 0) -> NDArray[np.int32]:
    """The cluster of every word. One vector a word, for both sides: else an exact match may be
    lost between two clusters."""
    import faiss  # heavy, and needed by this alone

    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    unit = np.ascontiguousarray(unit, np.float32)
    K = max(1, min(K, len(unit) // 2))
    means = faiss.Kmeans(
        unit.shape[1], K, niter=20, seed=seed, spherical=True,
        min_points_per_centroid=1, max_points_per_centroid=64,
    )  # fmt: skip
    means.train(unit)
    return means.index.search(unit, 1)[1][:, 0].astype(np.int32)
