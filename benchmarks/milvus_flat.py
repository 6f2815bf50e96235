"""What a process that opens a memory in Milvus pays for it, however large the memory is.

    python -m benchmarks.milvus --flat 10000,100000 [--before CHECKOUT] [--tick 20]

Each memory is filled by one process. Then others open it, one after the other, and measure opening,
the first question and later ones, search and telling: the default network, by its public calls, so
that the package of another checkout can be measured on the same memory (`--before`).
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.processes import ROOT, environment
from benchmarks.report import table

PLACES = ("kitchen", "garden", "office", "bathroom", "bedroom")
PERSONAL = ("My sister drinks rooibos tea.", "I live in Oslo.", "My car is red.")
AT_ONCE = 20_000
LATER = 5
"""Later calls, of which the median is shown; each is about somebody else."""
CALLS: dict[str, Callable[[Any, int], object]] = {
    "story question": lambda net, i: net.ask(f"Where is Actor{7 + i}?"),
    "told question": lambda net, i: net.ask("What does my sister drink?"),
    "search": lambda net, i: net.search(f"Where is Actor{7 + i}?", k=5),
    "search, common words": lambda net, i: net.search("Who went to the kitchen?", k=5),
    "tell": lambda net, i: net.tell("Joe went to the garden."),
}


def statement(i: int, actors: int) -> str:
    """Every hundredth is something of one's own."""
    if i % 100 == 50:
        return PERSONAL[i // 100 % 3]
    return f"Actor{i % actors} went to the {PLACES[i % 5]}."


def fill(address: str, name: str, n: int) -> dict[str, float]:
    """Statements a second as they are written, and as what is kept of them is made."""
    import memnn
    from memnn.memory.milvus.memory import MilvusMemory

    memory = MilvusMemory(address, name)
    memory.write("Joe went to the kitchen.")
    began = time.perf_counter()
    for i in range(0, n, AT_ONCE):
        some = range(i, min(n, i + AT_ONCE))
        memory.write_many([statement(j, max(n // 100, 8)) for j in some])
    written = time.perf_counter()
    memory.close()
    with memnn.open(address, name) as net:
        net.follow()
    return {"written": n / (written - began), "kept": n / (time.perf_counter() - written)}


class Counted:
    """What is asked of the server, and how many bytes of text and numbers come back."""

    def __init__(self) -> None:
        from pymilvus import MilvusClient

        self.calls = self.bytes = 0
        query = MilvusClient.query

        def counted(*args: Any, **more: Any) -> Any:
            found = query(*args, **more)
            self.calls += 1
            self.bytes += len(json.dumps(list(map(dict, found))))
            return found

        MilvusClient.query = counted


def measured(call: Callable[[], object], counted: Counted) -> dict[str, float]:
    counted.calls = counted.bytes = 0
    began = time.perf_counter()
    call()
    ms = (time.perf_counter() - began) * 1_000
    return {"ms": ms, "calls": counted.calls, "bytes": counted.bytes}


def worker(address: str, name: str) -> dict[str, Any]:
    """What a new process measures; a question to another memory loads all that is imported."""
    import memnn

    warm = memnn.open()
    warm.tell([statement(i, 8) for i in range(300)])
    for call in CALLS.values():
        call(warm, 0)
    counted, found = Counted(), dict[str, dict[str, float]]()
    memnn.open(address, name).close()  # what is imported for Milvus
    opened: list[Any] = []
    found["open"] = measured(lambda: opened.append(memnn.open(address, name)), counted)
    (net,) = opened
    for what, call in CALLS.items():
        found[f"first {what}"] = measured(partial(call, net, 0), counted)
        later = [measured(partial(call, net, i), counted) for i in range(1, LATER + 1)]
        found[what] = {key: statistics.median(each[key] for each in later) for key in later[0]}
    net.close()
    return found


def another_process(address: str, name: str, root: Path) -> dict[str, Any]:
    """The second of two: the first may keep something for it."""
    command = [sys.executable, "-m", "benchmarks.milvus_flat", address, name]
    for _ in range(2):
        done = subprocess.run(
            command, env=environment(root), check=True, capture_output=True, text=True
        )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measure(address: str, sizes: list[int], before: Path | None = None) -> list[dict[str, Any]]:
    results = []
    for n in sizes:
        row: dict[str, Any] = {"statements": n, "rates": fill(address, f"flat{n}", n)}
        row["after"] = another_process(address, f"flat{n}", ROOT)
        if before is not None:
            row["before"] = another_process(address, f"flat{n}", before)
        results.append(row)
    return results


def page(results: list[dict[str, Any]], tick: int) -> str:
    """A column for each size and version, and at the end calls and kilobytes of the largest."""
    versions = [v for v in ("before", "after") if v in results[0]]
    columns = [(row, v) for row in results for v in versions]
    heads = [f"{row['statements']:,}, {version}" for row, version in columns]
    last = results[-1]["after"]
    lines = [
        (
            what,
            *(f"{row[version][what]['ms']:,.0f} ms" for row, version in columns),
            f"{last[what]['calls']:,.0f}",
            f"{last[what]['bytes'] / 1_000:,.1f}",
        )
        for what in last
    ]
    text = "\n".join(table([f"tick {tick} ms", *heads, "calls", "kB"], lines)) + "\n"
    for row in results:
        rates = row["rates"]
        text += (
            f"\n{row['statements']:,}: {rates['written']:,.0f} statements/s written, "
            f"{rates['kept']:,.0f}/s read and kept\n"
        )
    return text


if __name__ == "__main__":
    print(json.dumps(worker(*sys.argv[1:3])))
