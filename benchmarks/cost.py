"""What telling, asking and starting cost, beside an earlier version of memnn.

    python -m benchmarks.cost --before DIR [--store] [--pairs 3] [--rounds 15] [-o DIR]

DIR is a checkout of the earlier version. Two processes at a time, one of each version, take turns;
what counts is processor time, so that it matters little what else the machine does. A ratio is
the median over pairs of processes, because a process as such may be lucky with its addresses.
`--store` measures a store of ten thousand statements alone.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.http_client import Connection, Process, request, running
from benchmarks.machine import machine
from benchmarks.processes import ROOT, command, environment
from benchmarks.report import table, write_json
from memnn.errors import InputError

T = TypeVar("T")
R = TypeVar("R")
CALLS, REQUESTS = 100, 60
EVERYTHING = "read everything"
PATH = "/v1/memories/main"
REQUESTED = {
    "HTTP: tell": request("POST", f"{PATH}/statements", {"text": "Joe went to the kitchen."}),
    "HTTP: ask": request("POST", f"{PATH}/questions", {"text": "Where is Joe?"}),
}
SAID = {"chat": "Joe went to the kitchen.\nWhere is Joe?\n", "ask": "Joe went to the kitchen.\n"}
SAVE = """
import memnn
from memnn import default
memnn.train(memnn.simulate(statements=700, questions=300)).save("story")
if callable(getattr(default, "ensemble", None)):
    model = default.ensemble()
else:  # before models came with the package
    model = default.cached_ensemble() or default.train_ensemble(default.train()[0])[0]
memnn.Ensemble(model).save("ensemble")
"""
"""The models that commands are asked about, in the folder where they run."""
COMMANDS = {
    "import memnn": ("-c", "import memnn"),
    "memnn --help": ("-m", "memnn", "--help"),
    "memnn chat, one question": ("-m", "memnn", "chat"),
    "memnn ask, a story network": ("-m", "memnn", "ask", "story", "Where is Joe?", "--story", "-"),
    "memnn ask, the ensemble": ("-m", "memnn", "ask", "ensemble", "Where is Joe?", "--story", "-"),
}
Costs = dict[str, tuple[list[float], list[float]]]
"""What a case costs before and now, for every pair of processes."""


def calls(roots: tuple[Path, Path], pairs: int, rounds: int, *which: str) -> Costs:
    """Calls of Python, in microseconds."""
    costs: Costs = {}
    for _ in range(pairs):
        with ExitStack() as stack:
            workers = [stack.enter_context(_worker(root, *which)) for root in roots]
            names = [_line(worker).split("\t") for worker in workers][-1]
            for name in names:
                _note(costs, name, _in_turns(rounds, workers, partial(_call, name)))
    return costs


def _worker(root: Path, *which: str) -> subprocess.Popen[str]:
    file = str(Path(__file__).with_name("cost_worker.py"))
    return subprocess.Popen(
        [sys.executable, file, *which], env=environment(root), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip


def _line(worker: subprocess.Popen[str]) -> str:
    assert worker.stdout is not None
    line = worker.stdout.readline()
    if not line:
        raise InputError("a version of memnn did not start; its last words are above")
    return line.rstrip("\n")


def _call(name: str, worker: subprocess.Popen[str]) -> float:
    assert worker.stdin is not None
    worker.stdin.write(f"{name}\t{CALLS if name != EVERYTHING else 2}\n")
    worker.stdin.flush()
    return float(_line(worker))


def _in_turns(rounds: int, both: Sequence[T], measure: Callable[[T], R]) -> tuple[list[R], list[R]]:
    """Both measured so often, each of them first in every other round."""
    taken: tuple[list[R], list[R]] = ([], [])
    for turn in range(rounds):
        for place in (turn % 2, 1 - turn % 2):
            taken[place].append(measure(both[place]))
    return taken


def _note(costs: Costs, name: str, taken: tuple[list[float], list[float]]) -> None:
    for each, values in zip(costs.setdefault(name, ([], [])), taken, strict=True):
        each.append(statistics.median(values))


def requests(roots: tuple[Path, Path], pairs: int, rounds: int) -> Costs:
    """Requests to the service: processor time of the server, in microseconds."""
    costs: Costs = {}
    for _ in range(pairs):
        with ExitStack() as stack:
            folders = [stack.enter_context(tempfile.TemporaryDirectory()) for _ in roots]
            servers = [
                stack.enter_context(
                    running("-m", "memnn", "serve", "--port", "0", "--store", f"{folder}/s.db",
                            root=root)
                )
                for root, folder in zip(roots, folders, strict=True)
            ]  # fmt: skip
            for name, message in REQUESTED.items():
                _note(costs, name, _in_turns(rounds, servers, partial(_send, message)))
    return costs


def _send(message: bytes, server: Process) -> float:
    return asyncio.run(_sent(message, server))


async def _sent(message: bytes, server: Process) -> float:
    async with Connection(server.port) as connection:
        await connection.raw(message)
        busy = server.cpu_seconds()
        for _ in range(REQUESTS):
            status, _ = await connection.raw(message)
            assert status == 200
        return (server.cpu_seconds() - busy) / REQUESTS * 1e6


def commands(roots: tuple[Path, Path], rounds: int) -> Costs:
    """Processor time of whole commands in milliseconds, and what they take of RAM in MB."""
    costs: Costs = {}
    with tempfile.TemporaryDirectory() as folder:
        places = [(root, Path(folder) / name) for root, name in zip(roots, "ab", strict=True)]
        for place in places:
            place[1].mkdir()
            _run(("-c", SAVE), place)
        for name, arguments in COMMANDS.items():
            before, now = _in_turns(rounds, places, partial(_run, arguments))
            for which, unit in enumerate(("ms", "MB at most")):
                both = [one[which] for one in before], [one[which] for one in now]
                _note(costs, f"{name}, {unit}", both)
    return costs


def _run(arguments: tuple[str, ...], place: tuple[Path, Path]) -> tuple[float, float]:
    """A command as users run it: what was imported once is kept as bytecode."""
    root, folder = place
    ours = {k: v for k, v in environment(root).items() if k != "PYTHONDONTWRITEBYTECODE"}
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        [sys.executable, *arguments], env=ours, cwd=folder, text=True,
        stdin=subprocess.PIPE, stdout=quiet, stderr=quiet,
    )  # fmt: skip
    assert process.stdin is not None
    with process.stdin as said:
        said.write("".join(text for name, text in SAID.items() if name in arguments))
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise InputError(f"{' '.join(arguments)} failed with the sources of {root}")
    return 1e3 * (used.ru_utime + used.ru_stime), used.ru_maxrss / 1024


def rows(costs: Costs) -> Iterator[dict[str, Any]]:
    for name, (before, now) in costs.items():
        ratios = [b / a for a, b in zip(before, now, strict=True)]
        yield {
            "case": name,
            "before": round(statistics.median(before), 1),
            "now": round(statistics.median(now), 1),
            "ratio": round(statistics.median(ratios), 2),
            "ratios": [round(ratio, 2) for ratio in ratios],
        }


def run(
    before: Path,
    pairs: int,
    rounds: int,
    say: Callable[[str], object] = print,
    store: bool = False,
) -> list[dict[str, Any]]:
    """Everything measured; each part is said as soon as it is known."""
    if not (before / "src" / "memnn").is_dir():
        raise InputError(f"{before} is not a checkout of memnn: it has no src/memnn")
    both = (before, ROOT)
    found: list[dict[str, Any]] = []
    parts: list[Callable[[], Costs]] = [
        partial(calls, both, pairs, rounds),
        partial(requests, both, pairs, rounds),
        partial(commands, both, rounds),
    ]
    if store:
        parts = [partial(calls, both, pairs, rounds, "store")]
    for measure in parts:
        part = list(rows(measure()))
        shown = [[row[key] for key in ("case", "before", "now", "ratio")] for row in part]
        say("\n".join(table(("", "before", "now", "ratio"), shown)))
        found += part
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--store", action="store_true", help="a large store alone")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("-o", type=Path)
    options = parser.parse_args()
    result = run(options.before.resolve(), options.pairs, options.rounds, store=options.store)
    if options.o:
        write_json(options.o / "cost.json", {"machine": machine(), "costs": result})


if __name__ == "__main__":
    command(main)
