"""Words of one meaning beside each other: "physician" near "doctor", "repaired" near "fixed".

Vectors know which words stand in the same places. What means the same is added from a dictionary:
67,000 pairs of words that WordNet 3.0 (Princeton University; its licence is beside the file) has as
synonyms, forms, derivations, similar or wider words, weighed by how common their senses are
(`benchmarks.related_words`). Every word moves towards the mean of itself and its relatives, as in
retrofitting (Faruqui et al. 2015).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from io import BytesIO
from threading import Lock
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from memnn.errors import InputError
from memnn.kernels.arrays import Floats, Ints
from memnn.text.vectors import WordVectors, english, same_words

FILE = "related.npz"
STEPS = 8
FULL = 255
"""The weight of a pair that is as near as can be."""
AT_ONCE = 4_096
"""Words that are moved at once: what they are next to is copied."""
_drawn: list[WordVectors] = []
_lock = Lock()


class RelatedWords(NamedTuple):
    """Pairs of words by their places among the vectors, each once."""

    first: NDArray[np.uint16]
    second: NDArray[np.uint16]
    weight: NDArray[np.uint8]


def related_english() -> WordVectors:
    """The vectors that come with the package, those of related words drawn together. Without the
    pairs or with other vectors in their place they are as they are."""
    with _lock:
        if not _drawn:
            vectors, place = english(), files("memnn.text") / FILE
            if len(vectors) and place.is_file():
                vectors = drawn_together(vectors, _pairs(place.read_bytes(), vectors))
            _drawn.append(vectors)
        return _drawn[0]


def _pairs(data: bytes, vectors: WordVectors) -> RelatedWords:
    try:
        with np.load(BytesIO(data)) as arrays:
            pairs = RelatedWords(arrays["first"], arrays["second"], arrays["weight"])
            whose = int(arrays["words"])
    except (KeyError, ValueError, OSError, BadZipFile, TypeError):
        raise InputError(
            f"{FILE} does not hold pairs of words; install memnn again, or make it with "
            "benchmarks.related_words"
        ) from None
    if whose != same_words(vectors):
        raise InputError(
            f"{FILE} belongs to other word vectors; make it anew with benchmarks.related_words"
        )
    return pairs


def drawn_together(vectors: WordVectors, pairs: RelatedWords) -> WordVectors:
    """The same words; relatives together count as much as a word itself, few and distant ones
    less."""
    own = vectors.codes.astype(np.float32)
    own /= np.maximum(np.linalg.norm(own, axis=1, keepdims=True), 1e-6)
    parts = list(_parts(pairs, len(own)))
    near = own
    for _ in range(STEPS):
        after = own.copy()
        for words, starts, others, shares in parts:
            after[words] += np.add.reduceat(near[others] * shares, starts)
        near = after / np.maximum(np.linalg.norm(after, axis=1, keepdims=True), 1e-6)
    scales = np.maximum(np.abs(near).max(1), 1e-6)
    codes = np.round(near / scales[:, None] * 127).astype(np.int8)
    return replace(vectors, codes=codes, scales=scales.astype(np.float16))


def _parts(pairs: RelatedWords, words: int) -> Iterator[tuple[Ints, Ints, Ints, Floats]]:
    """Some words that have relatives, where those of each begin, which they are, and the share of
    each."""
    first, second = pairs.first.astype(np.int64), pairs.second.astype(np.int64)
    word, other = np.concatenate([first, second]), np.concatenate([second, first])
    order = np.argsort(word, kind="stable")
    word, other = word[order], other[order]
    weights = np.concatenate([pairs.weight, pairs.weight])[order].astype(np.float32) / FULL
    together = np.bincount(word, weights, words).astype(np.float32)
    shares = (weights / np.maximum(together, 1.0)[word])[:, None]
    with_any, starts = np.unique(word, return_index=True)
    ends = np.append(starts[1:], len(word))
    for at in range(0, len(with_any), AT_ONCE):
        here = slice(at, at + AT_ONCE)
        begin, end = int(starts[here][0]), int(ends[here][-1])
        yield with_any[here], starts[here] - begin, other[begin:end], shares[begin:end]
