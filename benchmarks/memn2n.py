"""An end-to-end memory network (Sukhbaatar et al. 2015, arXiv:1503.08895) in PyTorch, as published.

Three hops with adjacent weights, position encoding, temporal encoding with random noise and a
linear start: without softmax until the validation loss no longer falls.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from memnn.text.tokens import words_1
from memnn.types import Question, Statement, Story

MEMORY, DIM, HOPS = 50, 20, 3
EPOCHS, BATCH, ANNEAL = 100, 32, 25
LR, LR_LINEAR, CLIP = 0.01, 0.005, 40.0
NOISE, HELD_BACK = 0.1, 0.1
"""Empty memories while it learns, and the share of questions that end the linear start."""


@dataclass(frozen=True)
class Batch:
    """Questions with their memories, newest first."""

    told: Tensor  # (n, MEMORY, J) words, 0 for none
    asked: Tensor  # (n, J)
    answers: Tensor  # (n,)

    def __len__(self) -> int:
        return len(self.answers)

    def take(self, rows: Tensor) -> Batch:
        return Batch(self.told[rows], self.asked[rows], self.answers[rows])


class Reader:
    """Stories as numbers; an answer is a word, even where it is a list."""

    def __init__(self, stories: Sequence[Story]) -> None:
        self.number: dict[str, int] = {}
        self.longest = 0
        for story in stories:
            for line in story.lines:
                words = words_1(line.text)
                self.longest = max(self.longest, len(words))
                said = [line.answer or ""] if isinstance(line, Question) else []
                for word in (*words, *said):
                    self.number.setdefault(word, len(self.number) + 1)

    def read(self, stories: Sequence[Story]) -> Batch:
        told, asked, answers = [], [], []
        for story in stories:
            memory: list[list[int]] = []
            for line in story.lines:
                if isinstance(line, Statement):
                    memory.append(self._row(line.text))
                    continue
                newest = memory[: -MEMORY - 1 : -1]
                told.append(newest + [[0] * self.longest] * (MEMORY - len(newest)))
                asked.append(self._row(line.text))
                answers.append(self.number.get(line.answer or "", 0))
        return Batch(torch.tensor(told), torch.tensor(asked), torch.tensor(answers))

    def _row(self, text: str) -> list[int]:
        row = [self.number.get(word, 0) for word in words_1(text)][: self.longest]
        return row + [0] * (self.longest - len(row))


class MemN2N(nn.Module):
    """u ← u + Σ p c, three times."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.words = nn.ModuleList(
            nn.Embedding(words + 1, DIM, padding_idx=0) for _ in range(HOPS + 1)
        )
        self.times = nn.ParameterList(torch.empty(2 * MEMORY, DIM) for _ in range(HOPS + 1))
        for weight in self.parameters():
            nn.init.normal_(weight, 0.0, 0.1)
        self.linear = True
        """While there is no softmax."""

    def _positions(self, texts: Tensor) -> Tensor:
        """l_kj = (1 - j/J) - (k/d)(1 - 2j/J), J the number of words."""
        J = (texts > 0).sum(-1, keepdim=True).clamp(min=1).unsqueeze(-1)
        j = torch.arange(1, texts.shape[-1] + 1).view(-1, 1) / J
        k = torch.arange(1, DIM + 1) / DIM
        return (1 - j) - k * (1 - 2 * j)

    def forward(self, told: Tensor, asked: Tensor, noise: float = 0.0) -> Tensor:
        with torch.no_grad():
            for embedding in self.words:
                embedding.weight[0] = 0.0  # type: ignore[operator]
            steps = 1 + (torch.rand(told.shape[:2]) < noise).long()
            when = (steps.cumsum(1) - 1).clamp(max=2 * MEMORY - 1)  # (n, M)
            there = told[:, :, 0] > 0
            positions = self._positions(told)
        u = (self.words[0](asked) * self._positions(asked)).sum(1)  # (n, d)
        vectors = [
            (words(told) * positions).sum(2) + times[when]
            for words, times in zip(self.words, self.times, strict=True)
        ]
        for m, c in pairwise(vectors):
            match = torch.einsum("nmd,nd->nm", m, u)
            if self.linear:
                p = match * there
            else:
                p = match.masked_fill(~there, -1e9).softmax(1)
            u = u + torch.einsum("nm,nmd->nd", p, c)
        return u @ self.words[-1].weight.T  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Moment:
    """After an epoch: the processor seconds so far, and the error on the test stories."""

    epoch: int
    seconds: float
    error: float


def learn(
    train: Sequence[Story],
    test: Sequence[Story],
    seed: int,
    enough: Callable[[Moment], bool] = lambda moment: False,
) -> list[Moment]:
    """Train as published, on one thread; measuring the error is not counted."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    reader = Reader(train)
    batch, probe = reader.read(train), reader.read(test)
    kept = round((1 - HELD_BACK) * len(batch))
    order = torch.from_numpy(np.random.default_rng(seed).permutation(len(batch)))
    learnt, valid = batch.take(order[:kept]), batch.take(order[kept:])
    net = MemN2N(len(reader.number))
    loss_of = nn.CrossEntropyLoss(reduction="sum")
    best, seconds, moments = float("inf"), 0.0, []
    for epoch in range(1, EPOCHS + 1):
        start = time.process_time()
        lr = (LR_LINEAR if net.linear else LR) * 0.5 ** ((epoch - 1) // ANNEAL)
        optimiser = torch.optim.SGD(net.parameters(), lr=lr)
        for rows in torch.randperm(len(learnt)).split(BATCH):  # type: ignore[no-untyped-call]
            part = learnt.take(rows)
            optimiser.zero_grad()
            loss = loss_of(net(part.told, part.asked, NOISE), part.answers)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), CLIP)
            optimiser.step()
        with torch.no_grad():
            now = float(loss_of(net(valid.told, valid.asked), valid.answers))
        net.linear = net.linear and now < best
        best = min(best, now)
        seconds += time.process_time() - start
        with torch.no_grad():
            said = net(probe.told, probe.asked).argmax(1)
        error = 100 * float((said != probe.answers).float().mean())
        moments.append(Moment(epoch, seconds, error))
        if enough(moments[-1]):
            break
    return moments
