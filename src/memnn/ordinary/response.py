"""What is said of a path: words of its supports, or an answer that was learnt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from memnn.kernels.arrays import Bools, Floats
from memnn.ordinary.examples import FIRST_LEARNT, SEVERAL
from memnn.ordinary.heard import HeardText
from memnn.ordinary.path_read import PathRead
from memnn.ordinary.sums import MOST, is_number, number_in, probable, said, value_of

LONGEST_PART = 10
"""Words of an answer that stand together, at most."""


class Spoken(NamedTuple):
    """An answer, how sure R is of it, and the line that its words are from, if they are."""

    text: str
    sure: float
    line: int | None = None


class _Span(NamedTuple):
    """Words of a line, and how probable it is that they are all of the answer."""

    line: int
    start: int
    end: int
    p: float


def respond(
    read: PathRead, path: Sequence[int], texts: Sequence[HeardText], learnt: Sequence[str]
) -> Spoken:
    """The words of an answer. `texts` are the statements in view."""
    says = _shares(read.say[: FIRST_LEARNT + len(learnt)])
    numbers = {number: i for i, word in enumerate(learnt, FIRST_LEARNT)
               if (number := number_in(word)) is not None}  # fmt: skip
    others = says.copy()
    others[list(numbers.values())] = 0.0
    choice = int(np.argmax(others))
    p, worked_out = float(says[choice]), float(says.sum() - others.sum())
    if worked_out > p and numbers:
        number, sure = _number(read, path, texts, {n: float(says[i]) for n, i in numbers.items()})
        forms = [form for line in path for form in texts[line].forms if is_number(form)]
        figures = bool(forms) and all(form.isdecimal() for form in forms)
        return Spoken(said(number, figures), worked_out * sure)
    if choice >= FIRST_LEARNT:
        return Spoken(learnt[choice - FIRST_LEARNT], p)
    best = _best(read, path, texts)
    parts = []
    if choice == SEVERAL:
        for line in path:
            text = texts[line]
            chosen = read.inside[line, : len(text.words), 0] > 0.0
            parts += [_words(text, start, end) for start, end in _runs(chosen, text.pauses)]
    if len(parts) < 2:
        parts = [_words(texts[best.line], best.start, best.end)]
    return Spoken(", ".join(parts), p * best.p, best.line)


def _number(
    read: PathRead, path: Sequence[int], texts: Sequence[HeardText], says: Mapping[int, float]
) -> tuple[int, float]:
    """A number that is worked out: by the signs of words, and by what R has learnt to say."""
    found = np.zeros(MOST + 1)
    for number, p in says.items():
        found[number] = p
    found /= max(float(found.sum()), 1e-9)
    if (signs := read.signs) is not None:
        rows = [signs[line, : len(texts[line].words)] for line in path]
        values = [value_of(form) for line in path for form in texts[line].forms]
        found = (found + probable(np.concatenate(rows), values)) / 2
    best = int(np.argmax(found))
    return best, float(found[best])


def _shares(scores: Floats) -> Floats:
    p = np.exp(scores - scores.max())
    found: Floats = p / p.sum()
    return found


def _best(read: PathRead, path: Sequence[int], texts: Sequence[HeardText]) -> _Span:
    """Where an answer begins and ends, most probably."""
    lengths = [len(texts[line].words) for line in path]
    words = np.concatenate(
        [read.inside[line, :m] for line, m in zip(path, lengths, strict=True)]
    )  # (words, 3)
    first, last = _shares(words[:, 1]), _shares(words[:, 2])
    found = _Span(path[0], 0, 1, 0.0)
    at = 0
    for line, m in zip(path, lengths, strict=True):
        both = np.triu(np.outer(first[at : at + m], last[at : at + m]))
        both -= np.triu(both, LONGEST_PART)
        start, end = np.unravel_index(int(np.argmax(both)), both.shape)
        if both[start, end] > found.p:
            found = _Span(line, int(start), int(end) + 1, float(both[start, end]))
        at += m
    return found


def _runs(chosen: Bools, pauses: Sequence[bool]) -> list[tuple[int, int]]:
    """Chosen words that stand together, without a comma between them."""
    found, start = list[tuple[int, int]](), None
    for at, (taken, pause) in enumerate(zip(chosen.tolist(), pauses, strict=True)):
        if taken and start is None:
            start = at
        if start is not None and (pause or not taken):
            found.append((start, at + taken))
            start = None
    return found if start is None else [*found, (start, len(chosen))]


def _words(text: HeardText, start: int, end: int) -> str:
    if text.forms[start].startswith("'") and start:
        start -= 1
    return " ".join(text.forms[start:end]).replace(" '", "'").replace(" n't", "n't")
