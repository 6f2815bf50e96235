"""What an experiment is: a set of cells to measure, the paper's figures, and how to show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Values = dict[str, Any]
"""What a cell measures: `accuracy` (a fraction) and whatever else is worth keeping, as JSON."""


@dataclass(frozen=True)
class Size:
    """How much data: the paper's, or little for a smoke run (but for Figures 1 and 3)."""

    statements: int = 7000
    questions: int = 3000
    quick: bool = False
    data: str = ""
    """The folder of the real data for facts; none: a made-up world."""
    split: str = "test"
    """Which questions about facts are measured: test, or valid while something is chosen."""

    @classmethod
    def of(cls, quick: bool, data: str = "", split: str = "test") -> Size:
        size = cls(700, 300, True) if quick else cls()
        return replace(size, data=data, split=split)


@dataclass(frozen=True)
class Cell:
    """One number of a table for one seed: measured once, kept, never computed again."""

    experiment: str
    row: str
    column: str
    seed: int
    needs_torch: bool = False

    @property
    def key(self) -> str:
        return f"{self.experiment} | {self.row} | {self.column} | {self.seed}"


@dataclass(frozen=True)
class Experiment:
    """A table or figure. `measure` is a plain function, so that another process can run it."""

    name: str
    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    measure: Callable[[Cell, Size], Values]
    paper: dict[tuple[str, str], float] = field(default_factory=dict)
    """The paper's accuracies in per cent, by row and column."""
    notes: Sequence[str] = ()
    """What a reader should know, differences we cannot explain above all."""
    seeds: int | None = None
    """How many seeds, where it is not for the user to say."""
    skip: Callable[[str, str], bool] = lambda row, column: False
    torch_rows: frozenset[str] = frozenset()
    plot: str = ""
    """`lines` over the columns or a `curve` over the rows, if the cells are drawn."""
    x_label: str = ""
    chance: float = 0.0
    """What guessing gets in per cent, drawn as a line; 0 for none."""
    show: Callable[[list[dict[str, Any]]], list[str]] | None = None
    """The parts of the report, from cells that hold a whole table each."""
    conclude: Callable[[Mapping[tuple[str, str], float]], list[str]] | None = None
    """Further notes, from the mean accuracies by row and column."""
    quick_rows: Sequence[str] | None = None
    """The rows of a quick run, where all would take too long."""
    extra: bool = False
    """Not the paper's own: measured when it is named, and not with `all`."""
    topic: str = "Stories"
    """What a report of such experiments alone is about."""

    def cells(self, seeds: int, quick: bool) -> list[Cell]:
        n = 1 if quick else (self.seeds or seeds)
        return [
            Cell(self.name, row, column, seed, row in self.torch_rows)
            for row in (self.quick_rows if quick and self.quick_rows else self.rows)
            for column in self.columns
            if not self.skip(row, column)
            for seed in range(n)
        ]
