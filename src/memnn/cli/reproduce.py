"""`memnn reproduce`: the paper's tables and figures, beside ours."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from memnn.cli import screen

USUAL = Path("../shared/data")
SPLITS = ("test", "valid")
WHICH = (
    "figure1 to figure4, table1 to table6, ablations, difficulty, forgetting; all of "
    "these: all. babi-strong, babi-weak, babi-joint (babi): the twenty tasks; "
    "babi-swaps, babi-transfer: with other words, trained on stories of our own. "
    "paths: the tables by the path network. "
    "conversations: turns that answer, beside BM25 and MiniLM. "
    "baselines-search: how the baselines' settings were chosen."
)


def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(help=WHICH),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder of the report.")],
    seeds: Annotated[
        int, typer.Option(help="How many seeds, for the tables; other experiments have their own.")
    ] = 5,
    quick: Annotated[bool, typer.Option("--quick", help="A smoke run on little data.")] = False,
    jobs: Annotated[
        int | None, typer.Option(help="Processes at once.", show_default="one a core")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            envvar="MEMNN_DATA",
            help="table1, table2, babi: the folder with reverb/, paraphrases/ and babi/.",
            show_default="../shared/data if it is there, else a made-up world",
        ),
    ] = None,
    split: Annotated[
        str,
        typer.Option(help="table1, table2, babi: measure on test, or on valid while you choose."),
    ] = "test",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure the paper's experiments and write a report: Markdown, HTML, JSON and plots.

    What is finished is kept: run the same command again to go on.

    Example: memnn reproduce table5 --quick -o results
    """
    from memnn.errors import InputError
    from memnn.paper import report, runner
    from memnn.paper.registry import EXPERIMENTS, named

    experiments = named(names)
    if seeds < 1 or (jobs is not None and jobs < 1):
        raise InputError("seeds and jobs must be at least 1")
    results = runner.Results.open(output, quick, _folder(data), _checked(split))
    _prepare(experiment.name for experiment in experiments)
    with screen.measuring_bar() as moved:
        left_out = runner.run(
            experiments, results, seeds=seeds, jobs=jobs or os.cpu_count() or 1, progress=moved
        )
    results.save()
    page = report.write(results, list(EXPERIMENTS.values()), left_out)
    for problem in left_out:
        screen.say(problem)
    if json:
        counts = {"cells": len(results.cells), "left_out": len(left_out)}
        screen.print_json({"folder": str(output), **counts, "report": str(page)})
    else:
        screen.out.print(f"The report is in {page}", markup=False)


def _prepare(names: Iterable[str]) -> None:
    screen.prepare_kernels("training")
    screen.prepare_kernels("facts")
    if any(name.startswith(("babi", "paths")) for name in names):
        screen.prepare_kernels("paths")


def _folder(data: Path | None) -> str:
    """The folder of the real data: the one named, the usual one, or none."""
    from memnn.errors import InputError

    if data is not None and not data.is_dir():
        raise InputError(f"there is no folder {data}")
    folder = data or (USUAL if USUAL.is_dir() else None)
    return str(folder.resolve()) if folder else ""


def _checked(split: str) -> str:
    from memnn.errors import UnknownName

    if split not in SPLITS:
        raise UnknownName("split", split, SPLITS)
    return split
