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
from memnn.paper.style import CELL, colour_of, label_ends, picture

Point = tuple[float, list[float], float]
"""Where on the axis, the figures of the seeds, and the paper's."""


def draw(results: Results, experiments: Sequence[Experiment], folder: Path) -> dict[str, str]:
    """A PNG for every experiment that has a plot; none without matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        return {}
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
    over, lines = experiment.columns, experiment.rows
    if experiment.plot == "curve":
        over, lines = experiment.rows, experiment.columns
    xs = [float(x) for x in over]
    with picture(path) as axes:
        axes.set_ylim(0, 103)
        if all(x > 0 for x in xs) and max(xs) / min(xs) > 8:
            axes.set_xscale("log")
            axes.set_xticks(xs, [f"{x:g}" for x in xs])
            axes.minorticks_off()
        axes.set_xlabel(experiment.x_label)
        axes.set_ylabel("right answers in %")
        axes.set_title("\n".join(wrap(experiment.title, 80)))
        said: dict[str, None] = {}
        ends = {}
        for i, line in enumerate(lines):
            points = _points(results, experiment, over, line)
            if points:
                colour = colour_of(line, i)
                said |= draw_line(axes, points, colour, bool(experiment.paper))
                ends[line] = (mean(points[-1][1]), colour)
        if experiment.chance:
            axes.axhline(experiment.chance, color="#333333", linestyle="--", linewidth=1)
            said[f"dashed: chance, {experiment.chance:.0f} %"] = None
        label_ends(axes, ends)
        if said:
            axes.text(
                0.01, 0.02, "\n".join(said), transform=axes.transAxes, fontsize=8, va="bottom"
            )


def _points(
    results: Results, experiment: Experiment, over: Sequence[str], line: str
) -> list[Point]:
    points = []
    for x in over:
        place = (x, line) if experiment.plot == "curve" else (line, x)
        if cells := results.of(experiment.name, *place):
            figures = [100 * cell["accuracy"] for cell in cells]
            points.append((float(x), figures, experiment.paper.get(place, float("nan"))))
    return points


def draw_line(axes: Any, points: Sequence[Point], colour: str, paper: bool) -> dict[str, None]:
    """The means joined, and how far the seeds lie apart: a band of ± one standard deviation, or
    where the seeds are too few for that, each of them as a dot. Returns what must be said about it.
    """
    xs = [x for x, _, _ in points]
    means = [mean(figures) for _, figures, _ in points]
    axes.plot(xs, means, marker="o", color=colour)
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
    from matplotlib.patches import Rectangle

    questions = strip["questions"]
    hops = sum(len(q["hops"]) for q in questions)
    with picture(path, hops, (2.4 + 1.5 * hops, 3.8)) as panels:
        at = 0
        for q in questions:
            for h, hop in enumerate(q["hops"]):
                axes = panels[at]
                scores = hop["scores"]
                low, high = min(scores), max(scores)
                axes.imshow([[score] for score in scores], aspect="auto", cmap="Blues")
                corner = (-0.5, hop["support"] - 0.5)
                axes.add_patch(Rectangle(corner, 1, 1, fill=False, lw=3, ec="#d55e00", zorder=3))
                for i, score in enumerate(scores):
                    strong = score - low > 0.55 * (high - low)
                    axes.text(
                        0, i, f"{score:.2f}", ha="center", va="center", gid=CELL,
                        color="white" if strong else "#222222",
                        weight="bold" if i == hop["support"] else "normal",
                    )  # fmt: skip
                axes.set_xticks([])
                axes.set_yticks([])
                axes.grid(visible=False)
                question = "\n".join(wrap(q["question"], 18)) if h == 0 else ""
                axes.set_title(f"{question}\nhop {h + 1}", fontsize=9)
                at += 1
        panels[0].set_yticks(range(len(strip["memories"])), strip["memories"])
        panels[0].figure.suptitle(
            "What each memory scores, hop by hop (framed: the support); when it was written is "
            "weighed, too", fontsize=10,
        )  # fmt: skip


def error_bars(by_way: dict[str, dict[int, list[float]]], path: Path) -> None:
    """Errors of the twenty tasks: a bar a way of training, a dash for what was published."""
    tasks = sorted({n for by_task in by_way.values() for n in by_task})
    width = 0.8 / len(by_way)
    with picture(path, size=(10, 4.2)) as axes:
        for i, (way, by_task) in enumerate(by_way.items()):
            at = [tasks.index(n) + (i - (len(by_way) - 1) / 2) * width for n in by_task]
            means = [mean(values) for values in by_task.values()]
            of = "" if len(means) == len(STRONG_2015) else f" of {len(means)} tasks"
            label = f"{way}, mean{of} {mean(means):.2f} %"
            axes.bar(at, means, width * 0.9, color=colour_of(way, i), label=label)
            for x, values in zip(at, by_task.values(), strict=True):
                axes.plot([x] * len(values), values, ".", color="#333333", markersize=3)
        published = [STRONG_2015[n - 1] for n in tasks]
        axes.plot(
            range(len(tasks)), published, "_", color="#333333", markersize=16,
            label=f"published with supports, mean {mean(published):.1f} %",
        )  # fmt: skip
        axes.set_xticks(range(len(tasks)), [str(n) for n in tasks])
        axes.set_yscale("symlog", linthresh=1)
        axes.set_ylim(0, 100)
        axes.set_yticks([0, 0.5, 1, 5, 20, 100], ["0", "0.5", "1", "5", "20", "100"])
        axes.grid(visible=False, axis="x")
        axes.set_xlabel("task")
        axes.set_ylabel("error in per cent")
        axes.legend(fontsize=9)
