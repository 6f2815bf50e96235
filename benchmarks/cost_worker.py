"""One version of memnn for `benchmarks.cost`: it reads the name of a case, and says what a call of
it takes, in microseconds of processor time.

It runs on the sources of any version, so it uses nothing but calls that are promised to stay.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import process_time
from typing import Any

import memnn
from memnn import default

TOLD = (
    "Fred went to the kitchen. Fred picked up the milk. "
    "The ladder hangs behind the garage door. The rent is due on Monday."
)
STATEMENT, STORY = "Joe went to the kitchen.", "Where is Fred?"
ASKED = {
    "a story": STORY,
    "what was told": "Where does the ladder hang?",
    "the world": "Where does milk come from?",
    "nothing known": "Where is Zorbax?",
}


def cases(folder: str) -> dict[str, Callable[[], object]]:
    """Memories grow while they are told, in both versions alike."""
    net = memnn.train(memnn.simulate(statements=700, questions=300))
    if callable(getattr(default, "ensemble", None)):
        model = default.ensemble()
    else:  # before models came with the package
        before: Any = default
        model = before.cached_ensemble() or before.train_ensemble(before.train()[0])[0]
    talk = memnn.Ensemble(model)
    lasting = net.with_memory(memnn.open_memory(str(Path(folder) / "store.db")))
    in_ram = net.with_memory(memnn.RamMemory())
    told = net.with_memory(memnn.RamMemory())
    (story,) = memnn.simulate(statements=100, questions=1, seed=5)
    texts = [statement.text for statement in story.statements]
    for memory in (told.memory, talk.memory):
        memory.write_many(texts)
    talk.tell(TOLD)
    return {
        "tell, in RAM": lambda: in_ram.tell(STATEMENT),
        "tell, in SQLite": lambda: lasting.tell(STATEMENT),
        "ask a story network": lambda: told.ask("Where is Joe?"),
        **{f"ask the ensemble, {about}": _asking(talk, text) for about, text in ASKED.items()},
        "tell and ask the ensemble": lambda: (talk.tell(STATEMENT), talk.ask(STORY)),
    }


def store_cases(folder: str) -> dict[str, Callable[[], object]]:
    """A store of ten thousand statements, told, asked, opened and read."""
    net = memnn.train(memnn.simulate(statements=700, questions=300))
    path = str(Path(folder) / "store.db")
    (story,) = memnn.simulate(statements=10_000, questions=1, seed=5)
    with closing(memnn.open_memory(path)) as memory:
        memory.write_many([statement.text for statement in story.statements])
    told = net.with_memory(memnn.open_memory(str(Path(folder) / "told.db")))
    asked = net.with_memory(memnn.open_memory(path))

    def open_and_ask() -> None:
        with closing(memnn.open_memory(path)) as memory:
            net.with_memory(memory).ask("Where is Joe?")

    return {
        "tell": lambda: told.tell(STATEMENT),
        "ask": lambda: asked.ask("Where is Joe?"),
        "open and ask": open_and_ask,
        "read ten": lambda: asked.memory.read(range(5, 9_000, 900)),
        "read everything": lambda: list(asked.memory.scan()),
    }


def _asking(talk: memnn.Ensemble, text: str) -> Callable[[], object]:
    return lambda: talk.ask(text)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        calls = (store_cases if sys.argv[1:] == ["store"] else cases)(folder)
        for call in calls.values():
            call()
        print(*calls, sep="\t", flush=True)
        for line in sys.stdin:
            name, times = line.rstrip("\n").split("\t")
            call, n = calls[name], int(times)
            start = process_time()
            for _ in range(n):
                call()
            print((process_time() - start) / n * 1e6, flush=True)


if __name__ == "__main__":
    main()
