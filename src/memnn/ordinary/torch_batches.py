"""Passages and paths of about one size, side by side as PyTorch wants them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from memnn.ordinary.lexicon import WordArrays
from memnn.ordinary.passage import MARKS, MEANT, PATH_MARKS, MarkedPath, Passage
from memnn.ordinary.relations import WordPlaces, codes


class WordTensors(NamedTuple):
    """A table of words."""

    vectors: Tensor
    stems: Tensor
    literals: Tensor
    shapes: Tensor
    traits: Tensor

    @classmethod
    def of(cls, arrays: WordArrays) -> WordTensors:
        return cls(*(torch.from_numpy(np.ascontiguousarray(array)) for array in arrays))

    def at(self, words: Tensor) -> WordTensors:
        return WordTensors(*(each[words] for each in self))


class PassageBatch(NamedTuple):
    """Passages of one size; what is too short is filled with nothing."""

    asked: WordTensors  # (b, k, ...)
    words: Tensor  # (b, n, l)
    there: Tensor  # (b, n, l)
    asks: Tensor  # (b, k) where a question has a word
    same: Tensor  # (b, n, l, k)
    carried: Tensor  # (b, n, k)
    marks: Tensor  # (b, n, l, MARKS)
    at: Tensor  # (b, w) places of the words among n * l
    here: Tensor  # (b, w)
    codes: Tensor  # (b, t, t) of relations

    @classmethod
    def of(cls, passages: Sequence[Passage]) -> PassageBatch:
        b = len(passages)
        n = max(p.shape[0] for p in passages)
        length = max(p.shape[1] for p in passages)
        k = max(max(p.shape[2], 2) for p in passages)
        dim = passages[0].question.vectors.shape[1]
        asked = WordArrays(
            np.zeros((b, k, dim), np.float32), np.full((b, k), -1), np.zeros((b, k), np.int64),
            np.zeros((b, k), np.int64), np.zeros((b, k, 2), np.float32),
        )  # fmt: skip
        words, there = np.zeros((b, n, length), np.int64), np.zeros((b, n, length), np.bool_)
        asks, same = np.zeros((b, k), np.bool_), np.zeros((b, n, length, k), np.bool_)
        carried = np.zeros((b, n, k), np.float32)
        marks = np.zeros((b, n, length, len(MARKS)), np.float32)
        for i, p in enumerate(passages):
            pn, pl, pk = p.shape
            for mine, its in zip(asked, p.question, strict=True):
                mine[i, :pk] = its
            words[i, :pn, :pl], there[i, :pn, :pl] = p.words, p.there
            asks[i, :pk], same[i, :pn, :pl, :pk] = True, p.same
            carried[i, :pn, :pk], marks[i, :pn, :pl] = p.carried, p.marks
        count = max(int(p.there.sum()) for p in passages)
        at, here = np.zeros((b, count), np.int64), np.zeros((b, count), np.bool_)
        size = (b, k + count)
        all_ = WordPlaces(
            np.full(size, -1), np.full((*size, MEANT), -1), np.full(size, -1),
            np.zeros(size, np.int64), np.zeros(size, np.int64),
        )  # fmt: skip
        for i, p in enumerate(passages):
            rows, cols = np.nonzero(p.there)
            w, pk = len(rows), p.shape[2]
            at[i, :w], here[i, :w] = rows * length + cols, True
            for mine, its in zip(all_, WordPlaces.of(p), strict=True):
                mine[i, :pk], mine[i, k : k + w] = its[:pk], its[pk:]
        arrays = (words, there, asks, same, carried, marks, at, here, codes(all_))
        return cls(WordTensors.of(asked), *map(torch.from_numpy, arrays))


class PathBatch(NamedTuple):
    """Paths over the passages of a batch."""

    passages: Tensor  # (p,) the passage of each
    marks: Tensor  # (p, n, l, PATH_MARKS)
    path: Tensor  # (p, n)
    last: Tensor  # (p, n)

    @classmethod
    def of(cls, paths: Sequence[tuple[int, MarkedPath]], batch: PassageBatch) -> PathBatch:
        _, n, length = batch.words.shape
        marks = np.zeros((len(paths), n, length, len(PATH_MARKS)), np.float32)
        path, last = (np.zeros((len(paths), n), np.bool_) for _ in range(2))
        for i, (_, p) in enumerate(paths):
            pn, pl, _ = p.marks.shape
            marks[i, :pn, :pl], path[i, :pn], last[i, :pn] = p
        arrays = (np.array([at for at, _ in paths], np.int64), marks, path, last)
        return cls(*map(torch.from_numpy, arrays))
