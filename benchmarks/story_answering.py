"""Answering from stories: our kernels and `net.ask` against PyTorch and NumPy.

All contestants answer the same questions from the same memories, one at a time. Only questions
that the network answers are asked: the twins do not abstain, and an abstention would be quicker.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch

import memnn
from benchmarks.numpy_twin import Found, NumpyTwin
from benchmarks.torch_twin import TorchTwin
from memnn.kernels.arrays import Ints
from memnn.kernels.story_infer import find_supports, rank
from memnn.stories.model import Model
from memnn.stories.network import network
from memnn.stories.response import WordResponse
from memnn.stories.supports import Supports
from memnn.stories.view import StoryView

MEMORY_SEED, QUESTION_SEED = 2, 3
API, KERNELS, TORCH, NUMPY = "ask", "kernels", "torch", "numpy"
LOOP = " loop"  # the twin that walks in plain Python: faster than vectors when memories are few
NAMES = {
    API: "memnn, net.ask(text)",
    KERNELS: "memnn, encoded question",
    TORCH: "PyTorch, encoded question",
    NUMPY: "NumPy, encoded question",
}
LEAST_AGREEMENT = 0.99
"""All compute the same, but sums of floats in another order may decide a near-tie otherwise."""


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    sizes: tuple[int, ...] = (10, 100, 1_000, 10_000, 100_000)
    rounds: int = 11
    questions: int = 200
    seconds: float = 0.25
    """The most that one turn of one contestant may take; fewer questions are asked then."""


class Encoded:
    """Our kernels on an encoded question: what the twins compute, without text and evidence."""

    def __init__(self, O: Supports, R: WordResponse, view: StoryView) -> None:  # noqa: E741
        self.view, self.contexts = view, view.lexicon.contexts()
        self.O = (O.A, O.blocks, O.columns)
        self.mode, self.hops = O.mode, O.recipe.hops
        self.R = (R.A, R.blocks, R.columns, len(R.dictionary), len(R.dictionary.answers))
        self.arrays = (view.ptr, view.words, view.kinds)
        self.found, self.numbers = np.empty((self.hops, 2), np.int64), np.empty((self.hops, 3))
        self.scores = np.empty(len(R.dictionary.answers), np.float32)

    def __call__(self, x: Ints) -> Found:
        n = find_supports(
            *self.O, x, *self.arrays, *self.contexts, self.mode, 0.0, self.found, self.numbers
        )
        supports = self.found[:n, 0].tolist()
        supports += supports[-1:] * (self.hops - n)
        m = np.concatenate([self.view.bag(o) for o in supports])
        return supports, rank(*self.R, x, m, *self.contexts, self.scores)


Contest = dict[str, tuple[Callable[[Any], Any], list[Any]]]
"""All ways to answer: a function each, and the questions in the form that it takes them."""


def contest(model: Model, memory: memnn.Memory, texts: list[str]) -> Contest:
    O = Supports(model.dictionary, model.layout_O, model.U_O, model.recipe)  # noqa: E741
    R = WordResponse(model.dictionary, model.layout_R, model.U_R, model.recipe)
    view = O.read(memory)
    rows = [np.array(model.dictionary.rows(text), np.int64) for text in texts]
    ways: Contest = {
        API: (network(model, memory).ask, texts),
        KERNELS: (Encoded(O, R, view), rows),
    }
    for loop, suffix in ((False, ""), (True, LOOP)):
        tensors = [torch.from_numpy(x) for x in rows]
        ways[TORCH + suffix] = TorchTwin(model, view, len(memory), loop=loop), tensors
        ways[NUMPY + suffix] = NumpyTwin(model, view, len(memory), loop=loop), rows
    return ways


def agreement(ways: Contest, model: Model) -> dict[str, float]:
    """The fraction of questions on which a contestant gives the kernels' supports and answer."""
    ours, questions = ways[KERNELS]
    truth = [ours(x) for x in questions]
    same: dict[str, float] = {}
    for name, (answer, inputs) in ways.items():
        said = [answer(x) for x in inputs]
        if name == API:
            said = [_found(a, model) for a in said]
        same[name] = sum(a == b for a, b in zip(said, truth, strict=True)) / len(truth)
    return same


def _found(answer: memnn.Answer, model: Model) -> Found:
    """An answer as the kernels give it: slots of a fresh memory are numbered from 1."""
    supports = [hop.id - 1 for hop in answer.evidence]
    supports += supports[-1:] * (model.recipe.hops - len(supports))
    return supports, model.dictionary.answers.index(answer.text)


def answerable(model: Model, memory: memnn.Memory, texts: Iterator[str]) -> Iterator[str]:
    """The questions that the network does not abstain from."""
    net = network(model, memory)
    return (text for text in texts if not net.ask(text).abstained)


def measure_answering(model: Model, effort: Effort) -> Iterator[dict[str, Any]]:
    """For each number of memories, the seconds per answer of each contestant, and who agrees."""
    (story,) = memnn.simulate(statements=max(effort.sizes), questions=2_000, seed=MEMORY_SEED)
    statements = [statement.text for statement in story.statements]
    questions = [question.text for question in story.questions]
    rng = np.random.default_rng(QUESTION_SEED)
    for size in effort.sizes:
        memory = memnn.RamMemory()
        memory.write_many(statements[:size])
        asked = (questions[i] for i in rng.permutation(len(questions)))
        texts = list(islice(answerable(model, memory, asked), effort.questions))
        ways = contest(model, memory, texts)
        same = agreement(ways, model)
        if min(same.values()) < LEAST_AGREEMENT:
            raise AssertionError(f"with {size} memories the contestants disagree: {same}")
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for turn in range(effort.rounds):
            for name in _rotated(list(ways), turn):
                seconds[name].append(_seconds_per_answer(*ways[name], effort.seconds))
        each = {name: statistics.median(times) for name, times in seconds.items()}
        medians = _fastest(each)
        yield {
            "memories": size,
            "distinct": len({tuple(model.dictionary.rows(text)) for text in statements[:size]}),
            "questions": len(texts),
            "seconds_per_answer": medians,
            "seconds_of_each": each,
            "answers_per_second": {name: 1 / s for name, s in medians.items()},
            "ratio_to_torch": {name: medians[TORCH] / medians[name] for name in (API, KERNELS)},
            "ratio_to_numpy": {name: medians[NUMPY] / medians[name] for name in (API, KERNELS)},
            "agreement": same,
        }


def _fastest(each: dict[str, float]) -> dict[str, float]:
    """Of each twin the faster form, vectors or a loop: nobody is measured against the slower."""
    twins = {name: min(each[name], each[name + LOOP]) for name in (TORCH, NUMPY)}
    return {name: twins.get(name, each[name]) for name in NAMES}


def _rotated(names: list[str], turn: int) -> list[str]:
    """Nobody is always the one who runs after a certain other."""
    turn %= len(names)
    return names[turn:] + names[:turn]


def _seconds_per_answer(
    answer: Callable[[Any], object], questions: list[Any], most: float
) -> float:
    """The mean over the questions, or over those that could be asked in the time."""
    step = max(1, len(questions) // 10)
    start = time.perf_counter()
    for done in range(0, len(questions), step):
        for question in questions[done : done + step]:
            answer(question)
        spent = time.perf_counter() - start
        if spent > most:
            break
    return spent / min(done + step, len(questions))


def slope(rows: list[dict[str, Any]], name: str, least: int = 1_000) -> float | None:
    """How the time per answer grows: the exponent e in memories^e, from `least` memories on."""
    kept = [row for row in rows if row["memories"] >= least]
    if len(kept) < 2:
        return None
    sizes = np.log([row["memories"] for row in kept])
    return float(np.polyfit(sizes, np.log([r["seconds_per_answer"][name] for r in kept]), 1)[0])
