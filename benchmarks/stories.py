"""Stories: training and answering against PyTorch and NumPy versions of the same network.

    python -m benchmarks.stories [-o DIR] [--quick]

training   seconds for 10 epochs over the simulated story of difficulty 5 (7,000 statements, 3,000
           questions, k = 2, `ordered` time, n = 100), and the accuracy on another story
answering  answers per second with 10 to 100,000 memories, one question at a time
growth     the log-log slope of the time per answer against the number of memories

Everything runs in one process on one thread, turn by turn, so that ratios hold where seconds
change with the machine.
"""

from __future__ import annotations

import os

THREADS = 1
for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "VECLIB"):
    os.environ[f"{_name}_NUM_THREADS"] = str(THREADS)  # read once, when numpy is imported

import argparse  # noqa: E402
import json  # noqa: E402
import platform  # noqa: E402
import statistics  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402
from dataclasses import dataclass, replace  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any, Protocol  # noqa: E402

import numba  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402

import memnn  # noqa: E402
from benchmarks.numpy_twin import Found, NumpyTrainer, NumpyTwin  # noqa: E402
from benchmarks.torch_twin import TorchTrainer, TorchTwin  # noqa: E402
from memnn.kernels import warm_up  # noqa: E402
from memnn.kernels.arrays import Floats, Ints  # noqa: E402
from memnn.kernels.story_infer import find_supports, rank  # noqa: E402
from memnn.stories.dictionary import Dictionary  # noqa: E402
from memnn.stories.examples import encode  # noqa: E402
from memnn.stories.model import Model, initial  # noqa: E402
from memnn.stories.network import network  # noqa: E402
from memnn.stories.response import WordResponse  # noqa: E402
from memnn.stories.supports import Supports, View  # noqa: E402
from memnn.stories.train import fit  # noqa: E402

TRAIN_SEED, TEST_SEED, MEMORY_SEED, QUESTION_SEED = 0, 1, 2, 3
SIZES = (10, 100, 1_000, 10_000, 100_000)
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
WANTED = {100: 8.0, 1_000: 15.0}
"""Answers per second against PyTorch: the least that is asked for, by number of memories."""


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    sizes: tuple[int, ...] = SIZES
    trainings: int = 5
    rounds: int = 11
    questions: int = 200
    seconds: float = 0.25
    """The most that one turn of one contestant may take; fewer questions are asked then."""


QUICK = Effort(sizes=SIZES[:4], trainings=1, rounds=5, questions=100, seconds=0.1)


class Trainer(Protocol):
    """What the twins have in common."""

    def epoch(self) -> None: ...

    def weights(self) -> tuple[Floats, Floats]: ...


def clock(trainer: Trainer, epochs: int) -> float:
    start = time.perf_counter()
    for _ in range(epochs):
        trainer.epoch()
    return time.perf_counter() - start


def measure_training(effort: Effort) -> tuple[dict[str, Any], Model]:
    """Seconds for 10 epochs of each contestant, and the accuracy each reaches; our model, too."""
    recipe = memnn.Recipe(epochs=10, seed=TRAIN_SEED)
    stories, test = memnn.simulate(seed=TRAIN_SEED), memnn.simulate(seed=TEST_SEED)
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
    for _ in range(effort.trainings):
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


class Encoded:
    """Our kernels on an encoded question: what the twins compute, without text and evidence."""

    def __init__(self, O: Supports, R: WordResponse, view: View) -> None:  # noqa: E741
        bags, self.contexts = view.bags, view.lexicon.contexts()
        self.O = (O.A, O.blocks, O.columns)
        self.mode, self.hops = O.mode, O.recipe.hops
        self.R = (R.A, R.blocks, R.columns, len(R.dictionary), len(R.dictionary.answers))
        self.bags, self.arrays = bags, (bags.ptr, bags.words, bags.kinds)
        self.found, self.numbers = np.empty((self.hops, 2), np.int64), np.empty((self.hops, 3))
        self.scores = np.empty(len(R.dictionary.answers), np.float32)

    def __call__(self, x: Ints) -> Found:
        n = find_supports(
            *self.O, x, *self.arrays, *self.contexts, self.mode, 0.0, self.found, self.numbers
        )
        supports = self.found[:n, 0].tolist()
        supports += supports[-1:] * (self.hops - n)
        m = np.concatenate([self.bags[o] for o in supports])
        return supports, rank(*self.R, x, m, *self.contexts, self.scores)


@dataclass(frozen=True)
class Contest:
    """All ways to answer the same questions from the same memories."""

    texts: list[str]
    ask: Callable[[str], memnn.Answer]
    ways: dict[str, tuple[Callable[[Any], Any], list[Any]]]
    """A function and the questions in the form it takes them."""


def contest(model: Model, statements: list[str], texts: list[str]) -> Contest:
    net = network(model)
    for text in statements:
        net.G(memnn.Statement(text), net.memory)
    assert isinstance(net.O, Supports)
    assert isinstance(net.R, WordResponse)
    view, n = net.O.read(net.memory), len(statements)
    bags = view.bags
    rows = [np.array(model.dictionary.rows(text), np.int64) for text in texts]
    ways: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
        API: (net.ask, texts),
        KERNELS: (Encoded(net.O, net.R, view), rows),
    }
    for loop, suffix in ((False, ""), (True, LOOP)):
        tensors = [torch.from_numpy(x) for x in rows]
        ways[TORCH + suffix] = TorchTwin(model, bags, n, loop=loop), tensors
        ways[NUMPY + suffix] = NumpyTwin(model, bags, n, loop=loop), rows
    return Contest(texts, net.ask, ways)


def agreement(contest: Contest, model: Model) -> dict[str, float]:
    """The fraction of questions on which a contestant gives the kernels' supports and answer."""
    ours, questions = contest.ways[KERNELS]
    truth = [ours(x) for x in questions]
    same: dict[str, float] = {}
    for name, (answer, inputs) in contest.ways.items():
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


def measure_answering(model: Model, effort: Effort) -> Iterator[dict[str, Any]]:
    """For each number of memories, the seconds per answer of each contestant, and who agrees."""
    (story,) = memnn.simulate(statements=max(effort.sizes), questions=2_000, seed=MEMORY_SEED)
    statements = [statement.text for statement in story.statements]
    questions = [question.text for question in story.questions]
    rng = np.random.default_rng(QUESTION_SEED)
    for size in effort.sizes:
        net = network(model)
        net.tell("\n".join(statements[:size]))
        # Only what can be answered: an abstention would be quicker.
        texts = [
            questions[i]
            for i in rng.permutation(len(questions))
            if not net.O(memnn.Question(questions[i]), net.memory).missing
        ][: effort.questions]
        here = contest(model, statements[:size], texts)
        same = agreement(here, model)
        if min(same.values()) < LEAST_AGREEMENT:
            raise AssertionError(f"with {size} memories the contestants disagree: {same}")
        seconds: dict[str, list[float]] = {name: [] for name in here.ways}
        for turn in range(effort.rounds):
            for name in _rotated(list(here.ways), turn):
                seconds[name].append(_seconds_per_answer(*here.ways[name], effort.seconds))
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


def machine() -> dict[str, Any]:
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "threads": THREADS,
        "python": platform.python_version(),
        "memnn": memnn.__version__,
        "numpy": np.__version__,
        "numba": numba.__version__,
        "torch": torch.__version__,
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def wanted(training: dict[str, Any], answering: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was aimed at and reached, like for like; then stricter comparisons without an aim."""
    goals: list[tuple[str, float, float | None]] = [
        ("training, epochs alone, against PyTorch", training["torch_over_memnn"], 1.0),
        ("training, one negative each, against PyTorch", training["torch_over_memnn_one"], None),
        (
            "training, text to model, against PyTorch's epochs",
            training["torch_over_memnn_fit"],
            None,
        ),
    ]
    for row in answering:
        if row["memories"] in WANTED:
            at, each = f"{row['memories']:,} memories", row["seconds_of_each"]
            vectors = each[TORCH] / row["seconds_per_answer"][KERNELS]
            least = WANTED[row["memories"]]
            goals.append((f"{NAMES[KERNELS]}, {at}, against PyTorch's vectors", vectors, least))
            for name in (KERNELS, API):
                what = f"{NAMES[name]}, {at}, against PyTorch's faster form"
                goals.append((what, row["ratio_to_torch"][name], None))
    return [
        {"what": what, "ratio": ratio, "wanted": least, "met": least is None or ratio >= least}
        for what, ratio, least in goals
    ]


def training_table(training: dict[str, Any]) -> list[str]:
    seconds, accuracy = training["seconds"], training["accuracy"]
    ours = seconds["memnn"]
    rows = {
        "memnn": "memnn, up to 100 negatives until a violation",
        "memnn fit": "memnn, reading the text included",
        "memnn one": "memnn, one negative",
        "torch dense": "PyTorch, batches of 128, one negative, dense gradients",
        "torch sparse": "PyTorch, batches of 128, one negative, sparse gradients",
        "numpy": "NumPy, one question at a time, one negative",
    }
    lines = [
        "| 10 epochs, 3,000 questions | × memnn's time | s | test accuracy |",
        "|---|--:|--:|--:|",
    ]
    for name, what in rows.items():
        right = accuracy.get(name, accuracy["memnn"])
        lines.append(f"| {what} | {seconds[name] / ours:.2f} | {seconds[name]:.2f} | {right:.1%} |")
    return lines


def answering_table(answering: list[dict[str, Any]]) -> list[str]:
    """Ratios first: they are what holds elsewhere."""
    lines = [
        "| memories | distinct | ask ÷ PyTorch | encoded ÷ PyTorch "
        "| ask ÷ NumPy | encoded ÷ NumPy | "
        + " | ".join(f"{name}/s" for name in NAMES)
        + " | agree |",
        "|" + "--:|" * (7 + len(NAMES)),
    ]
    for row in answering:
        ratios = [
            row[to][name] for to in ("ratio_to_torch", "ratio_to_numpy") for name in (API, KERNELS)
        ]
        speeds = [row["answers_per_second"][name] for name in NAMES]
        cells = [
            f"{row['memories']:,}",
            f"{row['distinct']:,}",
            *(f"{ratio:.1f}×" for ratio in ratios),
            *(f"{speed:,.0f}" for speed in speeds),
            f"{min(row['agreement'].values()):.1%}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _met(goal: dict[str, Any]) -> str:
    return "yes" if goal["met"] else "no"


def report(result: dict[str, Any]) -> str:
    lines = ["# Stories: memnn against PyTorch and NumPy", ""]
    lines += [f"{key} {value}" + "  " for key, value in result["machine"].items()]
    lines += ["", "## Wanted", "", "| | ratio | wanted | met |", "|---|--:|--:|---|"]
    lines += [
        f"| {goal['what']} | {goal['ratio']:.1f}× | "
        + ("– | – |" if goal["wanted"] is None else f"{goal['wanted']:.0f}× | {_met(goal)} |")
        for goal in result["wanted"]
    ]
    lines += ["", "## Training", "", *training_table(result["training"])]
    lines += ["", "## Answering, k = 2, one question at a time", ""]
    lines += answering_table(result["answering"])
    lines += ["", "agree: the least fraction of questions with the same supports and answer."]
    lines += [
        "PyTorch and NumPy: vectors with the walk in closed form, or a plain Python loop over"
    ]
    lines += ["the scores, whichever is faster; stories.json has both."]
    lines += ["distinct: memories with different bags; a simulated world repeats itself."]
    grows = ", ".join(f"{n} {s:.2f}" for n, s in result["slope"].items() if s is not None)
    lines += ["", f"Growth of the time per answer from 1,000 memories on (1 is linear): {grows}."]
    return "\n".join(lines) + "\n"


def plot(answering: list[dict[str, Any]], path: Path) -> str:
    """Answers per second against memories; a line that says what became of it."""
    try:
        import matplotlib
    except ImportError:
        return "no plot: matplotlib is not installed"
    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    for name, label in NAMES.items():
        speeds = [row["answers_per_second"][name] for row in answering]
        axes.loglog([row["memories"] for row in answering], speeds, marker="o", label=label)
    axes.set_xlabel("memories")
    axes.set_ylabel("answers per second")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return f"wrote {path}"


def run(effort: Effort) -> dict[str, Any]:
    torch.set_num_threads(THREADS)
    warm_up()
    training, model = measure_training(effort)
    print("\n".join(training_table(training)), flush=True)
    answering = []
    for row in measure_answering(model, effort):
        answering.append(row)
        print("\n" + answering_table([row])[-1], end="", flush=True)
    return {
        "machine": machine(),
        "seeds": {
            "train": TRAIN_SEED,
            "test": TEST_SEED,
            "memories": MEMORY_SEED,
            "questions": QUESTION_SEED,
        },
        "training": training,
        "answering": answering,
        "slope": {name: slope(answering, name) for name in NAMES},
        "wanted": wanted(training, answering),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", default=Path("bench"))
    parser.add_argument("--quick", action="store_true", help="fewer repeats, up to 10,000 memories")
    given = parser.parse_args()
    result = run(QUICK if given.quick else Effort())
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / "stories.json").write_text(json.dumps(result, indent=1) + "\n")
    text = report(result)
    (given.output / "stories.md").write_text(text)
    print("\n\n" + text)
    print(plot(result["answering"], given.output / "answers.png"))
    print(f"wrote {given.output / 'stories.json'} and {given.output / 'stories.md'}")


if __name__ == "__main__":
    main()
