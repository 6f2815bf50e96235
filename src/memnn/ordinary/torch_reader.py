"""The reader in PyTorch: the same sums as `reader`, for many paths at once, and their gradients."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from memnn.ordinary.parameters import (
    ACROSS,
    AGAIN,
    ALIGN,
    CLEAR,
    COVER,
    FAR,
    MEASURED,
    OTHERS,
    PAIR_PARTS,
    WIDE,
)  # fmt: skip
from memnn.ordinary.torch_batches import PassageBatch, PathBatch, WordTensors
from memnn.ordinary.torch_layers import TorchLayers, key_of
from memnn.ordinary.words import SHAPES


class ReadBatch(NamedTuple):
    scores: Tensor  # (p, n)
    stop: Tensor  # (p,)
    inside: Tensor  # (p, n, l, 3)
    say: Tensor  # (p, answers)
    judged: Tensor  # (p,)
    signs: Tensor  # (p, n, l, SIGNS)


class _Alike(NamedTuple):
    """Words of statements and of the question, beside each other."""

    plain: Tensor  # (b, n, l, k) cosines of vectors
    learnt: Tensor  # (b, n, l, k) the same after a learnt map


class _Pairs(NamedTuple):
    """What any two words of a question and of its statements have to do with each other."""

    at: Tensor  # (b, w) places of the words of statements
    here: Tensor  # (b, w)
    codes: Tensor  # (b, k + w, k + w)
    alike: Tensor  # (b, k + w, k + w)


class ReadPassages(NamedTuple):
    """What depends on no path."""

    z: Tensor  # (b, d) the question
    f: Tensor  # (b, n, l, d) words of statements with the question
    y: Tensor  # (b, n, l, 3 d) what they say in windows
    there: Tensor  # (b, n, l)
    kinds: Tensor  # (b, n, l, dim + shapes)
    told_named: Tensor  # (b, n, l)
    has: Tensor  # (b, n, k) a statement has a word of the question
    covers: Tensor  # (b, n, k) or one like it
    covering: Tensor  # (b, n, k, COVERED) what it says of that
    carried: Tensor  # (b, n, k)
    cover_asked: Tensor  # (b, k, ASKED)
    known: Tensor  # (b, k) some statement has it
    named: Tensor  # (b, k)
    asks: Tensor  # (b, k)
    supported: Tensor  # (b,) whether any statement answers the question
    h_asked: Tensor  # (b, k, d) the question's words
    pairs: _Pairs  # of all of them

    def of(self, passages: Tensor) -> ReadPassages:
        """Some of them, by number; pairs, which are large, stay as they are."""
        some: dict[str, Any] = {
            name: each[passages] for name, each in self._asdict().items() if name != "pairs"
        }
        return ReadPassages(**some, pairs=self.pairs)


class _Again(NamedTuple):
    """What the words of paths say, read once more with the question's."""

    say: Tensor  # (p, answers)
    inside: Tensor  # (p, n, l, 3)
    signs: Tensor  # (p, n, l, SIGNS)
    judged: Tensor  # (p,)


class TorchReader(TorchLayers):
    """Parameters have the names and shapes of `parameters.shapes`."""

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

    def forward(
        self, x: PassageBatch, table: WordTensors, hidden: float = 0.0, unknown: float = 0.0
    ) -> ReadPassages:
        """Questions and statements before any path."""
        told, there = table.at(x.words), x.there.float()
        alike, has = self._alike(x, told), x.same.any(2)
        h_asked, z = self._ask(self.words(x.asked, hidden, unknown), alike, has, x.asks.float())
        f = self._tell(self.words(told, hidden, unknown), x, alike, h_asked, z)
        f, h_asked, pairs = self._across(f, h_asked, x, told)
        z = self._pooled(h_asked, "asked_again")
        attention = (F.relu(alike.learnt - 0.3) + x.same.float()) * there.unsqueeze(-1)
        covering = torch.einsum("bnlk,bnld->bnkd", attention, f)
        covering = covering / (attention.sum(2).unsqueeze(-1) + 0.5)
        shapes_ = F.one_hot(told.shapes, SHAPES) * (told.shapes > 0).unsqueeze(-1)
        return ReadPassages(
            z, f, self.times(f, "path"), x.there, torch.cat([told.vectors, shapes_], -1),
            told.traits[..., 0] * there, has, alike.learnt.amax(2).clamp(min=0.0),
            F.relu(self.layer(covering, "cover_told")), x.carried,
            self.layer(h_asked, "cover_asked"), has.any(1).float(), x.asked.traits[..., 0],
            x.asks.float(), self._judge_all(z, f, h_asked, x.asks.float()), h_asked,
            pairs,
        )  # fmt: skip

    def paths(self, read: ReadPassages, paths: PathBatch) -> ReadBatch:
        """What is said of paths over them."""
        x = read.of(paths.passages)
        on, there = paths.path.unsqueeze(-1), x.there.float()
        y = x.y + paths.marks @ self.p["path_marks"]
        u = x.f + self.window(y, "path", there)
        covered = (x.has & on).any(1)
        cover = self._cover(x, x.has, x.covers, x.covering, x.carried, covered)
        pooled = [u.amax(2), u.sum(2) / (there.sum(2).unsqueeze(-1) + 1.0), cover]
        whole = self.drop(F.relu(self.layer(torch.cat(pooled, -1), "whole")))
        content = self.layer(whole, "content").squeeze(-1)
        inside = self.layer(u, "inside")
        free = x.there.any(2) & ~paths.path
        newer = self._newer(
            content, x.has.float(), free, x.z, self.layer(whole, "changes"),
            self._answers(inside[..., 0], x), x.there.any(2).sum(1),
        )  # fmt: skip
        found = self._cover(
            x, covered.unsqueeze(1), (x.covers * on).amax(1, keepdim=True),
            (x.covering * on.unsqueeze(-1)).amax(1, keepdim=True),
            (x.carried * on).amax(1, keepdim=True), covered,
        ).squeeze(1)  # fmt: skip
        support = whole.masked_fill(~on, 0.0).amax(1)
        last = (whole * paths.last.unsqueeze(-1)).sum(1)
        stop = torch.cat([x.z, last, found[:, :COVER]], -1)
        stop = self.layer(F.relu(self.layer(stop, "stop")), "stop_out").squeeze(-1)
        stop = stop.masked_fill(~paths.path.any(1), FAR)
        say = torch.cat([x.z, support, last, found], -1)
        again = self._again(x, paths, u)
        say = self.layer(self.drop(F.relu(self.layer(say, "say"))), "say_out") + again.say
        known, inside = torch.cat([x.z, support, found], -1), inside + again.inside
        judged = self._judge(x, paths, known, u, inside[..., 0], content, free, stop, say)
        judged, scores = judged + again.judged, (content + newer).masked_fill(~free, FAR)
        return ReadBatch(scores, stop, inside, say, judged, again.signs)

    def _alike(self, x: PassageBatch, told: WordTensors) -> _Alike:
        """How much each word of the statements is like each of the question."""
        b, k = x.asks.shape
        named = (told.traits[..., 0] * x.there.float()).unsqueeze(-1)
        named = named * x.asked.traits[..., 0].view(b, 1, 1, k)
        plain = torch.einsum("bnld,bkd->bnlk", told.vectors, x.asked.vectors) * named
        a, c = told.vectors @ self.p["alike"], x.asked.vectors @ self.p["alike"]
        a = a / a.norm(dim=-1, keepdim=True).clamp(min=1e-6)
        c = c / c.norm(dim=-1, keepdim=True).clamp(min=1e-6)
        learnt = torch.einsum("bnld,bkd->bnlk", a, c) * (named > 0)
        return _Alike(plain.masked_fill(x.same, 1.0), learnt.masked_fill(x.same, 1.0))

    def _ask(
        self, words: Tensor, alike: _Alike, has: Tensor, asks: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The question's words in their windows, and the question as a whole."""
        near = alike.plain.amax(2).clamp(min=0.0).amax(1)
        h = torch.cat([words, torch.stack([has.any(1), near], -1)], -1) * asks.unsqueeze(-1)
        h = self.window(self.times(h, "asked_first"), "asked_first", asks)
        h = h + self.window(self.times(h, "asked_second"), "asked_second", asks)
        return h, self._pooled(h, "asked")

    def _pooled(self, h: Tensor, name: str) -> Tensor:
        """A question as a whole: its words, and the first two of them."""
        return F.relu(self.layer(torch.cat([h.amax(1), h[:, 0], h[:, 1]], -1), name))

    def _tell(
        self, words: Tensor, x: PassageBatch, alike: _Alike, h_asked: Tensor, z: Tensor
    ) -> Tensor:
        """Words of statements with the question, in wider and wider windows."""
        there = x.there.float()
        near = [alike.plain.amax(-1).clamp(min=0.0), alike.learnt.amax(-1).clamp(min=0.0)]
        marks = torch.stack([x.same.any(-1), *near], -1)
        h = torch.cat([words, marks, x.marks], -1) * there.unsqueeze(-1)
        h = self.window(self.times(h, "first"), "first", there)
        both = (h @ self.p["told_both"]) * (z @ self.p["told_for"])[:, None, None]
        f = self.layer(h, "told") + self.layer(z, "told_asked")[:, None, None] + both
        f = F.relu(f + self._aligned(h, h_asked, x, alike)) * there.unsqueeze(-1)
        for name, apart in WIDE.items():
            f = f + self.window(self.times(f, name), name, there, apart)
        return f

    def _across(
        self, f: Tensor, h_asked: Tensor, x: PassageBatch, told: WordTensors
    ) -> tuple[Tensor, Tensor, _Pairs]:
        """Every word looks at the others, of the question and of all statements."""
        b, n, length, d = f.shape
        k, w = h_asked.shape[1], x.at.shape[1]
        places = x.at.unsqueeze(-1)
        words = f.view(b, -1, d).gather(1, places.expand(b, w, d))
        y = torch.cat([h_asked, words], 1)
        there = torch.cat([x.asks, x.here], 1)
        vectors = (told.vectors * told.traits[..., :1]).view(b, n * length, -1)
        vectors = vectors.gather(1, places.expand(b, w, vectors.shape[-1]))
        vectors = torch.cat([x.asked.vectors * x.asked.traits[..., :1], vectors], 1)
        pairs = _Pairs(x.at, x.here, x.codes, vectors @ vectors.mT)
        y = self.look(y, ACROSS, pairs.codes, pairs.alike, there)
        found = torch.zeros(b, n * length, d).scatter_add(1, places.expand(b, w, d), y[:, k:])
        return found.view(b, n, length, d), y[:, :k], pairs

    def _again(self, x: ReadPassages, paths: PathBatch, u: Tensor) -> _Again:
        """The words of questions and of paths once more, now that these are known."""
        p, n, length, d = u.shape
        rows = paths.path.any(1).nonzero()[:, 0]
        of, r, k = paths.passages[rows], len(rows), x.asks.shape[1]
        at, on = x.pairs.at[of], paths.path[rows].repeat_interleave(length, 1)
        here = x.pairs.here[of] & on.gather(1, at)
        chosen = here.byte().sort(descending=True, stable=True).indices
        chosen = chosen[:, : int(here.sum(1).max()) if r else 1]
        here, at = here.gather(1, chosen), at.gather(1, chosen)  # (r, m)
        words = u[rows].view(r, n * length, d).gather(1, at.unsqueeze(-1).expand(*at.shape, d))
        index = torch.cat([torch.arange(k).expand(r, k), k + chosen], 1)
        of_all, one, other = of.view(r, 1, 1), index.unsqueeze(2), index.unsqueeze(1)
        there = torch.cat([x.asks[rows] > 0, here], 1)
        y = torch.cat([x.h_asked[rows], words * here.unsqueeze(-1)], 1)
        codes, alike = (each[of_all, one, other] for each in (x.pairs.codes, x.pairs.alike))
        y = self.look(y, AGAIN, codes, alike, there)
        asked, told = y[:, :k], y[:, k:]
        whole = [asked.amax(1), asked[:, 0], asked[:, 1], told.amax(1), 0.1 * told.sum(1)]
        whole_ = self.drop(F.relu(self.layer(torch.cat(whole, -1), "again")))

        def shown(name: str) -> Tensor:
            found = self.layer(told, name) * here.unsqueeze(-1)
            to = at.unsqueeze(-1).expand_as(found)
            all_ = torch.zeros(r, n * length, found.shape[-1]).scatter_add(1, to, found)
            return _back(rows, all_.view(r, n, length, found.shape[-1]), p)

        return _Again(
            _back(rows, self.layer(whole_, "again_say"), p), shown("again_inside"),
            shown("again_signs"), _back(rows, self.layer(whole_, "again_judge")[:, 0], p),
        )  # fmt: skip

    def _aligned(self, h: Tensor, h_asked: Tensor, x: PassageBatch, alike: _Alike) -> Tensor:
        """For each word of a statement, the words of the question that it goes with, or none."""
        b, k = x.asks.shape
        a, c = h @ self.p["align_told"], h_asked @ self.p["align_asked"]
        fit = torch.einsum("bnld,bkd->bnlk", a, c) / ALIGN**0.5
        fit = fit + self.p["aligned"][0] * alike.learnt + self.p["aligned"][1] * x.same.float()
        fit = fit.masked_fill(~x.asks.view(b, 1, 1, k), FAR)
        none = self.p["aligned"][2].expand(*fit.shape[:3], 1)
        shares = torch.softmax(torch.cat([fit, none], -1), -1)[..., :-1]
        return torch.einsum("bnlk,bkd->bnld", shares, self.times(h_asked, "told_aligned"))

    def _cover(
        self, x: ReadPassages, has: Tensor, near: Tensor, says: Tensor, carried: Tensor,
        covered: Tensor,
    ) -> Tensor:  # fmt: skip
        """What of the question some statements cover: sums and largest over its words."""
        b, m, k = near.shape
        parts = [x.cover_asked.unsqueeze(1).expand(b, m, k, -1), says, carried.unsqueeze(-1)]
        parts += [has.float().unsqueeze(-1), near.unsqueeze(-1)]
        every = (covered.float(), x.known, x.named)
        parts += [each.view(b, 1, k, 1).expand(b, m, k, 1) for each in every]
        y = F.relu(self.layer(torch.cat(parts, -1), "cover")) * x.asks.view(b, 1, k, 1)
        return torch.cat([0.3 * y.sum(2), y.amax(2)], -1)

    def _judge_all(self, z: Tensor, f: Tensor, h_asked: Tensor, asks: Tensor) -> Tensor:
        """Whether any of the statements answers the question."""
        mean = h_asked.sum(1) / asks.sum(1, keepdim=True).clamp(min=1.0)
        y = F.relu(self.layer(torch.cat([z, f.amax((1, 2)), mean], -1), "supported"))
        return self.layer(y, "supported_out").squeeze(-1)

    def _judge(
        self, x: ReadPassages, paths: PathBatch, known: Tensor, u: Tensor, inside: Tensor,
        content: Tensor, free: Tensor, stop: Tensor, say: Tensor,
    ) -> Tensor:  # fmt: skip
        """Whether path and answer answer the question."""
        b, n, length = x.there.shape
        weights = inside.masked_fill(~(x.there & paths.path.unsqueeze(-1)), FAR).view(b, -1)
        weights = torch.softmax(weights, 1).view(b, n, length, 1)
        answer, kind = (weights * u).sum((1, 2)), (weights * x.kinds).sum((1, 2))
        kind = self.layer(x.z, "kind_asked") * self.layer(kind, "kind_told")
        best = content.masked_fill(~free, FAR).amax(1).clamp(-5, 5)
        own = (content * paths.last).sum(1).clamp(-5, 5)
        measures = torch.stack([own, (own - best).clamp(-5, 5), stop.clamp(-5, 5)], 1)
        said = torch.softmax(say, 1)[:, :MEASURED]
        judged = torch.cat([known, answer, 0.3 * measures, said, kind], -1)
        judged = self.drop(F.relu(self.layer(judged, "judge")))
        return self.layer(judged, "judge_out").squeeze(-1)

    def _answers(self, inside: Tensor, x: ReadPassages) -> Tensor:
        largest = inside.masked_fill(~x.there, FAR).amax(2, keepdim=True)
        weights = torch.exp((inside - largest).clamp(max=0.0)) * x.told_named
        found = (weights.unsqueeze(-1) * x.kinds).sum(2)
        unit: Tensor = found / found.norm(dim=-1, keepdim=True).clamp(min=1e-6)
        return unit

    def _newer(
        self, content: Tensor, has: Tensor, free: Tensor, z: Tensor, changes: Tensor,
        answers: Tensor, statements: Tensor,
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
        of_taste, of_both, of_mine, of_its = torch.tensor_split(self.p["pair"], PAIR_PARTS)
        taste = self.layer(z, "taste") @ of_taste + self.p[key_of("pair.b")]
        y = torch.stack(scalars, -1) @ of_both + (changes @ of_mine + taste.unsqueeze(1)).unsqueeze(
            2
        )
        pairs: Tensor = (F.relu(y + (changes @ of_its).unsqueeze(1)) @ self.p["pair_out"]).squeeze(
            -1
        )
        counts = free.unsqueeze(1) & free.unsqueeze(2) & ~torch.eye(n, dtype=torch.bool)
        found = pairs.masked_fill(~counts, 0.0).sum(2)
        return found * (OTHERS / (statements - 1).clamp(min=1)).clamp(max=1.0).unsqueeze(1)


def _back(rows: Tensor, found: Tensor, count: int) -> Tensor:
    """What was found for some of so many, and nothing for the others."""
    return torch.zeros(count, *found.shape[1:]).index_copy(0, rows, found)
