"""Whether somebody asks who types no question mark: "is dinner ready", "wher is joe".

A regression over the first words of a sentence, learnt by `train_asking` from the project's
conversations and data/talk.txt, without regard to marks and capitals. Misspelt words are read as
those they look like. What ends with a full stop is told unless it begins with a question word, and
so is what is not clearly asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from memnn.conversations.intents import Floats
from memnn.text.sentences import QUESTION_WORDS, is_question
from memnn.text.spelling import mended
from memnn.text.tokens import words_1
from memnn.text.vectors import english

LEAST = 0.8
"""How probable it must be: a question that is told is there to be seen, a statement that is asked
is lost."""
FIRST = 4
"""The words that tell."""


@dataclass(frozen=True)
class AskedModel:
    """What was learnt: a weight for each feature, and a bias at the end."""

    known: frozenset[str]
    """Words that are read by themselves; all others are one."""
    rows: Mapping[str, int]
    weights: Floats  # (features + 1,)

    def probability(self, text: str) -> float:
        """How likely it is that a text asks."""
        found = [self.rows[f] for f in features(text, self.known) if f in self.rows]
        score = float(self.weights[found].sum() + self.weights[-1])
        return float(1.0 / (1.0 + np.exp(-score)))


def is_asked(text: str) -> bool:
    """Whether a sentence is a question, with or without its mark.

    >>> is_asked("wher is joe"), is_asked("is dinner ready"), is_asked("joe is in the kitchen")
    (True, True, False)
    """
    words = words_1(text)
    if is_question(text) or not words or words[0] in QUESTION_WORDS:
        return is_question(text)  # "When I was ten I lived in Paris" is told
    read = put_right(text)
    if is_question(read) or text.rstrip().endswith((".", "!", "。", "！")):
        return is_question(read)
    return shipped().probability(read) >= LEAST


def put_right(text: str) -> str:
    """A text without slips, as far as English alone tells."""
    return mended(text, lambda _: {}, english())[0]


def features(text: str, known: frozenset[str]) -> list[str]:
    """The first words, alone and together."""
    words = [word if word in known else "*" for word in words_1(text)[:FIRST]] + [">"] * FIRST
    found = [f"{place} {word}" for place, word in enumerate(words[: FIRST - 1])]
    found += [f"to {n} {' '.join(words[:n])}" for n in range(2, FIRST + 1)]
    return [*found, f"then {words[1]} {words[2]}"]


@cache
def shipped() -> AskedModel:
    return unpacked((files("memnn.conversations") / "asking.npz").read_bytes())


def unpacked(data: bytes) -> AskedModel:
    with np.load(BytesIO(data)) as arrays:
        found = dict(arrays)

    def lines(packed: NDArray[np.uint8]) -> list[str]:
        return packed.tobytes().decode().split("\n")

    rows = {name: row for row, name in enumerate(lines(found["rows"]))}
    return AskedModel(frozenset(lines(found["known"])), rows, found["weights"].astype(np.float32))
