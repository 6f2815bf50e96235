"""`python -m benchmarks.dialogue`: how often the ensemble is right, and how well it abstains.

World questions, questions that nothing supports, and told sentences among others; the calibrated
ensemble beside the paper's own (two networks, the highest score answers), and one network that
learned stories and facts together. `--set dev` asks the questions that were there to try ideas on.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import machine
from benchmarks.processes import command
from benchmarks.report import plotted, write_json, write_text
from memnn import default
from memnn.dialogue import train as dialogue
from memnn.dialogue.model import EnsembleModel
from memnn.dialogue.network import Ensemble
from memnn.dialogue.wordings import questions as asked_of
from memnn.dialogue.wordings import wordings, world
from memnn.facts.triples import questions as read_questions
from memnn.memory import RamMemory
from memnn.paper.dialogue import SAID, figure4, in_sample_note
from memnn.simulator import simulate
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
    answer = net.ask(question)
    best = answer if not answer.abstained else next(iter(answer.others), answer)
    return Asked(best.score, best.text in golds, not answer.abstained)


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


def run(model: EnsembleModel, folder: Path, name: str) -> dict[str, Any]:
    """Everything but the joint network, on the questions of a folder."""
    found, sets = measure(model, folder)
    return {
        "set": name,
        "machine": machine(),
        "thresholds": dict(model.thresholds),
        **found,
        "curve": curve(sets["world"] + sets["told"], sets["nothing supports"]),
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
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    model = default.cached_ensemble()
    if model is None:
        model, _ = default.train_ensemble(default.cached() or default.train()[0])
    folder: Path = arguments.questions or SETS[arguments.set]
    found = run(model, folder, folder.name if arguments.questions else arguments.set)
    if arguments.joint:
        found["joint"] = joint()
    if arguments.output is None:
        print(json.dumps({k: v for k, v in found.items() if k != "curve"}, indent=1))
        return
    write_json(arguments.output / "results.json", found)
    write_text(arguments.output / "report.md", report(found))
    plot(found["curve"], model.thresholds["world"], arguments.output / "abstaining.png")


NAMES = {
    "world": "world questions",
    "world, others told": "the same, after the sentences were told",
    "nothing supports": "questions that nothing supports",
    "nothing supports, others told": "the same, after the sentences were told",
    "told": "told sentences, among the others and the world facts",
    "told, contradicted": "those of them that contradict an older one",
}


def report(found: dict[str, Any]) -> str:
    lines = [
        "# Dialogue: stories, told sentences and the world",
        "",
        "Made by `python -m benchmarks.dialogue --set final --joint -o DIR`: the default ensemble",
        f"on the questions of the set `{found['set']}`, with {found['others']:,} other sentences",
        f"told. It abstains below a probability of {found['thresholds']['world']:.2f} (world) and",
        f"{found['thresholds']['told']:.2f} (told), the largest that decline at most",
        f"{dialogue.DECLINED['world']:.1%} and {dialogue.DECLINED['told']:.1%} of the answerable",
        "questions that it was calibrated on (`src/memnn/dialogue/train.py`). *Paper* is the",
        "paper's own ensemble of two networks, one for the story, which hears everything that is",
        "told, and one for the world's facts: the highest score answers.",
        "",
        "| | questions | right | abstained | paper: right | paper: abstained |",
        "|---|---|---|---|---|---|",
    ]
    for name, title in NAMES.items():
        ours, paper = found["calibrated"][name], found["paper"][name]
        right = [f"{each['right']:.3f}" if "nothing" not in name else "" for each in (ours, paper)]
        lines.append(
            f"| {title} | {ours['questions']} | {right[0]} | {ours['abstained']:.3f} "
            f"| {right[1]} | {paper['abstained']:.3f} |"
        )
    lines += [
        "",
        "Right is the share of all questions that got the right fact or sentence. Abstaining is",
        "what is wanted of the questions that nothing supports.",
        "",
        "![Precision and recall, and how many unanswerable questions are declined](abstaining.png)",
        "",
        "## Figure 4",
        "",
        f"Told: {SAID}",
        "",
        "| question | ours | network | probability | the paper's | the paper's ensemble of ours |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['question']} | {row['answer']} | {row['source']} | {row['probability']:.2f} "
        f"| {row['paper']} | {row['by_score']} |"
        for row in found["figure4"]
    ]
    lines += ["", in_sample_note()]
    if "joint" in found:
        lines += _joint(found["joint"])
    return "\n".join(lines) + "\n"


def _joint(found: dict[str, Any]) -> list[str]:
    return [
        "",
        "## One network for both",
        "",
        "The paper's future work: stories and facts as tasks of a single network (the story",
        "network's form, k = 2, 5 epochs, one seed; a fact is a statement, and the answer is",
        "the last support). Right last supports: on simulated test stories, and on the",
        "development world questions over all world facts.",
        "",
        "| trained on | stories | world questions |",
        "|---|---|---|",
        *(
            f"| {name} | {each['stories']:.3f} | {each['world']:.3f} |"
            for name, each in found.items()
        ),
        "",
        "The ensemble's facts network, which weighs words by how rare they are and does not",
        "read write time, is what the last column is to be compared with (first table).",
    ]


def plot(points: list[dict[str, float]], threshold: float, path: Path) -> None:
    with plotted(path, 2, (9, 3.6)) as (left, right):
        left.plot([p["recall"] for p in points], [p["precision"] for p in points])
        at = min(points, key=lambda p: abs(p["threshold"] - threshold))
        left.plot(at["recall"], at["precision"], "o", label=f"threshold {threshold:.2f}")
        left.set(xlabel="recall", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.02))
        left.legend(loc="lower left")
        thresholds = [p["threshold"] for p in points]
        right.plot(thresholds, [p["abstained"] for p in points], label="unanswerable: declined")
        right.plot(thresholds, [p["recall"] for p in points], label="answerable: answered right")
        right.axvline(threshold, linestyle=":", color="grey")
        right.set(xlabel="threshold", ylim=(0, 1.02))
        right.legend(loc="lower center")


if __name__ == "__main__":
    command(main)
