"""The ways of looking facts up by their names: none, word, cluster."""

from __future__ import annotations

from memnn.facts.cluster_hash import ClusterHash, cluster_words
from memnn.facts.index import FactIndex
from memnn.facts.lookup import Lookup
from memnn.facts.model import FactsModel
from memnn.facts.recipe import HashSettings
from memnn.facts.word_hash import WordHash


def lookup_with(
    model: FactsModel,
    index: FactIndex,
    name: str = "none",
    *,
    cap: int | None = None,
    bow: bool = True,
    threads: int = 2,
) -> Lookup:
    """O that scores everything, or what a hash leaves; without `bow` by the embedding alone."""
    cap = HashSettings(name, cap).cap_for(len(index))
    hash: WordHash | ClusterHash | None = None
    frequency = index.reading(model.dictionary).frequency
    if name == "word":
        hash = WordHash(frequency, cap)
    elif name == "cluster":
        clusters = index.clusters
        if clusters is None:
            clusters = cluster_words(model.word_vectors, seed=model.recipe.seed)
        hash = ClusterHash(clusters, frequency, cap)
    return model.lookup(hash, bow=bow, match=bow, threads=threads)
