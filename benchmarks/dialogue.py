"""`python -m benchmarks.dialogue`: how often the ensemble is right, and how well it abstains.

World questions, questions that nothing supports, and told sentences among others; the calibrated
ensemble beside the paper's (two networks, the highest score answers), and one network that learned
stories and facts together. `--set dev` asks the questions that are there to try ideas on, and
`--seeds 5` asks them of five ensembles that differ in their recipes' seeds alone.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dialogue_report import plot, report, seed_row
from benchmarks.machine import machine
from benchmarks.processes import command
from benchmarks.report import write_json, write_text
from memnn import default
from memnn.dialogue import examples
from memnn.dialogue import train as dialogue
from memnn.dialogue.model import EnsembleModel
from memnn.dialogue.network import Ensemble
from memnn.dialogue.wordings import questions as asked_of
from memnn.dialogue.wordings import wordings, world
from memnn.facts.triples import questions as read_questions
from memnn.memory import RamMemory
from memnn.paper.dialogue import figure4
from memnn.simulator import PAPER_WORLD, simulate
from memnn.stories.evaluate import evaluate
from memnn.stories.network import network
from memnn.stories.recipe import Recipe
from memnn.stories.train import fit
from memnn.types import Question, Statement, Story

DATA = Path(__file__).parent.parent / "tests" / "data"
SETS = {"final": DATA, "dev": DATA / "dev"}


@dataclass(frozen=True)
class Asked:
    """What came of one question: the best probability, and whether that answer is right."""

    sure: float
    right: bool
    answered: bool


def ask(net: Ensemble, question: str, golds: set[str]) -> Asked:
    """Right is what rests on the right fact or sentence: a story network says one word of it."""
    answer = net.ask(question)
    best = answer if not answer.abstained else next(iter(answer.others), answer)
    right = bool(best.evidence) and best.evidence[-1].text in golds
    return Asked(best.probability or 0.0, right, not answer.abstained)


def world_questions(folder: Path) -> dict[str, set[str]]:
    golds: dict[str, set[str]] = {}
    for asked in read_questions(folder / "world-questions.tsv"):
        golds.setdefault(asked.question, set()).add(str(asked.gold))
    return golds


def told_rows(folder: Path) -> list[tuple[str, str, str]]:
    lines = (folder / "told.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [[*line.split("\t"), "", ""][:3] for line in lines]
    return [(statement, question, other) for statement, question, other in rows]


def tell_all(net: Ensemble, rows: list[tuple[str, str, str]], others: list[str]) -> Ensemble:
    """What is contradicted first, then the rest in any order, among the others."""
    there = net.with_memory(RamMemory())
    new = [statement for statement, _, _ in rows] + others[len(others) // 2 :]
    random.Random(0).shuffle(new)
    old = [other for _, _, other in rows if other] + others[: len(others) // 2]
    random.Random(1).shuffle(old)
    there.memory.write_many([*old, *new])
    return there


def summary(asked: list[Asked]) -> dict[str, float]:
    n = len(asked)
    return {
        "questions": n,
        "right": sum(a.right and a.answered for a in asked) / n,
        "abstained": sum(not a.answered for a in asked) / n,
    }


def measure(model: EnsembleModel, folder: Path) -> tuple[dict[str, Any], dict[str, list[Asked]]]:
    golds, rows = world_questions(folder), told_rows(folder)
    nothing = (folder / "unanswerable.txt").read_text(encoding="utf-8").splitlines()
    others = (folder / "others.txt").read_text(encoding="utf-8").splitlines()
    found: dict[str, Any] = {"others": len(others)}
    curves: dict[str, list[Asked]] = {}
    for rule in ("calibrated", "paper"):
        alone = (Ensemble.of_the_paper if rule == "paper" else Ensemble)(model)
        among = tell_all(alone, rows, others)
        sets = {
            "world": [ask(alone, q, g) for q, g in golds.items()],
            "world, others told": [ask(among, q, g) for q, g in golds.items()],
            "nothing supports": [ask(alone, q, set()) for q in nothing],
            "nothing supports, others told": [ask(among, q, set()) for q in nothing],
            "told": [ask(among, q, {s}) for s, q, _ in rows],
            "told, contradicted": [ask(among, q, {s}) for s, q, other in rows if other],
        }
        found[rule] = {name: summary(asked) for name, asked in sets.items()}
        if rule == "calibrated":
            curves = sets
    return found, curves


def curve(answerable: list[Asked], nothing: list[Asked]) -> list[dict[str, float]]:
    """Precision (of what is answered, the right) and recall (of the answerable, the right)."""
    points = []
    for threshold in np.linspace(0, 1, 101).tolist():
        answered = [a for a in (*answerable, *nothing) if a.sure >= threshold]
        right = sum(a.right for a in answered)
        points.append(
            {
                "threshold": threshold,
                "precision": right / len(answered) if answered else 1.0,
                "recall": right / len(answerable),
                "abstained": sum(a.sure < threshold for a in nothing) / len(nothing),
            }
        )
    return points


EDGES = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)


def reliability(asked: list[Asked]) -> list[dict[str, float]]:
    """Is it right as often as it says? For each range of probabilities, predicted and observed."""
    bins = []
    for low, high in pairwise(EDGES):
        here = [a for a in asked if low <= a.sure < high or a.sure == high == 1.0]
        if here:
            bins.append(
                {
                    "from": low,
                    "to": high,
                    "questions": len(here),
                    "predicted": sum(a.sure for a in here) / len(here),
                    "observed": sum(a.right for a in here) / len(here),
                }
            )
    return bins


def stories_among(net: Ensemble, stories: int = 100) -> dict[str, float]:
    """Simulated stories, every other one with new names, among sentences of a household."""
    chance = random.Random(99)
    home = [said.statement for said in examples.household()]
    told = simulate(statements=20 * stories, questions=10 * stories, seed=501, story_length=20)
    questions = right = 0
    for number, story in enumerate(told):
        there = net.with_memory(RamMemory())
        there.memory.write_many(chance.sample(home, 20))
        if number % 2:
            story = examples.renamed(story, chance, PAPER_WORLD.actors)
        for line in story.lines:
            if isinstance(line, Question):
                questions += 1
                right += there.ask(line.text).text == line.answer
            else:
                there.tell(line.text)
                if chance.random() < 0.3:
                    there.memory.write(chance.choice(home))
    return {"questions": questions, "right": right / questions}


def of_seed(seed: int) -> EnsembleModel:
    """The default ensemble, had its recipes this seed."""
    story = fit(simulate(**default.SIMULATION), replace(default.RECIPE, seed=seed))  # type: ignore[arg-type]
    return dialogue.ensemble(story, recipe=replace(dialogue.RECIPE, seed=seed))


def joint(seed: int = 0) -> dict[str, Any]:
    """One network for both: the story network's form, trained on stories and on facts.

    A fact is a statement of a story of twenty, with questions whose one support it is. Measured is
    whether the last support is right, beside the same network trained on one of the two alone.
    """
    chance = random.Random(seed)
    triples = world()
    chance.shuffle(triples)
    ways = wordings()
    fact_stories = []
    for start in range(0, len(triples), 20):
        some = triples[start : start + 20]
        lines: list[Statement | Question] = [
            Statement(str(triple), i) for i, triple in enumerate(some, start=1)
        ]
        for asked in asked_of(some, ways, 2, seed + start):
            support = some.index(asked.gold) + 1
            id = len(lines) + 1
            lines.append(Question(asked.question, id, asked.gold.object, (support,)))
        fact_stories.append(Story(tuple(lines)))
    told = simulate(statements=7000, questions=3000, seed=0, story_length=50)
    test = simulate(statements=1400, questions=600, seed=1, story_length=50)
    golds = world_questions(SETS["dev"])
    recipe = Recipe(response="memory", epochs=5, seed=seed)
    found = {}
    for name, data in (
        ("stories alone", told),
        ("facts alone", fact_stories),
        ("together", [*told, *fact_stories]),
    ):
        net = network(fit(data, recipe))
        stories = evaluate(net, test).support_accuracy
        net = net.with_memory(RamMemory())
        net.memory.write_many([str(triple) for triple in triples])
        right = 0
        for question, gold in golds.items():
            hops = net.O(Question(question), net.memory).hops
            right += bool(hops) and hops[-1].text in gold
        found[name] = {"stories": stories, "world": right / len(golds)}
    return found


def run(model: EnsembleModel, folder: Path, name: str, stories: int = 100) -> dict[str, Any]:
    """Everything but the joint network and other seeds, on the questions of a folder."""
    found, sets = measure(model, folder)
    told = [*sets["world, others told"], *sets["nothing supports, others told"], *sets["told"]]
    return {
        "set": name,
        "machine": machine(),
        "thresholds": dict(model.thresholds),
        **found,
        "stories": stories_among(Ensemble(model), stories),
        "curve": curve(sets["world"] + sets["told"], sets["nothing supports"]),
        "reliability": reliability(told),
        "figure4": figure4(model),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=SETS, default="dev")
    parser.add_argument(
        "--questions", type=Path, metavar="DIR",
        help="a folder of questions in the form of tests/data, instead of a set",
    )  # fmt: skip
    parser.add_argument("--joint", action="store_true", help="also one network for both tasks")
    parser.add_argument(
        "--seeds", type=int, default=0, metavar="N",
        help="train ensembles with recipe seeds 0 to N-1, and measure them instead",
    )  # fmt: skip
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    folder: Path = arguments.questions or SETS[arguments.set]
    if arguments.seeds:
        for seed in range(arguments.seeds):
            model = of_seed(seed)
            found, _ = measure(model, folder)
            print("\n".join(seed_row(seed, found, stories_among(Ensemble(model)))), flush=True)
        return
    found = run(default.ensemble(), folder, folder.name if arguments.questions else arguments.set)
    if arguments.joint:
        found["joint"] = joint()
    if arguments.output is None:
        print(json.dumps({k: v for k, v in found.items() if k != "curve"}, indent=1))
        return
    write_json(arguments.output / "results.json", found)
    write_text(arguments.output / "report.md", report(found))
    plot(found, arguments.output / "abstaining.png")


if __name__ == "__main__":
    command(main)
