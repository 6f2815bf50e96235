"""Learning to read: supports, answers and declining at once, by Adam.

Each support of a question is a choice among the statements in view, given the supports before it,
and so is stopping. R learns from the whole path. What the reader itself would take for a question
that nothing answers, and what it takes wrongly for others, is judged as no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim.lr_scheduler import OneCycleLR

from memnn.kernels.arrays import Floats
from memnn.ordinary.examples import OrdinaryExample
from memnn.ordinary.lexicon import WordArrays
from memnn.ordinary.passage import Passage
from memnn.ordinary.reader import FAR
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.torch_reader import ReadBatch, TorchReader, WordTensors, collate

Moved = Callable[[str, int, int, float], None]
"""Epoch by epoch: what is learnt, the step, of how many, the loss."""
REPEATED = 2
"""Questions with several supports are rare, and learnt from this much more often."""
WRONG = 0.25
"""The share of questions of which a wrong path is judged, too."""
RARE = 0.6
"""From here on a word is rare enough to be what a question is about, on a scale from 0 to 1."""
OTHER = 0.3
"""The share of questions that are asked of somebody or something else, too: no answer either."""
NEARBY = 40
"""Batches that are sorted by size together."""


class PathStep(NamedTuple):
    """A path so far, and what comes next."""

    example: OrdinaryExample
    taken: int
    """How many of its supports have been found."""


def fit_reader(
    examples: Sequence[OrdinaryExample],
    arrays: WordArrays,
    literals: int,
    said: int,
    recipe: OrdinaryRecipe,
    moved: Moved,
) -> dict[str, Floats]:
    """The parameters of a reader."""
    torch.manual_seed(recipe.seed)
    rng = np.random.default_rng(recipe.seed)
    dim = arrays.vectors.shape[1]
    reader = TorchReader(literals, dim, said, recipe.drop, recipe.noise)
    table = WordTensors.of(arrays)
    steps = _steps(examples, recipe)
    count = -(-len(steps) // recipe.batch) * recipe.epochs
    optimiser = torch.optim.Adam(reader.parameters(), lr=recipe.lr)
    schedule = OneCycleLR(optimiser, recipe.lr, total_steps=count + recipe.epochs, pct_start=0.1)
    reader.train()
    at, mean = 0, 0.0
    for _ in range(recipe.epochs):
        for batch in _batches(steps, recipe.batch, rng):
            loss = _loss(reader, table, batch, recipe, rng)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            at += 1
            mean += (float(loss.detach()) - mean) / min(at, 100)
            moved("reading", at, count, mean)
    return reader.numbers()


def _steps(examples: Sequence[OrdinaryExample], recipe: OrdinaryRecipe) -> list[PathStep]:
    steps = []
    for example in examples:
        if not example.path:
            steps += [PathStep(example, 0)] if recipe.unsupported else []
            continue
        times = 1 + REPEATED * (len(example.path) > 1)
        steps += [PathStep(example, taken) for taken in range(len(example.path) + 1)] * times
    return steps


def _batches(
    steps: Sequence[PathStep], size: int, rng: np.random.Generator
) -> list[list[PathStep]]:
    """In random order, those of about one size together."""
    order = [steps[i] for i in rng.permutation(len(steps))]
    found = []
    for start in range(0, len(order), size * NEARBY):
        part = sorted(order[start : start + size * NEARBY], key=lambda s: s.example.lines.size)
        found += [part[i : i + size] for i in range(0, len(part), size)]
    return [found[i] for i in rng.permutation(len(found))]


def _loss(
    reader: TorchReader,
    table: WordTensors,
    batch: Sequence[PathStep],
    recipe: OrdinaryRecipe,
    rng: np.random.Generator,
) -> Tensor:
    read = _read(reader, table, batch, recipe)
    wholes = [i for i, step in enumerate(batch) if step.taken == len(step.example.path) > 0]
    losses = [_supports(read, batch), *_answers(read, batch, wholes)]
    right = torch.ones(len(wholes))
    losses.append(_mean(F.binary_cross_entropy_with_logits, read.judged[wholes], right))
    wrong = [_passage(step) for step in _wrong(read.scores.detach(), batch, rng)]
    wrong += _others([_passage(batch[i]) for i in wholes], rng)
    if wrong:
        judged = reader(collate(wrong), table, recipe.hidden, recipe.unknown).judged
        losses.append(F.binary_cross_entropy_with_logits(judged, torch.zeros(len(wrong))))
    return torch.stack(losses).sum()


def _read(
    reader: TorchReader, table: WordTensors, batch: Sequence[PathStep], recipe: OrdinaryRecipe
) -> ReadBatch:
    passages = [_passage(step) for step in batch]
    read: ReadBatch = reader(collate(passages), table, recipe.hidden, recipe.unknown)
    return read


def _passage(step: PathStep) -> Passage:
    return step.example.lines.passage(step.example.path[: step.taken])


def _mean(loss: Callable[[Tensor, Tensor], Tensor], x: Tensor, y: Tensor) -> Tensor:
    """A loss, 0 where there is nothing to learn from."""
    return loss(x, y) if len(y) else x.sum() * 0.0


def _supports(read: ReadBatch, batch: Sequence[PathStep]) -> Tensor:
    """O: the next support, or stopping behind the last one."""
    supported = [i for i, step in enumerate(batch) if step.example.path]
    choices = torch.cat([read.scores, read.stop.unsqueeze(1)], 1)[supported]
    end = choices.shape[1] - 1
    wanted = torch.tensor([(*batch[i].example.path, end)[batch[i].taken] for i in supported])
    return _mean(F.cross_entropy, choices, wanted.long())


def _answers(read: ReadBatch, batch: Sequence[PathStep], wholes: Sequence[int]) -> list[Tensor]:
    """R: what is said, and the words that are copied."""
    says = [i for i in wholes if batch[i].example.say >= 0]
    wanted = torch.tensor([batch[i].example.say for i in says]).long()
    copied = [i for i in wholes if batch[i].example.spans]
    inside = torch.zeros(len(copied), *read.inside.shape[1:])
    seen = torch.zeros_like(inside, dtype=torch.bool)
    for row, i in enumerate(copied):
        example = batch[i].example
        for line in example.path:
            seen[row, line, : example.lines.length(line)] = True
        for line, start, end in example.spans:
            inside[row, line, start:end] = 1.0
    inside[~seen] = 0.0
    marked = F.binary_cross_entropy_with_logits
    return [
        0.5 * _mean(F.cross_entropy, read.say[says], wanted),
        _mean(marked, read.inside[copied][seen], inside[seen]),
    ]


def _wrong(scores: Tensor, batch: Sequence[PathStep], rng: np.random.Generator) -> list[PathStep]:
    """Paths of one support that the reader might take, and that answer nothing."""
    found = []
    for step, row in zip(batch, scores, strict=True):
        example = step.example
        if step.taken or (example.path and rng.random() >= WRONG):
            continue
        p = torch.softmax(row, 0).double().numpy()
        p[list(example.path)] = 0.0
        p[row.numpy() <= FAR] = 0.0
        if p.sum() > 1e-6:
            place = int(rng.choice(len(p), p=p / p.sum()))
            found.append(PathStep(replace(example, path=(place,)), 1))
    return found


def _others(passages: Sequence[Passage], rng: np.random.Generator) -> list[Passage]:
    """The same paths for questions that name something else, which no statement mentions."""
    named = [(p, _shared(p)) for p in passages]
    pool = [(p, place) for p, places in named for place in places]
    found = []
    for passage, places in named:
        if not places or rng.random() >= OTHER:
            continue
        at = places[int(rng.integers(len(places)))]
        other, place = pool[int(rng.integers(len(pool)))]
        if other is passage:
            continue
        asked = WordArrays(*(array.copy() for array in passage.question))
        for mine, its in zip(asked, other.question, strict=True):
            mine[at] = its[place]
        same, carried = passage.same.copy(), passage.carried.copy()
        same[:, :, at], carried[:, at] = False, 0.0
        found.append(passage._replace(question=asked, same=same, carried=carried))
    return found


def _shared(passage: Passage) -> list[int]:
    """Words of the question that its supports have, the rare ones: what it is about."""
    there = passage.same[passage.path].any(axis=(0, 1))
    rare = passage.question.traits[:, 1] > RARE
    return np.flatnonzero(there & rare).tolist()
