"""The report: the paper's figure beside ours, as Markdown, as one HTML page, and as plots.

`python -m memnn.paper.report FOLDER` writes it anew from the results in a folder, wherever they
were measured.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean

from memnn.paper.page import as_html
from memnn.paper.plan import Experiment
from memnn.paper.plots import draw
from memnn.paper.runner import Results
from memnn.paper.shown import HOW, bullets, figure, table


def write(results: Results, experiments: Sequence[Experiment], left_out: Sequence[str]) -> Path:
    """report.md, report.html and the plots, beside results.json; returns the page."""
    folder = results.path.parent
    plots = draw(results, experiments, folder)
    text = markdown(results, experiments, plots, left_out)
    (folder / "report.md").write_text(text, encoding="utf-8")
    page = folder / "report.html"
    page.write_text(as_html(text, folder), encoding="utf-8")
    return page


def markdown(
    results: Results,
    experiments: Sequence[Experiment],
    plots: dict[str, str],
    left_out: Sequence[str],
) -> str:
    parts = [
        f"# {title(results, experiments)}",
        f"Accuracies of stories in per cent, of facts as fractions: {HOW}. In round brackets the "
        "paper's figure. Training and test stories have different seeds."
        + (" **A quick run: little data, one seed; the figures mean nothing.**" * results.quick),
        f"Measured on {results.machine['processor']}, {results.machine['cores']} cores, Python "
        f"{results.machine['python']}; {_minutes(results)} minutes of computing.",
    ]
    for experiment in experiments:
        if any(cell["experiment"] == experiment.name for cell in results.cells.values()):
            parts += _section(results, experiment, plots)
    if left_out:
        parts += ["## Not measured", *bullets(left_out)]
    return _joined(parts)


def _section(results: Results, experiment: Experiment, plots: dict[str, str]) -> list[str]:
    parts = [f"## {experiment.title}"]
    if experiment.show is not None:
        places = [(row, column) for row in experiment.rows for column in experiment.columns]
        cells = [cell for place in places for cell in results.of(experiment.name, *place)]
        parts += experiment.show(cells)
    else:
        parts.append(_table(results, experiment))
    parts += bullets(experiment.notes)
    if experiment.conclude is not None:
        parts += bullets(experiment.conclude(_means(results, experiment)))
    parts += _transcripts(results, experiment)
    if experiment.name in plots:
        parts.append(f"![{experiment.title}]({plots[experiment.name]})")
    return parts


def title(results: Results, experiments: Sequence[Experiment]) -> str:
    """What the experiments that were measured have in common."""
    names = {cell["experiment"] for cell in results.cells.values()}
    measured = [experiment for experiment in experiments if experiment.name in names]
    topics = {experiment.topic for experiment in measured}
    topic = topics.pop() if len(topics) == 1 else "Memory networks"
    ours = bool(measured) and all(experiment.extra for experiment in measured)
    return topic if ours else f"{topic}: the paper's tables and figures"


def _joined(parts: Sequence[str]) -> str:
    """A blank line between parts, but not inside a list."""
    text = parts[0]
    for before, part in pairwise(parts):
        text += "\n" if before.startswith("- ") and part.startswith("- ") else "\n\n"
        text += part
    return text + "\n"


def _table(results: Results, experiment: Experiment) -> str:
    return table(
        ["", *experiment.columns],
        [
            [row, *(_shown(results, experiment, row, column) for column in experiment.columns)]
            for row in experiment.rows
        ],
    )


def _shown(results: Results, experiment: Experiment, row: str, column: str) -> str:
    cells = results.of(experiment.name, row, column)
    paper = experiment.paper.get((row, column))
    theirs = "" if paper is None else f" ({paper:g})"
    if not cells:
        return f"–{theirs}"
    ours = figure([100 * cell["accuracy"] for cell in cells], 1)
    if "before" in cells[0]:
        ours += f"; before {100 * mean(cell['before'] for cell in cells):.1f}"
    return ours + theirs


def _means(results: Results, experiment: Experiment) -> dict[tuple[str, str], float]:
    """The mean accuracy of every place in the table that was measured."""
    cells = {
        (row, column): results.of(experiment.name, row, column)
        for row in experiment.rows
        for column in experiment.columns
    }
    return {
        place: mean(cell["accuracy"] for cell in found) for place, found in cells.items() if found
    }


def _transcripts(results: Results, experiment: Experiment) -> list[str]:
    """What was said, for figures that are stories: the first seed's."""
    cells = results.of(experiment.name, experiment.rows[0], experiment.columns[0])
    if not cells:
        return []
    parts = []
    for said in cells[0].get("said", []):
        evidence = " → ".join(f"“{text}”" for text in said["evidence"])
        parts.append(f"- {said['question']} **{said['answer']}** ({evidence})")
    if cells[0].get("dialogue"):
        parts.append("\n".join(f"> {line}  " for line in cells[0]["dialogue"]))
    return parts


def _minutes(results: Results) -> str:
    return f"{sum(cell['seconds'] for cell in results.cells.values()) / 60:.0f}"


def main(folder: str) -> None:
    from memnn.paper.registry import EXPERIMENTS

    print(write(Results.read(Path(folder)), list(EXPERIMENTS.values()), []))


if __name__ == "__main__":
    main(*sys.argv[1:])
