"""The HTTP service under load, beside the bare framework, and killed in the middle of it.

    python -m benchmarks.server [--seconds 60] [--clients 64] [--store PATH] [--kill] [-o DIR]

Cost: one client, empty requests to the bare framework, then questions to memories of 100 and 1,000
facts, in turns; processor time of the server and time on the wire, both per request. Load: clients
that tell one statement to four questions; afterwards every acknowledged statement must be there.
With --kill the server is killed (SIGKILL) under the same load, started anew, and the same holds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import statistics
import tempfile
from dataclasses import dataclass, field
from functools import cache
from itertools import count, cycle
from pathlib import Path
from time import perf_counter
from typing import Any

import memnn
from benchmarks.http_client import Connection, Process, request, running
from benchmarks.machine import machine
from benchmarks.processes import command
from benchmarks.report import write_json

MEMORIES = 8
FACTS = 1000
ROUNDS, REQUESTS = 5, 400


def serve(store: str, model: str = "") -> tuple[str, ...]:
    chosen = ("--model", model) if model else ()
    return ("-m", "memnn", "serve", "--port", "0", "--store", store, *chosen)


@cache
def sentences() -> list[tuple[str, str]]:
    """Statements of the simulated world, each with a question, made before anything is timed."""
    (story,) = memnn.simulate(statements=7000, questions=3000, seed=5)
    asked = [question.text for question in story.questions]
    told = [statement.text for statement in story.statements]
    return [(text, asked[place % len(asked)]) for place, text in enumerate(told)]


async def fill(port: int, name: str, facts: int) -> None:
    """A memory of so many facts, told some at a time."""
    said = cycle(sentences())
    async with Connection(port) as connection:
        while facts:
            part = min(facts, 100)
            text = "\n".join(next(said)[0] for _ in range(part))
            status, _ = await connection("POST", f"/v1/memories/{name}/statements", {"text": text})
            assert status == 200
            facts -= part


@dataclass
class Cost:
    """Per request, in microseconds."""

    processor: list[float] = field(default_factory=list)
    wire: list[float] = field(default_factory=list)

    def report(self) -> dict[str, float]:
        return {
            "processor_us": round(statistics.median(self.processor), 1),
            "wire_us": round(statistics.median(self.wire), 1),
        }


async def cost(server: Process, bare: Process) -> dict[str, Any]:
    """What a question costs beside an empty request, measured in turns."""
    question = {"text": "Where is the milk?"}
    others = {
        "told sentence": "Where does the ladder hang?",
        "world fact": "What is the capital of Norway?",
    }
    runs = {
        "empty request, bare framework": (bare, request("GET", "/empty")),
        "empty request (/healthz)": (server, request("GET", "/healthz")),
    }
    for facts in (100, FACTS):
        await fill(server.port, f"cost-{facts}", facts)
        path = f"/v1/memories/cost-{facts}/questions"
        runs[f"question, {facts:,} facts"] = (server, request("POST", path, question))
        if facts == 100:
            ladder = {"text": "The ladder hangs behind the garage door."}
            async with Connection(server.port) as connection:
                await connection("POST", path.replace("questions", "statements"), ladder)
            for kind, text in others.items():
                runs[f"question for a {kind}, {facts:,} facts"] = (
                    server,
                    request("POST", path, {"text": text}),
                )
    costs = {name: Cost() for name in runs}
    for turn in range(ROUNDS + 1):
        for name, (process, message) in runs.items():
            async with Connection(process.port) as connection:
                busy, start = process.cpu_seconds(), perf_counter()
                for _ in range(REQUESTS):
                    status, _ = await connection.raw(message)
                    assert status == 200
                wire, busy = perf_counter() - start, process.cpu_seconds() - busy
            if turn:  # the first is for warming up
                costs[name].wire.append(wire / REQUESTS * 1e6)
                costs[name].processor.append(busy / REQUESTS * 1e6)
    report: dict[str, Any] = {name: one.report() for name, one in costs.items()}
    empty = report["empty request, bare framework"]
    for one in report.values():
        one["times_empty"] = round(one["processor_us"] / empty["processor_us"], 2)
        one["times_empty_wire"] = round(one["wire_us"] / empty["wire_us"], 2)
    return report


@dataclass
class Load:
    """What the clients saw: latencies in seconds, acknowledged statements, errors."""

    asked: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)
    acknowledged: dict[str, dict[int, str]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def report(self) -> dict[str, Any]:
        total = len(self.asked) + len(self.told)
        return {
            "requests": total,
            "errors": len(self.errors),
            "first_errors": self.errors[:3],
            "requests_per_second": round(total / self.seconds),
            "questions_ms": _percentiles(self.asked),
            "statements_ms": _percentiles(self.told),
        }


def _percentiles(seconds: list[float]) -> dict[str, float]:
    if len(seconds) < 2:
        return {}
    cuts = statistics.quantiles(seconds, n=100)
    return {f"p{p}": round(cuts[p - 1] * 1e3, 2) for p in (50, 90, 99)}


async def client(number: int, port: int, until: float, load: Load) -> None:
    """One to four: a statement, then questions about what happened."""
    chance = random.Random(number)
    said = chance.sample(sentences(), k=1000)
    try:
        async with Connection(port) as connection:
            for turn in count():
                if perf_counter() > until:
                    return
                name = f"load-{chance.randrange(MEMORIES)}"
                statement, question = said[turn % len(said)]
                start = perf_counter()
                if turn % 5 == number % 5:
                    path = f"/v1/memories/{name}/statements"
                    status, body = await connection("POST", path, {"text": statement})
                    load.told.append(perf_counter() - start)
                    if status == 200:
                        (slot,) = body["statements"]
                        load.acknowledged.setdefault(name, {})[slot["id"]] = slot["text"]
                else:
                    path = f"/v1/memories/{name}/questions"
                    status, body = await connection("POST", path, {"text": question})
                    load.asked.append(perf_counter() - start)
                if status != 200:
                    load.errors.append(f"{status} {body}")
    except (OSError, asyncio.IncompleteReadError) as error:
        load.errors.append(repr(error))


async def under_load(port: int, clients: int, seconds: float, kill: Process | None = None) -> Load:
    load = Load()
    sentences()
    start = perf_counter()
    until = start + seconds * (2 if kill else 1)
    running = [asyncio.create_task(client(n, port, until, load)) for n in range(clients)]
    if kill is not None:
        await asyncio.sleep(seconds)
        kill.end(signal.SIGKILL)
        load.seconds = perf_counter() - start
    await asyncio.gather(*running)
    load.seconds = load.seconds or perf_counter() - start
    return load


async def lost(port: int, acknowledged: dict[str, dict[int, str]]) -> list[str]:
    """The acknowledged statements that are not there."""
    gone = []
    async with Connection(port) as connection:
        for name, told in acknowledged.items():
            found: dict[int, str] = {}
            while True:
                after = max(found, default=0)
                path = f"/v1/memories/{name}/statements?after={after}&limit=1000"
                status, body = await connection("GET", path)
                assert status == 200
                if not body["statements"]:
                    break
                found |= {slot["id"]: slot["text"] for slot in body["statements"]}
            gone += [f"{name} {id}" for id, text in told.items() if found.get(id) != text]
    return gone


async def measure(store: str, clients: int, seconds: float, model: str = "") -> dict[str, Any]:
    with running(*serve(store, model)) as server:
        with running("-m", "benchmarks.bare_server") as bare:
            costs = await cost(server, bare)
        for number in range(MEMORIES):
            await fill(server.port, f"load-{number}", FACTS)
        load = await under_load(server.port, clients, seconds)
        gone = await lost(server.port, load.acknowledged)
        ended = server.end()
    acknowledged = sum(map(len, load.acknowledged.values()))
    return {
        "cost": costs,
        "load": load.report()
        | {"clients": clients, "acknowledged": acknowledged, "lost": len(gone)},
        "exit_code": ended,
    }


async def killed(store: str, clients: int, seconds: float, model: str = "") -> dict[str, Any]:
    with running(*serve(store, model)) as server:
        for number in range(MEMORIES):
            await fill(server.port, f"load-{number}", FACTS)
        load = await under_load(server.port, clients, seconds, kill=server)
    with running(*serve(store, model)) as server:
        gone = await lost(server.port, load.acknowledged)
    acknowledged = sum(map(len, load.acknowledged.values()))
    return {"acknowledged": acknowledged, "lost": len(gone), "clients": clients}


def main() -> None:
    parser = argparse.ArgumentParser(description="The HTTP service under load.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--store", default="", help="a store; a new file unless given")
    parser.add_argument("--kill", action="store_true", help="kill the server under load")
    parser.add_argument("-o", "--output", type=Path, help="a folder for server.json")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = given.store or str(Path(folder) / "load.db")
        results = {
            "machine": machine("fastapi", "uvicorn"),
            "store": "in RAM" if store == ":memory:" else "SQLite",
            **asyncio.run(measure(store, given.clients, given.seconds)),
        }
        if given.kill:
            store = str(Path(folder) / "killed.db")
            results["killed"] = asyncio.run(killed(store, given.clients, given.seconds / 6))
    print(json.dumps(results, indent=1))
    if given.output:
        write_json(given.output / "server.json", results)


if __name__ == "__main__":
    command(main)
