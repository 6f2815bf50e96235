"""The embedded store: writing, embedding, size, opening, and reading while it is written.

    python -m benchmarks.store [-o DIR] [--facts N] [--seconds S] [--quick]

bulk       facts per second of one `write_many`, beside plain sqlite3 inserts of the same rows
single     durable single writes per second, alone and in groups (threads that write at once),
           beside plain sqlite3 with a commit for every row, and the disk's own limit
embedding  vectors per second, and what they add on disk
opening    a new process opens the store and answers its first question: as it was written, when all
           of it is read once, and prepared by `memnn memory embed`, when its outline is
sharing    one process writes and four read and ask: no error, nothing stale

What a disk and a busy machine give differs from minute to minute: each figure stands beside
sqlite3's in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

import memnn
from benchmarks import report
from benchmarks.machine import machine
from benchmarks.processes import command, environment
from benchmarks.sharing import READERS, ROOMS, under_load
from memnn.memory.sqlite.store import SqliteStore
from memnn.stories.model import embedder, load, save
from memnn.stories.organised import Organised
from memnn.stories.train import fit

FACTS, ACTORS, THREADS, SEED = 1_000_000, 10_000, 16, 0
WANTED = {"bulk": 50_000.0, "group": 2_000.0, "open": 2.0, "size": 400.0}


def facts(count: int) -> list[str]:
    """Statements about many actors, of whom the network knows a few; Joe is told of last."""
    rng = np.random.default_rng(SEED)
    actors = ["Joe", "Fred", "Bill", "Dan", *(f"Actor-{n}" for n in range(4, ACTORS))]
    who, where, what = (rng.integers(n, size=count) for n in (ACTORS, len(ROOMS), 3))
    did = ("{} went to the {}.", "{} moved to the {}.", "{} travelled to the {}.")
    told = [
        did[v].format(actors[a], ROOMS[r])
        for v, a, r in zip(what.tolist(), who.tolist(), where.tolist(), strict=True)
    ]
    return [*told[:-1], "Joe went to the garden."]


def seconds_of(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def plain(path: Path) -> sqlite3.Connection:
    """What one would write without this package: text and time by id, as durable as ours."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE facts (id INTEGER PRIMARY KEY, time TEXT, text TEXT)")
    return connection


def measure_bulk(folder: Path, told: list[str]) -> dict[str, Any]:
    with closing(plain(folder / "plain.db")) as connection:

        def insert() -> None:
            rows = [("2026-01-01T00:00:00.000000Z", text) for text in told]
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO facts (time, text) VALUES (?, ?)", rows)
            connection.execute("COMMIT")

        theirs = seconds_of(insert)
    with SqliteStore(folder / "store.db") as store:
        ours = seconds_of(lambda: store.memory().write_many(told))
    return {
        "facts": len(told),
        "memnn_per_second": len(told) / ours,
        "sqlite_per_second": len(told) / theirs,
        "ratio": theirs / ours,
        "memnn_bytes": size(folder, "store.db"),
        "sqlite_bytes": size(folder, "plain.db"),
    }


def measure_single(folder: Path, writes: int) -> dict[str, Any]:
    text = "Joe went to the garden."
    with closing(plain(folder / "plain-single.db")) as connection:
        insert = "INSERT INTO facts (time, text) VALUES ('2026-01-01T00:00:00.000000Z', ?)"
        theirs = seconds_of(lambda: [connection.execute(insert, (text,)) for _ in range(writes)])
    with SqliteStore(folder / "single.db") as store:
        memory = store.memory()
        alone = seconds_of(lambda: [memory.write(text) for _ in range(writes)])

        def work() -> None:
            for _ in range(writes // 4):
                memory.write(text)

        def together() -> None:
            threads = [threading.Thread(target=work) for _ in range(THREADS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        group = seconds_of(together)
    return {
        "fsync_per_second": fsyncs(folder, writes),
        "sqlite_per_second": writes / theirs,
        "alone_per_second": writes / alone,
        "group_per_second": THREADS * (writes // 4) / group,
        "threads": THREADS,
    }


def fsyncs(folder: Path, count: int) -> float:
    """How often the disk can say that a page has arrived."""
    with open(folder / "fsync", "wb", buffering=0) as file:

        def sync() -> None:
            for _ in range(count):
                file.write(b"x" * 4096)
                os.fdatasync(file.fileno())

        return count / seconds_of(sync)


def measure_embedding(folder: Path, model: Path) -> dict[str, Any]:
    trained = load(model)
    by = embedder(trained)
    O = Organised(trained.dictionary, trained.layout_O, trained.U_O, trained.recipe)  # noqa: E741
    with SqliteStore(folder / "store.db") as store:
        seconds = seconds_of(lambda: store.memory().vectors(by))
        again = seconds_of(lambda: store.memory().vectors(by))
        O.prepare(store.memory())
        count = len(store.memory())
    return {
        "dim": by.dim,
        "per_second": count / seconds,
        "seconds": seconds,
        "seconds_when_there": again,
        "bytes_with_vectors": size(folder, "store.db"),
    }


OPEN = """
import sys, time
start = time.perf_counter()
from memnn.stories.network import load
imported = time.perf_counter()
net = load(sys.argv[1], memory=sys.argv[2])
opened = time.perf_counter()
answer = net.ask("Where is Joe?")
first = time.perf_counter()
net.ask("Where is Fred?")
second = time.perf_counter()
net.tell("Joe went to the office.")
told = time.perf_counter()
again = net.ask("Where is Joe?")
third = time.perf_counter()
import json
print(json.dumps({
    "import": imported - start, "open": opened - imported, "first": first - opened,
    "second": second - first, "tell": told - second, "after_telling": third - told,
    "answer": answer.text, "answer_after_telling": again.text,
}))
net.forget(again.evidence[0].id)
"""


def measure_opening(folder: Path, model: Path) -> dict[str, Any]:
    opening = [sys.executable, "-c", OPEN, str(model), str(folder / "store.db")]
    run = subprocess.run(opening, stdout=subprocess.PIPE, text=True, check=True, env=environment())
    result: dict[str, Any] = json.loads(run.stdout)
    if (result["answer"], result["answer_after_telling"]) != ("garden", "office"):
        raise AssertionError(f"wrong answers: {result}")
    return result


def size(folder: Path, name: str) -> int:
    return sum(file.stat().st_size for file in folder.iterdir() if file.name.startswith(name))


def goals(result: dict[str, Any]) -> list[dict[str, Any]]:
    single = result["single"]
    group = min(WANTED["group"], single["fsync_per_second"])
    opening, prepared = (result[k]["open"] + result[k]["first"] for k in ("opening", "prepared"))
    megabytes = result["embedding"]["bytes_with_vectors"] / 1e6
    bulk = result["bulk"]["memnn_per_second"]
    sharing = result["sharing"]
    shared = f"{sharing['seconds']:.0f} s, one writes and {READERS} ask: errors or stale answers"
    rows: list[tuple[str, float, float, bool]] = [
        ("bulk, facts per second", bulk, WANTED["bulk"], bulk >= WANTED["bulk"]),
        (
            "durable single writes per second, in groups",
            single["group_per_second"], group, single["group_per_second"] >= group,
        ),
        ("open and first answer, seconds", opening, WANTED["open"], opening < WANTED["open"]),
        ("the same, prepared", prepared, WANTED["open"], prepared < WANTED["open"]),
        ("MB on disk with vectors", megabytes, WANTED["size"], megabytes <= WANTED["size"]),
        (shared, len(sharing["errors"]), 0, not sharing["errors"]),
    ]  # fmt: skip
    return [dict(zip(("what", "measured", "wanted", "met"), row, strict=True)) for row in rows]


def opened(how: str, took: dict[str, Any]) -> list[str]:
    return [
        f"A new process on a store {how}: imports {took['import']:.2f} s, opens "
        f"{took['open']:.3f} s, first answer {took['first']:.2f} s, second {took['second']:.4f} s, "
        f"tells {took['tell']:.4f} s, answers from it {took['after_telling']:.4f} s.",
        "",
    ]


def page(result: dict[str, Any]) -> str:
    bulk, single, embedding = result["bulk"], result["single"], result["embedding"]
    sharing = result["sharing"]
    met = [
        (
            goal["what"],
            f"{goal['measured']:,.{0 if goal['wanted'] > 9 or not goal['wanted'] else 2}f}",
            f"{goal['wanted']:,.0f}",
            report.yes(goal["met"]),
        )
        for goal in result["goals"]
    ]
    speeds = [
        (
            f"{bulk['facts']:,} at once",
            f"{bulk['memnn_per_second']:,.0f}", f"{bulk['sqlite_per_second']:,.0f}",
        ),
        (
            "one by one, each durable",
            f"{single['alone_per_second']:,.0f}", f"{single['sqlite_per_second']:,.0f}",
        ),
        (
            f"one by one from {single['threads']} threads",
            f"{single['group_per_second']:,.0f}", "–",
        ),
    ]  # fmt: skip
    lines = [
        "# The embedded store",
        "",
        *report.about(result["machine"]),
        "",
        *report.table(["wanted", "measured", "wanted", "met"], met),
        "",
        *report.table(["rows per second", "memnn", "plain sqlite3"], speeds),
        "",
        f"The disk confirms {single['fsync_per_second']:,.0f} pages per second. memnn's rows have "
        "checksums and word buckets, plain sqlite3's have neither.",
        "",
        f"On disk: {bulk['memnn_bytes'] / 1e6:,.0f} MB (plain sqlite3 "
        f"{bulk['sqlite_bytes'] / 1e6:,.0f} MB), with {embedding['dim']}-dimensional vectors "
        f"{embedding['bytes_with_vectors'] / 1e6:,.0f} MB.",
        "",
        f"Embedding: {embedding['per_second']:,.0f} vectors per second, "
        f"{embedding['seconds']:.1f} s in all; when they are there, "
        f"{embedding['seconds_when_there']:.2f} s.",
        "",
        *opened("as it was written", result["opening"]),
        *opened("prepared by `memnn memory embed`", result["prepared"]),
        f"{sharing['seconds']:.0f} s under load: {sharing['writes']:,} durable writes, "
        f"{sharing['reads']:,} questions in {sharing['readers']} processes, "
        f"{len(sharing['errors'])} errors or stale answers.",
    ]
    return "\n".join(lines) + "\n"


def run(count: int, seconds: float) -> dict[str, Any]:
    result: dict[str, Any] = {"machine": machine() | {"sqlite": sqlite3.sqlite_version}}
    with tempfile.TemporaryDirectory(prefix="memnn-bench-") as name:
        folder = Path(name)
        model = save(fit(memnn.simulate(seed=SEED), memnn.Recipe()), folder / "model")
        result["bulk"] = measure_bulk(folder, facts(count))
        result["single"] = measure_single(folder, min(2_000, count))
        result["opening"] = measure_opening(folder, model)
        result["embedding"] = measure_embedding(folder, model)
        result["prepared"] = measure_opening(folder, model)
        result["sharing"] = under_load(folder / "shared.db", model, seconds)
    return result | {"goals": goals(result)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the embedded store.")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--facts", type=int, default=FACTS)
    parser.add_argument("--seconds", type=float, default=60.0, help="of the load")
    parser.add_argument("--quick", action="store_true", help="a smoke run; figures mean nothing")
    options = parser.parse_args()
    result = run(*((20_000, 2.0) if options.quick else (options.facts, options.seconds)))
    print(page(result))
    if options.output is not None:
        report.write_json(options.output / "results.json", result)
        report.write_text(options.output / "report.md", page(result))


if __name__ == "__main__":
    command(main)
