"""One measurement in a process of its own, so that its memory and its start are its own.

    echo '{"what": "answer", …}' | python -m benchmarks.worker

The job is JSON, and so is what is printed.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memnn.facts.build import BuildProgress
    from memnn.facts.index import FactIndex
    from memnn.facts.lookup import Found, Lookup
    from memnn.facts.model import FactsModel

METHODS = ("none", "word", "cluster")
TIED = 1e-5
"""Scores that differ by less are equal: sums in another order."""


def peak() -> int:
    """The most bytes that were resident, pages of mapped files included."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    import resource

    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def opened(job: dict[str, Any]) -> tuple[FactsModel, FactIndex]:
    from memnn.facts import model as models
    from memnn.facts.index import open_index

    model = models.load(job["model"])
    return model, open_index(job["index"], model)


def build(job: dict[str, Any]) -> dict[str, Any]:
    """Triples to an index: the seconds of every stage, bytes on disk."""
    from memnn.facts import model as models
    from memnn.facts.build import build_index

    model = models.load(job["model"])
    start = time.perf_counter()
    began: dict[str, float] = {"reading triples": start}  # the others are told of as they begin

    def tell(progress: BuildProgress) -> None:
        began.setdefault(progress.stage, time.perf_counter())
        if progress.done % 1_000_000 < 200_000:
            print(f"  {progress.stage}: {progress.done:,} facts", file=sys.stderr, flush=True)

    index, skipped = build_index(model, job["triples"], job["index"], progress=tell)
    end = time.perf_counter()
    marks = [*began.items(), ("", end)]
    stages = {name: marks[i + 1][1] - at for i, (name, at) in enumerate(marks[:-1])}
    files = [file for file in Path(job["index"]).rglob("*") if file.is_file()]
    return {
        "seconds": end - start,
        "stages": stages,
        "facts": len(index),
        "words": int(index.about["words"]),
        "entries": len(index.reading(model.dictionary).facts.entries),
        "skipped": skipped.reasons,
        "bytes": sum(file.stat().st_size for file in files),
        "peak_bytes": peak(),
    }


def cold(job: dict[str, Any]) -> dict[str, Any]:
    """From the start of the process to a first answer by word hash."""
    model, index = opened(job)
    ready = time.time() - job["began"]
    from memnn.facts.hashes import lookup_with

    lookup = lookup_with(model, index, "word")
    found = lookup.search(job["question"], index.reading(model.dictionary)).found
    text = str(index.triple(found[0].place)) if found else ""
    seconds = time.time() - job["began"]
    return {"seconds": seconds, "opened": ready, "answer": text, "peak_bytes": peak()}


def asked(
    lookup: Lookup, model: FactsModel, index: FactIndex, questions: Sequence[str]
) -> tuple[list[float], list[Found | None], float]:
    """Milliseconds, the best fact and the mean number of candidates."""
    reading = index.reading(model.dictionary)
    for question in questions[:3]:
        lookup.search(question, reading)
    times, best, candidates = [], [], 0
    for question in questions:
        start = time.perf_counter()
        search = lookup.search(question, reading)
        times.append(1000 * (time.perf_counter() - start))
        best.append(search.found[0] if search.found else None)
        candidates += search.candidates
    return times, best, candidates / len(questions)


def answer(job: dict[str, Any]) -> dict[str, Any]:
    """All ways of looking facts up, and how often they find what looking at everything finds."""
    from memnn.facts.hashes import lookup_with

    model, index = opened(job)
    questions = [question for question, *_ in job["questions"]]
    results: dict[str, Any] = {}
    exact: list[Found | None] = []
    for name in METHODS:
        times, best, candidates = asked(
            lookup_with(model, index, name), model, index, questions
        )  # fmt: skip
        exact = exact or best
        same = [_same(a, b) for a, b in zip(exact, best, strict=True)]
        gold = [
            found is not None and list(index.triple(found.place)) == row[1:]
            for found, row in zip(best, job["questions"], strict=True)
        ]
        results[name] = {
            **spread(times),
            "candidates": candidates,
            "agreement": mean(same),
            "agreement_replaced": mean(same[1::2]),
            "hit@1": mean(gold[::2]),
            "hit@1_replaced": mean(gold[1::2]),
            "peak_bytes": peak(),
        }
        print(f"  {name}: {results[name]['median_ms']:.2f} ms", file=sys.stderr, flush=True)
    return results


def _same(a: Found | None, b: Found | None) -> bool:
    if a is None or b is None:
        return a is b
    return a.place == b.place or abs(a.score - b.score) <= TIED


def flat(job: dict[str, Any]) -> dict[str, Any]:
    """Exact answers beside a plain FAISS scan of the same facts as float16 vectors, in turns."""
    import faiss
    import numpy as np

    from memnn.facts.hashes import lookup_with
    from memnn.kernels.facts_scan import embed_facts
    from memnn.kernels.phi import X, Y

    model, index = opened(job)
    reading, dim = index.reading(model.dictionary), model.U_O.shape[1]
    blocks, known = model.layout.blocks, len(model.dictionary)

    def plain() -> Any:
        return faiss.IndexScalarQuantizer(
            dim, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )

    halves = [plain(), plain()]
    n = len(index)
    for half, (a, b) in zip(halves, ((0, n // 2), (n // 2, n)), strict=True):
        for first in range(a, b, 500_000):
            some = np.empty((min(b, first + 500_000) - first, dim), np.float32)
            embed_facts(model.U_O, int(blocks[Y]), known, reading.facts, first, reading.idf, some)
            half.add(some)
    make: Any = faiss.IndexShards
    shards = make(dim, True, True)  # threaded, the second half's ids after
    for half in halves:
        shards.add_shard(half)

    lookup = lookup_with(model, index, "none")
    times: dict[str, list[float]] = {"exact": [], "one thread": [], "two threads": []}
    for question, *_ in job["questions"]:
        rows, _unknown = reading.words.question(question)
        rows = rows[rows < known]
        q = model.U_O[blocks[X] + rows].sum(0, keepdims=True)
        for name, threads in (("exact", 2), ("one thread", 1), ("two threads", 2)):
            faiss.omp_set_num_threads(threads)
            start = time.perf_counter()
            if name == "exact":
                lookup.search(question, reading)
            elif name == "one thread":
                for half in halves:
                    half.search(q, 1)
            else:
                shards.search(q, 1)
            times[name].append(1000 * (time.perf_counter() - start))
    result: dict[str, Any] = {name: spread(some[1:] or some) for name, some in times.items()}
    return result | {"bytes": 2 * dim * n, "peak_bytes": peak()}


def bm25(job: dict[str, Any]) -> dict[str, Any]:
    """BM25 from a library, with the same words."""
    try:
        import bm25s
    except ImportError:
        return {"left_out": "bm25s is not installed"}
    from memnn.facts import model as models
    from memnn.facts.triples import triples

    normal = models.load(job["model"]).dictionary.normal
    start = time.perf_counter()
    retriever = bm25s.BM25()
    retriever.index([normal(str(t)) for t in triples(job["triples"])], show_progress=False)
    built = time.perf_counter() - start
    times = []
    for question, *_ in job["questions"]:
        start = time.perf_counter()
        retriever.retrieve([normal(question)], k=1, show_progress=False)
        times.append(1000 * (time.perf_counter() - start))
    return {**spread(times), "build_seconds": built, "peak_bytes": peak()}


def mean(values: Sequence[float]) -> float:
    return float(sum(values) / max(1, len(values)))


def spread(times: Sequence[float]) -> dict[str, float]:
    import numpy as np

    return {
        "median_ms": float(np.median(times)),
        "mean_ms": mean(times),
        "p95_ms": float(np.quantile(times, 0.95)),
    }


JOBS = {"build": build, "cold": cold, "answer": answer, "flat": flat, "bm25": bm25}

if __name__ == "__main__":
    job = json.load(sys.stdin)
    print(json.dumps(JOBS[job["what"]](job)))
