"""The report: the paper's figure beside ours, as Markdown, as one HTML page, and as plots."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean, stdev

from memnn.paper.plan import Experiment
from memnn.paper.plots import draw
from memnn.paper.runner import Results


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
        f"# {title(results, experiments)}: the paper's tables and figures",
        "Accuracies of stories in per cent, of facts as fractions, mean ± standard deviation over "
        "seeds, the paper's figure in brackets. Training and test stories have different seeds."
        + (" **A quick run: little data, one seed; the figures mean nothing.**" * results.quick),
        f"Measured on {results.machine['processor']}, {results.machine['cores']} cores, Python "
        f"{results.machine['python']}; {_minutes(results)} minutes of computing.",
    ]
    for experiment in experiments:
        if not any(cell["experiment"] == experiment.name for cell in results.cells.values()):
            continue
        parts.append(f"## {experiment.title}")
        if experiment.show is not None:
            cells = results.of(experiment.name, experiment.rows[0], experiment.columns[0])
            parts += experiment.show(cells)
        else:
            parts.append(table(results, experiment))
        parts += [f"- {note}" for note in experiment.notes]
        parts += _transcripts(results, experiment)
        if experiment.name in plots:
            parts.append(f"![{experiment.title}]({plots[experiment.name]})")
    if left_out:
        parts += [
            "## Not measured",
            *(f"- {problem}" for problem in left_out),
        ]
    return _joined(parts)


def title(results: Results, experiments: Sequence[Experiment]) -> str:
    measured = {cell["experiment"] for cell in results.cells.values()}
    kinds = {
        experiment.show is not None for experiment in experiments if experiment.name in measured
    }
    return {True: "Facts", False: "Stories"}[kinds.pop()] if len(kinds) == 1 else "Memory networks"


def _joined(parts: Sequence[str]) -> str:
    """A blank line between parts, but not inside a list."""
    text = parts[0]
    for before, part in pairwise(parts):
        text += "\n" if before.startswith("- ") and part.startswith("- ") else "\n\n"
        text += part
    return text + "\n"


def table(results: Results, experiment: Experiment) -> str:
    rows = [f"| | {' | '.join(experiment.columns)} |", "|---" * (len(experiment.columns) + 1) + "|"]
    for row in experiment.rows:
        shown = [_shown(results, experiment, row, column) for column in experiment.columns]
        rows.append(f"| {row} | {' | '.join(shown)} |")
    return "\n".join(rows)


def _shown(results: Results, experiment: Experiment, row: str, column: str) -> str:
    cells = results.of(experiment.name, row, column)
    paper = experiment.paper.get((row, column))
    theirs = "" if paper is None else f" ({paper:g})"
    if not cells:
        return f"–{theirs}"
    figures = [100 * cell["accuracy"] for cell in cells]
    ours = f"{mean(figures):.1f}"
    if len(figures) > 1:
        ours += f" ± {stdev(figures):.1f}"
    extra = "before" if "before" in cells[0] else ""
    if extra:
        ours += f"; before {100 * mean(cell[extra] for cell in cells):.1f}"
    return ours + theirs


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


STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff }
table { border-collapse: collapse; margin: 1rem 0; font-size: .9rem }
td, th { border-bottom: 1px solid #ddd; padding: .35rem .7rem; text-align: left }
img { max-width: 100% }
blockquote { border-left: 3px solid #888; margin: 1rem 0; padding-left: 1rem }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 }
  td, th { border-color: #444 } img { background: #fff } }
"""


def as_html(text: str, folder: Path) -> str:
    """The same report as one page with its plots inside: the Markdown used here, no more."""
    body: list[str] = []
    for block in re.split(r"\n\n+", text.strip()):
        lines = block.splitlines()
        if block.startswith("# "):
            body.append(f"<h1>{_inline(block[2:])}</h1>")
        elif block.startswith("## "):
            body.append(f"<h2>{_inline(block[3:])}</h2>")
        elif block.startswith("|"):
            body.append(_html_table(lines))
        elif block.startswith("- "):
            body.append("<ul>" + "".join(f"<li>{_inline(x[2:])}</li>" for x in lines) + "</ul>")
        elif block.startswith("> "):
            said = "<br>".join(_inline(line[2:].strip()) for line in lines)
            body.append(f"<blockquote>{said}</blockquote>")
        elif match := re.fullmatch(r"!\[(.*)\]\((.*)\)", block):
            image = base64.b64encode((folder / match[2]).read_bytes()).decode()
            alt = html.escape(match[1])
            body.append(f'<img alt="{alt}" src="data:image/png;base64,{image}">')
        else:
            body.append(f"<p>{_inline(block)}</p>")
    title = html.escape(text.splitlines()[0].removeprefix("# "))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style>\n'
        + "\n".join(body)
        + "\n</html>\n"
    )


def _html_table(lines: list[str]) -> str:
    rows = []
    for i, line in enumerate(lines):
        if i == 1:
            continue
        tag = "th" if i == 0 else "td"
        cells = line.strip("|").split("|")
        rows.append("".join(f"<{tag}>{_inline(cell.strip())}</{tag}>" for cell in cells))
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


def _inline(text: str) -> str:
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
