"""The story network in PyTorch: the same model and numbers, as a competent user would write them.

Answering is vectorised over embedded memories, without gradients. Training embeds batches of
questions with `EmbeddingBag` and lets autograd step one sampled negative per term.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.numpy_twin import Floats, Found, Texts, embed_all, plain_walk, sample
from memnn.stories.bags import Bags
from memnn.stories.examples import Examples
from memnn.stories.model import Model

BATCH = 128


class TorchTwin:
    """Answers k-hop questions over n embedded memories, with `ordered` write time."""

    def __init__(self, model: Model, memories: Texts, n: int, *, loop: bool = False) -> None:
        W = len(model.dictionary)
        self.loop = loop  # Algorithm 1 as it is written: better when there are few memories
        U_O, U_R = torch.from_numpy(model.U_O.copy()), torch.from_numpy(model.U_R.copy())
        self.hops = model.recipe.hops
        self.X_O, self.X_R = U_O[:W], U_R[:W]  # (|W|, dim)
        self.time = U_O[3 * W :]  # (3, dim)
        self.answers = U_R[2 * W :]  # (answers, dim)
        embed = partial(embed_all, bags=memories, n=n)
        self.S_O = torch.from_numpy(embed(model.U_O, W))  # (n, dim), as supports of O
        self.S_R = torch.from_numpy(embed(model.U_R, W))  # (n, dim), as supports of R
        self.Y = torch.from_numpy(embed(model.U_O, 2 * W))  # (n, dim), as candidates

    @torch.inference_mode()
    def __call__(self, x: Tensor) -> Found:
        """The supports and the answer for the rows of a question."""
        supports: list[int] = []
        q = self.X_O[x].sum(0)
        r = self.X_R[x].sum(0)
        for _ in range(self.hops):
            o = self._hop(q, supports)
            stop = supports[-1:] == [o]
            supports.append(o)
            if stop:
                supports += [o] * (self.hops - len(supports))
                break
            q = q + self.S_O[o]
        for o in supports:
            r = r + self.S_R[o]
        return supports, int((self.answers @ r).argmax())

    def _hop(self, q: Tensor, supports: list[int]) -> int:
        c = self.Y @ q
        w1, w2, w3 = (self.time @ q).tolist()
        if self.loop:
            return plain_walk(c.tolist(), w1, w2, w3, supports[-1] if supports else len(c))
        F, G = c + w3, c  # i beats t when F_i > G_t
        if not supports:
            return walk(F, G, 0, 1, w3 >= 0)
        after = supports[-1] + 1  # memories from here on are newer than the last support
        F[after:] += w1
        G[after:] -= w2
        gains = w3 >= 0, w3 + w1 + w2 >= 0
        if all(gains):
            return walk(F, G, 0, 1, True)
        t = walk(F[:after], G[:after], 0, 1, gains[0])
        return walk(F, G, t, after, gains[1])


def walk(F: Tensor, G: Tensor, t: int, start: int, gains: bool) -> int:
    """Algorithm 1 from winner t over memories start..: see the NumPy twin."""
    if start == len(F):
        return t
    if gains:
        best = F[start:].flip(0).cummax(0).values.flip(0)  # of memory i and those after it
        if best[0] <= G[t]:
            return t
        unbeaten = (best[1:] <= G[start:-1]).nonzero()
        return start + int(unbeaten[0]) if len(unbeaten) else len(F) - 1
    best = F[start:].cummax(0).values
    records = (best[1:] > best[:-1]).nonzero()[:, 0] + start + 1
    G_t = float(G[t])
    for i in (start, *records.tolist()):
        if float(F[i]) > G_t:
            t, G_t = i, float(G[i])
    return t


class TorchTrainer:
    """SGD on the margin loss in batches of 128 questions, both hops of a batch in one go."""

    def __init__(self, model: Model, examples: Examples, *, sparse: bool) -> None:
        W, self.recipe = len(model.dictionary), model.recipe
        U_O, U_R = torch.from_numpy(model.U_O.copy()), torch.from_numpy(model.U_R.copy())
        self.O = _bag(U_O[: 3 * W], sparse)
        self.time = nn.Parameter(U_O[3 * W :].clone())  # (3, dim)
        self.R = _bag(U_R, sparse)
        parameters = [*self.O.parameters(), self.time, *self.R.parameters()]
        self.optimizer = torch.optim.SGD(parameters, lr=self.recipe.lr)
        self.examples, self.W = examples, W
        self.rng = np.random.default_rng(self.recipe.seed)
        self.x = _padded(examples.questions)  # (Q, longest)
        self.memories = _padded(examples.statements)  # (N, longest)
        self.times = torch.from_numpy(examples.statements.times.copy())
        self.t_x = torch.from_numpy(examples.questions.times.copy())
        self.supports = torch.from_numpy(examples.supports)
        self.r = torch.from_numpy(examples.answers)

    def epoch(self) -> None:
        candidates = self.R.num_embeddings - 1 - 2 * self.W
        drawn = sample(self.examples, self.recipe, candidates, self.rng)
        false, false_r = (torch.from_numpy(a) for a in drawn)
        order = torch.from_numpy(self.rng.permutation(len(self.examples)))
        for batch in torch.split(order, BATCH):
            loss = self._loss(batch, false[batch], false_r[batch])
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()

    def _loss(self, batch: Tensor, false: Tensor, false_r: Tensor) -> Tensor:
        """Eq. 6-8 with write time, summed over a batch as SGD on single questions would."""
        x, o, r = self.x[batch], self.supports[batch], self.r[batch]
        t_x = torch.cat((self.t_x[batch, None], self.times[o[:, :-1]]), 1)
        y, y2 = torch.maximum(o, false), torch.minimum(o, false)  # (B, k): the newer, the older
        f = torch.stack((self.times[y] > t_x, self.times[y2] > t_x, y > y2), -1).float()
        q = self._questions(self.O, x, o, range(o.shape[1]))  # (B, k, n)
        d = self._bags(self.O, y) - self._bags(self.O, y2) + f @ self.time
        score = (q * d).sum(-1)
        hinge = torch.relu(self.recipe.margin - torch.where(o > false, score, -score))
        loss = (hinge * (o != false)).sum()
        q_R = self._questions(self.R, x, o, [o.shape[1]])[:, 0]
        rows = 2 * self.W + torch.stack((r, false_r), 1)
        true, other = nn.functional.embedding(rows, self.R.weight, sparse=self.R.sparse).unbind(1)
        hinge_R = torch.relu(self.recipe.margin - (q_R * (true - other)).sum(-1))
        return loss + (hinge_R * (r != false_r)).sum()

    def _questions(self, bag: nn.EmbeddingBag, x: Tensor, o: Tensor, hops: Sequence[int]) -> Tensor:
        """U Φ_x([x, m_o1, ...]) with the first h supports for every h: (B, len(hops), n)."""
        m = shifted(self.memories[o], self.W, bag).flatten(1)
        x, width = shifted(x, 0, bag), m.shape[1] // o.shape[1]
        rows = []
        for h in hops:
            known = m.clone()
            known[:, h * width :] = bag.num_embeddings - 1
            rows.append(torch.cat((x, known), 1))
        embedded: Tensor = bag(torch.cat(rows))
        return embedded.view(len(rows), len(x), -1).transpose(0, 1)

    def _bags(self, bag: nn.EmbeddingBag, i: Tensor) -> Tensor:
        rows = shifted(self.memories[i], 2 * self.W, bag)  # (B, k, longest)
        embedded: Tensor = bag(rows.flatten(0, 1))
        return embedded.view(*i.shape, -1)

    def weights(self) -> tuple[Floats, Floats]:
        U_O = torch.cat((self.O.weight[:-1], self.time))
        return U_O.detach().numpy().copy(), self.R.weight[:-1].detach().numpy().copy()


def _bag(U: Tensor, sparse: bool) -> nn.EmbeddingBag:
    """Rows of U and, last, one of zeros that pads the bags."""
    rows = torch.cat((U, torch.zeros(1, U.shape[1])))
    return nn.EmbeddingBag.from_pretrained(
        rows, freeze=False, mode="sum", sparse=sparse, padding_idx=len(U)
    )


def _padded(bags: Bags) -> Tensor:
    """(texts, longest): the words of every text, then -1."""
    out = np.full((len(bags), int(np.diff(bags.ptr).max())), -1, np.int64)
    for i in range(len(bags)):
        out[i, : len(bags[i])] = bags[i]
    return torch.from_numpy(out)


def shifted(rows: Tensor, block: int, bag: nn.EmbeddingBag) -> Tensor:
    """The words as rows of one dictionary; padding as the last row of the bag."""
    return torch.where(rows < 0, bag.num_embeddings - 1, rows + block)
