"""Training on facts beside a PyTorch EmbeddingBag version: examples a second at equal loss.

    python -m benchmarks.facts_torch [--threads 1] [--triples 100000]

Both train on the same pseudo-questions with one negative each (a fact that shares a word with the
question), 128 dimensions, the ranking loss with margin 0.1 and Adagrad, from the same start. Held-
out questions with fixed negatives measure the loss. PyTorch takes batches with sparse gradients;
the batch and learning rate are those that reached the lowest loss for it. We train until our loss
is no higher than that, and both count the examples a second that they saw.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.synthetic import World
from memnn.facts.bags import Words, flat, question_values, scales, words_of
from memnn.facts.lookup import new_work
from memnn.facts.model import FactsModel, initial
from memnn.facts.reading import post_facts
from memnn.facts.recipe import FactsRecipe
from memnn.facts.templates import pseudo_questions
from memnn.facts.train import learn_dictionary
from memnn.kernels.arrays import Floats, Ints
from memnn.kernels.facts_packed import Facts, Postings
from memnn.kernels.facts_train import Questions, RankSettings, train_facts
from memnn.kernels.phi import X, Y
from memnn.kernels.rng import new_state

HELD_OUT = 5000
MARGIN = 0.1
BATCHES, RATES = (256, 1024), (0.01, 0.03)
MOST_EPOCHS = 20


@dataclass(frozen=True)
class Task:
    """Examples as arrays, of which the last are held out."""

    start: FactsModel
    facts: Facts
    asked: Questions
    postings: Postings

    @property
    def trained(self) -> int:
        return len(self.asked.gold) - HELD_OUT


def make(triples: int, seed: int) -> Task:
    texts = World(max(triples, 300_000), seed).sample(triples)
    dictionary = learn_dictionary(texts)
    words, chance = Words(dictionary), random.Random(seed)
    ptr, entries = flat((words.parts(triple) for triple in texts), np.uint32)
    facts = Facts(ptr, entries, scales(ptr, entries, dictionary.idf, dictionary.typical))
    asked = [
        (words.question(text)[0], i)
        for i, triple in enumerate(texts)
        for text in pseudo_questions(triple, chance)
    ]
    asked = [(rows, i) for rows, i in asked if len(rows) > 1]
    chance.shuffle(asked)
    q_ptr, q_words = flat([rows.tolist() for rows, _ in asked], np.int64)
    values = np.concatenate([question_values(rows, dictionary.idf) for rows, _ in asked])
    gold = np.array([i for _, i in asked])
    questions = Questions(
        q_ptr, q_words, values, np.arange(len(gold)), np.full(len(gold), -1), gold
    )
    recipe = FactsRecipe(seed=seed, margin=MARGIN, match=False)
    start = initial(dictionary, recipe, np.random.default_rng(seed))
    return Task(start, facts, questions, post_facts(facts, len(dictionary)))


def negatives(task: Task, which: Ints, rng: np.random.Generator) -> Ints:
    """For each example a fact that shares a word with the question; the gold one is no negative."""
    asked, postings = task.asked, task.postings
    first, last = asked.ptr[which] + 1, asked.ptr[which + 1]
    word = asked.words[first + (rng.random(len(which)) * (last - first)).astype(np.int64)]
    size = postings.ptr[word + 1] - postings.ptr[word]
    place = postings.ptr[word] + (rng.random(len(which)) * size).astype(np.int64)
    there = np.where(size > 0, postings.facts[np.minimum(place, len(postings.facts) - 1)], -1)
    return np.where(there == asked.gold[which], -1, there)


class Bags:
    """Facts and questions as EmbeddingBag takes them: rows, weights, and where each begins."""

    def __init__(self, task: Task) -> None:
        facts, blocks = task.facts, task.start.layout.blocks
        new = facts.entries >> np.uint32(30) == 0
        rows = words_of(facts.entries)
        which = np.repeat(np.arange(len(facts.scale)), np.diff(facts.ptr))[new]
        self.rows = rows[new] + blocks[Y]
        self.weights = task.start.dictionary.idf[rows[new]] * facts.scale[which]
        self.ptr = np.searchsorted(which, np.arange(len(facts.scale) + 1))
        self.x_rows, self.x_weights = task.asked.words + blocks[X], task.asked.values
        self.x_ptr = task.asked.ptr

    def of(self, which: Ints, asked: bool = False) -> tuple[Tensor, Tensor, Tensor]:
        ptr, rows, weights = (
            (self.x_ptr, self.x_rows, self.x_weights)
            if asked
            else (self.ptr, self.rows, self.weights)
        )
        lengths = ptr[which + 1] - ptr[which]
        ends = np.cumsum(lengths)
        at = np.repeat(ptr[which] - (ends - lengths), lengths) + np.arange(int(ends[-1]))
        return tuple(  # type: ignore[return-value]
            torch.from_numpy(part) for part in (rows[at], ends - lengths, weights[at])
        )


def hinges(bag: nn.EmbeddingBag, bags: Bags, task: Task, which: Ints, false: Ints) -> Tensor:
    """max(0, γ - s(x, gold) + s(x, negative))."""
    x_rows, x_start, x_weights = bags.of(which, asked=True)
    q = bag(x_rows, x_start, x_weights)
    y_rows, y_start, y_weights = bags.of(np.concatenate([task.asked.gold[which], false]))
    true, other = bag(y_rows, y_start, y_weights).chunk(2)
    return torch.relu(MARGIN - (q * (true - other)).sum(1))


def held_out(U: Floats, bags: Bags, task: Task, false: Ints) -> float:
    """The mean loss of examples that were not trained on."""
    which = np.arange(task.trained, len(task.asked.gold))
    which, false = which[false >= 0], false[false >= 0]
    bag = nn.EmbeddingBag.from_pretrained(torch.from_numpy(U), mode="sum")
    with torch.no_grad():
        return float(hinges(bag, bags, task, which, false).mean())


def train_torch(task: Task, bags: Bags, batch: int, lr: float, seed: int) -> tuple[Floats, float]:
    """One epoch; the weights, and examples a second."""
    rng = np.random.default_rng(seed)
    U = torch.from_numpy(task.start.U_O.copy())
    bag = nn.EmbeddingBag.from_pretrained(U, freeze=False, mode="sum", sparse=True)
    adagrad = torch.optim.Adagrad(bag.parameters(), lr=lr)
    order = rng.permutation(task.trained)
    began = time.perf_counter()
    for first in range(0, len(order), batch):
        which = order[first : first + batch]
        false = negatives(task, which, rng)
        which, false = which[false >= 0], false[false >= 0]
        adagrad.zero_grad()
        hinges(bag, bags, task, which, false).sum().backward()  # type: ignore[no-untyped-call]
        adagrad.step()
    speed = len(order) / (time.perf_counter() - began)
    return bag.weight.detach().numpy(), speed


def train_ours(
    task: Task, bags: Bags, false: Ints, wanted: float, threads: int, seed: int
) -> dict[str, Any]:
    """Epochs until the loss is no higher than wanted."""
    rng, dim = np.random.default_rng(seed), task.start.recipe.dim
    U, G = task.start.U_O.copy(), np.zeros(len(task.start.U_O), np.float32)
    longest = 2 * int(max(np.diff(task.facts.ptr).max(), np.diff(task.asked.ptr).max())) + 2
    work = [new_work(len(task.start.dictionary), dim, longest) for _ in range(threads)]
    states = [new_state(seed + 7919 * i) for i in range(threads)]
    settings = RankSettings(MARGIN, task.start.recipe.lr, 1, 0.0)

    def run(order: Ints, i: int) -> None:
        train_facts(
            U, G, task.start.layout.blocks, task.start.dictionary.idf, task.facts, task.asked,
            task.postings, order, settings, states[i], work[i],
        )  # fmt: skip

    run(np.zeros(0, np.int64), 0)  # compiles
    seconds, loss, epochs = 0.0, np.inf, 0
    with ThreadPoolExecutor(threads) as pool:
        while loss > wanted and epochs < MOST_EPOCHS:
            order = rng.permutation(task.trained)
            began = time.perf_counter()
            list(pool.map(run, np.array_split(order, threads), range(threads)))
            seconds += time.perf_counter() - began
            epochs += 1
            loss = held_out(U, bags, task, false)
    return {
        "per_second": epochs * task.trained / seconds,
        "loss": loss,
        "seconds": seconds,
        "epochs": epochs,
        "how": f", {epochs} epoch" + ("s" if epochs > 1 else ""),
    }


def measure(triples: int, threads: int, seed: int) -> dict[str, Any]:
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    # As it is unless told; now it is told.
    torch.sparse.check_sparse_tensor_invariants.disable()  # type: ignore[no-untyped-call]
    task = make(triples, seed)
    bags = Bags(task)
    rng = np.random.default_rng(seed + 1)
    false = negatives(task, np.arange(task.trained, len(task.asked.gold)), rng)
    tried: list[dict[str, Any]] = []
    for batch in BATCHES:
        for lr in RATES:
            U, speed = train_torch(task, bags, batch, lr, seed)
            tried.append(
                {
                    "per_second": speed,
                    "loss": held_out(U, bags, task, false),
                    "seconds": task.trained / speed,
                    "batch": batch,
                    "lr": lr,
                    "how": f", batches of {batch}, lr {lr:g}, 1 epoch",
                }
            )
    best = min(tried, key=lambda one: one["loss"])
    ours = train_ours(task, bags, false, best["loss"], threads, seed)
    fastest = max(one["per_second"] for one in tried)
    return {
        "examples": task.trained,
        "words": len(task.start.dictionary),
        "start_loss": held_out(task.start.U_O, bags, task, false),
        "memnn": ours,
        "torch": best,
        "torch_tried": tried,
        "ratio": ours["per_second"] / fastest,
        "ratio_of_seconds": best["seconds"] / ours["seconds"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--triples", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(json.dumps(measure(given.triples, given.threads, given.seed)))


if __name__ == "__main__":
    main()
