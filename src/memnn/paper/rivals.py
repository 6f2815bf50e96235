"""What facts are found with elsewhere: TF-IDF and BM25, over the same normalised words."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from memnn.facts.bags import FactDictionary, fact_norms
from memnn.facts.evaluate import DEPTH, Find, evaluate, finder
from memnn.facts.index import FactIndex
from memnn.facts.lookup import Found, Lookup
from memnn.facts.triples import Asked
from memnn.layout import Layout

K1, B = (0.6, 1.2, 2.0), (0.3, 0.5, 0.75, 1.0)


def tf_idf(index: FactIndex, dictionary: FactDictionary) -> Find:
    """The cosine of idf-weighted bags: s_O with an embedding of nothing and λ = 1."""
    reading = index.reading(dictionary)
    norms = fact_norms(reading.facts.ptr, reading.facts.entries, reading.idf)
    scale = (1 / np.maximum(norms, 1e-9)).astype(np.float32)
    cosine = replace(reading, facts=reading.facts._replace(scale=scale))
    layout = Layout(len(dictionary), len(dictionary), supports=False)
    return finder(Lookup(dictionary, layout, np.zeros((layout.D, 1), np.float32), bow=1.0), cosine)


def has_bm25() -> bool:
    return importlib.util.find_spec("bm25s") is not None


@dataclass(frozen=True)
class BM25:
    """Lucene's BM25 from the library bm25s, with the k1 and b that validation questions chose."""

    k1: float
    b: float
    find: Find


def bm25(index: FactIndex, dictionary: FactDictionary, k1: float, b: float) -> Find:
    import bm25s

    corpus = [dictionary.normal(str(index.triple(place))) for place in range(len(index))]
    ranker = bm25s.BM25(k1=k1, b=b, method="lucene")
    ranker.index(corpus, show_progress=False)

    def find(question: str) -> tuple[Sequence[Found], int]:
        words = [w for w in dict.fromkeys(dictionary.normal(question)) if w in ranker.vocab_dict]
        if not words:
            return [], 0
        scores = ranker.get_scores(words)
        k = min(DEPTH, len(scores))
        best = np.argpartition(-scores, k - 1)[:k]
        best = best[np.argsort(-scores[best], kind="stable")]
        return [Found(int(i), float(scores[i])) for i in best], len(scores)

    return find


def tuned_bm25(index: FactIndex, dictionary: FactDictionary, questions: Sequence[Asked]) -> BM25:
    """The best of a grid on these questions, by hit@1."""
    places = index.places()
    tried = []
    for k1, b in product(K1, B):
        find = bm25(index, dictionary, k1, b)
        tried.append((evaluate(find, questions, places).results(0.0)["hit@1"], k1, b, find))
    _, k1, b, find = max(tried, key=lambda each: each[0])
    return BM25(k1, b, find)
