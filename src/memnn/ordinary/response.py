"""What is said of a path: words of its supports, or an answer that was learnt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from memnn.ordinary.examples import FIRST_LEARNT, SEVERAL
from memnn.ordinary.heard import HeardText
from memnn.ordinary.reader import PathRead

JOINS = -1.0
"""A word beside one that answers belongs to it from this score on; by itself it takes 0."""


class Spoken(NamedTuple):
    """An answer, how sure R is of it, and whether its words are those of supports."""

    text: str
    sure: float
    copied: bool


def respond(
    read: PathRead, path: Sequence[int], texts: Sequence[HeardText], learnt: Sequence[str]
) -> Spoken:
    """The words of an answer. `texts` are the statements in view."""
    says = read.say[: FIRST_LEARNT + len(learnt)]
    p = np.exp(says - says.max())
    p /= p.sum()
    choice = int(np.argmax(says))
    if choice >= FIRST_LEARNT:
        return Spoken(learnt[choice - FIRST_LEARNT], float(p[choice]), False)
    scores = {line: read.inside[line, : len(texts[line].words)] for line in path}
    best = max(path, key=lambda line: float(scores[line].max()))
    top = int(np.argmax(scores[best]))
    parts = []
    for line in path:
        chosen = scores[line] > 0.0
        if line == best:
            chosen[top] = True
        for start, end in _runs(chosen, scores[line]):
            if choice == SEVERAL or (line == best and start <= top < end):
                parts.append(_words(texts[line], start, end))
    sure = 1.0 / (1.0 + np.exp(-float(scores[best][top])))
    return Spoken(", ".join(parts), float(p[choice] * sure), True)


def _runs(chosen: np.ndarray, scores: np.ndarray) -> list[tuple[int, int]]:
    """Chosen words that stand together, with those beside them that nearly were."""
    wide = chosen.copy()
    for at in range(1, len(wide)):
        wide[at] |= wide[at - 1] and scores[at] > JOINS
    for at in range(len(wide) - 2, -1, -1):
        wide[at] |= wide[at + 1] and scores[at] > JOINS
    edges = np.flatnonzero(np.diff(np.concatenate([[0], wide.astype(np.int8), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _words(text: HeardText, start: int, end: int) -> str:
    if text.forms[start].startswith("'") and start:
        start -= 1
    return " ".join(text.forms[start:end]).replace(" '", "'").replace(" n't", "n't")
