"""The reader: how well each statement goes on a path of supports, and what the answer is.

Words of question and statements are read in windows of three, twice. What a statement says of the
question (u, a row for each of its words) and what of the question it covers make its content score
s_O; being newer or older than another that says as much adds to it, pair by pair (Algorithm 1). A
path ends where STOP scores better than any statement. R marks the words of the path that answer, or
says a word that it has learnt, and a last score says whether all this answers the question at all.

This is inference, in NumPy; `learning` has the same in PyTorch, and a test compares them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Bools, Floats, Ints
from memnn.ordinary.lexicon import WordArrays
from memnn.ordinary.passage import MARKS, LinesInView, Passage
from memnn.ordinary.words import SHAPES

MEANING, LITERAL, SHAPE, TRAITS = 40, 24, 8, 2
WORD = MEANING + LITERAL + SHAPE + TRAITS
"""How many numbers a word is read as."""
HIDDEN, ALIKE, COVER, ALIGNED, PAIR, TASTE = 64, 48, 48, 16, 16, 8
LEARNT_MARKS = 3
"""Marks of a word that depend on what was learnt: in the question, or like a word of it."""
MEASURED = 3
"""Of how probable it is to say something, the first that the judgement looks at."""
CLEAR = 6.0
"""Differences of content beyond this say no more."""
FAR = -1e4


def shapes(literals: int, dim: int, said: int) -> dict[str, tuple[int, ...]]:
    """The parameters by name: a matrix has a row for each input, a vector is added."""
    d, word, said = HIDDEN, WORD, max(said, MEASURED)
    marks = LEARNT_MARKS + len(MARKS)
    sizes: dict[str, tuple[int, ...]] = {
        "meaning": (dim, MEANING), "alike": (dim, ALIKE), "literal": (literals + 1, LITERAL),
        "shape": (SHAPES, SHAPE),
    }  # fmt: skip
    layers = {
        "first": (word + marks, 3 * d), "second": (d, 3 * d),
        "asked_first": (word + 2, 3 * d), "asked_second": (d, 3 * d), "asked": (3 * d, d),
        "told": (d, d), "told_asked": (d, d), "told_both": (d, d), "told_for": (d, d),
        "told_aligned": (d, d), "cover_asked": (d, 32), "cover_told": (d, ALIGNED),
        "cover": (32 + ALIGNED + 6, COVER), "whole": (2 * d + 2 * COVER, d), "content": (d, 1),
        "taste": (d, TASTE), "changes": (d, 2), "pair": (TASTE + 13, PAIR),
        "pair_out": (PAIR, 1), "stop": (2 * d + COVER, d), "stop_out": (d, 1), "inside": (d, 1),
        "say": (2 * d + COVER, d), "say_out": (d, said),
        "judge": (3 * d + 2 * COVER + 6, d), "judge_out": (d, 1),
    }  # fmt: skip
    for name, size in layers.items():
        sizes[name] = size
        if name not in WITHOUT_BIAS:
            sizes[f"{name}.b"] = (d,) if name in WINDOWS else (size[1],)
    return sizes


WINDOWS = frozenset({"first", "second", "asked_first", "asked_second"})
WITHOUT_BIAS = frozenset({"told_both", "told_for", "told_aligned", "pair_out"})


class PathRead(NamedTuple):
    """What the reader says of a path over n statements."""

    content: Floats  # (n,) s_O of each statement
    newer: Floats  # (n,) what write time adds to it
    free: Bools  # (n,) not yet on the path
    stop: float
    """The score of ending here."""
    inside: Floats  # (n, l) of each word: is it in the answer?
    say: Floats  # (answers,) of saying a learnt word, the first of copying
    judged: float
    """Whether path and answer answer the question, in log odds before they are calibrated."""

    @property
    def scores(self) -> Floats:
        return np.where(self.free, self.content + self.newer, np.float32(FAR))


@dataclass(frozen=True)
class PassageReader:
    """Parameters by their names in `shapes`."""

    parameters: Mapping[str, Floats]

    def __getitem__(self, name: str) -> Floats:
        return self.parameters[name]

    def layer(self, x: Floats, name: str) -> Floats:
        y: Floats = x @ self[name]
        return y if name in WITHOUT_BIAS else y + self[f"{name}.b"]

    def words(self, arrays: WordArrays) -> Floats:
        """Words as numbers: (words, WORD)."""
        return np.concatenate(
            [
                arrays.vectors @ self["meaning"], self["literal"][arrays.literals],
                self["shape"][arrays.shapes], arrays.traits,
            ],
            axis=1,
        )  # fmt: skip

    def over(self, lines: LinesInView) -> PassageReading:
        """For paths over some lines: what depends on no path is done once."""
        return PassageReading(self, lines)


class PassageReading:
    """A question and the statements in view of it."""

    def __init__(self, reader: PassageReader, lines: LinesInView) -> None:
        self._reader, self._lines = reader, lines
        start = lines.passage(())
        self._there, self._same = start.there, start.same
        self._n, self._length, self._k = start.shape
        self._at = np.nonzero(start.there)  # places of the words: statement, place in it
        counts = start.there.sum(axis=1)
        self._starts = np.cumsum(counts) - counts
        self._counts = counts.astype(np.float32)
        self._before, self._after = _neighbours(counts)
        self._carried = start.carried
        told, asked = lines.words, lines.question.words
        self._cosines(told, asked)
        self._words = reader.words(told) @ reader["first"][:WORD]
        self._asked(asked)

    def _cosines(self, told: WordArrays, asked: WordArrays) -> None:
        """How much each word of the statements is like each of the question."""
        r, exact = self._reader, self._same[self._at]  # (words, k)
        named = np.outer(told.traits[:, 0], asked.traits[:, 0]) > 0
        plain = np.where(exact, 1.0, (told.vectors @ asked.vectors.T) * named)
        a, b = _unit(told.vectors @ r["alike"]), _unit(asked.vectors @ r["alike"])
        learnt = np.where(exact, 1.0, (a @ b.T) * named).astype(np.float32)
        self._exact = exact
        self._near = plain.max(axis=1, initial=0.0)
        self._alike = learnt.max(axis=1, initial=0.0)
        # (n, k): what of the question each statement has
        self._has: Bools = np.logical_or.reduceat(exact, self._starts, axis=0)
        self._covers = np.maximum(self._by_statement(learnt, np.maximum), 0.0)
        self._plain = np.maximum(self._by_statement(plain, np.maximum), 0.0)
        self._attention = np.maximum(learnt - 0.3, 0.0) + exact  # (words, k)

    def _by_statement(self, values: Floats, how: np.ufunc) -> Floats:
        """Over the words of each statement; none is empty."""
        found: Floats = how.reduceat(values, self._starts, axis=0)
        return found

    def _asked(self, asked: WordArrays) -> None:
        r, k = self._reader, self._k
        known = self._has.any(axis=0)
        marks = np.stack([known, self._plain.max(axis=0, initial=0.0)], axis=1)
        words = np.concatenate([r.words(asked), marks], axis=1).astype(np.float32)
        before, after = _neighbours(np.array([k]))
        h = self._window(words @ r["asked_first"], "asked_first", before, after)
        h = h + self._window(h @ r["asked_second"], "asked_second", before, after)
        second = h[1] if k > 1 else np.zeros(HIDDEN, np.float32)
        pooled = np.concatenate([h.max(axis=0), h[0], second])
        self._h_asked, self._known = h, known.astype(np.float32)
        self._named = asked.traits[:, 0]
        self._z = _relu(r.layer(pooled, "asked"))
        self._told_asked = r.layer(self._z, "told_asked")
        self._told_for = self._z @ r["told_for"]
        share = self._attention / (self._attention.sum(axis=1, keepdims=True) + 0.5)
        self._aligned = (share @ h) @ r["told_aligned"]
        self._cover_asked = r.layer(h, "cover_asked")
        self._taste = r.layer(self._z, "taste")
        total = self._by_statement(self._attention, np.add) + 0.5  # (n, k)
        shares = np.zeros((self._n, self._length, self._k), np.float32)
        shares[self._at] = self._attention / total[self._at[0]]
        self._shares = shares.transpose(0, 2, 1)  # (n, k, l)

    def _window(self, y: Floats, name: str, before: Bools, after: Bools) -> Floats:
        """A word and its neighbours: y has what each says as the left, the middle, the right."""
        left, middle, right = np.split(y, 3, axis=1)
        sum_: Floats = middle + self._reader[f"{name}.b"]
        sum_[1:] += np.where(before[1:, None], left[:-1], 0.0)
        sum_[:-1] += np.where(after[:-1, None], right[1:], 0.0)
        return _relu(sum_)

    def read(self, path: list[int]) -> PathRead:
        """With the supports found so far, in their order."""
        r, passage = self._reader, self._lines.passage(path)
        h, u = self._told(passage)
        pathed = passage.path
        covered: Bools = np.logical_or.reduce(self._has & pathed[:, None], axis=0)
        told = np.zeros((self._n, self._length, HIDDEN), np.float32)
        told[self._at] = h
        aligned = _relu(r.layer(self._shares @ told, "cover_told"))  # (n, k, ALIGNED)
        cover = self._cover(self._has, self._covers, aligned, self._carried, covered)
        pooled = np.concatenate(
            [
                self._by_statement(u, np.maximum),
                self._by_statement(u, np.add) / (self._counts[:, None] + 1.0), cover,
            ],
            axis=1,
        )  # fmt: skip
        whole = _relu(r.layer(pooled, "whole"))  # (n, d)
        content = r.layer(whole, "content")[:, 0]
        free = ~pathed
        inside = r.layer(u, "inside")[:, 0]
        newer = self._newer(content, free, r.layer(whole, "changes"), self._answers(inside))
        last = whole[passage.last].sum(axis=0)
        on_path = pathed[:, None]
        found = self._cover(
            covered[None], (self._covers * on_path).max(axis=0)[None],
            (aligned * on_path[:, :, None]).max(axis=0)[None],
            (self._carried * on_path).max(axis=0)[None], covered,
        )[0]  # fmt: skip
        support = np.where(on_path, whole, 0.0).max(axis=0)
        known = np.concatenate([self._z, last, found[:COVER]])
        stop = float(r.layer(_relu(r.layer(known, "stop")), "stop_out")[0]) if path else FAR
        said = np.concatenate([self._z, support, found[:COVER]])
        say = r.layer(_relu(r.layer(said, "say")), "say_out")
        judged = self._judge(passage, u, inside, content, free, support, found, stop, say)
        shown = np.full((self._n, self._length), FAR, np.float32)
        shown[self._at] = inside
        return PathRead(content, newer, free, stop, shown, say, judged)

    def _told(self, passage: Passage) -> tuple[Floats, Floats]:
        """Words of statements in their windows (h), and with the question (u)."""
        r = self._reader
        seen = passage.marks[self._at]
        asked = self._exact.any(axis=1)
        learnt = np.stack([asked, self._near, self._alike], axis=1)
        marks = np.concatenate([learnt, seen], axis=1).astype(np.float32)
        y = self._words + marks @ r["first"][WORD:]
        h = self._window(y, "first", self._before, self._after)
        h = h + self._window(h @ r["second"], "second", self._before, self._after)
        u = _relu(
            r.layer(h, "told") + self._told_asked + (h @ r["told_both"]) * self._told_for
            + self._aligned
        )  # fmt: skip
        return h, u

    def _cover(
        self, has: Bools, near: Floats, aligned: Floats, carried: Floats, covered: Bools
    ) -> Floats:
        """What of the question some statements cover: sums and largest over its words."""
        m, k = has.shape
        row = np.ones((m, 1), np.float32)
        parts = [
            np.broadcast_to(self._cover_asked, (m, k, 32)), aligned, carried[:, :, None],
            has[:, :, None], near[:, :, None], (row * covered)[:, :, None],
            (row * self._known)[:, :, None], (row * self._named)[:, :, None],
        ]  # fmt: skip
        y = _relu(self._reader.layer(np.concatenate(parts, axis=2).astype(np.float32), "cover"))
        return np.concatenate([0.3 * y.sum(axis=1), y.max(axis=1)], axis=1)

    def _answers(self, inside: Floats) -> Floats:
        """What each statement would answer with, by what its words mean: (n, dim + shapes)."""
        told = self._lines.words
        largest = np.maximum.reduceat(inside, self._starts)[self._at[0]]
        weights = np.exp(inside - largest) * told.traits[:, 0]
        kinds = np.concatenate([told.vectors, _one_hot(told.shapes)], axis=1)
        return _unit(np.add.reduceat(weights[:, None] * kinds, self._starts, axis=0))

    def _newer(self, content: Floats, free: Bools, changes: Floats, answers: Floats) -> Floats:
        """What being newer or older than others adds, pair by pair: than those that say as much,
        or answer with something of the same kind, or tell of a change."""
        r, n = self._reader, self._n
        gap = np.clip(content[:, None] - content[None, :], -CLEAR, CLEAR)
        order = np.sign(np.arange(n)[:, None] - np.arange(n)[None, :]).astype(np.float32)
        has = self._has.astype(np.float32)
        both = has @ has.T / (has.sum(axis=1)[:, None] + has.sum(axis=1)[None, :] + 1e-3)
        kind = answers @ answers.T
        mine = np.broadcast_to(changes[:, None], (n, n, 2))
        its = np.broadcast_to(changes[None, :], (n, n, 2))
        others = np.broadcast_to(0.2 * content[None, :], (n, n))
        near = order * np.exp(-np.abs(gap))
        parts = [gap, np.abs(gap), order, near, both, both * order, others, kind, kind * order]
        x = np.concatenate([np.stack(parts, axis=2), mine, its], axis=2).astype(np.float32)
        taste = self._taste @ r["pair"][:TASTE] + r["pair.b"]
        pairs = (_relu(x @ r["pair"][TASTE:] + taste) @ r["pair_out"])[:, :, 0]
        counts = free[:, None] & free[None, :] & ~np.eye(n, dtype=np.bool_)
        found: Floats = np.where(counts, pairs, 0.0).sum(axis=1)
        return found

    def _judge(
        self, passage: Passage, u: Floats, inside: Floats, content: Floats, free: Bools,
        support: Floats, found: Floats, stop: float, say: Floats,
    ) -> float:  # fmt: skip
        r = self._reader
        on_path = passage.path[self._at[0]]
        weights = np.where(on_path, inside, FAR)
        weights = np.exp(weights - weights.max(initial=FAR))
        answer = weights @ u / weights.sum()
        best = np.clip(content[free].max(initial=FAR), -5, 5)
        own = np.clip(content[passage.last].sum(), -5, 5)
        say = np.exp(say - say.max())
        measures = [
            0.3 * own, 0.3 * np.clip(own - best, -5, 5), 0.3 * np.clip(stop, -5, 5),
            *(say / say.sum())[:MEASURED],
        ]  # fmt: skip
        x = np.concatenate([self._z, support, found, answer, measures]).astype(np.float32)
        return float(r.layer(_relu(r.layer(x, "judge")), "judge_out")[0])


def _one_hot(shapes: Ints) -> Floats:
    return np.eye(SHAPES, dtype=np.float32)[shapes] * (shapes > 0)[:, None]


def _relu(x: Floats) -> Floats:
    found: Floats = np.maximum(x, 0.0)
    return found


def _unit(x: Floats) -> Floats:
    found: Floats = x / np.maximum(np.sqrt((x * x).sum(axis=1, keepdims=True)), 1e-6)
    return found


def _neighbours(counts: Floats) -> tuple[Bools, Bools]:
    """Whether each word has one before it and one after it in its text."""
    total = int(counts.sum())
    ends = np.cumsum(counts).astype(np.int64)
    before, after = np.ones(total, np.bool_), np.ones(total, np.bool_)
    before[(ends - counts.astype(np.int64))[counts > 0]] = False
    after[ends[counts > 0] - 1] = False
    return before, after
