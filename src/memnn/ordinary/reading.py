"""The reader: how well each statement goes on a path of supports, and what the answer is.

Words of question and statements are read in windows of three. Each word of a statement looks for
words of the question that it goes with, and windows that get wider carry what it found to the words
around it. Then every word looks at every other one, of the question and of all statements. All this
is done once for a question. A path of supports adds marks and one more window.
What a statement says of the question (u, a row for each of its words) and what of the question it
covers make its content score s_O; being newer or older than another that says as much adds to it,
pair by pair (Algorithm 1). A path ends where STOP scores better than any statement. R marks where
in the path an answer begins and ends, or says a word that it has learnt, and a last score says
whether all this answers the question at all. For these the words of the question and of the path
look at each other once more: that is where lists are marked and numbers added up.

This is inference, in NumPy; `torch_reader` has the same in PyTorch, and a test compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from memnn.kernels.arrays import Bools, Floats, Ints
from memnn.ordinary.lexicon import WordArrays
from memnn.ordinary.parameters import (
    ALIGN,
    ASKED,
    CLEAR,
    COVER,
    COVERED,
    FAR,
    MEASURED,
    OTHERS,
    TASTE,
    WIDE,
)  # fmt: skip
from memnn.ordinary.passage import LinesInView
from memnn.ordinary.path_read import PathParts, PathRead, ReadAgain
from memnn.ordinary.relations import WordPlaces, codes
from memnn.ordinary.words import SHAPES

if TYPE_CHECKING:
    from memnn.ordinary.reader import PassageReader

COVERED_AT = ASKED + COVERED + 3
"""Where `cover` has what it counts that the path covers a word."""


class PassageReading:
    """A question and the statements in view of it."""

    def __init__(self, reader: PassageReader, lines: LinesInView) -> None:
        self._reader, self._lines = reader, lines
        passage = lines.passage
        self._n, self._length, self._k = passage.shape
        self._at = np.nonzero(passage.there)  # places of the words: statement, place in it
        counts = passage.there.sum(axis=1)
        self._starts = np.cumsum(counts) - counts
        self._of = _where(self._at[0] == np.arange(self._n)[:, None])[..., 0]  # (n, words)
        self._left = self._at[1]  # how many words are before each in its statement, and after it
        self._right = counts[self._at[0]] - 1 - self._left
        told, asked = lines.words, lines.question.words
        self._kinds = np.concatenate([told.vectors, _one_hot(told.shapes)], axis=1)
        self._named, self._told_named = asked.traits[:, 0], told.traits[:, 0]
        self._cosines(told, asked)
        h_asked = self._ask(asked)
        f = self._tell(told, h_asked, self._pooled(h_asked, "asked"))
        self._h_asked, self._f = self._across(h_asked, f)
        h_asked = self._h_asked
        self._z = self._pooled(h_asked, "asked_again")
        self._y, self._covering = self._f @ reader["path"], self._covered_by(self._f)
        self._cover_asked = reader.layer(h_asked, "cover_asked")
        self._cover_told = self._cover_before(
            self._has, self._covers, self._covering, self._carried
        )
        self.supported = self._judge_all(h_asked)
        """Whether any of the statements answers the question, in log odds."""
        ages, has = np.arange(self._n), self._has.astype(np.float32)
        self._order = np.sign(ages[:, None] - ages).astype(np.float32)
        self._both = has @ has.T / (has.sum(axis=1)[:, None] + has.sum(axis=1) + 1e-3)
        self._taste = reader.layer(self._z, "taste") @ reader["pair"][:TASTE] + reader["pair.b"]

    def _cosines(self, told: WordArrays, asked: WordArrays) -> None:
        """How much each word of the statements is like each of the question."""
        r = self._reader
        exact = self._lines.passage.same[self._at]  # (words, k)
        named = np.outer(told.traits[:, 0], asked.traits[:, 0]) > 0
        plain = np.where(exact, 1.0, (told.vectors @ asked.vectors.T) * named)
        a, b = _unit(told.vectors @ r["alike"]), _unit(asked.vectors @ r["alike"])
        self._learnt = np.where(exact, 1.0, (a @ b.T) * named).astype(np.float32)
        self._exact, self._plain = exact, plain.astype(np.float32)
        # (n, k): what of the question each statement has
        self._has: Bools = np.logical_or.reduceat(exact, self._starts, axis=0)
        self._known: Floats = np.logical_or.reduce(self._has, axis=0).astype(np.float32)
        self._covers = np.maximum(self._by_statement(self._learnt, np.maximum), 0.0)

    def _by_statement(self, values: Floats, how: np.ufunc) -> Floats:
        """Over the words of each statement; none is empty."""
        found: Floats = how.reduceat(values, self._starts, axis=0)
        return found

    def _ask(self, asked: WordArrays) -> Floats:
        """The question's words in their windows: (k, d)."""
        r, k = self._reader, self._k
        near = self._plain.max(axis=0, initial=0.0)
        words = np.concatenate([r.words(asked), np.stack([self._known, near], axis=1)], axis=1)
        left = np.arange(k)
        h = self._window(
            words.astype(np.float32) @ r["asked_first"], "asked_first", left, left[::-1]
        )
        return h + self._window(h @ r["asked_second"], "asked_second", left, left[::-1])

    def _pooled(self, h: Floats, name: str) -> Floats:
        """A question as a whole: its words, and the first two of them."""
        return _relu(self._reader.layer(np.concatenate(self._whole(h)), name))

    def _whole(self, h: Floats) -> list[Floats]:
        second = h[1] if self._k > 1 else np.zeros(h.shape[1], np.float32)
        return [h.max(axis=0), h[0], second]

    def _tell(self, told: WordArrays, h_asked: Floats, z: Floats) -> Floats:
        """Words of statements with the question, in wider and wider windows: (words, d)."""
        r = self._reader
        learnt = [
            self._exact.any(axis=1),
            self._plain.max(axis=1, initial=0.0),
            self._learnt.max(axis=1, initial=0.0),
        ]
        marks = [r.words(told), np.stack(learnt, axis=1), self._lines.passage.marks[self._at]]
        x = np.concatenate(marks, axis=1).astype(np.float32)
        h = self._window(x @ r["first"], "first", self._left, self._right)
        f = _relu(
            r.layer(h, "told") + r.layer(z, "told_asked")
            + (h @ r["told_both"]) * (z @ r["told_for"]) + self._aligned(h, h_asked)
        )  # fmt: skip
        for name, apart in WIDE.items():
            f = f + self._window(f @ r[name], name, self._left, self._right, apart)
        return f

    def _covered_by(self, f: Floats) -> Floats:
        """What each statement says of each word of the question: (n, k, COVERED)."""
        attention = np.maximum(self._learnt - 0.3, 0.0) + self._exact  # (words, k)
        shares = np.zeros((self._n, self._length, self._k), np.float32)
        total = self._by_statement(attention, np.add) + 0.5  # (n, k)
        shares[self._at] = attention / total[self._at[0]]
        padded = np.zeros((self._n, self._length, f.shape[1]), np.float32)
        padded[self._at] = f
        return _relu(self._reader.layer(shares.transpose(0, 2, 1) @ padded, "cover_told"))

    def _across(self, h_asked: Floats, f: Floats) -> tuple[Floats, Floats]:
        """Every word looks at the others, of the question and of all statements."""
        x = np.concatenate([h_asked, f])  # (t, d)
        told, asked = self._lines.words, self._lines.question.words
        vectors = np.concatenate(
            [asked.vectors * asked.traits[:, :1], told.vectors * told.traits[:, :1]]
        )
        self._related, self._alike = codes(WordPlaces.of(self._lines.passage)), vectors @ vectors.T
        for layer in self._reader.across:
            x = layer(x, self._related, self._alike)
        x = _relu(x)
        return x[: self._k], x[self._k :]

    def _aligned(self, h: Floats, h_asked: Floats) -> Floats:
        """For each word of a statement, the words of the question that it goes with, or none."""
        r = self._reader
        alike, same, none = r["aligned"]
        fit = (h @ r["align_told"]) @ (h_asked @ r["align_asked"]).T / ALIGN**0.5
        fit = fit + alike * self._learnt + same * self._exact  # (words, k)
        most = np.maximum(fit.max(axis=1, keepdims=True), none)
        weights = np.exp(fit - most)
        shares = weights / (weights.sum(axis=1, keepdims=True) + np.exp(none - most))
        found: Floats = shares @ (h_asked @ r["told_aligned"])
        return found

    def _window(self, y: Floats, name: str, left: Ints, right: Ints, apart: int = 1) -> Floats:
        """A word and two others: y has what each says as the left one, the middle, the right."""
        d = y.shape[-1] // 3
        before, after = y[..., :d], y[..., 2 * d :]
        sum_: Floats = y[..., d : 2 * d] + self._reader[f"{name}.b"]
        if apart < len(left):
            sum_[..., apart:, :] += before[..., :-apart, :] * _where(left[apart:] >= apart)
            sum_[..., :-apart, :] += after[..., apart:, :] * _where(right[:-apart] >= apart)
        return _relu(sum_)

    def read(self, path: Sequence[int]) -> PathRead:
        """With the supports found so far, in their order."""
        return self.read_all([path])[0]

    def read_all(self, paths: Sequence[Sequence[int]]) -> list[PathRead]:
        """The same for m paths at once, which takes less time."""
        r, marked = self._reader, [self._lines.marked(path) for path in paths]
        taken, lasts = (np.array([each[at] for each in marked]) for at in (1, 2))  # (m, n)
        on, y = taken[:, :, None], np.broadcast_to(self._y, (len(paths), *self._y.shape))
        if taken.any():
            y = y + np.stack([each.marks[self._at] for each in marked]) @ r["path_marks"]
        u = self._f + self._window(y, "path", self._left, self._right)  # (m, words, d)
        covered: Bools = np.logical_or.reduce(self._has & on, axis=1)  # (m, k)
        cover = self._cover(self._cover_told, covered[:, None])
        mean = (self._of / (self._of.sum(axis=1, keepdims=True) + 1.0)) @ u
        whole = np.concatenate([self._largest(u), mean, cover], axis=2)
        whole = _relu(r.layer(whole, "whole"))  # (m, n, d)
        content = r.layer(whole, "content")[:, :, 0]
        inside = r.layer(u, "inside")  # (m, words, 3)
        answers = self._answers(inside[:, :, 0])
        newer = self._newer(content, ~taken, r.layer(whole, "changes"), answers)
        of_path = self._cover_before(
            covered, (self._covers * on).max(axis=1),
            (self._covering * on[:, :, :, None]).max(axis=1), (self._carried * on).max(axis=1),
        )  # fmt: skip
        found = self._cover(of_path, covered)
        last, support = (whole * lasts[:, :, None]).sum(axis=1), (whole * on).max(axis=1)
        z = np.broadcast_to(self._z, last.shape)
        stop = np.concatenate([z, last, found[:, :COVER]], axis=1)
        stop = r.layer(_relu(r.layer(stop, "stop")), "stop_out")[:, 0]
        stop = np.where(taken.any(axis=1), stop, FAR)
        parts = map(PathParts, marked, u, inside, support, last, found)
        reads = zip(content, newer, ~taken, stop.tolist(), parts, strict=True)
        return [PathRead(*each[:4], self, each[4]) for each in reads]

    def _largest(self, u: Floats) -> Floats:
        """Over the words of each statement; none is below 0."""
        padded = np.zeros((len(u), self._n, self._length, u.shape[2]), np.float32)
        statement, place = self._at
        padded[:, statement, place] = u
        found: Floats = padded.max(axis=2)
        return found

    def shown(self, inside: Floats) -> Floats:
        """By statement and place, what is there by word."""
        shown = np.full((self._n, self._length, 3), FAR, np.float32)
        shown[self._at] = inside
        return shown

    def say(self, parts: PathParts) -> Floats:
        r, said = self._reader, [self._z, parts.support, parts.last, parts.found]
        return r.layer(_relu(r.layer(np.concatenate(said), "say")), "say_out")

    def again(self, parts: PathParts) -> ReadAgain | None:
        """The words of question and path once more, now that the path is known."""
        r, k = self._reader, self._k
        words = np.flatnonzero(parts.marked.path[self._at[0]])
        if not r.again or not len(words):
            return None
        at = np.concatenate([np.arange(k), k + words])
        x = np.concatenate([self._h_asked, parts.u[words]])
        related, alike = self._related[np.ix_(at, at)], self._alike[np.ix_(at, at)]
        for layer in r.again:
            x = layer(x, related, alike)
        x = _relu(x)
        told = x[k:]
        whole = np.concatenate([*self._whole(x[:k]), told.max(axis=0), 0.1 * told.sum(axis=0)])
        whole = _relu(r.layer(whole, "again"))
        inside, signs = (
            np.zeros((len(parts.u), r[f"again_{name}"].shape[1]), np.float32)
            for name in ("inside", "signs")
        )
        inside[words], signs[words] = r.layer(told, "again_inside"), r.layer(told, "again_signs")
        judged = float(r.layer(whole, "again_judge")[0])
        return ReadAgain(r.layer(whole, "again_say"), inside, signs, judged)

    @property
    def _carried(self) -> Floats:
        return self._lines.passage.carried

    def _cover_before(self, has: Bools, near: Floats, aligned: Floats, carried: Floats) -> Floats:
        """What of the question some statements cover, but for what their path does: (m, k, d)."""
        m, k = has.shape
        none = np.zeros((m, k, 1), np.float32)
        parts = [
            np.broadcast_to(self._cover_asked, (m, k, ASKED)), aligned, carried[:, :, None],
            has[:, :, None], near[:, :, None], none,
            none + self._known[:, None], none + self._named[:, None],
        ]  # fmt: skip
        return self._reader.layer(np.concatenate(parts, axis=2, dtype=np.float32), "cover")

    def _cover(self, before: Floats, covered: Bools) -> Floats:
        """With what the path covers: sums and largest over the question's words."""
        y = covered.astype(np.float32)[..., None] * self._reader["cover"][COVERED_AT]
        y = _relu(before + y)
        return np.concatenate([0.3 * y.sum(axis=-2), y.max(axis=-2)], axis=-1)

    def _answers(self, inside: Floats) -> Floats:
        """What each statement would answer with, by what its words mean: (m, n, dim + shapes)."""
        largest = np.maximum.reduceat(inside, self._starts, axis=1)[:, self._at[0]]
        weights = np.exp(inside - largest) * self._told_named
        return _unit((self._of * weights[:, None]) @ self._kinds)

    def _newer(self, content: Floats, free: Bools, changes: Floats, answers: Floats) -> Floats:
        """What being newer or older than others adds, pair by pair: than those that say as much,
        or answer with something of the same kind, or tell of a change."""
        r, n = self._reader, self._n
        gap = np.clip(content[:, :, None] - content[:, None, :], -CLEAR, CLEAR)
        order, both, kind = self._order, self._both, answers @ answers.swapaxes(1, 2)
        near, others = order * np.exp(-np.abs(gap)), 0.2 * content[:, None, :]
        parts = (gap, np.abs(gap), order, near, both, both * order, others, kind, kind * order)
        x = np.empty((*gap.shape, len(parts)), np.float32)
        for at, part in enumerate(parts):
            x[..., at] = part
        of_both, of_mine, of_its = r.pairs
        y = (x.reshape(len(x), n * n, -1) @ of_both).reshape(*gap.shape, -1)
        y += (changes @ of_mine + self._taste)[:, :, None]
        y += (changes @ of_its)[:, None]
        pairs = (_relu(y).reshape(len(x), n * n, -1) @ r["pair_out"]).reshape(gap.shape)
        counts = free[:, :, None] & free[:, None, :] & (order != 0)
        found: Floats = np.where(counts, pairs, 0.0).sum(axis=2) * min(1.0, OTHERS / max(1, n - 1))
        return found

    def _judge_all(self, h_asked: Floats) -> float:
        """Whether any of the statements answers the question."""
        r = self._reader
        if not r.size.supported:
            return 0.0
        x = np.concatenate([self._z, self._f.max(axis=0), h_asked.mean(axis=0)])
        return float(r.layer(_relu(r.layer(x, "supported")), "supported_out")[0])

    def judge(self, read: PathRead) -> float:
        """Whether path and answer answer the question: an answer is of the kind asked for."""
        r, (marked, u, _, support, _, found) = self._reader, read.parts
        content, stop, say = read.content, read.stop, read.say
        weights = np.where(marked.path[self._at[0]], read.in_answer[:, 0], FAR)
        weights = np.exp(weights - weights.max(initial=FAR))
        weights /= weights.sum()
        best = np.clip(content[~marked.path].max(initial=FAR), -5, 5)
        own = np.clip(content[marked.last].sum(), -5, 5)
        say = np.exp(say - say.max())
        measures = [
            0.3 * own, 0.3 * np.clip(own - best, -5, 5), 0.3 * np.clip(stop, -5, 5),
            *(say / say.sum())[:MEASURED],
        ]  # fmt: skip
        kind = r.layer(self._z, "kind_asked") * r.layer(weights @ self._kinds, "kind_told")
        x = np.concatenate([self._z, support, found, weights @ u, measures, kind])
        x = x.astype(np.float32)
        judged = float(r.layer(_relu(r.layer(x, "judge")), "judge_out")[0])
        return judged + (read.again.judged if read.again else 0.0)


def _one_hot(shapes: Ints) -> Floats:
    return np.eye(SHAPES, dtype=np.float32)[shapes] * (shapes > 0)[:, None]


def _where(what: Bools) -> Floats:
    """1 where it is so, else 0, for each row."""
    return what.astype(np.float32)[..., None]


def _relu(x: Floats) -> Floats:
    """Of numbers that are not needed any more as they are."""
    return np.maximum(x, 0.0, out=x)


def _unit(x: Floats) -> Floats:
    found: Floats = x / np.maximum(np.sqrt((x * x).sum(axis=-1, keepdims=True)), 1e-6)
    return found
