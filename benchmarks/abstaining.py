"""Does it know what it cannot know? Questions whose facts were told, or were not.

    python -m benchmarks.abstaining [-o DIR] [--quick]

told       questions of short simulated stories
untold     the same without the statements that say where the subject of the last support was: after
           "Joe took the milk" alone nobody knows where Joe is, or the milk
elsewhere  "Where was Joe before the garden?" without the statements that Joe ever went there

Each is asked with what the network learnt of its training questions (`stories.invariants`) and
without it, in the words of the training stories and with names that nobody has seen.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import memnn
from benchmarks import report
from benchmarks.machine import machine
from benchmarks.processes import command
from memnn.network import MemoryNetwork
from memnn.paper.figures import rename
from memnn.stories.evaluate import is_right
from memnn.stories.examples import numbered
from memnn.stories.invariants import Habits
from memnn.stories.model import Model
from memnn.stories.network import network
from memnn.stories.train import fit
from memnn.types import Question, Statement, Story

SEEDS, TEST_SEED = range(20, 25), 5000
# The rules of `stories.invariants` were found on seeds 0-4 and 3000-3004, which are not used here.
QUESTIONS, LENGTH = 1000, 30
RECIPES = {
    "plain": memnn.Recipe(),
    "unseen words, matches": memnn.Recipe(unseen=True, match=True),
}
KINDS = ("told", "untold", "elsewhere")


def cases(story: Story, model: Model) -> Iterator[tuple[str, list[str], Question]]:
    """(kind, what is told, what is asked)."""
    pattern, kinds = model.dictionary.pattern, model.habits.kinds
    told: list[tuple[int, str]] = []
    for id, line in numbered(story):
        if isinstance(line, Statement):
            told.append((id, line.text))
            continue
        yield "told", [text for _, text in told], line
        subject = pattern(dict(told)[line.supports[-1]])[1][0]
        moves = {id for id, text in told if pattern(text)[0] in kinds}
        own = {id for id, text in told if id in moves and pattern(text)[1][0] == subject}
        spared = set(line.supports[:1]) if len(line.supports) > 1 else set()
        gone = {id for id in own if id <= max(line.supports)} - spared
        yield "untold", [text for id, text in told if id not in gone], line
        asked = pattern(line.text)[1]
        if len(asked) == 2:
            there = {id for id, text in told if id in own and pattern(text)[1][-1] == asked[1]}
            yield "elsewhere", [text for id, text in told if id not in there], line


def measure(net: MemoryNetwork, stories: list[Story], model: Model) -> Counter[str]:
    counts: Counter[str] = Counter()
    for story in stories:
        for kind, told, question in cases(story, model):
            memory = memnn.RamMemory()
            memory.write_many(told)
            answer = net.with_memory(memory).ask(question.text)
            counts[kind] += 1
            counts[f"{kind} abstained"] += answer.abstained
            counts[f"{kind} right"] += is_right(question, answer)
    return counts


def run(seeds: Sequence[int], questions: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name, recipe in RECIPES.items():
        totals: dict[tuple[str, str], Counter[str]] = {}
        for seed in seeds:
            model = fit(memnn.simulate(seed=seed), replace(recipe, seed=seed))
            stories = memnn.simulate(
                statements=3 * questions,
                questions=questions,
                story_length=LENGTH,
                seed=TEST_SEED + seed,
            )
            for names in ("known", "new")[: 1 + recipe.unseen]:
                test = rename(stories) if names == "new" else stories
                for how, habits in (("without", Habits()), ("with", model.habits)):
                    net = network(replace(model, habits=habits))
                    totals.setdefault((names, how), Counter()).update(measure(net, test, model))
        for (names, how), n in totals.items():
            silent = n["untold abstained"] + n["elsewhere abstained"]
            row: dict[str, object] = {"recipe": name, "names": names, "habits": how}
            rows.append(
                row
                | {f"{kind} questions": n[kind] for kind in KINDS}
                | {"right": n["told right"] / n["told"]}
                | {f"{kind} abstained": n[f"{kind} abstained"] / n[kind] for kind in KINDS}
                | {"precision": silent / max(1, silent + n["told abstained"])}
                | {"recall": silent / (n["untold"] + n["elsewhere"])}
            )
    return rows


def table(rows: list[dict[str, object]]) -> str:
    columns = ["recipe", "names", "habits", "right", *(f"{kind} abstained" for kind in KINDS)]
    columns += ["precision", "recall"]
    cells = [
        [
            row[c] if isinstance(row[c], str) else f"{100 * float(str(row[c])):.1f} %"
            for c in columns
        ]
        for row in rows
    ]
    return "\n".join(report.table(columns, cells, left=3))


def main() -> None:
    parser = argparse.ArgumentParser(description="abstaining on questions without an answer")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    seeds, questions = (SEEDS[:1], QUESTIONS // 10) if args.quick else (SEEDS, QUESTIONS)
    rows = run(seeds, questions)
    print(table(rows))
    if args.output:
        about = {"machine": machine("numpy", "numba"), "results": rows}
        report.write_json(args.output / "abstaining.json", about)
        report.write_text(
            args.output / "abstaining.md",
            f"# Abstaining\n\n`python -m benchmarks.abstaining`, {len(seeds)} seeds, "
            f"{questions:,} questions each, stories of {LENGTH} statements.\n\n{table(rows)}\n",
        )


if __name__ == "__main__":
    command(main)
