"""What training on stories works with: texts, labels, settings and working space."""

from __future__ import annotations

from typing import NamedTuple

from memnn.kernels.arrays import Floats, Ints, Kinds
from memnn.kernels.jit import inlined
from memnn.kernels.phi import Sparse


class Texts(NamedTuple):
    """Bags of many texts, as `stories.bags` has them, and their words in order."""

    ptr: Ints
    words: Ints
    kinds: Kinds
    times: Ints
    in_order_ptr: Ints
    in_order: Ints


class Labels(NamedTuple):
    """Per question: the memories it sees, first..last-1, its supports (Q, k) and its answer."""

    first: Ints
    last: Ints
    supports: Ints
    answers: Ints


class Settings(NamedTuple):
    """What `recipe.Recipe` says, in numbers that a kernel takes."""

    mode: int
    margin: float
    lr: float
    tries: int
    recent: int
    lesions: int  # in a thousand tries
    dropout: int  # in a thousand words; -1: a rate of its own for every example
    bow: float


class Scratch(NamedTuple):
    """Working space: allocated once, meaningless between calls."""

    q: Floats
    d: Floats
    x: Sparse
    y: Sparse
    y2: Sparse
    p: Floats  # (D,) q·U[feature]
    p_at: Ints  # when it was computed
    e: Floats  # (tokens,) the score of a token as part of a candidate
    e_at: Ints
    in_x: Ints  # (tokens,) when it was last in a question
    in_m: Ints  # ... and in a support
    spare: Ints
    left: Ints  # (entities, |W|) when a word was last left of a hidden one
    right: Ints
    candidates: Ints  # 0, 1, 2, ...
    clock: Ints


@inlined
def bag(texts: Texts, i: int) -> Ints:
    """The words of text i."""
    k = texts.kinds[i]
    return texts.words[texts.ptr[k] : texts.ptr[k + 1]]


@inlined
def tick(s: Scratch) -> int:
    s.clock[0] += 1
    return int(s.clock[0])
