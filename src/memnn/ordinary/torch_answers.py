"""What R learns: which answer, which words of the supports, and numbers that are worked out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from memnn.ordinary.examples import COPY, OrdinaryExample
from memnn.ordinary.parameters import FAR
from memnn.ordinary.sums import MOST, value_of
from memnn.ordinary.torch_reader import ReadBatch

if TYPE_CHECKING:
    from memnn.ordinary.learning import PathStep


def answer_losses(
    read: ReadBatch, steps: Sequence[PathStep], wholes: Sequence[int], weights: Tensor
) -> list[Tensor]:
    """R: what is said, the words that are copied, and where they begin and end."""
    unclear = {i for i in wholes if steps[i].example.worked_out and steps[i].example.spans}
    says = [i for i in wholes if steps[i].example.say >= 0 and i not in unclear]
    wanted = torch.tensor([steps[i].example.say for i in says]).long()
    said = F.cross_entropy(read.say[says], wanted, reduction="none")
    copied = [i for i in wholes if steps[i].example.spans and i not in unclear]
    rows, n, length = len(copied), *read.inside.shape[1:3]
    inside, seen = torch.zeros(rows, n, length), torch.zeros(rows, n, length, dtype=torch.bool)
    alone, edges = list[int](), list[tuple[int, int]]()
    for row, i in enumerate(copied):
        example = steps[i].example
        for line in example.path:
            seen[row, line, : example.lines.length(line)] = True
        for line, start, end in example.spans:
            inside[row, line, start:end] = 1.0
        if len(example.spans) == 1:
            line, start, end = example.spans[0]
            alone.append(row)
            edges.append((line * length + start, line * length + end - 1))
    scores = read.inside[copied]
    marked = F.binary_cross_entropy_with_logits(scores[seen][:, 0], inside[seen], reduction="none")
    weighed = weights[copied].view(rows, 1, 1).expand(rows, n, length)[seen]
    edged = scores[..., 1:].masked_fill(~seen.unsqueeze(-1), FAR).reshape(rows, n * length, 2)
    at = torch.tensor(edges).long().reshape(len(edges), 2)
    ends = F.cross_entropy(edged[alone], at, reduction="none")
    return [
        0.5 * mean_loss(said, weights[says]), mean_loss(marked, weighed),
        0.5 * mean_loss(ends.flatten()),
        0.3 * sum_losses(read, steps, [i for i in wholes if steps[i].example.worked_out]),
    ]  # fmt: skip


def sum_losses(read: ReadBatch, steps: Sequence[PathStep], rows: Sequence[int]) -> Tensor:
    """R: numbers that are worked out, whichever words they come from.

    One that also stands in a support may be copied from there: each way counts as much as R takes
    it for the right one."""
    if not rows:
        return read.signs.sum() * 0.0
    paths = [
        [(line, at) for line in steps[i].path for at in range(steps[i].example.lines.length(line))]
        for i in rows
    ]
    longest = max(map(len, paths))
    values = np.zeros((len(rows), longest), np.int64)  # what is 0 changes nothing
    at = np.zeros((2, len(rows), longest), np.int64)
    for row, (i, places) in enumerate(zip(rows, paths, strict=True)):
        texts = steps[i].example.lines.texts
        values[row, : len(places)] = [value_of(texts[line].forms[place]) for line, place in places]
        at[:, row, : len(places)] = np.array(places).T
    signs = read.signs[torch.tensor(rows).unsqueeze(1), *torch.from_numpy(at)]  # (r, w, SIGNS)
    wanted = torch.tensor([MOST + (steps[i].example.number or 0) for i in rows])
    found = probable_sums(torch.softmax(signs, -1), torch.from_numpy(values))
    losses = -torch.log(found.gather(1, wanted.unsqueeze(1))[:, 0] + 1e-6)
    for row, i in enumerate(rows):
        example = steps[i].example
        if example.spans and example.say >= 0:
            says = torch.log_softmax(read.say[i], 0)
            ways = torch.stack([says[COPY] + _copied(read.inside[i], example), says[example.say]])
            worked_out = torch.softmax(ways.detach(), 0)[1]
            losses = losses + F.one_hot(torch.tensor(row), len(rows)) * (
                (worked_out - 1.0) * losses[row] - torch.logsumexp(ways, 0)
            )
    return losses.mean()


def _copied(inside: Tensor, example: OrdinaryExample) -> Tensor:
    """How probable the words are that a number would be copied from, as a logarithm: (n, l, 3)."""
    seen = torch.zeros(inside.shape[:2], dtype=torch.bool)
    for line in example.path:
        seen[line, : example.lines.length(line)] = True
    line, start, end = example.spans[0]
    edges = torch.log_softmax(inside[..., 1:].masked_fill(~seen.unsqueeze(-1), FAR).view(-1, 2), 0)
    first, last = line * inside.shape[1] + start, line * inside.shape[1] + end - 1
    return edges[first, 0] + edges[last, 1]


def probable_sums(p: Tensor, values: Tensor) -> Tensor:
    """How probable each sum from -MOST to MOST is, as in `sums`: (r, sums)."""
    sums = torch.arange(2 * MOST + 1)
    found = (sums == MOST).float().expand(len(p), -1)
    for word in range(values.shape[1]):
        value = values[:, word : word + 1]
        fewer, more = sums - value, sums + value
        added = found.gather(1, fewer.clamp(min=0)) * (fewer >= 0)
        taken = found.gather(1, more.clamp(max=2 * MOST)) * (more <= 2 * MOST)
        leave, add, take = p[:, word].unsqueeze(1).unbind(-1)
        found = leave * found + add * added + take * taken
    return found


def mean_loss(losses: Tensor, weights: Tensor | None = None) -> Tensor:
    """0 where there is nothing to learn from."""
    if not len(losses):
        return losses.sum()
    return losses.mean() if weights is None else (losses * weights).sum() / weights.sum()
