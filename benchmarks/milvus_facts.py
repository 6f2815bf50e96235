"""Facts in Milvus beside an index on disk, on the real server on this machine.

    python -m benchmarks.milvus_facts [--size 1M] [--kinds FLAT,HNSW] [--questions 200] [-o DIR]

Made-up triples (`benchmarks.synthetic`), every other question with a content word replaced. The
model is trained on the first of them; both hold all, and answer the same questions in one run.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from rich.progress import Progress

from benchmarks.facts import parse_size
from benchmarks.machine import load, machine
from benchmarks.processes import command
from benchmarks.report import table, write_json, write_text
from benchmarks.synthetic import World
from memnn.facts.build import BuildProgress, build_index
from memnn.facts.evaluate import Find, evaluate, finder
from memnn.facts.milvus import index as milvus
from memnn.facts.milvus.build import build_facts
from memnn.facts.model import FactsModel
from memnn.facts.recipe import FactsRecipe
from memnn.facts.train import fit
from memnn.facts.triples import Asked, Triple
from memnn.facts.word_hash import WordHash

SAMPLE = 200_000
LATER = 10
"""Questions that are asked before those that count: the engine loads what it needs."""
Measures = dict[str, Any]


def asked(find: Find, questions: list[Asked], places: dict[Triple, int]) -> Measures:
    began = time.perf_counter()
    find(questions[0].question)
    first = time.perf_counter() - began
    for each in questions[1:LATER]:
        find(each.question)
    found = evaluate(find, questions, places).results(float("-inf"))
    return {
        "first_ms": 1_000 * first, "later_ms": found["ms_per_question"], "hit@1": found["hit@1"],
        "hit@10": found["hit@10"], "candidates": found["candidates"],
    }  # fmt: skip


def on_disk(
    model: FactsModel, source: Path, folder: Path, questions: list[Asked]
) -> tuple[dict[str, Measures], dict[Triple, int]]:
    began = time.perf_counter()
    built, _ = build_index(model, source, folder)
    seconds = time.perf_counter() - began
    reading, places = built.reading(model.dictionary), built.places(q.gold for q in questions)
    rows = {}
    for name, hash in (("exact", None), ("word hash", WordHash(reading.frequency))):
        find = finder(model.lookup(hash), reading)
        rows[f"on disk, {name}"] = {"build_s": seconds, **asked(find, questions, places)}
    return rows, places


def in_milvus(
    model: FactsModel, source: Path, size: int, where: str, questions: list[Asked],
    places: dict[Triple, int],
) -> Measures:  # fmt: skip
    began = time.perf_counter()
    with Progress() as shown:
        task = shown.add_task("writing", total=None)

        def tell(at: BuildProgress) -> None:
            shown.update(task, completed=at.done, total=size, description=at.stage)

        count, _ = build_facts(model, source, where, progress=tell)
    built = time.perf_counter()
    facts = milvus.MilvusFacts(where, model)
    opened = time.perf_counter()
    try:
        find = milvus.finder(facts, model.lookup(), places)
        return {
            "build_s": built - began, "facts": count, "open_ms": 1_000 * (opened - built),
            **asked(find, questions, places),
        }  # fmt: skip
    finally:
        facts.close()


def page(results: dict[str, Any]) -> str:
    lines = [
        (
            name,
            f"{row['build_s']:,.0f} s",
            f"{row['open_ms']:,.0f} ms" if "open_ms" in row else "",
            f"{row['first_ms']:,.1f} ms",
            f"{row['later_ms']:,.1f} ms",
            f"{100 * row['hit@1']:.1f} %",
            f"{100 * row['hit@10']:.1f} %",
            f"{row['candidates']:,.0f}",
        )
        for name, row in results["rows"].items()
    ]
    heads = ["", "build", "open", "first", "later", "hit@1", "hit@10", "candidates"]
    about = (
        f"{results['facts']:,} facts, {results['questions']} questions, every other one with a "
        f"content word replaced; load {results['load']:.1f} when it began."
    )
    return "\n".join([about, "", *table(heads, lines)]) + "\n"


def main() -> None:
    from tests.memory.milvus_server import Server

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=parse_size, default=1_000_000)
    parser.add_argument("--kinds", default="FLAT,HNSW", help="the engine's indexes of vectors")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    world = World(options.size, options.seed)
    results: dict[str, Any] = {
        "machine": machine("milvus", "pymilvus", "numba"), "load": load(),
        "facts": options.size, "questions": options.questions, "rows": {},
    }  # fmt: skip
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place)
        world.write(folder / "triples.tsv", options.size)
        recipe = FactsRecipe(epochs=1, match=False, bow=1.0, seed=options.seed)
        model = fit(world.sample(min(SAMPLE, options.size)), recipe=recipe)
        questions = world.questions(options.questions)
        rows, places = on_disk(model, folder / "triples.tsv", folder / "index", questions)
        results["rows"] |= rows
        print(page(results), flush=True)
        for kind in options.kinds.split(","):
            server = Server(folder / kind)
            (folder / kind).mkdir()
            try:
                server.start()
                ask = partial(in_milvus, model, folder / "triples.tsv", options.size)
                row = ask(f"{server.address}?index={kind}", questions, places)
                results["rows"][f"Milvus, {kind}"] = row
            finally:
                server.stop()
            print(page(results), flush=True)
    if options.output:
        write_json(options.output / "milvus.json", results)
        write_text(options.output / "milvus.md", f"# Facts in Milvus\n\n{page(results)}")


if __name__ == "__main__":
    command(main)
