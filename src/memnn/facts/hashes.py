"""The ways of looking facts up by their names: none, word, cluster, ivf."""

from __future__ import annotations

from memnn.errors import InputError
from memnn.facts.cluster_hash import ClusterHash, cluster_words
from memnn.facts.index import FactIndex
from memnn.facts.ivf import IVF
from memnn.facts.lookup import Lookup
from memnn.facts.model import FactsModel
from memnn.facts.recipe import HashSettings
from memnn.facts.word_hash import WordHash

SMALL = 1_000_000


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
    vectors = None
    frequency = index.reading(model.dictionary).frequency
    if name == "word":
        hash = WordHash(frequency, cap)
    elif name == "cluster":
        clusters = index.clusters
        if clusters is None:
            clusters = cluster_words(model.word_vectors, seed=model.recipe.seed)
        hash = ClusterHash(clusters, frequency, cap)
    elif name == "ivf":
        vectors = index.ivf
        if vectors is None and len(index) > SMALL:
            raise InputError("the index has no vectors; build it again with --ivf")
        if vectors is None:
            reading = index.reading(model.dictionary)
            reading.checks.whole("ptr.i64", "entries.u32", "scale.f32")
            vectors = IVF.build(
                None, model.U_O, model.layout, len(model.dictionary), reading.facts, reading.idf
            )
    return model.lookup(hash, vectors, bow=bow, match=bow, threads=threads)
