"""What a memory in Milvus costs: `python -m benchmarks.milvus [--tick 20] [--facts 100000]`.

Starts the server of the package `milvus` in a temporary folder. `--tick` is the server's
proxy.timeTickInterval in milliseconds (200 unless set): a strong read waits for the next tick.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.memory.milvus_server import Server

import memnn
from memnn.memory.milvus.memory import MilvusMemory

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


def measure(address: str, most: int) -> None:
    memory = MilvusMemory(address)
    memory.write("Joe went to the kitchen.")
    single = rate(500, lambda: [memory.write(fact(i, 100)) for i in range(500)])
    print(f"single writes         {single:10,.0f} facts/s")
    net = memnn.train(memnn.simulate(seed=0)).with_memory(memory)
    for n in (1_000, most):
        more = [fact(i, n // 100) for i in range(n - len(memory))]
        bulk = rate(len(more), partial(memory.write_many, more))
        print(f"bulk writes           {bulk:10,.0f} facts/s ({len(more):,} facts)")
        reader = MilvusMemory(address)
        ids = reader.candidates(buckets=["actor7"]).tolist()
        print(f"{n:,} facts")
        for what, call, times in [
            (f"ids of one entity ({len(ids)})", partial(reader.candidates, None, ["actor7"]), 15),
            ("their texts", partial(reader.read, ids), 15),
            ("all ids", reader.candidates, 5),
            ("first question, full walk", partial(net.ask, "Where is Joe?"), 1),
            ("question, full walk", partial(net.ask, "Where is Joe?"), 5),
        ]:
            print(f"  {what:<28} {milliseconds(call, times):8,.0f} ms")
        reader.close()
    memory.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tick", type=int, default=200)
    parser.add_argument("--facts", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Server(Path(folder), options.tick)
        try:
            server.start()
            measure(server.address, options.facts)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
