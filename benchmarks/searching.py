"""`python -m benchmarks.searching`: what telling a turn and searching cost, as a memory grows.

Turns are put together from those of the project's conversations, half of one and half of another;
questions are those about them, each asked once. Times are of the processor, in one thread.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import memnn
from benchmarks.processes import on_one_thread
from memnn.conversations.labelled import ours
from memnn.conversations.search import Finder
from memnn.types import Turn

SIZES = (1_500, 1_000_000)
SPEAKERS, TURNS_OF_A_SESSION, BATCH = 2_000, 20, 50_000


def turns(n: int, rng: random.Random) -> Iterator[tuple[str, Turn]]:
    """As many as wanted, in sessions of two speakers."""
    texts = [text.split() for talk in ours() for text, _ in talk.turns]
    for number in range(n):
        one, other = rng.choice(texts), rng.choice(texts)
        session = number // TURNS_OF_A_SESSION
        speaker = f"Speaker{(2 * session + number % 2) % SPEAKERS}"
        text = " ".join([*one[: len(one) // 2], *other[len(other) // 2 :]])
        yield text, Turn(speaker, "2023-05-08T12:00:00Z", f"s{session}")


def measured(size: int, questions: int, folder: Path, seed: int = 0) -> dict[str, Any]:
    """A store of so many turns: told at once, then one by one, opened again and searched."""
    rng = random.Random(seed)
    asked = [q.question for talk in ours() for q in talk.questions]
    rng.shuffle(asked)
    path = str(folder / f"{size}.db")
    made = turns(size, rng)
    start = process_time()
    with closing(memnn.open_memory(path)) as memory:
        for first in range(0, size, BATCH):
            batch = [next(made) for _ in range(min(BATCH, size - first))]
            memory.write_many([t for t, _ in batch], turns=[turn for _, turn in batch])
        told = (process_time() - start) / size
        start = process_time()
        Finder()(memory, "Who is there?")
        indexed = process_time() - start
    start = process_time()
    with closing(memnn.open_memory(path)) as memory:
        finder = Finder()
        finder(memory, "Who is there?")
        opened = process_time() - start
        took = []
        for question in asked[:questions]:
            start = process_time()
            finder(memory, question)
            took.append(process_time() - start)
        start = process_time()
        for text, turn in turns(100, rng):
            memory.write(text, turn=turn)
        one = (process_time() - start) / 100
    return {
        "turns": size,
        "ms to tell a turn, many at once": 1e3 * told,
        "ms to tell a turn, one by one": 1e3 * one,
        "s to index": indexed,
        "s to open and search once": opened,
        "ms a question": 1e3 * float(np.mean(took)),
        "ms a question, median": 1e3 * float(np.median(took)),
    }


def main() -> None:
    on_one_thread("benchmarks.searching")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--questions", type=int, default=200)
    asked = parser.parse_args()
    for size in asked.sizes:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(measured(size, asked.questions, Path(folder)), indent=1), flush=True)


if __name__ == "__main__":
    main()
