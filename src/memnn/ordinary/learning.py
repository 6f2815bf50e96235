"""Learning to read: supports, answers and declining at once.

Each support of a question is a choice among the statements in view, given the supports before it,
and so is stopping. R learns from the whole path. What the reader itself would take for a question
that nothing answers, and what it takes wrongly for others, is judged as no answer. A question and
its statements are read once for all of its paths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from memnn.kernels.arrays import Floats
from memnn.ordinary.examples import SEVERAL, OrdinaryExample
from memnn.ordinary.lexicon import WordArrays
from memnn.ordinary.parameters import FAR
from memnn.ordinary.passage import MarkedPath, Passage
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.together import Together, helped
from memnn.ordinary.torch_answers import answer_losses, mean_loss
from memnn.ordinary.torch_batches import PassageBatch, PathBatch, WordTensors
from memnn.ordinary.torch_reader import ReadBatch, TorchReader

Moved = Callable[[str, int, int, float], None]
"""Step by step: what is learnt, the step, of how many, the loss."""
RARELY = 3.0
"""Questions with several supports, lists and numbers that are worked out are rare, and count this
much."""
WRONG = 0.5
"""The share of questions of which a wrong path is judged, too."""
BEYOND = 0.25
"""The share of questions of which a path that goes on behind the right one is."""
RARE = 0.6
"""From here on a word is rare enough to be what a question is about, on a scale from 0 to 1."""
OTHER = 0.3
"""The share of questions that are asked of somebody or something else, too: no answer either."""
WARM = 200
"""Steps in which the learning rate rises, at most."""
FALLING = 0.6
"""The share of all steps in which it falls, the last ones."""
LEAST_WIDE, BY_NUMBER = 16, ("literal", "say_out", "again_say")
"""Matrices with fewer rows or columns are learnt number by number, and so are these."""
MOST_PAIRS = 400_000
"""About as many pairs of words as a process looks at together."""
NEARBY = 40
"""Batches that are sorted by size together."""


class PathStep(NamedTuple):
    """A path so far, and what comes next."""

    at: int
    """The place of the question in its batch."""
    example: OrdinaryExample
    path: tuple[int, ...]

    @property
    def ended(self) -> bool:
        return len(self.path) == len(self.example.path) > 0

    @property
    def weight(self) -> float:
        rare = self.example.say == SEVERAL or self.example.worked_out
        return RARELY if rare or len(self.example.path) > 1 else 1.0


def fit_reader(
    examples: Sequence[OrdinaryExample],
    arrays: WordArrays,
    literals: int,
    said: int,
    recipe: OrdinaryRecipe,
    moved: Moved,
    start: Mapping[str, Floats] | None = None,
    processes: int = 1,
) -> dict[str, Floats]:
    """The parameters of a reader. From those of `start`, if they are given: layers that it lacks
    say nothing at first. Each of several processes takes its part of every batch; the same number
    of them gives the same parameters."""
    with _repeatable():
        torch.manual_seed(recipe.seed)
        dim = arrays.vectors.shape[1]
        reader = TorchReader(literals, dim, said, recipe.drop, recipe.noise)
        reader.take(start or {})
        if not recipe.unsupported:
            examples = [example for example in examples if example.path]
        table, count = WordTensors.of(arrays), sum(p.numel() for p in reader.parameters())

        def fit(one: Together) -> None:
            _fit(reader.train(), examples, table, recipe, moved, one)

        with helped(processes, count, fit) as first:
            fit(first)
        return reader.numbers()


@contextmanager
def _repeatable() -> Iterator[None]:
    """Else threads add up in the order they come. Nothing here reads what it has not written, so
    that new memory needs not be filled."""
    memory: Any = torch.utils.deterministic
    before = torch.are_deterministic_algorithms_enabled(), memory.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True)
    memory.fill_uninitialized_memory = False
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0])
        memory.fill_uninitialized_memory = before[1]


def _fit(
    reader: TorchReader,
    examples: Sequence[OrdinaryExample],
    table: WordTensors,
    recipe: OrdinaryRecipe,
    moved: Moved,
    one: Together,
) -> None:
    """All batches of all passes."""
    rng = np.random.default_rng(recipe.seed)
    batches = [
        batch
        for _ in range(recipe.epochs)
        for batch in _batches(examples, recipe.batch, rng, one.processes)
    ]
    if one.number:  # what is hidden and shaken differs between processes
        torch.manual_seed(recipe.seed + one.number)
        rng = np.random.default_rng([recipe.seed, one.number])
    parameters = list(reader.parameters())
    optimisers = _optimisers(reader, recipe.lr)
    mean = 0.0
    for at, batch in enumerate(batches):
        for optimiser in optimisers:
            optimiser.param_groups[0]["lr"] = recipe.lr * _rate(at, len(batches))
        loss = _loss(reader, table, one.part(batch), recipe, rng)
        reader.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        one.agree(parameters)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        for optimiser in optimisers:
            optimiser.step()
        mean += (float(loss.detach()) - mean) / min(at + 1, 100)
        if not one.number:
            moved("reading", at + 1, len(batches), mean)


def _optimisers(reader: TorchReader, lr: float) -> list[torch.optim.Optimizer]:
    """Muon for matrices, Adam for words read literally, for what is said and for what is small."""
    matrices, rest = list[Tensor](), list[Tensor]()
    for name, value in reader.p.items():
        wide = value.ndim == 2 and min(value.shape) >= LEAST_WIDE
        (matrices if wide and name not in BY_NUMBER else rest).append(value)
    muon = torch.optim.Muon(matrices, lr=lr, weight_decay=0.0, adjust_lr_fn="match_rms_adamw")
    return [muon, torch.optim.Adam(rest, lr=lr, fused=True)]


def _rate(step: int, count: int) -> float:
    """The share of the learning rate: it rises, stays, and falls."""
    warm = min(WARM, 1 + count // 20)
    return min(1.0, (step + 1) / warm, (1.0 - step / count) / FALLING)


def _batches(
    examples: Sequence[OrdinaryExample], size: int, rng: np.random.Generator, parts: int = 1
) -> list[list[OrdinaryExample]]:
    """In random order, those of about one size together; each may be dealt out to so many
    processes."""
    order = [examples[i] for i in rng.permutation(len(examples))]
    found = []
    for start in range(0, len(order), size * NEARBY):
        part = sorted(order[start : start + size * NEARBY], key=lambda e: e.lines.size)
        found += _cut(part, size, parts)
    return [found[i] for i in rng.permutation(len(found))]


def _cut(part: Sequence[OrdinaryExample], size: int, parts: int = 1) -> list[list[OrdinaryExample]]:
    """Batches of this many, and of fewer where they are long."""
    found: list[list[OrdinaryExample]] = [[]]
    longest = 0
    for example in part:
        passage = example.lines.passage
        longest = max(longest, int(passage.there.sum()) + passage.shape[2])
        if len(found[-1]) >= size or (len(found[-1]) + 1) * longest**2 > parts * MOST_PAIRS:
            found.append([])
            longest = int(passage.there.sum()) + passage.shape[2]
        found[-1].append(example)
    return [batch for batch in found if batch]


def _loss(
    reader: TorchReader,
    table: WordTensors,
    batch: Sequence[OrdinaryExample],
    recipe: OrdinaryRecipe,
    rng: np.random.Generator,
) -> Tensor:
    others = _others(batch, rng)
    passages = [e.lines.passage for e in batch] + [passage for _, passage in others]
    x = PassageBatch.of(passages)
    known = reader(x, table, recipe.hidden, recipe.unknown)
    steps = [
        PathStep(at, e, e.path[:taken])
        for at, e in enumerate(batch)
        for taken in range(len(e.path) + 1)
    ]
    read = reader.paths(known, PathBatch.of([_marked(s.at, s.example, s.path) for s in steps], x))
    weights = torch.tensor([step.weight for step in steps])
    wholes = [i for i, step in enumerate(steps) if step.ended]
    losses = [_supports(read, steps, weights), *answer_losses(read, steps, wholes, weights)]
    judged = F.binary_cross_entropy_with_logits
    losses.append(mean_loss(judged(read.judged[wholes], torch.ones(len(wholes)), reduction="none")))
    answered = [float(bool(e.path)) for e in batch] + [0.0] * len(others)
    losses.append(judged(known.supported, torch.tensor(answered)))
    wrong = [_marked(s.at, s.example, s.path) for s in _wrong(read.scores.detach(), steps, rng)]
    wrong += [_marked(len(batch) + i, e, e.path) for i, (e, _) in enumerate(others)]
    if wrong:
        found = reader.paths(known, PathBatch.of(wrong, x)).judged
        losses.append(judged(found, torch.zeros(len(wrong))))
        asked = [steps[i].at for i in wholes]
        losses.append(_choice(read.judged[wholes], asked, found, [at for at, _ in wrong]))
    return torch.stack(losses).sum()


def _choice(right: Tensor, asked: Sequence[int], wrong: Tensor, instead: Sequence[int]) -> Tensor:
    """The right path is to be judged better than the wrong ones of the same question."""
    rivals = {at for at in asked if at in set(instead)}
    if not rivals:
        return right.sum() * 0.0
    count = max(*asked, *instead) + 1
    at = torch.tensor([*asked, *instead])
    judged = torch.cat([right, wrong])
    largest = torch.full((count,), FAR).scatter_reduce(0, at, judged.detach(), "amax")
    sums = torch.zeros(count).index_add(0, at, torch.exp(judged - largest[at]))
    losses = (torch.log(sums) + largest)[asked] - right
    return losses[[i for i, each in enumerate(asked) if each in rivals]].mean()


def _marked(at: int, example: OrdinaryExample, path: Sequence[int]) -> tuple[int, MarkedPath]:
    return at, example.lines.marked(path)


def _supports(read: ReadBatch, steps: Sequence[PathStep], weights: Tensor) -> Tensor:
    """O: the next support, or stopping behind the last one."""
    supported = [i for i, step in enumerate(steps) if step.example.path]
    choices = torch.cat([read.scores, read.stop.unsqueeze(1)], 1)[supported]
    end = choices.shape[1] - 1
    wanted = [(*steps[i].example.path, end)[len(steps[i].path)] for i in supported]
    losses = F.cross_entropy(choices, torch.tensor(wanted).long(), reduction="none")
    return mean_loss(losses, weights[supported])


def _wrong(scores: Tensor, steps: Sequence[PathStep], rng: np.random.Generator) -> list[PathStep]:
    """Paths that leave the right one where the reader might, that answer nothing, and that end
    before the right one or go on behind it."""
    found = [step for step in steps if step.path and not step.ended]
    for step, row in zip(steps, scores, strict=True):
        example = step.example
        if example.path and rng.random() >= (BEYOND if step.ended else WRONG):
            continue
        p = torch.softmax(row, 0).double().numpy()
        p[list(example.path)] = 0.0
        p[row.numpy() <= FAR] = 0.0
        if p.sum() > 1e-6:
            place = int(rng.choice(len(p), p=p / p.sum()))
            found.append(PathStep(step.at, example, (*step.path, place)))
    return found


def _others(
    batch: Sequence[OrdinaryExample], rng: np.random.Generator
) -> list[tuple[OrdinaryExample, Passage]]:
    """Questions that name something else, which no statement mentions: no path answers them."""
    named = [(e, _shared(e)) for e in batch if e.path]
    pool = [(e.lines.passage, place) for e, places in named for place in places]
    found = []
    for example, places in named:
        if not places or rng.random() >= OTHER:
            continue
        passage = example.lines.passage
        at = places[int(rng.integers(len(places)))]
        other, place = pool[int(rng.integers(len(pool)))]
        stem = int(other.question.stems[place])
        if other is passage or stem in passage.stems or stem in passage.means:
            continue
        asked = WordArrays(*(array.copy() for array in passage.question))
        for mine, its in zip(asked, other.question, strict=True):
            mine[at] = its[place]
        same, carried = passage.same.copy(), passage.carried.copy()
        same[:, :, at], carried[:, at] = False, 0.0
        swapped = passage._replace(question=asked, same=same, carried=carried)
        found.append((example, swapped))
    return found


def _shared(example: OrdinaryExample) -> list[int]:
    """Words of the question that its supports have, the rare ones: what it is about."""
    passage = example.lines.passage
    there = passage.same[list(example.path)].any(axis=(0, 1))
    rare = passage.question.traits[:, 1] > RARE
    return np.flatnonzero(there & rare).tolist()
