"""The path network beside an end-to-end memory network in PyTorch: seconds to the same error.

`python -m benchmarks.path_training -o FOLDER` trains both in one run, on one thread each, on the
first four fifths of bAbI's training stories, and measures them on the last fifth. No test file is
read.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from benchmarks.machine import machine
from benchmarks.memn2n import Moment, learn
from memnn.paper.babi import about, stories
from memnn.paper.plan import Size
from memnn.paper.shown import table
from memnn.stories.evaluate import evaluate
from memnn.support_paths.network import network
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit

TASKS = (1, 2, 6, 15)
NEAR = 5.0
"""Per cent: what counts as solved."""


def measure(task: int, size: Size, seed: int) -> dict[str, Any]:
    train, test = (stories(task, part, seed, size) for part in ("train", "test"))
    start = time.process_time()
    net = network(fit(train, PathRecipe(seed=seed)))
    ours = time.process_time() - start
    error = 100 - 100 * evaluate(net, test).accuracy
    moments = learn(train, test, seed, lambda moment: moment.error <= error)
    return {
        "task": task,
        "seed": seed,
        "ours": {"seconds": ours, "error": error},
        "memn2n": {
            "seconds": moments[-1].seconds,
            "epochs": len(moments),
            "error": min(moment.error for moment in moments),
            "as_good": _first(moments, error),
            "solved": _first(moments, NEAR),
        },
    }


def _first(moments: list[Moment], error: float) -> float | None:
    """The seconds until it was as good as that, if it ever was."""
    return next((moment.seconds for moment in moments if moment.error <= error), None)


def shown(rows: list[dict[str, Any]]) -> str:
    def seconds(value: float | None) -> str:
        return "never" if value is None else f"{value:.1f}"

    return table(
        ["task", "paths: error %", "s", "MemN2N: best error %", "s in all",
         f"s to {NEAR:g} %", "s to the error of paths", "times as long"],
        [
            [
                str(row["task"]), f"{row['ours']['error']:.1f}", f"{row['ours']['seconds']:.1f}",
                f"{other['error']:.1f}", f"{other['seconds']:.1f}", seconds(other["solved"]),
                seconds(other["as_good"]),
                ("≥ " if other["as_good"] is None else "")
                + f"{other['seconds'] / row['ours']['seconds']:.0f}",
            ]
            for row in rows
            for other in [row["memn2n"]]
        ],
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--data", default="", help="the folder with babi/; none: our own stories")
    parser.add_argument("--tasks", type=int, nargs="+", default=list(TASKS))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    size = Size(data=options.data, split="valid")
    measure(options.tasks[0], Size(quick=True), 0)  # kernels are compiled, PyTorch is warm
    rows = []
    for task in options.tasks:
        rows.append(measure(task, size, options.seed))
        print(json.dumps(rows[-1]), flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    found = {"machine": machine(), "data": about(size), "rows": rows}
    (options.output / "memn2n.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    text = (
        "# Seconds to the same error: the path network and MemN2N\n\n"
        f"Measured on {about(size)}; processor seconds, one thread each, the kernels compiled "
        "before. MemN2N is written in PyTorch as published (position and temporal encoding, three "
        "hops, linear start, 100 epochs, one start); it learns without supports, which the path "
        "network is given, and published errors, of the best of ten starts, are lower than those "
        "of one. Its time ends when it is as good as the path network, or after 100 "
        f"epochs.\n\n{shown(rows)}\n"
    )
    (options.output / "memn2n.md").write_text(text, "utf-8")
    print(shown(rows))


if __name__ == "__main__":
    main()
