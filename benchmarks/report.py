"""How benchmarks write down what they measured: JSON, Markdown tables, plots."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memnn.errors import InputError
from memnn.paper.style import picture


def make_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror}") from None
    return folder


def write_text(file: Path, text: str) -> None:
    """The file is there whole, or as it was: long benchmarks are stopped and go on."""
    make_folder(file.parent)
    new = file.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, file)


def write_json(file: Path, results: Any) -> None:
    write_text(file, json.dumps(results, indent=1) + "\n")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], left: int = 1) -> list[str]:
    """The lines of a Markdown table; from the column `left` on it holds numbers."""
    marks = ["---" if i < left else "--:" for i in range(len(columns))]
    return [
        f"| {' | '.join(columns)} |",
        f"|{'|'.join(marks)}|",
        *(f"| {' | '.join(map(str, row))} |" for row in rows),
    ]


def yes(met: bool) -> str:
    return "yes" if met else "**no**"


def about(machine: dict[str, Any]) -> list[str]:
    """A line for each thing that is known of the machine."""
    return [f"{key} {value}  " for key, value in machine.items() if value is not None]


def can_plot() -> bool:
    return importlib.util.find_spec("matplotlib") is not None


@contextmanager
def plotted(file: Path, panels: int = 1, size: tuple[float, float] = (6, 4)) -> Iterator[Any]:
    """The axes of a picture (of one panel, or an array of them), written when they are filled."""
    make_folder(file.parent)
    with picture(file, panels, size) as axes:
        yield axes
