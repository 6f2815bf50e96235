"""The search behind the settings of the baselines: hidden size, BPTT steps, learning rate (§5.2).

The paper optimised them for each data set. Here one setting serves all of them: the best on
average over four question sets, on stories that no table uses. `memnn reproduce baselines-search`
repeats it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from statistics import mean
from typing import Any

from memnn.paper.baselines.evaluate import evaluate_baseline
from memnn.paper.baselines.language import CHOSEN, BaselineSettings, train_baseline
from memnn.paper.plan import Cell, Experiment, Size, Values
from memnn.paper.stories import TASKS, shortened, told

TRAIN, VALIDATION = 400, 500
"""Seeds of the stories: those of the tables are below 400 or above 1000."""
COLUMNS = ["D1 actor", "D1 actor+object", "D5 actor", "D5 actor+object"]
"""Without "before" questions difficulty 1 is solved by any setting."""

GRID: dict[str, dict[str, tuple[Any, ...]]] = {
    "rnn": {"hidden": (50, 100), "bptt": (25, 50), "lr": (0.001, 0.003)},
    "lstm": {"hidden": (50, 100), "bptt": (25, 50), "lr": (0.005, 0.01)},
}


def named(settings: BaselineSettings) -> str:
    return f"{settings.cell.upper()} {settings.hidden} / {settings.bptt} / {settings.lr:g}"


def tried(cell: str) -> list[BaselineSettings]:
    """Every setting of the grid of a recurrent cell; the rest is as chosen."""
    names, values = GRID[cell].keys(), product(*GRID[cell].values())
    return [replace(CHOSEN[cell], **dict(zip(names, each, strict=True))) for each in values]


SETTINGS = {named(settings): settings for cell in GRID for settings in tried(cell)}


def measure_setting(cell: Cell, size: Size) -> Values:
    """Accuracy on the validation story of a baseline with these settings."""
    difficulty, ask = TASKS[cell.column]
    train, validation = (
        told(difficulty, ask, seed + cell.seed, size, stream=True) for seed in (TRAIN, VALIDATION)
    )
    baseline = train_baseline(train, shortened(SETTINGS[cell.row], size), seed=cell.seed)
    return {"accuracy": evaluate_baseline(baseline, validation).accuracy}


def conclude(means: Mapping[tuple[str, str], float]) -> list[str]:
    """The best on average of each cell, and whether it is the one that the tables use."""
    notes = []
    for cell in GRID:
        averages = {
            row: mean(means[row, column] for column in COLUMNS)
            for row in map(named, tried(cell))
            if all((row, column) in means for column in COLUMNS)
        }
        chosen = named(CHOSEN[cell])
        if chosen not in averages:
            continue
        best = max(averages, key=lambda row: averages[row])
        note = f"Best on average over the columns: {best} ({100 * averages[best]:.1f})"
        note += (
            "; it is the one chosen."
            if best == chosen
            else f"; chosen was {chosen} ({100 * averages[chosen]:.1f})."
        )
        notes.append(note)
    return notes


SEARCH = Experiment(
    "baselines-search",
    "The search for the baselines' settings: hidden / BPTT / learning rate, on validation stories",
    list(SETTINGS),
    COLUMNS,
    measure_setting,
    notes=[
        f"Trained on stories of seed {TRAIN}, measured on seed {VALIDATION}, word streams, one "
        "seed a cell, so a point or two is noise.",
        "The paper optimised these settings for each data set; here one setting serves all.",
    ],
    seeds=1,
    torch_rows=frozenset(SETTINGS),
    conclude=conclude,
    extra=True,
    topic="Baselines",
)
