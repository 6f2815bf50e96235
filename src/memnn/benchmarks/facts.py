"""Facts in millions: building, memory, cold start, and milliseconds per question, as they grow.

One model is trained on the beginning of made-up triples (`facts.synthetic`); indexes of the first
100k, 1M and 14M of them are built and asked. Every measurement runs in a process of its own.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memnn.errors import InputError, MemnnError
from memnn.facts import model as models
from memnn.facts.model import FactsRecipe
from memnn.facts.synthetic import World
from memnn.facts.training import fit
from memnn.version import __version__

SIZES = (100_000, 1_000_000, 14_000_000)
MOST_BM25 = 1_000_000
"""Beyond it BM25 in memory does not fit beside everything else."""
UNITS = {"k": 1_000, "m": 1_000_000}
GB = 10**9


@dataclass(frozen=True)
class Effort:
    """How much to measure."""

    sample: int = 300_000
    epochs: int = 2
    questions: int = 1000
    flat_questions: int = 40
    torch_triples: int = 100_000


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
    """Measure at every size up to `size`; results so far are always in the folder."""
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
        "recipe": {"epochs": effort.epochs, "bow": 1.0, "dim": 128, "sample": effort.sample},
        "questions": effort.questions,
        "sizes": [],
    }
    say("training speed")
    results["throughput"] = throughput(effort, seed)
    _save(results, folder)
    say(f"training on {min(size, effort.sample):,} triples")
    start = time.perf_counter()
    # λ = 1: a word without an embedding then counts as much as one that has it.
    recipe = FactsRecipe(epochs=effort.epochs, bow=1.0, seed=seed)
    model = fit(world.sample(min(size, effort.sample)), recipe=recipe)
    models.save(model, work / "model")
    results["training"] = {
        "seconds": time.perf_counter() - start,
        "words": len(model.dictionary),
        "card": model.card,
    }
    del model
    for facts in sorted({n for n in SIZES if n < size} | {size}):
        results["sizes"].append(_measure(world, facts, work, effort, say, keep))
        _save(results, folder)
    if not keep:
        shutil.rmtree(work)
    return results


def _measure(
    world: World, facts: int, work: Path, effort: Effort, say: Callable[[str], None], keep: bool
) -> dict[str, Any]:
    triples, index = work / f"{facts}.tsv", work / f"index-{facts}"
    say(f"{facts:,} facts: writing triples")
    start = time.perf_counter()
    world.write(triples, facts)
    row: dict[str, Any] = {"facts": facts, "write_seconds": time.perf_counter() - start}
    row["triples_bytes"] = triples.stat().st_size
    questions = [(q.question, *q.gold) for q in world.questions(effort.questions, facts)]
    job = {"model": str(work / "model"), "index": str(index), "triples": str(triples)}
    say(f"{facts:,} facts: building")
    row["build"] = probe("build", job)
    first = {"question": questions[0][0]}
    say(f"{facts:,} facts: cold start")
    probe("cold", job | first)  # compiles what is not compiled yet
    row["cold"] = probe("cold", job | first)
    _drop_pages(work / "model", index)
    row["cold_pages_dropped"] = probe("cold", job | first)
    say(f"{facts:,} facts: answering")
    row["answer"] = probe("answer", job | {"questions": questions})
    say(f"{facts:,} facts: beside a flat scan")
    row["flat"] = probe("flat", job | {"questions": questions[: effort.flat_questions]})
    if facts <= MOST_BM25:
        say(f"{facts:,} facts: beside BM25")
        row["bm25"] = probe("bm25", job | {"questions": questions[:100]})
    if not keep:
        triples.unlink()
        shutil.rmtree(index)
    return row


def probe(what: str, job: dict[str, Any]) -> Any:
    """A measurement in a process of its own (see `probe`)."""
    given = json.dumps({"what": what, "began": time.time(), **job})
    done = subprocess.run(
        [sys.executable, "-m", "memnn.benchmarks.probe"], input=given, stdout=subprocess.PIPE,
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
    from memnn.benchmarks.report import write

    new = folder / "results.json.new"
    new.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    os.replace(new, folder / "results.json")
    write(results, folder)


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
