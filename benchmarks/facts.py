"""Facts in millions: building, memory, cold start, and milliseconds per question, as they grow.

One model is trained on the beginning of made-up triples (`benchmarks.synthetic`); indexes of the
first 100k, 1M and 14M are built and asked. Every measurement runs in a process of its own.
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.synthetic import World
from memnn.errors import InputError, MemnnError
from memnn.facts import model as models
from memnn.facts.recipe import FactsRecipe
from memnn.facts.train import fit
from memnn.version import __version__

SIZES = (100_000, 1_000_000, 14_000_000)
MOST_BM25 = 1_000_000
"""Beyond it BM25 in memory does not fit beside everything else."""
UNITS = {"k": 1_000, "m": 1_000_000}
GB = 10**9


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
    work = folder / "work"
    try:
        work.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror}") from None
    world = World(size, seed)
    results: dict[str, Any] = {
        "command": f"memnn bench facts --size {size} --seed {seed}",
        "machine": machine(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "load": os.getloadavg()[0],
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
        _write(file, json.dumps(measure()))
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
        probe("cold", job)  # compiles what is not compiled yet
        return probe("cold", job)

    def cold_pages_dropped() -> Any:
        _drop_pages(work / "model", index)
        return probe("cold", job)

    stages: dict[str, Callable[[], Any]] = {
        "write": write,
        "build": lambda: probe("build", job),
        "cold": cold,
        "cold_pages_dropped": cold_pages_dropped,
        "answer": lambda: probe("answer", job | {"questions": questions}),
        "flat": lambda: probe("flat", job | {"questions": questions[: effort.flat_questions]}),
    }
    if facts <= MOST_BM25:
        stages["bm25"] = lambda: probe("bm25", job | {"questions": questions[:100]})
    row: dict[str, Any] = {"facts": facts}
    for name, stage in stages.items():
        say(f"{facts:,} facts: {name.replace('_', ' ')}")
        row[name] = _kept(work, f"{facts}-{name}", stage)
    return row


def probe(what: str, job: dict[str, Any]) -> Any:
    """A measurement in a process of its own (see `probe`)."""
    given = json.dumps({"what": what, "began": time.time(), **job})
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.worker"], input=given, stdout=subprocess.PIPE,
        text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise MemnnError(f"measuring '{what}' failed; its last words are above")
    return json.loads(done.stdout)


def throughput(effort: Effort, seed: int) -> dict[str, Any]:
    """Training beside PyTorch, if both PyTorch and the repository's version for it are here."""
    for name, what in (("torch", "PyTorch is not installed"), ("benchmarks", "")):
        if importlib.util.find_spec(name) is None:
            return {"left_out": what or "run it in the repository, where benchmarks/ is"}
    results = {}
    for threads in (1, 2):
        pinned = {f"{name}_NUM_THREADS": str(threads) for name in ("OMP", "MKL", "OPENBLAS")}
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.facts_torch", "--threads", str(threads),
             "--triples", str(effort.torch_triples), "--seed", str(seed)],
            env=os.environ | pinned, stdout=subprocess.PIPE, text=True, check=False,
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
    from benchmarks.facts_report import write

    _write(folder / "results.json", json.dumps(results, indent=1) + "\n")
    write(results, folder)


def _write(file: Path, text: str) -> None:
    new = file.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, file)


def machine() -> dict[str, Any]:
    names = ["memnn", "numpy", "numba", "faiss-cpu"]
    from importlib.metadata import PackageNotFoundError, version

    found: dict[str, Any] = {"python": platform.python_version(), "cores": os.cpu_count()}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = __version__ if name == "memnn" else None
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        named = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
        found["cpu"] = next(named, platform.machine())
        memory = Path("/proc/meminfo").read_text().split()[1]
        found["memory_gb"] = round(1024 * int(memory) / GB, 1)
    except OSError:
        found["cpu"] = platform.processor() or platform.machine()
    return found
