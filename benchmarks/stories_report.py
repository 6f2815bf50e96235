"""The report of the stories benchmark: what was aimed at and reached, tables, a plot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.story_answering import API, KERNELS, NAMES, TORCH

WANTED = {100: 8.0, 1_000: 15.0}
"""Answers per second against PyTorch: the least that is asked for, by number of memories."""
TRAINED = {
    "memnn": "memnn, up to 100 negatives until a violation",
    "memnn fit": "memnn, reading the text included",
    "memnn one": "memnn, one negative",
    "torch dense": "PyTorch, batches of 128, one negative, dense gradients",
    "torch sparse": "PyTorch, batches of 128, one negative, sparse gradients",
    "numpy": "NumPy, one question at a time, one negative",
}


def wanted(training: dict[str, Any], answering: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was aimed at and reached, like for like; then stricter comparisons without an aim."""
    goals: list[tuple[str, float, float | None]] = [
        ("training, epochs alone, against PyTorch", training["torch_over_memnn"], 1.0),
        ("training, one negative each, against PyTorch", training["torch_over_memnn_one"], None),
        (
            "training, text to model, against PyTorch's epochs",
            training["torch_over_memnn_fit"],
            None,
        ),
    ]
    for row in answering:
        if row["memories"] in WANTED:
            at, each = f"{row['memories']:,} memories", row["seconds_of_each"]
            vectors = each[TORCH] / row["seconds_per_answer"][KERNELS]
            least = WANTED[row["memories"]]
            goals.append((f"{NAMES[KERNELS]}, {at}, against PyTorch's vectors", vectors, least))
            for name in (KERNELS, API):
                what = f"{NAMES[name]}, {at}, against PyTorch's faster form"
                goals.append((what, row["ratio_to_torch"][name], None))
    return [
        {"what": what, "ratio": ratio, "wanted": least, "met": least is None or ratio >= least}
        for what, ratio, least in goals
    ]


def training_table(training: dict[str, Any]) -> list[str]:
    seconds, accuracy = training["seconds"], training["accuracy"]
    columns = ["10 epochs, 3,000 questions", "× memnn's time", "s", "test accuracy"]
    rows = []
    for name, what in TRAINED.items():
        right = accuracy.get(name, accuracy["memnn"])
        times = seconds[name] / seconds["memnn"]
        rows.append([what, f"{times:.2f}", f"{seconds[name]:.2f}", f"{right:.1%}"])
    return report.table(columns, rows)


def answering_table(answering: list[dict[str, Any]]) -> list[str]:
    """Ratios first: they are what holds elsewhere."""
    columns = ["memories", "distinct", "ask ÷ PyTorch", "encoded ÷ PyTorch", "ask ÷ NumPy"]
    columns += ["encoded ÷ NumPy", *(f"{name}/s" for name in NAMES), "agree"]
    rows = []
    for row in answering:
        ratios = [
            row[to][name] for to in ("ratio_to_torch", "ratio_to_numpy") for name in (API, KERNELS)
        ]
        cells = [
            f"{row['memories']:,}",
            f"{row['distinct']:,}",
            *(f"{ratio:.1f}×" for ratio in ratios),
            *(f"{row['answers_per_second'][name]:,.0f}" for name in NAMES),
            f"{min(row['agreement'].values()):.1%}",
        ]
        rows.append(cells)
    return report.table(columns, rows, left=0)


def page(result: dict[str, Any]) -> str:
    goals = [
        [goal["what"], f"{goal['ratio']:.1f}×"]
        + (["–", "–"] if goal["wanted"] is None else [f"{goal['wanted']:.0f}×", _met(goal)])
        for goal in result["wanted"]
    ]
    grows = ", ".join(f"{n} {s:.2f}" for n, s in result["slope"].items() if s is not None)
    lines = [
        "# Stories: memnn against PyTorch and NumPy",
        "",
        *report.about(result["machine"]),
        "",
        "## Wanted",
        "",
        *report.table(["", "ratio", "wanted", "met"], goals),
        "",
        "## Training",
        "",
        *training_table(result["training"]),
        "",
        "## Answering, k = 2, one question at a time",
        "",
        *answering_table(result["answering"]),
        "",
        "agree: the least fraction of questions with the same supports and answer. Only questions",
        "that the network answers are asked; that it would rather say nothing is checked by",
        "`net.ask` alone, and is part of its time.",
        "PyTorch and NumPy: vectors with the walk in closed form, or a plain Python loop over",
        "the scores, whichever is faster; stories.json has both.",
        "distinct: memories with different bags; a simulated world repeats itself.",
        "",
        f"Growth of the time per answer from 1,000 memories on (1 is linear): {grows or '–'}.",
    ]
    return "\n".join(lines) + "\n"


def _met(goal: dict[str, Any]) -> str:
    return report.yes(goal["met"])


def plot(answering: list[dict[str, Any]], file: Path) -> str:
    """Answers per second against memories; a line that says what became of it."""
    if not report.can_plot():
        return "no plot: matplotlib is not installed"
    with report.plotted(file) as axes:
        for name, label in NAMES.items():
            speeds = [row["answers_per_second"][name] for row in answering]
            axes.loglog([row["memories"] for row in answering], speeds, marker="o", label=label)
        axes.set_xlabel("memories")
        axes.set_ylabel("answers per second")
        axes.grid(True, which="major", alpha=0.3)
        axes.legend()
    return f"wrote {file}"
