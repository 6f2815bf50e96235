"""Training on stories: our kernels against PyTorch and NumPy, and what each of them learns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

import memnn
from benchmarks.numpy_twin import NumpyTrainer
from benchmarks.torch_twin import TorchTrainer
from memnn.kernels.arrays import Floats
from memnn.stories.dictionary import Dictionary
from memnn.stories.examples import encode
from memnn.stories.model import Model, initial
from memnn.stories.network import network
from memnn.stories.train import fit

TRAIN_SEED, TEST_SEED = 0, 1
QUESTIONS = 3_000


class Trainer(Protocol):
    """What the twins have in common."""

    def epoch(self) -> None: ...

    def weights(self) -> tuple[Floats, Floats]: ...


def clock(trainer: Trainer, epochs: int) -> float:
    start = time.perf_counter()
    for _ in range(epochs):
        trainer.epoch()
    return time.perf_counter() - start


def measure_training(repeats: int, questions: int = QUESTIONS) -> tuple[dict[str, Any], Model]:
    """Seconds for 10 epochs of each contestant, and the accuracy each reaches; our model, too."""
    recipe = memnn.Recipe(epochs=10, seed=TRAIN_SEED)
    stories, test = (
        memnn.simulate(statements=7 * questions // 3, questions=questions, seed=seed)
        for seed in (TRAIN_SEED, TEST_SEED)
    )
    dictionary = Dictionary.build(stories)
    examples = encode(stories, dictionary, recipe)
    start = initial(dictionary, recipe, np.random.default_rng(recipe.seed))
    trainers: dict[str, Callable[[], Trainer]] = {
        "torch sparse": lambda: TorchTrainer(start, examples, sparse=True),
        "torch dense": lambda: TorchTrainer(start, examples, sparse=False),
        "numpy": lambda: NumpyTrainer(start, examples),
    }
    recipes = {"memnn": recipe, "memnn one": replace(recipe, tries=1, lesions=0.0)}
    seconds: dict[str, list[float]] = {name: [] for name in (*recipes, "memnn fit", *trainers)}
    models: dict[str, Model] = {}
    for make in trainers.values():
        make().epoch()
    for _ in range(repeats):
        for name, ours in recipes.items():
            began = time.perf_counter()
            models[name] = fit(stories, ours)
            if name == "memnn":
                seconds["memnn fit"].append(time.perf_counter() - began)
            seconds[name].append(models[name].card["seconds"])
        for name, make in trainers.items():
            trainer = make()
            seconds[name].append(clock(trainer, recipe.epochs_for(len(examples))))
            U_O, U_R = trainer.weights()
            models[name] = replace(start, U_O=U_O, U_R=U_R)
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    accuracy = {
        name: memnn.evaluate(network(model), test).accuracy for name, model in models.items()
    }
    fastest = min(("torch sparse", "torch dense"), key=medians.__getitem__)
    return {
        "seconds": medians,
        "all_seconds": seconds,
        "accuracy": accuracy,
        "fastest_torch": fastest,
        "torch_over_memnn": medians[fastest] / medians["memnn"],
        "torch_over_memnn_fit": medians[fastest] / medians["memnn fit"],
        "torch_over_memnn_one": medians[fastest] / medians["memnn one"],
        "numpy_over_memnn": medians["numpy"] / medians["memnn"],
    }, models["memnn"]
