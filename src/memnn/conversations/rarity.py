"""How rare a word is: counted in the memory, on top of what talk in general says of it.

A memory of three turns knows nothing of its words: "Oslo" and "you" both stand in one of them. So
every memory begins with the counts of some turns of other people's talk (`words.json`, made by
`train.py` from the project's conversations), which lose their weight as it grows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import log1p

import numpy as np
from numpy.typing import NDArray

BEFORE = 100
"""Turns of other talk that a memory begins with."""
LEAST_TALKS = 2
"""A word that stands in one conversation alone is of its topic."""


@cache
def shares() -> Mapping[str, float]:
    """The share of turns in general that hold a word; a word that is not there is in none."""
    about = json.loads((files("memnn.conversations") / "words.json").read_text(encoding="utf-8"))
    return {word: count / about["turns"] for word, count in about["words"].items()}


def idf(words: Sequence[str], held: NDArray[np.float64], end: int) -> NDArray[np.float64]:
    """The weights of words that stand in so many of a memory's first `end` turns.

    What a word of a single turn would weigh, in this memory and in general, times how rare the
    word is among these turns: one that stands in all of them weighs nothing.
    """
    known = shares()
    once = np.maximum(held, 1.0)
    local = np.log1p((end - np.minimum(once, end) + 0.5) / (once + 0.5))
    rarest = np.log1p((max(end, 1) - 0.5) / 1.5)
    general = 1.0 + BEFORE * np.array([known.get(word, 0.0) for word in words])
    whole = np.log1p((end + BEFORE - general + 0.5) / (general + 0.5))
    found: NDArray[np.float64] = whole * local / rarest
    return found


def rarest(word: str, end: int) -> float:
    """The same of a word that stands in none of them."""
    general = 1.0 + BEFORE * shares().get(word, 0.0)
    return log1p((end + BEFORE - general + 0.5) / (general + 0.5))


def counted(talks: Iterable[Iterable[set[str]]]) -> dict[str, object]:
    """What `words.json` holds, from the words of every turn of some conversations."""
    turns, talked, n = Counter[str](), Counter[str](), 0
    for talk in talks:
        seen = set[str]()
        for words in talk:
            turns.update(words)
            seen |= words
            n += 1
        talked.update(seen)
    kept = sorted(word for word, often in talked.items() if often >= LEAST_TALKS)
    return {"turns": n, "words": {word: turns[word] for word in kept}}
