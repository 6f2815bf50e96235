"""Plots people look at: learning curves, accuracy against difficulty and capacity, heat strips."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from textwrap import wrap
from typing import Any

from memnn.paper.plan import Experiment
from memnn.paper.runner import Results

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart by the colour-blind too (Okabe and Ito)."""


def draw(results: Results, experiments: Sequence[Experiment], folder: Path) -> dict[str, str]:
    """A PNG for every experiment that has a plot; none without matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        return {}
    import matplotlib

    matplotlib.use("Agg")
    drawn = {}
    for experiment in experiments:
        if experiment.plot and _has_cells(results, experiment):
            name = f"{experiment.name}.png"
            _lines(results, experiment, folder / name)
            drawn[experiment.name] = name
        if experiment.name == "figure1" and (strip := _strip_values(results)):
            heat_strip(strip, folder / "figure1.png")
            drawn["figure1"] = "figure1.png"
    return drawn


def _has_cells(results: Results, experiment: Experiment) -> bool:
    return any(cell["experiment"] == experiment.name for cell in results.cells.values())


def _lines(results: Results, experiment: Experiment, path: Path) -> None:
    """One line a row over the columns, or for a curve one line a column over the rows."""
    import matplotlib.pyplot as plt

    over, lines = experiment.columns, experiment.rows
    if experiment.plot == "curve":
        over, lines = experiment.rows, experiment.columns
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for i, line in enumerate(lines):
        xs, ys, low, high, theirs = [], [], [], [], []
        for x in over:
            place = (x, line) if experiment.plot == "curve" else (line, x)
            cells = results.of(experiment.name, *place)
            if cells:
                figures = [100 * cell["accuracy"] for cell in cells]
                xs.append(float(x))
                ys.append(mean(figures))
                low.append(min(figures))
                high.append(max(figures))
                theirs.append(experiment.paper.get(place, float("nan")))
        colour = COLOURS[i % len(COLOURS)]
        axes.plot(xs, ys, marker="o", color=colour, label=line)
        axes.fill_between(xs, low, high, color=colour, alpha=0.15)
        if experiment.paper:
            axes.plot(xs, theirs, marker="x", linestyle=":", color=colour)
    if all(x > 0 for x in xs) and max(xs) / min(xs) > 8:
        axes.set_xscale("log")
        axes.set_xticks(xs, [f"{x:g}" for x in xs])
        axes.minorticks_off()
    axes.set_xlabel(experiment.x_label)
    axes.set_ylabel("right answers in %")
    axes.set_ylim(0, 103)
    axes.grid(alpha=0.3)
    axes.set_title("\n".join(wrap(experiment.title, 95)), fontsize=10)
    axes.legend(fontsize=8, title="dotted: the paper" if experiment.paper else None)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _strip_values(results: Results) -> dict[str, Any] | None:
    cells = [cell for cell in results.cells.values() if cell["experiment"] == "figure1"]
    strips = [cell["strip"] for cell in cells if cell["seed"] == 0 and "strip" in cell]
    return strips[0] if strips else None


def heat_strip(strip: dict[str, Any], path: Path) -> None:
    """For every question and hop the content score of every memory; the support is framed."""
    import matplotlib.pyplot as plt
    from matplotlib.patches import Rectangle

    questions = strip["questions"]
    hops = sum(len(q["hops"]) for q in questions)
    figure, axes = plt.subplots(
        1, hops, figsize=(2.4 + 1.35 * hops, 3.4), layout="constrained", sharey=True
    )
    at = 0
    for q in questions:
        for h, hop in enumerate(q["hops"]):
            ax = axes[at]
            ax.imshow([[score] for score in hop["scores"]], aspect="auto", cmap="YlGnBu")
            corner = (-0.5, hop["support"] - 0.5)
            ax.add_patch(Rectangle(corner, 1, 1, fill=False, lw=3, ec="#d55e00"))
            for i, score in enumerate(hop["scores"]):
                ax.text(0, i, f"{score:.2f}", ha="center", va="center", fontsize=8, color="#333",
                        bbox={"fc": "white", "ec": "none", "alpha": 0.7, "pad": 1})  # fmt: skip
            ax.set_xticks([])
            ax.set_title(f"{q['question'] if h == 0 else ''}\nhop {h + 1}", fontsize=7, loc="left")
            at += 1
    axes[0].set_yticks(range(len(strip["memories"])), strip["memories"], fontsize=8)
    figure.suptitle("What each memory scores, hop by hop; the walk also weighs when it was written",
                    fontsize=9)  # fmt: skip
    figure.savefig(path, dpi=120)
    plt.close(figure)
