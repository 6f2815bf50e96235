"""Plots people look at: learning curves, accuracy against difficulty and capacity, heat strips."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from textwrap import wrap
from typing import Any

from memnn.paper.babi import STRONG_2015, WAYS, errors, way_of
from memnn.paper.plan import Experiment
from memnn.paper.runner import Results
from memnn.paper.shown import ENOUGH

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart by the colour-blind too (Okabe and Ito)."""

Point = tuple[float, list[float], float]
"""Where on the axis, the figures of the seeds, and the paper's."""


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
    own = [c for c in results.cells.values() if way_of(c) in WAYS]
    if own:
        error_bars(errors(own), folder / "babi.png")
        drawn[min(str(c["experiment"]) for c in own)] = "babi.png"
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
    legend: dict[str, None] = {}
    for i, line in enumerate(lines):
        points = []
        for x in over:
            place = (x, line) if experiment.plot == "curve" else (line, x)
            cells = results.of(experiment.name, *place)
            if cells:
                figures = [100 * cell["accuracy"] for cell in cells]
                points.append((float(x), figures, experiment.paper.get(place, float("nan"))))
        if points:
            legend |= draw_line(
                axes, points, COLOURS[i % len(COLOURS)], line, bool(experiment.paper)
            )
    xs = [float(x) for x in over]
    if all(x > 0 for x in xs) and max(xs) / min(xs) > 8:
        axes.set_xscale("log")
        axes.set_xticks(xs, [f"{x:g}" for x in xs])
        axes.minorticks_off()
    axes.set_xlabel(experiment.x_label)
    axes.set_ylabel("right answers in %")
    axes.set_ylim(0, 103)
    axes.grid(alpha=0.3)
    axes.set_title("\n".join(wrap(experiment.title, 95)), fontsize=10)
    axes.legend(fontsize=8, title="\n".join(legend) or None, title_fontsize=7)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def draw_line(
    axes: Any, points: Sequence[Point], colour: str, label: str, paper: bool
) -> dict[str, None]:
    """The means joined, and how far the seeds lie apart: a band of ± one standard deviation, or
    where the seeds are too few for that, each of them as a dot. Returns what the legend must say.
    """
    xs = [x for x, _, _ in points]
    means = [mean(figures) for _, figures, _ in points]
    axes.plot(xs, means, marker="o", color=colour, label=label)
    legend: dict[str, None] = {}
    if all(len(figures) >= ENOUGH for _, figures, _ in points):
        spread = [stdev(figures) for _, figures, _ in points]
        low = [m - s for m, s in zip(means, spread, strict=True)]
        high = [m + s for m, s in zip(means, spread, strict=True)]
        axes.fill_between(xs, low, high, color=colour, alpha=0.15)
        legend["band: ± a standard deviation of the seeds"] = None
    elif any(len(figures) > 1 for _, figures, _ in points):
        for x, figures, _ in points:
            axes.plot([x] * len(figures), figures, ".", color=colour, alpha=0.5, markersize=4)
        legend["small dots: single seeds"] = None
    if paper:
        axes.plot(xs, [theirs for _, _, theirs in points], marker="x", linestyle=":", color=colour)
        legend["dotted: the paper"] = None
    return legend


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


def error_bars(by_way: dict[str, dict[int, list[float]]], path: Path) -> None:
    """Errors of the twenty tasks: a bar a way of training, a dash for what was published."""
    import matplotlib.pyplot as plt

    tasks = sorted({n for by_task in by_way.values() for n in by_task})
    figure, axes = plt.subplots(figsize=(10, 4), layout="constrained")
    width = 0.8 / len(by_way)
    for i, (way, by_task) in enumerate(by_way.items()):
        at = [tasks.index(n) + (i - (len(by_way) - 1) / 2) * width for n in by_task]
        means = [mean(values) for values in by_task.values()]
        of = "" if len(means) == len(STRONG_2015) else f" of {len(means)} tasks"
        label = f"{way}, mean{of} {mean(means):.2f} %"
        axes.bar(at, means, width * 0.9, color=COLOURS[i], label=label)
        for x, values in zip(at, by_task.values(), strict=True):
            axes.plot([x] * len(values), values, ".", color="black", markersize=2)
    published = [STRONG_2015[n - 1] for n in tasks]
    axes.plot(
        range(len(tasks)), published, "_", color="black", markersize=16, label="published, strong"
    )
    axes.set_xticks(range(len(tasks)), [str(n) for n in tasks])
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 0.5, 1, 5, 20, 100], ["0", "0.5", "1", "5", "20", "100"])
    axes.set_xlabel("task")
    axes.set_ylabel("error in per cent")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=150)
    plt.close(figure)
