"""What a memory in Milvus costs: writing, reading and asking, as it grows.

    python -m benchmarks.milvus [--tick 20] [--facts 100000] [-o DIR]
    python -m benchmarks.milvus --flat 10000,100000 [--before CHECKOUT] [--tick 20] [-o DIR]

Starts the server of the package `milvus` in a temporary folder. `--tick` is the server's
proxy.timeTickInterval in milliseconds (200 unless set): a strong read waits for the next tick.
`--flat` measures what a new process pays for a memory of each size (`milvus_flat`).
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import memnn
from benchmarks import milvus_flat
from benchmarks.machine import machine
from benchmarks.processes import command
from benchmarks.report import table, write_json, write_text
from memnn.memory.milvus.memory import MilvusMemory
from memnn.network import MemoryNetwork

PLACES = ("kitchen", "garden", "office", "bathroom", "bedroom")


def fact(i: int, actors: int) -> str:
    return f"Actor{i % actors} went to the {PLACES[i % 5]}."


def milliseconds(call: Callable[[], object], times: int) -> float:
    """The median of a few calls."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def rate(n: int, call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return n / (time.perf_counter() - began)


def measure(
    address: str, net: MemoryNetwork, sizes: tuple[int, ...], singles: int = 500, repeats: int = 15
) -> dict[str, Any]:
    """Facts written one by one, then many at once up to each size, read and asked there."""
    memory = MilvusMemory(address)
    memory.write("Joe went to the kitchen.")
    single = rate(singles, lambda: [memory.write(fact(i, 100)) for i in range(singles)])
    net = net.with_memory(memory)
    grown = []
    for n in sizes:
        more = [fact(i, max(n // 100, 8)) for i in range(n - len(memory))]
        bulk = rate(len(more), partial(memory.write_many, more))
        reader = MilvusMemory(address)
        ids = reader.candidates(buckets=["actor7"]).tolist()
        calls: dict[str, tuple[Callable[[], object], int]] = {
            "ids of one entity": (partial(reader.candidates, None, ["actor7"]), repeats),
            "their texts": (partial(reader.read, ids), repeats),
            "all ids": (reader.candidates, -(-repeats // 3)),
            "first question": (partial(net.ask, "Where is Joe?"), 1),
            "question": (partial(net.ask, "Where is Joe?"), -(-repeats // 3)),
        }
        grown.append(
            {
                "facts": n,
                "written": len(more),
                "bulk_per_second": bulk,
                "facts_of_one_entity": len(ids),
                "ms": {what: milliseconds(call, times) for what, (call, times) in calls.items()},
            }
        )
        reader.close()
    memory.close()
    return {"single_per_second": single, "sizes": grown}


def page(results: dict[str, Any]) -> str:
    rows = [("single writes", f"{results['single_per_second']:,.0f} facts/s")]
    for row in results["sizes"]:
        bulk = f"{row['bulk_per_second']:,.0f} facts/s"
        rows.append((f"bulk writes, {row['written']:,} facts", bulk))
        rows += [
            (f"{row['facts']:,} facts: {what}", f"{ms:,.0f} ms") for what, ms in row["ms"].items()
        ]
    return "\n".join(table(["", f"tick {results['tick']} ms"], rows)) + "\n"


def flat(options: argparse.Namespace) -> None:
    """What a new process pays, at several sizes."""
    from tests.memory.milvus_server import Server

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Server(Path(folder), options.tick)
        try:
            server.start()
            sizes = [int(size) for size in options.flat.split(",")]
            results = milvus_flat.measure(server.address, sizes, options.before)
        finally:
            server.stop()
    text = milvus_flat.page(results, options.tick)
    print(text)
    if options.output:
        about = {"machine": machine("milvus", "pymilvus"), "tick": options.tick}
        write_json(options.output / "flat.json", about | {"sizes": results})
        write_text(options.output / "flat.md", f"# A large memory in Milvus\n\n{text}")


def main() -> None:
    from tests.memory.milvus_server import Server

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tick", type=int, default=200)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--flat", help="sizes, separated by commas")
    parser.add_argument("--before", type=Path, help="another checkout, measured beside this one")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    if options.flat:
        flat(options)
        return
    net = memnn.train(memnn.simulate(seed=0))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Server(Path(folder), options.tick)
        try:
            server.start()
            measured = measure(server.address, net, (1_000, options.facts))
        finally:
            server.stop()
    about = {"machine": machine("milvus", "pymilvus"), "tick": options.tick}
    print(page(about | measured))
    if options.output:
        write_json(options.output / "milvus.json", about | measured)
        write_text(
            options.output / "milvus.md", f"# A memory in Milvus\n\n{page(about | measured)}"
        )


if __name__ == "__main__":
    command(main)
