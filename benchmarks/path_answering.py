"""The path network's time for an answer, beside that of the paper's network on the same memory.

    python -m benchmarks.path_answering [-o DIR] [--sizes N …] [--questions N]

few names   the simulated world: texts repeat, and a text is read once
many names  an actor and a thing for every ten statements: hardly a text is told twice

Both networks are trained on the same simulated stories, hear the same statements and are asked the
same questions, turn by turn in one process on one thread: ratios hold where seconds change with the
machine. The path network is asked twice: with the full search, and organised. Times are processor
time. Questions that one of them abstains from are not asked.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import memnn
from benchmarks import report
from benchmarks.machine import machine
from benchmarks.organised import BigStory, big_world
from benchmarks.processes import command, on_one_thread
from memnn import default
from memnn.kernels import path_warm_up, story_train_warm_up, story_warm_up
from memnn.network import MemoryNetwork
from memnn.simulator import PAPER_WORLD, WorldSpec, simulate
from memnn.stories import train as paper
from memnn.support_paths import train as paths
from memnn.support_paths.network import network
from memnn.support_paths.recipe import PathRecipe

SEED = 7
NETS = {"paths": "paths, full", "organised": "paths, organised", "paper": "paper's network, full"}
SIZES = (100, 1_000, 10_000, 100_000)
WORLDS: dict[str, Callable[[int], WorldSpec]] = {
    "few names": lambda size: PAPER_WORLD,
    "many names": lambda size: big_world(*[max(len(PAPER_WORLD.actors), size // 10)] * 2),
}
ROUNDS = 3


def trained(statements: int, recipe: PathRecipe | None = None) -> dict[str, MemoryNetwork]:
    stories = simulate(
        statements=statements, questions=statements * 3 // 7, story_length=12, seed=SEED
    )
    model = paths.fit(stories, recipe)
    return {
        "paths": network(model),
        "organised": network(model, organised=True),
        "paper": paper.train(stories, default.RECIPE),  # it knows new names by their context
    }


def seconds(net: MemoryNetwork, questions: list[str]) -> float:
    """A question's share of the time for all."""
    start = time.process_time()
    for question in questions:
        net.ask(question)
    return (time.process_time() - start) / len(questions)


def measure(
    nets: dict[str, MemoryNetwork], world: str, sizes: tuple[int, ...], questions: int
) -> list[dict[str, Any]]:
    """Of each number of memories the median time of each network, over several turns."""
    rows = []
    for size in sizes:
        story = BigStory(WORLDS[world](size), Random(SEED))
        memory = memnn.RamMemory()
        memory.write_many(list(story.statements(size)))
        told = {name: net.with_memory(memory) for name, net in nets.items()}
        asked = (text for _, text in story.questions(20 * questions))
        answered = (
            text for text in asked if not any(net.ask(text).abstained for net in told.values())
        )
        texts = list(islice(answered, questions))
        turns = [{name: seconds(net, texts) for name, net in told.items()} for _ in range(ROUNDS)]
        each = {name: statistics.median(turn[name] for turn in turns) for name in told}
        rows.append(
            {
                "world": world,
                "memories": size,
                "questions": len(texts),
                "seconds": each,
                "same": statistics.mean(
                    told["paths"].ask(text).text == told["organised"].ask(text).text
                    for text in texts
                ),
                "ratio": statistics.median(turn["paths"] / turn["paper"] for turn in turns),
            }
        )
    return rows


def slope(rows: list[dict[str, Any]], name: str) -> float:
    """The exponent e of memories^e, from the first number of memories to the last."""
    first, last = rows[0], rows[-1]
    grown = last["seconds"][name] / first["seconds"][name]
    return float(np.log(grown) / np.log(last["memories"] / first["memories"]))


def table(result: dict[str, Any]) -> str:
    rows = [
        (
            row["world"], f"{row['memories']:,}", row["questions"],
            *(f"{1000 * row['seconds'][name]:.2f} ms" for name in NETS),
            f"{100 * row['same']:.1f} %",
        )
        for world in result["worlds"].values()
        for row in world
    ]  # fmt: skip
    columns = ["", "memories", "asked", *NETS.values(), "the same answer"]
    grows = "; ".join(
        f"{world}, {NETS[name]} {e:.2f}" for world, each in result["slope"].items()
        for name, e in each.items()
    )  # fmt: skip
    return "\n".join([*report.table(columns, rows), "", f"Time grows as memories^e: {grows}."])


def run(
    sizes: tuple[int, ...],
    questions: int,
    statements: int = 7_000,
    recipe: PathRecipe | None = None,
) -> dict[str, Any]:
    story_warm_up.warm_up()
    story_train_warm_up.warm_up()
    path_warm_up.warm_up()
    nets = trained(statements, recipe)
    worlds = {name: measure(nets, name, sizes, questions) for name in WORLDS}
    grows = {
        world: {name: slope(rows, name) for name in ("paths", "organised")}
        for world, rows in worlds.items()
    }
    return {"worlds": worlds, "slope": grows}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, metavar="DIR")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--questions", type=int, default=100)
    args = parser.parse_args()
    on_one_thread("benchmarks.path_answering")
    result = run(tuple(args.sizes), args.questions)
    print(table(result))
    if args.output:
        about = {"machine": machine("numpy", "numba"), "results": result}
        report.write_json(args.output / "path_answering.json", about)
        report.write_text(
            args.output / "path_answering.md",
            "# Answers of the path network\n\n`python -m benchmarks.path_answering`. Medians of "
            f"{ROUNDS} turns in one process on one thread, processor time.\n\n{table(result)}\n",
        )


if __name__ == "__main__":
    command(main)
