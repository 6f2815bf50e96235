"""Facts in millions: building, memory, cold start, and milliseconds per question, as they grow.

    python -m benchmarks.facts [--size 1M] [-o DIR] [--keep] [--seed N] [--json]

One model is trained on the beginning of made-up triples (`benchmarks.synthetic`); indexes of the
first 100k, 1M and 14M are built and asked. Every measurement runs in a process of its own.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import facts_report
from benchmarks.machine import load, machine
from benchmarks.processes import command, environment
from benchmarks.report import make_folder, write_json
from benchmarks.synthetic import World
from memnn.cli import screen
from memnn.errors import InputError, MemnnError
from memnn.facts import model as models
from memnn.facts.recipe import FactsRecipe
from memnn.facts.train import fit

SIZES = (100_000, 1_000_000, 14_000_000)
MOST_BM25 = 1_000_000
"""Beyond it BM25 in memory does not fit beside everything else."""
UNITS = {"k": 1_000, "m": 1_000_000}


@dataclass(frozen=True)
class Effort:
    """How much to measure."""

    sample: int = 200_000
    epochs: int = 1
    questions: int = 600
    flat_questions: int = 40
    torch_triples: int = 50_000


def parse_size(text: str) -> int:
    """100k, 1M, 14M or a plain number."""
    number, unit = text.strip().lower().replace(",", ""), 1
    if number[-1:] in UNITS:
        number, unit = number[:-1], UNITS[number[-1]]
    if not number.isdecimal() or int(number) < 1:
        raise InputError(f"'{text}' is no size; give a number such as 100k, 1M or 14M")
    return int(number) * unit


def run(
    size: int,
    folder: Path,
    *,
    seed: int = 0,
    effort: Effort | None = None,
    say: Callable[[str], None] = lambda _: None,
    keep: bool = False,
) -> dict[str, Any]:
    """Measure at every size up to `size`; if stopped, run it again and it goes on."""
    effort = effort or Effort()
    work = make_folder(folder / "work")
    world = World(size, seed)
    results: dict[str, Any] = {
        "command": f"memnn bench facts --size {size} --seed {seed}",
        "machine": machine("numpy", "numba", "faiss-cpu"),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "load": load(),
        "effort": asdict(effort),
        "recipe": {"bow": 1.0, "dim": 128},
        "questions": effort.questions,
        "sizes": [],
        "throughput": {"left_out": "it comes last"},
    }
    kept = partial(_kept, work)
    results["training"] = kept("training", lambda: _train(world, work, effort, say))
    for facts in sorted({n for n in SIZES if n < size} | {size}):
        results["sizes"].append(_measure(world, facts, work, effort, say))
        _save(results, folder)
    say("training beside PyTorch")
    results["throughput"] = kept("throughput", lambda: throughput(effort, seed))
    _save(results, folder)
    if not keep:
        shutil.rmtree(work)
    return results


def _kept(work: Path, name: str, measure: Callable[[], Any]) -> Any:
    """What was measured before the run was stopped need not be measured again."""
    file = work / f"{name}.json"
    if not file.exists():
        write_json(file, measure())
    return json.loads(file.read_bytes())


def _train(world: World, work: Path, effort: Effort, say: Callable[[str], None]) -> dict[str, Any]:
    n = min(world.size, effort.sample)
    say(f"training on {n:,} triples")
    start = time.perf_counter()
    # λ = 1: a word without an embedding then counts as much as one that has it.
    recipe = FactsRecipe(epochs=effort.epochs, match=False, bow=1.0, seed=world.seed)
    model = fit(world.sample(n), recipe=recipe)
    models.save(model, work / "model")
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "words": len(model.dictionary), "card": model.card}


def _measure(
    world: World, facts: int, work: Path, effort: Effort, say: Callable[[str], None]
) -> dict[str, Any]:
    triples, index = work / f"{facts}.tsv", work / f"index-{facts}"
    questions = [(q.question, *q.gold) for q in world.questions(effort.questions, facts)]
    job = {
        "model": str(work / "model"), "index": str(index), "triples": str(triples),
        "question": questions[0][0],
    }  # fmt: skip

    def write() -> dict[str, Any]:
        start = time.perf_counter()
        world.write(triples, facts)
        return {"seconds": time.perf_counter() - start, "bytes": triples.stat().st_size}

    def cold() -> Any:
        measured("cold", job)  # compiles what is not compiled yet
        return measured("cold", job)

    def cold_pages_dropped() -> Any:
        _drop_pages(work / "model", index)
        return measured("cold", job)

    stages: dict[str, Callable[[], Any]] = {
        "write": write,
        "build": lambda: measured("build", job),
        "cold": cold,
        "cold_pages_dropped": cold_pages_dropped,
        "answer": lambda: measured("answer", job | {"questions": questions}),
        "flat": lambda: measured("flat", job | {"questions": questions[: effort.flat_questions]}),
    }
    if facts <= MOST_BM25:
        stages["bm25"] = lambda: measured("bm25", job | {"questions": questions[:100]})
    row: dict[str, Any] = {"facts": facts}
    for name, stage in stages.items():
        say(f"{facts:,} facts: {name.replace('_', ' ')}")
        row[name] = _kept(work, f"{facts}-{name}", stage)
    return row


def measured(what: str, job: dict[str, Any]) -> Any:
    """A measurement in a process of its own (see `worker`)."""
    given = json.dumps({"what": what, "began": time.time(), **job})
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.worker"], input=given, stdout=subprocess.PIPE,
        text=True, check=False, env=environment(),
    )  # fmt: skip
    if done.returncode:
        raise MemnnError(f"measuring '{what}' failed; its last words are above")
    return json.loads(done.stdout)


def throughput(effort: Effort, seed: int) -> dict[str, Any]:
    """Training beside PyTorch, if that is installed."""
    if importlib.util.find_spec("torch") is None:
        return {"left_out": "PyTorch is not installed"}
    results = {}
    for threads in (1, 2):
        pinned = {f"{name}_NUM_THREADS": str(threads) for name in ("OMP", "MKL", "OPENBLAS")}
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.facts_torch", "--threads", str(threads),
             "--triples", str(effort.torch_triples), "--seed", str(seed)],
            env=environment() | pinned, stdout=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise MemnnError("measuring training beside PyTorch failed; its last words are above")
        results[str(threads)] = json.loads(done.stdout)
    return results


def _drop_pages(*folders: Path) -> None:
    """Take the files out of the page cache, as after a restart of the machine."""
    if not hasattr(os, "posix_fadvise"):
        return
    for file in (f for folder in folders for f in folder.rglob("*") if f.is_file()):
        with open(file, "rb") as opened:
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _save(results: dict[str, Any], folder: Path) -> None:
    write_json(folder / "results.json", results)
    facts_report.write(results, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", default="100k", help="how many facts, such as 100k, 1M, 14M")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", default=Path("bench-facts"))
    parser.add_argument("--keep", action="store_true", help="keep triples, model and indexes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    size = parse_size(given.size)
    results = run(size, given.output, seed=given.seed, say=screen.say, keep=given.keep)
    if given.json:
        screen.print_json(results)
        return
    for what, reached, wanted, met in facts_report.aims(results):
        screen.out.print(f"{'✓' if met else '✗'} {what}: {reached} ({wanted})", markup=False)
    screen.out.print(f"The report is in {given.output / 'report.md'}", markup=False)


if __name__ == "__main__":
    command(main)
