"""A learning curve as JSON or as a picture: loss, and what is right on stories held back."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from memnn.errors import InputError
from memnn.paths import path_of

ENDS = (".json", ".png")
BLUE, RED = "#0072b2", "#d55e00"
LINES = (("loss_O", "loss of O", BLUE), ("loss_R", "loss of R", RED))
SHARES = (("supports", "supports right", BLUE), ("answers", "answers right", RED))

Rows = Sequence[Mapping[str, Any]]
"""One for each epoch: stage, epoch, losses and shares; what was not measured is None."""


def check_curve(path: Path) -> None:
    """Before training: whether a curve can be written there."""
    if path.suffix not in ENDS:
        raise InputError(f"a curve is written as {' or '.join(ENDS)}, not as '{path.name}'")
    if path.suffix == ".png" and importlib.util.find_spec("matplotlib") is None:
        raise InputError(
            "a curve as PNG needs matplotlib: pip install 'memnn[plots]', or name a .json file"
        )
    if not path_of(path).parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}")


def write_curve(path: Path, rows: Rows, about: Mapping[str, Any]) -> None:
    """Whole or not at all."""
    real = Path(os.path.realpath(path_of(path)))
    part = real.with_name(f".memnn-{os.urandom(6).hex()}{path.suffix}")
    try:
        if path.suffix == ".json":
            part.write_text(json.dumps({**about, "curve": list(rows)}, indent=1) + "\n")
        else:
            _draw(part, rows)
        os.replace(part, real)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            part.unlink()


def _draw(path: Path, rows: Rows) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    stages = list(dict.fromkeys(row["stage"] for row in rows))
    figure, grid = plt.subplots(
        1, len(stages), figsize=(1 + 5.5 * len(stages), 4), layout="constrained", squeeze=False
    )
    drawn: list[Any] = []
    for axes, stage in zip(grid[0], stages, strict=True):
        own = [row for row in rows if row["stage"] == stage]
        _lines(axes, own, LINES, "--")
        axes.set_xlabel("epoch")
        axes.set_ylabel("mean loss of a question (dashed)")
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.set_title(stage, fontsize=10)
        if any(row[name] is not None for row in own for name, _, _ in SHARES):
            right = axes.twinx()
            _lines(right, own, SHARES, "-")
            right.set_ylim(0, 1.03)
            right.set_ylabel("right on stories held back")
            drawn += right.get_lines()
        drawn += axes.get_lines()
    shown = {line.get_label(): line for line in drawn}
    figure.legend(shown.values(), shown.keys(), fontsize=8, loc="outside lower center", ncols=4)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _lines(axes: Any, rows: Rows, lines: Sequence[tuple[str, str, str]], style: str) -> None:
    for name, label, colour in lines:
        points = [(row["epoch"], row[name]) for row in rows if row[name] is not None]
        if points:
            axes.plot(*zip(*points, strict=True), style, color=colour, label=label)
