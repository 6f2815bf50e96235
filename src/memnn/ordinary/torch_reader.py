"""The reader in PyTorch: the same sums as `reader`, for many paths at once, and their gradients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memnn.kernels.arrays import Floats
from memnn.ordinary.lexicon import WordArrays
from memnn.ordinary.passage import MARKS, Passage
from memnn.ordinary.reader import CLEAR, COVER, FAR, MEASURED, WINDOWS, WITHOUT_BIAS, shapes
from memnn.ordinary.words import SHAPES


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
    path: Tensor  # (b, n)
    last: Tensor  # (b, n)


class ReadBatch(NamedTuple):
    scores: Tensor  # (b, n)
    stop: Tensor  # (b,)
    inside: Tensor  # (b, n, l)
    say: Tensor  # (b, answers)
    judged: Tensor  # (b,)


class _Alike(NamedTuple):
    """Words of statements and of the question, beside each other."""

    plain: Tensor  # (b, n, l, k) cosines of vectors
    learnt: Tensor  # (b, n, l, k) the same after a learnt map
    attention: Tensor  # (b, n, l, k)
    has: Tensor  # (b, n, k) a statement has a word of the question
    covers: Tensor  # (b, n, k) or one like it


class _Fixed(NamedTuple):
    """What covering depends on, whatever covers."""

    asked: Tensor  # (b, k, 32)
    covered: Tensor  # (b, k) by the path
    known: Tensor  # (b, k) by some statement in view
    named: Tensor  # (b, k)
    asks: Tensor  # (b, k)


def collate(passages: Sequence[Passage]) -> PassageBatch:
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
    path, last = np.zeros((b, n), np.bool_), np.zeros((b, n), np.bool_)
    for i, p in enumerate(passages):
        pn, pl, pk = p.shape
        for mine, its in zip(asked, p.question, strict=True):
            mine[i, :pk] = its
        words[i, :pn, :pl], there[i, :pn, :pl] = p.words, p.there
        asks[i, :pk], same[i, :pn, :pl, :pk] = True, p.same
        carried[i, :pn, :pk], marks[i, :pn, :pl] = p.carried, p.marks
        path[i, :pn], last[i, :pn] = p.path, p.last
    arrays = (words, there, asks, same, carried, marks, path, last)
    return PassageBatch(WordTensors.of(asked), *map(torch.from_numpy, arrays))


class TorchReader(nn.Module):
    """Parameters have the names and shapes of `reader.shapes`."""

    def __init__(self, literals: int, dim: int, said: int, drop: float, noise: float) -> None:
        super().__init__()
        self.p = nn.ParameterDict()
        for name, size in shapes(literals, dim, said).items():
            self.p[_key(name)] = nn.Parameter(_start(name, size))
        self.drop, self.noise = nn.Dropout(drop), noise

    def numbers(self) -> dict[str, Floats]:
        names = {_key(name): name for name in shapes(1, 1, 1)}
        return {names[key]: value.detach().numpy().copy() for key, value in self.p.items()}

    def take(self, numbers: Mapping[str, Floats]) -> None:
        """Parameters that were learnt before."""
        for name, value in numbers.items():
            self.p[_key(name)].data = torch.from_numpy(value.copy())

    def layer(self, x: Tensor, name: str) -> Tensor:
        y: Tensor = x @ self.p[name]
        return y if name in WITHOUT_BIAS else y + self.p[_key(f"{name}.b")]

    def words(self, t: WordTensors, hidden: float, unknown: float) -> Tensor:
        vectors, literals, named = t.vectors, t.literals, t.traits[..., 0] > 0
        if self.training:
            there = vectors.abs().sum(-1, keepdim=True) > 0
            vectors = vectors + self.noise * torch.randn_like(vectors) * there
            literals = literals.masked_fill((torch.rand(literals.shape) < hidden) & named, 0)
            lost = (torch.rand(literals.shape) < unknown) & named
            vectors = vectors * ~lost.unsqueeze(-1)
        return torch.cat(
            [
                vectors @ self.p["meaning"], F.embedding(literals, self.p["literal"]),
                F.embedding(t.shapes, self.p["shape"]), t.traits,
            ],
            -1,
        )  # fmt: skip

    def window(self, x: Tensor, name: str, there: Tensor) -> Tensor:
        left, middle, right = (x @ self.p[name] * there.unsqueeze(-1)).chunk(3, -1)
        nothing = torch.zeros_like(left[..., :1, :])
        y = middle + torch.cat([nothing, left[..., :-1, :]], -2)
        y = y + torch.cat([right[..., 1:, :], nothing], -2) + self.p[_key(f"{name}.b")]
        found: Tensor = self.drop(F.relu(y)) * there.unsqueeze(-1)
        return found

    def forward(
        self, x: PassageBatch, table: WordTensors, hidden: float = 0.0, unknown: float = 0.0
    ) -> ReadBatch:
        told, on = table.at(x.words), x.path.unsqueeze(-1)
        alike = self._alike(x, told)
        asked = self.words(x.asked, hidden, unknown)
        h_asked, z = self._ask(asked, alike, x.asks.float())
        h, u = self._tell(self.words(told, hidden, unknown), x, alike, h_asked, z)
        for_ = torch.einsum("bnlk,bnld->bnkd", alike.attention, h)
        for_ = for_ / (alike.attention.sum(2).unsqueeze(-1) + 0.5)
        for_ = F.relu(self.layer(for_, "cover_told"))
        covered = (alike.has & on).any(1)
        fixed = _Fixed(
            self.layer(h_asked, "cover_asked"), covered.float(), alike.has.any(1).float(),
            x.asked.traits[..., 0], x.asks.float(),
        )  # fmt: skip
        cover = self._cover(fixed, alike.has, alike.covers, for_, x.carried)
        there = x.there.float()
        pooled = [u.amax(2), u.sum(2) / (there.sum(2).unsqueeze(-1) + 1.0), cover]
        whole = self.drop(F.relu(self.layer(torch.cat(pooled, -1), "whole")))
        content = self.layer(whole, "content").squeeze(-1)
        inside = self.layer(u, "inside").squeeze(-1)
        free = x.there.any(2) & ~x.path
        newer = self._newer(
            content, alike.has.float(), free, z, self.layer(whole, "changes"),
            self._answers(inside, told, x.there),
        )  # fmt: skip
        found = self._cover(
            fixed, covered.unsqueeze(1), (alike.covers * on).amax(1, keepdim=True),
            (for_ * on.unsqueeze(-1)).amax(1, keepdim=True),
            (x.carried * on).amax(1, keepdim=True),
        ).squeeze(1)  # fmt: skip
        support = whole.masked_fill(~on, 0.0).amax(1)
        last = (whole * x.last.unsqueeze(-1)).sum(1)
        stop = torch.cat([z, last, found[:, :COVER]], -1)
        stop = self.layer(F.relu(self.layer(stop, "stop")), "stop_out").squeeze(-1)
        stop = stop.masked_fill(~x.path.any(1), FAR)
        say = torch.cat([z, support, found[:, :COVER]], -1)
        say = self.layer(self.drop(F.relu(self.layer(say, "say"))), "say_out")
        known = torch.cat([z, support, found], -1)
        judged = self._judge(x, known, u, inside, content, free, stop, say)
        return ReadBatch((content + newer).masked_fill(~free, FAR), stop, inside, say, judged)

    def _alike(self, x: PassageBatch, told: WordTensors) -> _Alike:
        """How much each word of the statements is like each of the question."""
        b, k = x.asks.shape
        there = x.there.float()
        named = (told.traits[..., 0] * there).unsqueeze(-1)
        named = named * x.asked.traits[..., 0].view(b, 1, 1, k)
        plain = torch.einsum("bnld,bkd->bnlk", told.vectors, x.asked.vectors) * named
        plain = plain.masked_fill(x.same, 1.0)
        a, c = told.vectors @ self.p["alike"], x.asked.vectors @ self.p["alike"]
        a = a / a.norm(dim=-1, keepdim=True).clamp(min=1e-6)
        c = c / c.norm(dim=-1, keepdim=True).clamp(min=1e-6)
        learnt = torch.einsum("bnld,bkd->bnlk", a, c) * (named > 0)
        learnt = learnt.masked_fill(x.same, 1.0)
        attention = (F.relu(learnt - 0.3) + x.same.float()) * there.unsqueeze(-1)
        covers = learnt.amax(2).clamp(min=0.0)
        return _Alike(plain, learnt, attention, x.same.any(2), covers)

    def _ask(self, words: Tensor, alike: _Alike, asks: Tensor) -> tuple[Tensor, Tensor]:
        """The question's words in their windows, and the question as a whole."""
        near = alike.plain.amax(2).clamp(min=0.0).amax(1)
        h = torch.cat([words, torch.stack([alike.has.any(1), near], -1)], -1)
        h = self.window(h, "asked_first", asks)
        h = h + self.window(h, "asked_second", asks)
        return h, F.relu(self.layer(torch.cat([h.amax(1), h[:, 0], h[:, 1]], -1), "asked"))

    def _tell(
        self, words: Tensor, x: PassageBatch, alike: _Alike, h_asked: Tensor, z: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Words of statements in their windows (h), and with the question (u)."""
        there = x.there.float()
        marks = [x.same.any(-1), alike.plain.amax(-1), alike.learnt.amax(-1)]
        h = torch.cat([words, torch.stack(marks, -1), x.marks], -1)
        h = self.window(h, "first", there)
        h = h + self.window(h, "second", there)
        share = alike.attention / (alike.attention.sum(-1, keepdim=True) + 0.5)
        aligned = torch.einsum("bnlk,bkd->bnld", share, h_asked) @ self.p["told_aligned"]
        both = (h @ self.p["told_both"]) * (z @ self.p["told_for"])[:, None, None]
        u = self.layer(h, "told") + self.layer(z, "told_asked")[:, None, None] + both + aligned
        return h, F.relu(u) * there.unsqueeze(-1)

    def _cover(
        self, fixed: _Fixed, has: Tensor, near: Tensor, for_: Tensor, carried: Tensor
    ) -> Tensor:
        """What of the question some statements cover: sums and largest over its words."""
        b, m, k = near.shape
        parts = [fixed.asked.unsqueeze(1).expand(b, m, k, -1), for_, carried.unsqueeze(-1)]
        parts += [has.float().unsqueeze(-1), near.unsqueeze(-1)]
        every = (fixed.covered, fixed.known, fixed.named)
        parts += [each.view(b, 1, k, 1).expand(b, m, k, 1) for each in every]
        y = F.relu(self.layer(torch.cat(parts, -1), "cover")) * fixed.asks.view(b, 1, k, 1)
        return torch.cat([0.3 * y.sum(2), y.amax(2)], -1)

    def _judge(
        self, x: PassageBatch, known: Tensor, u: Tensor, inside: Tensor, content: Tensor,
        free: Tensor, stop: Tensor, say: Tensor,
    ) -> Tensor:  # fmt: skip
        """Whether path and answer answer the question."""
        b, n, length = x.words.shape
        weights = inside.masked_fill(~(x.there & x.path.unsqueeze(-1)), FAR).view(b, -1)
        answer = (torch.softmax(weights, 1).view(b, n, length, 1) * u).sum((1, 2))
        best = content.masked_fill(~free, FAR).amax(1).clamp(-5, 5)
        own = (content * x.last).sum(1).clamp(-5, 5)
        measures = torch.stack([own, (own - best).clamp(-5, 5), stop.clamp(-5, 5)], 1)
        judged = torch.cat([known, answer, 0.3 * measures, torch.softmax(say, 1)[:, :MEASURED]], -1)
        judged = self.drop(F.relu(self.layer(judged, "judge")))
        return self.layer(judged, "judge_out").squeeze(-1)

    def _answers(self, inside: Tensor, told: WordTensors, there: Tensor) -> Tensor:
        largest = inside.masked_fill(~there, FAR).amax(2, keepdim=True)
        weights = torch.exp((inside - largest).clamp(max=0.0)) * told.traits[..., 0] * there
        shapes_ = F.one_hot(told.shapes, SHAPES) * (told.shapes > 0).unsqueeze(-1)
        kinds = torch.cat([told.vectors, shapes_], -1)
        found = (weights.unsqueeze(-1) * kinds).sum(2)
        unit: Tensor = found / found.norm(dim=-1, keepdim=True).clamp(min=1e-6)
        return unit

    def _newer(
        self, content: Tensor, has: Tensor, free: Tensor, z: Tensor, changes: Tensor,
        answers: Tensor,
    ) -> Tensor:  # fmt: skip
        b, n = content.shape
        gap = (content.unsqueeze(2) - content.unsqueeze(1)).clamp(-CLEAR, CLEAR)
        place = torch.arange(n)
        order = torch.sign(place.view(n, 1) - place.view(1, n)).float().expand(b, n, n)
        sizes = has.sum(-1)
        both = torch.einsum("bnk,bmk->bnm", has, has)
        both = both / (sizes.unsqueeze(2) + sizes.unsqueeze(1) + 1e-3)
        others = 0.2 * content.unsqueeze(1).expand(b, n, n)
        near = order * torch.exp(-gap.abs())
        kind = torch.einsum("bnd,bmd->bnm", answers, answers)
        scalars = [gap, gap.abs(), order, near, both, both * order, others, kind, kind * order]
        mine = changes.unsqueeze(2).expand(b, n, n, 2)
        its = changes.unsqueeze(1).expand(b, n, n, 2)
        parts = torch.cat([torch.stack(scalars, -1), mine, its], -1)
        taste = self.layer(z, "taste").view(b, 1, 1, -1).expand(b, n, n, -1)
        y = F.relu(self.layer(torch.cat([taste, parts], -1), "pair"))
        pairs: Tensor = (y @ self.p["pair_out"]).squeeze(-1)
        counts = free.unsqueeze(1) & free.unsqueeze(2) & ~torch.eye(n, dtype=torch.bool)
        return pairs.masked_fill(~counts, 0.0).sum(2)


def _key(name: str) -> str:
    return name.replace(".", "_bias_")


def _start(name: str, size: tuple[int, ...]) -> Tensor:
    """As PyTorch starts its layers: uniform within 1/sqrt(inputs)."""
    if name == "alike":
        return nn.init.orthogonal_(torch.empty(size))
    if name in ("literal", "shape"):
        return 0.1 * torch.randn(size)
    layer = name.removesuffix(".b")
    inputs = shapes(1, 64, 2)[layer][0] * (3 if layer in WINDOWS else 1)
    return torch.empty(size).uniform_(-(inputs**-0.5), inputs**-0.5)
