"""One process writes to a store while four read it and ask: no error, and nothing stale."""

from __future__ import annotations

import multiprocessing
import time
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

from memnn.memory.sqlite.store import SqliteStore
from memnn.stories.network import load

READERS, PATIENCE = 4, 120
ROOMS = ("kitchen", "office", "garden", "bathroom", "hallway")
DELETE_EVERY = 2_000
"""A deletion makes every network on the store read it again."""


def under_load(path: Path, model: Path, seconds: float) -> dict[str, Any]:
    """One writer and four readers, each a process; what they counted and what went wrong."""
    context = multiprocessing.get_context("spawn")
    acknowledged, deleted = context.Value("q", 0), context.Value("q", 0)
    ready, stop = context.Semaphore(0), context.Event()
    results: Any = context.Queue()
    common = (path, acknowledged, deleted, ready, stop, results)
    processes = [context.Process(target=_write, args=common)]
    processes += [context.Process(target=_read, args=(*common, model)) for _ in range(READERS)]
    SqliteStore(path).close()
    for process in processes:
        process.start()
    for _ in processes:
        if not ready.acquire(timeout=PATIENCE):
            raise RuntimeError("a process did not start; its last words are above")
    time.sleep(seconds)
    stop.set()
    said = [results.get(timeout=PATIENCE) for _ in processes]
    for process in processes:
        process.join()
    return {
        "seconds": seconds,
        "readers": READERS,
        "writes": sum(s["count"] for s in said if s["what"] == "writes"),
        "reads": sum(s["count"] for s in said if s["what"] == "reads"),
        "errors": [s["error"] for s in said if s["error"]],
    }


def _write(
    path: Path,
    acknowledged: Synchronized[int],
    deleted: Synchronized[int],
    ready: Any,
    stop: Any,
    results: Any,
) -> None:
    """Joe goes from room to room; what `write` returned is announced, and so are deletions."""
    count, error = 0, ""
    try:
        with SqliteStore(path) as store:
            memory = store.memory()
            acknowledged.value = memory.write("Joe went to the kitchen.").id
            ready.release()
            while not stop.is_set():
                room = ROOMS[count % len(ROOMS)]
                acknowledged.value = memory.write(f"Joe went to the {room}.").id
                count += 1
                if count % DELETE_EVERY == 0:
                    old = memory.last_id - 25
                    memory.delete([old])
                    deleted.value = old
    except Exception as problem:
        ready.release()
        error = f"{type(problem).__name__}: {problem}"
    results.put({"what": "writes", "count": count, "error": error})


def _read(
    path: Path,
    acknowledged: Synchronized[int],
    deleted: Synchronized[int],
    ready: Any,
    stop: Any,
    results: Any,
    model: Path,
) -> None:
    """Whatever was announced before a question is in its answer."""
    count, error = 0, ""
    try:
        net = load(model, memory=str(path))
        ready.release()
        while not stop.is_set():
            id, gone = acknowledged.value, deleted.value
            if not id:
                continue
            ids = net.memory.candidates(buckets=["joe"])
            assert ids[-1] >= id, f"{ids[-1]} for {id}: stale candidates"
            assert net.memory.last_id >= id, f"stale last id {net.memory.last_id} for {id}"
            assert gone not in ids, f"{gone} is deleted and a candidate"
            answer = net.ask("Where is Joe?")
            assert answer.evidence[0].id >= id, f"{answer.evidence[0].id} for {id}: stale answer"
            count += 1
    except Exception as problem:
        ready.release()
        error = f"{type(problem).__name__}: {problem}"
    results.put({"what": "reads", "count": count, "error": error})
