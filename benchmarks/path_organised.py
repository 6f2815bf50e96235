"""The organised memory of path networks: does it answer as the full search does?

    python -m benchmarks.path_organised [-o DIR] [--statements N] [--questions N] [--tasks N …]

For each of the twenty tasks a network is trained on stories of our own generators. It then hears
one story after the other in one memory, each followed by its questions, until the memory is long;
the later questions are asked of both searches. Stories of the simulated world come in one piece,
with names that training had. No test file is read.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import memnn
from benchmarks import report
from benchmarks.machine import machine
from benchmarks.processes import command, on_one_thread
from memnn.kernels import path_warm_up
from memnn.simulator import TASKS, simulate, simulate_tasks
from memnn.support_paths import organised
from memnn.support_paths.model import PathModel
from memnn.support_paths.network import network
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit
from memnn.types import Answer, Question, Story

SEED, OTHER_SEED = 11, 1_011
WORLD = "one long story"


def stories_of(task: int | str, questions: int, seed: int, statements: int = 0) -> list[Story]:
    """Of a task, or of the simulated world: short ones to learn from, a long one to ask about."""
    if task != WORLD:
        return simulate_tasks(str(task), questions=questions, seed=seed)
    if statements:
        return simulate(statements=statements, questions=questions, seed=seed)
    return simulate(statements=questions * 7 // 3, questions=questions, story_length=12, seed=seed)


def asked(stories: Sequence[Story], memory: memnn.RamMemory, after: int) -> Iterator[Question]:
    """The questions of stories that are told one after the other, once so much was told."""
    for story in stories:
        for line in story.lines:
            if not isinstance(line, Question):
                memory.write(line.text)
            elif len(memory) >= after:
                yield line


def compare(model: PathModel, stories: Sequence[Story], after: int, most: int) -> dict[str, Any]:
    """How often both searches say the same, from the same supports, and what is right."""
    memory = memnn.RamMemory()
    full, part = network(model, memory), network(model, memory, organised=True)
    n = same = supports = looked_at = right = right_part = 0
    for question in asked(stories, memory, after):
        a, b = full.answer(question), part.answer(question)
        n += 1
        same += a.text == b.text
        supports += _supports(a) == _supports(b)
        looked_at += part.O(question, memory).looked_at
        right += a.text == question.answer
        right_part += b.text == question.answer
        if n == most:
            break
    return {
        "memories": len(memory), "questions": n, "same": same, "same_supports": supports,
        "looked_at": looked_at / n, "right": right, "right_organised": right_part,
    }  # fmt: skip


def _supports(answer: Answer) -> list[int]:
    return [hop.id for hop in answer.evidence]


def run(
    tasks: Sequence[int | str],
    statements: int,
    questions: int,
    training: int = 300,
    recipe: PathRecipe | None = None,
) -> list[dict[str, Any]]:
    path_warm_up.warm_up()
    assert statements > organised.FEW, "a shorter memory is read whole"
    rows = []
    for task in tasks:
        model = fit(stories_of(task, training, SEED), recipe)
        told: list[Story] = []
        wanted = 4 * questions
        while sum(1 for s in told for _ in s.statements) < 1.2 * statements:
            told = stories_of(task, wanted, OTHER_SEED, 2 * statements)
            wanted *= 2
        rows.append({"task": task, **compare(model, told, statements, questions)})
        print(rows[-1], flush=True)
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    def share(count: float, row: dict[str, Any]) -> str:
        return f"{100 * count / row['questions']:.1f} %"

    columns = ["task", "memories", "asked", "looked at", "same answer", "same supports",
               "right, full", "right, organised"]  # fmt: skip
    shown = [
        (
            row["task"], f"{row['memories']:,}", row["questions"], f"{row['looked_at']:,.0f}",
            *(share(row[name], row) for name in
              ("same", "same_supports", "right", "right_organised")),
        )
        for row in rows
    ]  # fmt: skip
    n, same = (sum(row[name] for row in rows) for name in ("questions", "same"))
    return "\n".join(
        [*report.table(columns, shown), "", f"The same answer to {same:,} of {n:,} questions, "
         f"{100 * same / n:.2f} %."]
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, metavar="DIR")
    parser.add_argument("--statements", type=int, default=2_000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--training", type=int, default=300)
    parser.add_argument("--tasks", type=int, nargs="+")
    args = parser.parse_args()
    on_one_thread("benchmarks.path_organised")
    tasks = args.tasks or [*TASKS, WORLD]
    rows = run(tasks, args.statements, args.questions, args.training)
    print(table(rows))
    if args.output:
        about = {"machine": machine("numpy", "numba"), "results": rows}
        report.write_json(args.output / "path_organised.json", about)
        report.write_text(
            args.output / "path_organised.md",
            "# The organised memory of path networks\n\n`python -m benchmarks.path_organised`. "
            f"Networks trained on {args.training} questions of our generators each; other stories "
            "of the same task told one after the other in one memory, so that most of it is about "
            "other stories with the same names: what is right there is not what is right in a "
            f"story of its own.\n\n{table(rows)}\n",
        )


if __name__ == "__main__":
    command(main)
