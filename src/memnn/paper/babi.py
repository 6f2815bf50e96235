"""The twenty tasks that the paper's authors wrote afterwards (Weston et al. 2015), three ways.

*strong*: a network for every task, trained with supports. *weak*: without. *joint*: one network for
all twenty. bAbI's own files are read from the folder of data; without it, stories of our own are
made in their place, which shows how it works and compares with nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

from memnn.errors import InputError
from memnn.paper.plan import Cell, Experiment, Size, Values
from memnn.paper.shown import figure, table
from memnn.simulator import TASKS, simulate_tasks
from memnn.stories import babi
from memnn.stories.evaluate import evaluate
from memnn.support_paths.network import network
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit
from memnn.types import Answer, Question, Story

FOLDER = "babi/en"
QUICK = (1, 6)
"""The tasks of a quick run."""
WAYS = ("strong", "weak", "joint")
ALL = "all twenty"

# Error in per cent, 1,000 questions a task.
STRONG_2015 = (0, 0, 0, 0, 2, 0, 15, 9, 0, 2, 0, 0, 0, 1, 0, 0, 35, 5, 64, 0)
"""The best of the authors' own memory networks with supports (AM+NG+NL, arXiv:1502.05698)."""
PUBLISHED = {
    "strong": "6.7, the authors' best memory network with supports (2015, arXiv:1502.05698)",
    "weak": "9.9, QRN (2016, arXiv:1606.04582); 12.4, MemN2N, joint (2015, arXiv:1503.08895)",
}


def stories(task: int, part: str, seed: int, size: Size) -> list[Story]:
    """Stories of a task to train or to test with.

    While something is chosen (split `valid`), the last fifth of the training file is the test.
    """
    if not size.data:
        questions = 100 if size.quick else 1000
        return simulate_tasks(task, questions=questions, seed=seed if part == "train" else 99)
    chosen = size.split == "valid"
    file = f"qa{task}_*_{'train' if chosen else part}.txt"
    found = sorted(Path(size.data, FOLDER).glob(file))
    if not found:
        raise InputError(f"there is no {file.replace('*', '…')} in {Path(size.data, FOLDER)}")
    read = babi.read(found[0])
    if chosen:
        fifth = len(read) * 4 // 5
        read = read[:fifth] if part == "train" else read[fifth:]
    return read[: max(1, len(read) // 10)] if size.quick else read


def without_supports(told: list[Story]) -> list[Story]:
    return [
        replace(
            story,
            lines=tuple(
                replace(line, supports=()) if isinstance(line, Question) else line
                for line in story.lines
            ),
        )
        for story in told
    ]


class Named:
    """How many of the supports that the file names are among those found."""

    def __init__(self) -> None:
        self.supports = self.found = 0

    def __call__(self, question: Question, answer: Answer) -> None:
        true = set(question.supports)
        self.supports += len(true)
        self.found += len(true & {hop.id for hop in answer.evidence})

    @property
    def share(self) -> float:
        return self.found / max(1, self.supports)


def measure_babi(cell: Cell, size: Size) -> Values:
    """One training: of a task, or of all."""
    way = cell.experiment.removeprefix("babi-")
    numbers = [int(cell.row)] if cell.row != ALL else _tasks(size.quick)
    train = [story for n in numbers for story in stories(n, "train", cell.seed, size)]
    if way == "weak":
        train = without_supports(train)
    start = time.process_time()
    model = fit(train, PathRecipe(seed=cell.seed))
    trained = time.process_time() - start
    net = network(model)
    right, supports, found = {}, {}, {}
    for n in numbers:
        named = Named()
        result = evaluate(net, stories(n, "test", cell.seed, size), on_answer=named)
        right[str(n)], supports[str(n)] = result.accuracy, result.support_accuracy
        found[str(n)] = named.share
    return {
        "accuracy": mean(right.values()), "right": right, "supports": supports, "found": found,
        "training": round(trained, 2), "megabytes": round(len(model.weights()) / 1e6, 3),
        "data": about(size),
    }  # fmt: skip


def about(size: Size) -> str:
    """What was measured on."""
    if not size.data:
        return "stories of our own"
    held_back = ", the last fifth of the training stories" * (size.split == "valid")
    return f"bAbI, {FOLDER}{held_back}"


def _tasks(quick: bool) -> list[int]:
    return [n for n in TASKS if not quick or n in QUICK]


def show_babi(cells: list[dict[str, Any]]) -> list[str]:
    """Errors by task, and their mean."""
    way = way_of(cells[0])
    numbers = sorted({int(n) for cell in cells for n in cell["right"]})
    rows = []
    for n in numbers:
        exact = figure([100 * x for x in _of(cells, "supports", n)], 1)
        found = [100 * x for x in _of(cells, "found", n)]
        published = str(STRONG_2015[n - 1])
        rows.append(
            [f"{n} {TASKS[n].name}", _error(_of(cells, "right", n)), exact,
             figure(found, 1) if found else "–", published]
        )  # fmt: skip
    whole = len(numbers) == len(TASKS)
    published = f"{mean(STRONG_2015):.1f}" if whole else "–"
    name = "mean" if whole else f"mean of these {len(numbers)}"
    rows.append([f"**{name}**", _mean_error(cells, numbers), "–", "–", published])
    head = ["task", "error", "supports exactly right", "true supports found",
            "error, best published with supports"]  # fmt: skip
    return [
        f"In per cent, measured on {cells[0]['data']}; 1,000 training questions a task.",
        table(head, rows),
        *([f"- Published, all twenty: {PUBLISHED[way]}."] if way in PUBLISHED else []),
        *_costs(cells),
    ]


def _costs(cells: list[dict[str, Any]]) -> list[str]:
    """What training took, of the cells that say so."""
    seconds = [cell["training"] for cell in cells if "training" in cell]
    if not seconds:
        return []
    largest = max(cell["megabytes"] for cell in cells if "megabytes" in cell)
    return [
        f"- Training took {min(seconds):,.0f} to {max(seconds):,.0f} s of processor time on one "
        f"core; models have up to {largest:.1f} MB."
    ]


def error_table(cells: list[dict[str, Any]], columns: Sequence[str]) -> list[str]:
    """Errors by task and column, from cells that are of one task each."""
    tasks = sorted({int(cell["row"]) for cell in cells})
    columns = [column for column in columns if any(cell["column"] == column for cell in cells)]

    def errors(column: str, task: int) -> dict[int, float]:
        """By seed."""
        return {
            cell["seed"]: 100 - 100 * cell["accuracy"]
            for cell in cells
            if (cell["column"], int(cell["row"])) == (column, task)
        }

    rows = [
        [f"{n} {TASKS[n].name}", *(_figure(list(errors(column, n).values())) for column in columns)]
        for n in tasks
    ]
    means = []
    for column in columns:
        by_task = [errors(column, n) for n in tasks]
        whole = set.intersection(*map(set, by_task))
        means.append(_figure([mean(of[seed] for of in by_task) for seed in sorted(whole)]))
    rows.append(["**mean**", *means])
    return [
        f"Error in per cent, measured on {cells[0]['data']}, with supports.",
        table(["task", *columns], rows),
    ]


def way_of(cell: dict[str, Any]) -> str:
    return str(cell["experiment"]).removeprefix("babi-")


def _of(cells: list[dict[str, Any]], key: str, task: int) -> list[float]:
    """What the cells say of a task."""
    return [cell[key][str(task)] for cell in cells if str(task) in cell.get(key, {})]


def errors(cells: list[dict[str, Any]]) -> dict[str, dict[int, list[float]]]:
    """Errors in per cent by way and task, a figure a seed."""
    by_task = {
        way: {
            n: [100 - 100 * x for x in _of(own, "right", n)] for n in TASKS if _of(own, "right", n)
        }
        for way in WAYS
        for own in [[cell for cell in cells if way_of(cell) == way]]
    }
    return {way: by_task[way] for way in WAYS if by_task[way]}


def _error(right: list[float]) -> str:
    return _figure([100 - 100 * x for x in right])


def _figure(errors: list[float]) -> str:
    return figure(errors, 2) if errors else "–"


def _mean_error(cells: list[dict[str, Any]], numbers: list[int]) -> str:
    """The mean over tasks, by seed; nothing while a task is missing."""
    seeds = sorted({cell["seed"] for cell in cells})
    means = []
    for seed in seeds:
        right = {n: x for c in cells if c["seed"] == seed for n, x in c["right"].items()}
        if len(right) == len(numbers):
            means.append(mean(right.values()))
    return _error(means)


def _experiment(way: str, title: str, rows: list[str], quick: list[str]) -> Experiment:
    return Experiment(
        f"babi-{way}", f"The twenty bAbI tasks, {title}", rows, ["all"], measure_babi,
        show=show_babi, quick_rows=quick, extra=True, topic=TOPIC,
    )  # fmt: skip


TOPIC = "The twenty bAbI tasks"
EACH, FEW = [str(n) for n in TASKS], [str(n) for n in QUICK]
STRONG = _experiment("strong", "with supports", EACH, FEW)
WEAK = _experiment("weak", "without supports", EACH, FEW)
JOINT = _experiment("joint", "one network for all of them", [ALL], [ALL])
