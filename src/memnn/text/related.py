"""Words of one meaning beside each other: "physician" near "doctor", "repaired" near "fixed".

Vectors know which words stand in the same places. What means the same is added from a dictionary:
67,000 pairs of words that WordNet 3.0 (Princeton University; its licence allows any use) has as
synonyms, forms, derivations, similar or wider words, weighed by how common their senses are
(`benchmarks.related_words`). Every word moves towards the mean of itself and its relatives, as in
retrofitting (Faruqui et al. 2015).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.drawing import draw_together
from memnn.text.vectors import WordVectors, english

STEPS = 8
FULL = 255
"""The weight of a pair that is as near as can be."""


class RelatedWords(NamedTuple):
    """Pairs of words by their places among the vectors, each once."""

    first: NDArray[np.uint16]
    second: NDArray[np.uint16]
    weight: NDArray[np.uint8]


@cache
def related_english() -> WordVectors:
    """The vectors that come with the package, those of related words drawn together."""
    vectors, place = english(), files("memnn.text") / "related.npz"
    if not len(vectors) or not place.is_file():
        return vectors
    with place.open("rb") as file, np.load(file) as arrays:
        pairs = RelatedWords(arrays["first"], arrays["second"], arrays["weight"])
    return drawn_together(vectors, pairs)


def drawn_together(vectors: WordVectors, pairs: RelatedWords) -> WordVectors:
    """The same words; relatives together count as much as a word itself, few and distant ones
    less."""
    own = vectors.codes.astype(np.float32)
    own /= np.maximum(np.linalg.norm(own, axis=1, keepdims=True), 1e-6)
    starts, others, weights = _by_word(pairs, len(own))
    near = draw_together(own, starts, others, weights, STEPS)
    scales = np.maximum(np.abs(near).max(1), 1e-6)
    codes = np.round(near / scales[:, None] * 127).astype(np.int8)
    return replace(vectors, codes=codes, scales=scales.astype(np.float16))


def _by_word(pairs: RelatedWords, words: int) -> tuple[Ints, Ints, Floats]:
    """Where each word's relatives begin, which they are, and how near."""
    first, second = pairs.first.astype(np.int64), pairs.second.astype(np.int64)
    word, other = np.concatenate([first, second]), np.concatenate([second, first])
    order = np.argsort(word, kind="stable")
    counts = np.bincount(word, minlength=words)
    starts: Ints = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    weights: Floats = np.concatenate([pairs.weight, pairs.weight])[order].astype(np.float32)
    return starts, other[order], weights / np.float32(FULL)
