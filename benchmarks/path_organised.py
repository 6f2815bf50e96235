"""The organised memory of path networks: does it answer as the full search does?

    python -m benchmarks.path_organised [-o DIR] [--statements N] [--questions N] [--tasks N …]

For each of the twenty tasks a network is trained on stories of our own generators. Both searches
are then asked the last question of other stories, in two kinds of long memory:

among others   one story somewhere among stories of the same task about other people, places and
               things, which training never named: what a long memory is made of
all the same   the same few names in every story, so that hardly a question has one right answer;
               stories of the simulated world come in one piece. The hardest case for agreement

No test file is read.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import count, product
from pathlib import Path
from random import Random
from typing import Any

import memnn
from benchmarks import report
from benchmarks.machine import machine
from benchmarks.processes import command, on_one_thread
from memnn.errors import InputError
from memnn.kernels import path_warm_up
from memnn.simulator import TASKS, simulate, simulate_tasks
from memnn.simulator.twenty.words import Vocabulary
from memnn.support_paths import organised
from memnn.support_paths.model import PathModel
from memnn.support_paths.network import network
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import fit
from memnn.types import Answer, Question, Statement, Story

SEED, OTHER_SEED = 11, 1_011
AMONG, SAME = "among others", "all the same"
WORLD = "one long story"
SYLLABLES = ["".join(pair) for pair in product("bdfgklmnprstvz", "aeiou")]
Asked = Iterator[tuple[memnn.RamMemory, Question]]
"""Questions, and the memory of which to ask each."""


def invented(rng: Random) -> Vocabulary:
    """Words of no language for all that a task speaks of."""
    drawn = ("".join(rng.choices(SYLLABLES, k=4)) for _ in range(60))
    words = list(dict.fromkeys(drawn))
    people = [word.capitalize() for word in words[:5]]
    kinds = {word: f"{word}s" for word in words[14:18]}
    return Vocabulary(
        {
            "people": people, "women": people[:2], "places": words[5:11], "things": words[11:14],
            "kinds": kinds, "shapes": words[18:24],
            "sizes": [[words[24]], [words[25]], words[26:30]],
        }
    )  # fmt: skip


def stories_of(task: int | str, questions: int, seed: int, statements: int = 0) -> list[Story]:
    """Of a task, or of the simulated world: short ones to learn from, a long one to ask about."""
    if task != WORLD:
        return simulate_tasks(str(task), questions=questions, seed=seed)
    if statements:
        return simulate(statements=statements, questions=questions, seed=seed)
    return simulate(statements=questions * 7 // 3, questions=questions, story_length=12, seed=seed)


def others(task: int, statements: int, rng: Random) -> list[list[str]]:
    """Stories about others, as many statements as that."""
    found: list[list[str]] = []
    for seed in count():
        for story in simulate_tasks(task, questions=5, seed=seed, words=invented(rng)):
            found.append([line.text for line in story.statements])
        if sum(map(len, found)) >= statements:
            return found
    raise AssertionError


def among(task: int, statements: int) -> Asked:
    """The last question of each story, whose place among the others is drawn."""
    rng = Random(OTHER_SEED)
    crowd = others(task, statements, rng)
    for seed in count(OTHER_SEED):
        for story in simulate_tasks(task, questions=5, seed=seed):
            memory = memnn.RamMemory()
            told = [
                line.text for line in _until_last_question(story) if isinstance(line, Statement)
            ]
            place = rng.randrange(len(crowd) + 1)
            for texts in (*crowd[:place], told, *crowd[place:]):
                memory.write_many(texts)
            yield memory, list(story.questions)[-1]


def _until_last_question(story: Story) -> list[Statement | Question]:
    lines = list(story.lines)
    while isinstance(lines[-1], Statement):
        lines.pop()
    return lines


def all_the_same(task: int | str, statements: int, questions: int) -> Asked:
    """Stories told one after the other; once so much was told, their questions."""
    told: list[Story] = []
    wanted = 4 * questions
    while sum(1 for story in told for _ in story.statements) < 1.2 * statements:
        told = stories_of(task, wanted, OTHER_SEED, 2 * statements)
        wanted *= 2
    memory = memnn.RamMemory()
    for story in told:
        for line in story.lines:
            if not isinstance(line, Question):
                memory.write(line.text)
            elif len(memory) >= statements:
                yield memory, line


def compare(model: PathModel, asked: Asked, most: int) -> dict[str, Any]:
    """How often both searches say the same, from the same supports, and what is right."""
    full, part = network(model), network(model, organised=True)
    n = same = supports = looked_at = right = right_part = size = 0
    for memory, question in asked:
        a = full.with_memory(memory).answer(question)
        b = part.with_memory(memory).answer(question)
        n += 1
        same += a.text == b.text
        supports += _supports(a) == _supports(b)
        looked_at += part.O(question, memory).looked_at
        right += a.text == question.answer
        right_part += b.text == question.answer
        size = len(memory)
        if n == most:
            break
    return {
        "memories": size, "questions": n, "same": same, "same_supports": supports,
        "looked_at": looked_at / n, "right": right, "right_organised": right_part,
    }  # fmt: skip


def _supports(answer: Answer) -> list[int]:
    return [hop.id for hop in answer.evidence]


def run(
    kinds: Sequence[str],
    tasks: Sequence[int | str],
    statements: int,
    questions: int,
    training: int = 300,
    recipe: PathRecipe | None = None,
) -> list[dict[str, Any]]:
    path_warm_up.warm_up()
    if statements <= organised.FEW:
        raise InputError(f"a memory of up to {organised.FEW:,} statements is read whole: name more")
    rows = []
    for task in tasks:
        model = fit(stories_of(task, training, SEED), recipe)
        for kind in kinds:
            if kind == SAME:
                asked = all_the_same(task, statements, questions)
            elif isinstance(task, int):
                asked = among(task, statements)
            else:
                continue
            rows.append({"kind": kind, "task": task, **compare(model, asked, questions)})
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


def tables(rows: list[dict[str, Any]]) -> str:
    """One for each kind of memory."""
    return "\n\n".join(
        f"{kind.capitalize()}:\n\n{table([row for row in rows if row['kind'] == kind])}"
        for kind in dict.fromkeys(row["kind"] for row in rows)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, metavar="DIR")
    parser.add_argument("--statements", type=int, default=3_000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--training", type=int, default=300)
    parser.add_argument("--tasks", type=int, nargs="+")
    parser.add_argument("--kinds", nargs="+", default=[AMONG, SAME])
    args = parser.parse_args()
    on_one_thread("benchmarks.path_organised")
    tasks = args.tasks or [*TASKS, WORLD]
    rows = run(args.kinds, tasks, args.statements, args.questions, args.training)
    print(tables(rows))
    if args.output:
        about = {"machine": machine("numpy", "numba"), "results": rows}
        report.write_json(args.output / "path_organised.json", about)
        report.write_text(
            args.output / "path_organised.md",
            "# The organised memory of path networks\n\n`python -m benchmarks.path_organised`. "
            f"Networks trained on {args.training} questions of our generators each. "
            "“Among others”: one story somewhere in a memory of stories about other names. "
            "“All the same”: the same few names in every story, so that what is right there is "
            f"not what is right in a story of its own.\n\n{tables(rows)}\n",
        )


if __name__ == "__main__":
    command(main)
