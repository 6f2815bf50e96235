"""Writers that say what they begin and what was acknowledged, and a look at what is there.

Two of them work on one memory and may be killed at any moment. Whatever was acknowledged must be
as it was said; of what was begun, each thing is there as a whole or not at all.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from memnn.errors import MemoryStoreError
from memnn.memory import Memory


class Lengths:
    """An embedder that costs nothing: lengths of a text and of its first words."""

    def __init__(self, dim: int = 2) -> None:
        self.id, self.dim = f"lengths {dim}", dim

    def embed(self, texts: Sequence[str]) -> Any:
        rows = [[len(text), *map(len, text.split())][: self.dim] for text in texts]
        return np.array(rows, np.float16)


def write_on(
    use: Callable[[], Memory],
    name: str,
    rng: random.Random,
    pipe: int,
    *,
    kinds: Sequence[str],
    compact: Callable[[Memory], None],
    dims: Sequence[int] = (2,),
    most: int = 400,
    failed: Callable[[], None] | None = None,
    going_on: Callable[[], bool] = lambda: True,
) -> None:
    """Every kind of write, announced before and acknowledged after; `name` is of this life alone.

    `use` gives the memory for the next write. Where a write may fail, `failed` is called then, and
    what it was about stays as announced.
    """

    def say(*what: Any) -> None:
        os.write(pipe, json.dumps(what).encode() + b"\n")

    mine: list[int] = []
    number = 0
    while going_on():
        number += 1
        kind = rng.choice(kinds)
        parts = 1 if kind == "one" else rng.randrange(2, most)
        texts = [f"{name} {number} {part} {parts} " + "x" * 20 for part in range(parts)]
        some = [mine.pop(rng.randrange(len(mine))) for _ in range(min(3, len(mine)))]
        told: list[tuple[int, str]] = []
        memory = use()
        try:
            if kind in ("one", "many"):
                mine, some = mine + some, []
                say("begin", number, texts, [])
                slots = [memory.write(texts[0])] if kind == "one" else memory.write_many(texts)
                told = [(slot.id, slot.text) for slot in slots]
                mine += [slot.id for slot in slots]
            elif kind == "delete":
                say("begin", number, [], some)
                memory.delete(some)
            else:
                mine, some = mine + some, []
                say("begin", number, [], [])
                if kind == "embed":
                    memory.embed(Lengths(rng.choice(dims)))
                else:
                    compact(memory)
        except MemoryStoreError as error:
            say("failed", number, f"{kind}: {type(error).__name__}", [])
            if failed is not None:
                failed()
        else:
            say("end", number, told, some)


class Ledger:
    """What was said of one memory, by all writers, in all their lives."""

    def __init__(self) -> None:
        self.told: dict[int, str] = {}
        self.gone: set[int] = set()
        self.begun: list[tuple[list[str], list[int]]] = []
        self.acknowledged = 0
        self.failed: Counter[str] = Counter()

    def add(self, lines: Iterable[str]) -> None:
        """All that one writer said in one life; its last line may be half a line."""
        open_: dict[int, tuple[list[str], list[int]]] = {}
        for line in lines:
            try:
                what, number, first, second = json.loads(line)
            except ValueError:
                continue
            if what == "begin":
                open_[number] = (first, second)
            elif what == "failed":
                self.failed[first] += 1
            else:
                del open_[number]
                self.acknowledged += 1
                for id, text in first:
                    assert id not in self.told, f"the id {id} was given twice"
                    self.told[id] = text
                self.gone |= set(second)
        self.begun += [entry for entry in open_.values() if entry[0] or entry[1]]

    def check(self, memory: Memory) -> None:
        """Nothing acknowledged is lost, nothing is back, nothing stands there twice."""
        slots = list(memory.scan())
        found = {slot.id: slot.text for slot in slots}
        assert len(memory) == len(slots) == len(found), "an id stands twice"
        assert len(set(found.values())) == len(found), "a text stands twice"
        back = sorted(self.gone & set(found))
        assert not back, f"back: {[(id, self.told.get(id), found[id]) for id in back[:5]]}"
        perhaps_gone = {id for _, ids in self.begun for id in ids}
        lost = {id for id in set(self.told) - self.gone if id not in found}
        missing = sorted(lost - perhaps_gone)
        assert not missing, f"lost: {[(id, self.told[id]) for id in missing[:5]]}"
        changed = {id for id in self.told.keys() & found.keys() if self.told[id] != found[id]}
        assert not changed, "something was changed"
        there = set(found.values())
        for texts, ids in self.begun:
            assert len({text in there for text in texts}) < 2, "half of a batch is there"
            known = [id for id in ids if id in self.told]
            assert len({id in found for id in known}) < 2, "half of a deletion was done"
        more = set(found) - set(self.told)
        begun = {text for texts, _ in self.begun for text in texts}
        assert {found[id] for id in more} <= begun, "nobody told this"
        assert memory.candidates().tolist() == sorted(found)
        assert memory.last_id >= max(found, default=0)
        # From here on what is there is known.
        self.told |= found
        self.gone |= lost
        self.begun = []
