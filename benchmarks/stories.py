"""Stories: training and answering against PyTorch and NumPy versions of the same network.

    python -m benchmarks.stories [-o DIR] [--quick] [--json]

training   seconds for 10 epochs over the simulated story of difficulty 5 (7,000 statements, 3,000
           questions, k = 2, `ordered` time, n = 100), and the accuracy on another story
answering  answers per second with 10 to 100,000 memories, one question at a time
growth     the log-log slope of the time per answer against the number of memories

Everything runs in one process on one thread, turn by turn, so that ratios hold where seconds
change with the machine.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from benchmarks import report
from benchmarks.machine import machine
from benchmarks.processes import command, on_one_thread
from benchmarks.stories_report import answering_table, page, plot, training_table, wanted
from benchmarks.story_answering import (
    MEMORY_SEED,
    NAMES,
    QUESTION_SEED,
    Effort,
    measure_answering,
    slope,
)
from benchmarks.story_training import QUESTIONS, TEST_SEED, TRAIN_SEED, measure_training
from memnn.kernels import story_train_warm_up, story_warm_up

TRAININGS = 5
QUICK = Effort(sizes=(10, 100, 1_000, 10_000), rounds=5, questions=100, seconds=0.1)


def run(
    effort: Effort,
    trainings: int = TRAININGS,
    questions: int = QUESTIONS,
    say: Callable[[str], object] = print,
) -> dict[str, Any]:
    torch.set_num_threads(1)
    story_warm_up.warm_up()
    story_train_warm_up.warm_up()
    training, model = measure_training(trainings, questions)
    say("\n".join(training_table(training)))
    answering = []
    for row in measure_answering(model, effort):
        answering.append(row)
        say(answering_table([row])[-1])
    return {
        "machine": machine("numpy", "numba", "torch") | {"threads": torch.get_num_threads()},
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


def write(result: dict[str, Any], folder: Path) -> list[str]:
    """The files of the report; the lines that say so."""
    report.write_json(folder / "stories.json", result)
    report.write_text(folder / "stories.md", page(result))
    drawn = plot(result["answering"], folder / "answers.png")
    return [drawn, f"wrote {folder / 'stories.json'} and {folder / 'stories.md'}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", default=Path("bench"))
    parser.add_argument("--quick", action="store_true", help="fewer repeats, up to 10,000 memories")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    on_one_thread("benchmarks.stories")
    report.make_folder(given.output)
    say = partial(print, file=sys.stderr if given.json else sys.stdout, flush=True)
    effort, trainings = (QUICK, 1) if given.quick else (Effort(), TRAININGS)
    result = run(effort, trainings, say=say)
    lines = write(result, given.output)
    print(json.dumps(result) if given.json else "\n".join(["", page(result), *lines]))


if __name__ == "__main__":
    command(main)
