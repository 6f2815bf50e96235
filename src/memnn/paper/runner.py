"""Running experiments: cell by cell, on several cores, and never the same cell twice."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memnn.errors import InputError, MemnnError
from memnn.paper.baselines.language import CHOSEN
from memnn.paper.machine import machine
from memnn.paper.plan import Cell, Experiment, Size, Values
from memnn.paper.registry import EXPERIMENTS
from memnn.paths import read_file
from memnn.stories.recipe import Recipe
from memnn.stories.train_recurrent import ResponseSettings
from memnn.stories.train_segmenter import SegmenterSettings
from memnn.version import __version__

RESULTS = "results.json"


@dataclass
class Results:
    """results.json: every measured cell, with seed, seconds and values, and the machine."""

    path: Path
    quick: bool
    cells: dict[str, dict[str, Any]]
    machine: dict[str, str]
    data: str = ""
    split: str = "test"
    memnn: str = __version__

    @property
    def size(self) -> Size:
        return Size.of(self.quick, self.data, self.split)

    @classmethod
    def read(cls, folder: Path) -> Results:
        """What is kept in a folder, whichever version measured it on whichever machine."""
        path = folder / RESULTS
        try:
            kept = json.loads(read_file(path))
            return cls(
                path,
                bool(kept["quick"]),
                dict(kept["cells"]),
                dict(kept["machine"]),
                kept.get("data", ""),
                kept.get("split", "test"),
                str(kept["memnn"]),
            )
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{path} is not a file of results; choose another folder") from None
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from None

    @classmethod
    def open(cls, folder: Path, quick: bool, data: str = "", split: str = "test") -> Results:
        """Go on from what is there, or start anew."""
        path = folder / RESULTS
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write {folder}: {error.strerror}") from None
        if not path.exists():
            return cls(path, quick, {}, machine(), data, split)
        kept = cls.read(folder)
        if kept.quick != quick:
            raise InputError(
                f"{path} holds a {'quick' if kept.quick else 'full'} run; "
                "choose another folder for the other kind"
            )
        if (kept.memnn, kept.machine) != (__version__, machine()):
            raise InputError(
                f"{path} was measured by memnn {kept.memnn} or on another machine; "
                "choose another folder"
            )
        if kept.has_facts and (kept.data, kept.split) != (data, split):
            raise InputError(f"{path} was measured on other data; choose another folder")
        kept.data, kept.split = data, split
        return kept

    def add(self, cell: Cell, values: Values, seconds: float) -> None:
        self.cells[cell.key] = {
            "experiment": cell.experiment,
            "row": cell.row,
            "column": cell.column,
            "seed": cell.seed,
            "seconds": round(seconds, 2),
            **values,
        }
        self.save()

    def save(self) -> None:
        about = {
            "memnn": self.memnn,
            "quick": self.quick,
            **({"data": self.data, "split": self.split} if self.has_facts else {}),
            "date": datetime.now(UTC).date().isoformat(),
            "machine": self.machine,
            "settings": settings(self.quick),
            "cells": self.cells,
        }
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(part, self.path)

    @property
    def has_facts(self) -> bool:
        """Whether any cell depends on the folder of data."""
        return any("data" in cell for cell in self.cells.values())

    def of(self, experiment: str, row: str, column: str) -> list[dict[str, Any]]:
        """The cells of one place in a table, by seed."""
        found = [
            cell
            for cell in self.cells.values()
            if (cell["experiment"], cell["row"], cell["column"]) == (experiment, row, column)
        ]
        return sorted(found, key=lambda cell: int(cell["seed"]))


def settings(quick: bool) -> dict[str, Any]:
    """What the cells start from; an experiment's rows say what they change."""
    return {
        "data": asdict(Size.of(quick)),
        "recipe": Recipe(habits=False).to_json(),
        "segmenter": asdict(SegmenterSettings()),
        "response": asdict(ResponseSettings()),
        "baselines": {name: chosen.to_json() for name, chosen in CHOSEN.items()},
    }


def has_torch() -> bool:
    return importlib.util.find_spec("torch") is not None


def run(
    experiments: list[Experiment],
    results: Results,
    *,
    seeds: int,
    jobs: int,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[str]:
    """Measure what is missing; returns why some of it could not be measured."""
    cells = [
        cell
        for experiment in experiments
        for cell in experiment.cells(seeds, results.quick)
        if cell.key not in results.cells
    ]
    problems = []
    if not has_torch() and any(cell.needs_torch for cell in cells):
        n = sum(cell.needs_torch for cell in cells)
        problems.append(f"{n} cells need PyTorch: pip install 'memnn[recurrent]' and run again")
        cells = [cell for cell in cells if not cell.needs_torch]
    # Long ones first, so that the last minutes do not wait for a single core.
    cells.sort(key=lambda cell: not cell.needs_torch)
    done = 0
    for name in ("OMP", "OPENBLAS", "MKL"):  # one thread a process; what is spawned inherits it
        os.environ.setdefault(f"{name}_NUM_THREADS", "1")
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=jobs, mp_context=context) as pool:
        running = {pool.submit(measure, cell, results.size): cell for cell in cells}
        try:
            while running:
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    cell = running.pop(future)
                    done += 1
                    try:
                        results.add(cell, *future.result())
                    except MemnnError as error:
                        problems.append(f"{cell.key}: {error}")
                    if progress is not None:
                        progress(done, len(cells), cell.key)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return problems


def measure(cell: Cell, size: Size) -> tuple[Values, float]:
    """One cell, in a process of its own."""
    start = time.perf_counter()
    values = EXPERIMENTS[cell.experiment].measure(cell, size)
    return values, time.perf_counter() - start
