"""What `benchmarks.dialogue` measured, as a page and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.report import plotted
from memnn.dialogue import train as dialogue
from memnn.paper.dialogue import SAID, in_sample_note

NAMES = {
    "world": "world questions",
    "world, others told": "the same, after the sentences were told",
    "nothing supports": "questions that nothing supports",
    "nothing supports, others told": "the same, after the sentences were told",
    "told": "told sentences, among the others and the world facts",
    "told, contradicted": "those of them that contradict an older one",
}


def seed_row(seed: int, found: dict[str, Any], stories: dict[str, float]) -> list[str]:
    """A row of the table of seeds, after its head if it is the first."""
    ours = found["calibrated"]
    head = [
        "| seed | stories right | world right | world declined | told right | told declined "
        "| nothing supports: declined | the same, others told |",
        "|---|---|---|---|---|---|---|---|",
    ]
    cells = [
        stories["right"],
        *(ours[name][what] for name in ("world", "told") for what in ("right", "abstained")),
        ours["nothing supports"]["abstained"],
        ours["nothing supports, others told"]["abstained"],
    ]
    row = f"| {seed} | {' | '.join(f'{cell:.3f}' for cell in cells)} |"
    return [*head, row] if seed == 0 else [row]


def report(found: dict[str, Any]) -> str:
    lines = [
        "# Dialogue: stories, told sentences and the world",
        "",
        f"Made by `python -m benchmarks.dialogue --set {found['set']} --joint -o DIR`: the default",
        "ensemble on the questions of the set",
        f"`{found['set']}`, with {found['others']:,} other sentences told. It abstains below a",
        f"probability of {found['thresholds']['world']:.2f} (world) and",
        f"{found['thresholds']['told']:.2f} (told): the first declines",
        f"{dialogue.UNSUPPORTED:.0%} of the unsupported and the second",
        f"at most {dialogue.DECLINED['told']:.1%} of the answerable",
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
    stories = found["stories"]
    lines += [
        "",
        "Right is the share of all questions whose answer rests on the right fact or sentence.",
        "Abstaining is what is wanted of the questions that nothing supports. Of simulated",
        f"stories among sentences of a household {stories['right']:.3f} of {stories['questions']}",
        "questions are answered right.",
        "",
        *_reliability(found["reliability"]),
        *_figure4(found["figure4"]),
    ]
    if "joint" in found:
        lines += _joint(found["joint"])
    return "\n".join(lines) + "\n"


def _reliability(bins: list[dict[str, float]]) -> list[str]:
    return [
        "## Is it right as often as it says?",
        "",
        "All questions of the set, after the sentences were told, by the probability of the best",
        "answer, given or declined: its mean, and how often that answer is right.",
        "",
        "| probability | questions | predicted | observed |",
        "|---|---|---|---|",
        *(
            f"| {each['from']:.2f} to {each['to']:.2f} | {each['questions']} "
            f"| {each['predicted']:.3f} | {each['observed']:.3f} |"
            for each in bins
        ),
        "",
        "![Precision and recall, how many unanswerable questions are declined, and how often an "
        "answer of a probability is right](abstaining.png)",
        "",
    ]


def _figure4(rows: list[dict[str, Any]]) -> list[str]:
    return [
        "## Figure 4",
        "",
        f"Told: {SAID}",
        "",
        "| question | ours | network | probability | the paper's | the paper's ensemble of ours |",
        "|---|---|---|---|---|---|",
        *(
            f"| {row['question']} | {row['answer']} | {row['source']} | {row['probability']:.2f} "
            f"| {row['paper']} | {row['by_score']} |"
            for row in rows
        ),
        "",
        in_sample_note(),
    ]


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


def plot(found: dict[str, Any], path: Path) -> None:
    points, bins, threshold = found["curve"], found["reliability"], found["thresholds"]["world"]
    with plotted(path, 3, (13, 3.6)) as (left, middle, right):
        left.plot([p["recall"] for p in points], [p["precision"] for p in points])
        at = min(points, key=lambda p: abs(p["threshold"] - threshold))
        left.plot(at["recall"], at["precision"], "o", label=f"threshold {threshold:.2f}")
        left.set(xlabel="recall", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.02))
        left.legend(loc="lower left")
        thresholds = [p["threshold"] for p in points]
        middle.plot(thresholds, [p["abstained"] for p in points], label="unanswerable: declined")
        middle.plot(thresholds, [p["recall"] for p in points], label="answerable: answered right")
        middle.axvline(threshold, linestyle=":", color="grey")
        middle.set(xlabel="threshold", ylim=(0, 1.02))
        middle.legend(loc="lower center")
        right.plot([0, 1], [0, 1], linestyle=":", color="grey")
        right.plot([b["predicted"] for b in bins], [b["observed"] for b in bins], "o-")
        for each in bins:
            at = (each["predicted"], each["observed"])
            right.annotate(each["questions"], at, textcoords="offset points", xytext=(5, -10))
        right.set(xlabel="predicted", ylabel="observed", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
