"""`memnn bench`: how fast it is on this machine, beside what else one would use."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from memnn.cli import screen
from memnn.cli.options import Json

NAMES = ("facts", "stories")


def bench(
    name: Annotated[str, typer.Argument(help="facts or stories.")],
    size: Annotated[str, typer.Option(help="facts: how many, for example 100k, 1M, 14M.")] = "100k",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The folder of the report.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="facts: keep the triples, model and indexes.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes up the same triples.")] = 0,
    json: Json = False,
) -> None:
    """Measure speed, memory and size, and write a report: Markdown, JSON and a plot.

    Example: memnn bench facts --size 1M -o results
    """
    from memnn.errors import InputError, UnknownName

    if name not in NAMES:
        raise UnknownName("benchmark", name, NAMES)
    output = output or Path(f"bench-{name}")
    if name == "stories":
        if importlib.util.find_spec("benchmarks") is None:
            raise InputError(
                "the benchmark 'stories' is in the repository alone: run it there, or make bench"
            )
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.stories", "-o", str(output)], check=False
        )
        raise typer.Exit(1 if done.returncode else 0)
    from benchmarks import facts
    from benchmarks import facts_report as report

    results = facts.run(facts.parse_size(size), output, seed=seed, say=screen.say, keep=keep)
    if json:
        screen.print_json(results)
        return
    for what, reached, wanted, met in report.aims(results):
        screen.out.print(f"{'✓' if met else '✗'} {what}: {reached} ({wanted})", markup=False)
    screen.out.print(f"The report is in {output / 'report.md'}", markup=False)
