"""Trained on stories of our own generators, tested on bAbI's: one wording for another."""

from __future__ import annotations

from typing import Any

from memnn.paper.babi import EACH, FEW, TOPIC, about, error_table, stories
from memnn.paper.plan import Cell, Experiment, Size, Values
from memnn.simulator import simulate_tasks
from memnn.stories.evaluate import evaluate
from memnn.support_paths.network import network
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit

COLUMNS = ["2000"]
"""Training questions."""


def measure_transfer(cell: Cell, size: Size) -> Values:
    task = int(cell.row)
    questions = 100 if size.quick else int(cell.column)
    train = simulate_tasks(task, questions=questions, seed=cell.seed)
    net = network(fit(train, PathRecipe(seed=cell.seed)))
    result = evaluate(net, stories(task, "test", cell.seed, size))
    return {
        "accuracy": result.accuracy,
        "supports": result.support_accuracy,
        "abstained": result.abstained,
        "data": about(size),
    }


def show_transfer(cells: list[dict[str, Any]]) -> list[str]:
    return error_table(cells, COLUMNS)


TRANSFER = Experiment(
    "babi-transfer",
    "The twenty bAbI tasks, by networks that never saw one of their stories",
    EACH,
    COLUMNS,
    measure_transfer,
    show=show_transfer,
    quick_rows=FEW,
    extra=True,
    topic=TOPIC,
    notes=["Trained on `memnn simulate --task N`, this many questions a task."],
)
