"""`memnn bench`: a door to the benchmarks of the repository."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

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
    root = repository(name)
    if root is None:
        raise InputError(
            "the benchmarks are in memnn's repository and not in the installed package; run there: "
            f"make install && .venv/bin/memnn bench {name}"
        )
    options = ["-o", str(output or f"bench-{name}"), *["--json"] * json]
    if name == "facts":
        options += ["--size", size, "--seed", str(seed), *["--keep"] * keep]
    # A `benchmarks` of somebody else in the working folder must not be taken for ours.
    path = os.pathsep.join([str(root / "src"), str(root), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", *options],
        env=os.environ | {"PYTHONPATH": path.rstrip(os.pathsep), "PYTHONSAFEPATH": "1"},
        check=False,
    )
    raise typer.Exit(done.returncode if done.returncode in (0, 2, 130) else 1)


def repository(name: str) -> Path | None:
    """Where the benchmark is: beside the sources that run, or else where Python finds it."""
    places = [Path(__file__).parents[3]]
    found = importlib.util.find_spec("benchmarks")
    places += [Path(place).parent for place in (found and found.submodule_search_locations) or ()]
    files = ("machine.py", "report.py", f"{name}.py")
    return next(
        (root for root in places if all((root / "benchmarks" / f).is_file() for f in files)), None
    )
