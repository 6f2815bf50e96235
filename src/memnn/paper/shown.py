"""How figures are written down: a mean with its spread, a table, a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean, stdev
from typing import Any

ENOUGH = 5
"""From this many seeds on a standard deviation says something; of fewer the range is shown."""

HOW = (
    f"a mean over seeds with ± its standard deviation where there are {ENOUGH} seeds or more, and "
    "with [lowest, highest] where there are fewer and they differ"
)


def figure(values: Sequence[float], digits: int = 3) -> str:
    """A mean over seeds, and how far the seeds lie apart; with no digits a count."""
    if not digits:
        return f"{mean(values):,.0f}"
    shown = f"{mean(values):.{digits}f}"
    if len(values) >= ENOUGH:
        return f"{shown} ± {stdev(values):.{digits}f}"
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return shown if low == high else f"{shown} [{low}, {high}]"


def of_cells(cells: list[dict[str, Any]], row: str, key: str, digits: int = 3) -> str:
    """A figure of one row, from the cells of all seeds; each cell holds a whole table."""
    values = [cell["rows"][row][key] for cell in cells if key in cell["rows"].get(row, {})]
    return figure(values, digits) if values else "–"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def bullets(notes: Iterable[str]) -> list[str]:
    return [f"- {note}" for note in notes]
