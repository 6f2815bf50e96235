"""How well a fact fits a question, in a few numbers that a calibration can read.

A score says which fact fits best, not whether the best one fits. That shows in what is left over:
words of the question that the fact neither has nor is near to. A question is read once, as an
`Inquiry`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memnn.facts.bags import ASKING, MOST_WORDS, ROLE, FactDictionary
from memnn.facts.lookup import Lookup
from memnn.facts.reading import Reading
from memnn.kernels.arrays import Ints
from memnn.kernels.phi import X, Y
from memnn.text.english import AUXILIARIES, FUNCTION_WORDS
from memnn.text.lemmas import lemma
from memnn.text.sentences import QUESTION_WORDS
from memnn.text.tokens import surface_words

_EMPTY = FUNCTION_WORDS | {ASKING}
_ASKS = QUESTION_WORDS | AUXILIARIES | {ASKING}


@dataclass(frozen=True)
class Inquiry:
    """A question as all members read it."""

    text: str
    words: tuple[str, ...]
    """As the dictionary of facts writes them, each once."""
    said: frozenset[str]
    """As they were written, in lower case."""
    names: frozenset[str]
    """Words with a capital, but the first."""


def inquiry(text: str, dictionary: FactDictionary) -> Inquiry:
    written, normal = surface_words(text), dictionary.normal(text)
    names = {w.lower().removesuffix("'s") for w in written[1:] if w[:1].isupper()}
    return Inquiry(
        text,
        tuple(dict.fromkeys(normal)),
        frozenset(w.lower().removesuffix("'s") for w in written),
        frozenset(names - {"i"}),
    )


class Fit(NamedTuple):
    """The numbers, all without a unit; idf is how much a word weighs."""

    score: float
    gap: float
    """How far the runner-up is behind, as a share of the score."""
    matched: float
    """The share of the question's weight that stands in the fact, word by word."""
    left: float
    """The share that the fact neither has nor, by its embedding, is near to."""
    worst: float
    """The weight of the heaviest word among them, 1 for the rarest."""
    phrase: float
    """The share of its words that stand in the fact, small ones too, but not those that ask."""
    words: float
    """How many words of the question stand in the fact, up to three."""
    head: float
    """Whether its heaviest word does."""
    unknown: float
    """Words of the question that were never told or learned."""
    names: float
    """Names in the question that the fact does not mention."""
    named: float
    """The share of the fact's subject or object (of a sentence: all) that the question names."""
    odd: float
    """How many words that are no small ones are left over, up to three."""
    topic: float
    """Whether the question has the first word of the fact that is no small one."""


class Fitted(NamedTuple):
    fit: Fit
    matched: frozenset[int]
    """The rows of the question's words that stand in the fact."""
    unmatched: tuple[str, ...]
    """The words that the fact leaves over, for people."""


class Rows(NamedTuple):
    """A question as rows of one memory's words."""

    all: Ints
    unknown: list[str]
    content: list[int]
    """Without small words."""


def said_in(text: str) -> set[str]:
    """The words of a sentence as they were written, in lower case."""
    words = {word.lower() for word in surface_words(text)}
    return words | {word.removesuffix("'s") for word in words}


def rows_of(asked: Inquiry, reading: Reading) -> Rows:
    words = reading.words
    rows, unknown = reading.asked(asked.words)
    content = [r for r in rows.tolist() if words.word(r) not in _EMPTY]
    if not content:  # a saw is no small word, but its lemma is
        meant = {lemma(word) for word in asked.said - FUNCTION_WORDS}
        content = [r for r in rows.tolist() if words.word(r) in meant]
    return Rows(rows, [word for word in unknown if word not in FUNCTION_WORDS], content)


def matched_rows(rows: Rows, reading: Reading, places: Sequence[int]) -> list[frozenset[int]]:
    """The words of the question, but the small ones, that stand in each of these facts."""
    if len(rows.content) == 1:
        return [frozenset(rows.content)] * len(places)
    held = {row: reading.held_by(row) for row in rows.content}
    return [
        frozenset(row for row, among in held.items() if _holds(among, place)) for place in places
    ]


def _holds(among: Sequence[int], place: int) -> bool:
    at = bisect_left(among, place)
    return at < len(among) and among[at] == place


def topic(reading: Reading, place: int) -> int:
    """The first word of a fact that is no small one, or -1."""
    for entry in reading.entries(place).tolist():
        word: int = entry & MOST_WORDS - 1
        if reading.words.word(word) not in _EMPTY:
            return int(word)
    return -1


def fit(
    lookup: Lookup,
    reading: Reading,
    asked: Inquiry,
    rows: Rows,
    place: int,
    text: str,
    score: float,
    gap: float,
    usual: Collection[str] = (),
) -> Fitted:
    """What a fact (`text`, at its place) has to do with a question; `usual` words ask for it."""
    words, weight = reading.words, reading.words.weight
    entries: list[int] = reading.entries(place).tolist()  # they are few: quicker than an array
    inside = [entry & MOST_WORDS - 1 for entry in entries]
    present = set(inside)
    content, unknown = rows.content, rows.unknown
    matched = frozenset(r for r in content if r in present)
    rarest = words.dictionary.rarest
    total = sum(map(weight, content)) + rarest * len(unknown) or 1.0
    near = dict.fromkeys(matched, 1.0)
    if len(near) < len(content):
        near |= nearness(lookup, [r for r in content if r not in near], inside)
    over_by = [weight(r) * (1 - near[r]) for r in content] + [rarest] * len(unknown)
    over = [words.word(r) for r in content if near[r] < 0.5] + unknown
    named = 0.0
    parts = [entry >> ROLE & 3 for entry in entries]
    for part in (0, 2):
        heavy = [w for w, p in zip(inside, parts, strict=True) if p == part]
        heavy = [w for w in heavy if words.word(w) not in FUNCTION_WORDS]
        if heavy:
            share = sum(weight(w) for w in heavy if w in matched) / sum(map(weight, heavy))
            named = max(named, share)
    phrase = [r for r in rows.all.tolist() if words.word(r) not in _ASKS]
    numbers = Fit(
        score=score,
        gap=min(max(gap / max(abs(score), 1e-6), -1.0), 1.0),
        matched=sum(map(weight, matched)) / total,
        left=sum(over_by) / total,
        worst=max(over_by, default=rarest) / rarest,
        phrase=sum(r in present for r in phrase) / max(1, len(phrase) + len(unknown)),
        words=float(min(len(matched), 3)),
        head=float(bool(content) and not unknown and max(content, key=weight) in matched),
        unknown=float(min(len(unknown), 3)),
        names=float(len(asked.names - said_in(text))),
        named=named,
        odd=float(min(sum(word not in usual for word in over), 3)),
        topic=float(topic(reading, place) in matched),
    )
    return Fitted(numbers, matched, tuple(over))


def nearness(lookup: Lookup, rows: list[int], told: list[int]) -> dict[int, float]:
    """How near words of the question are to the nearest word of a fact, from 0 to 1."""
    known = len(lookup.dictionary)
    told, old = [r for r in told if r < known], [r for r in rows if r < known]
    near = dict.fromkeys(rows, 0.0)
    if told and old:
        U, blocks = lookup.U_O, lookup.blocks
        pairs = U[blocks[X] + np.array(old)] @ U[blocks[Y] + np.array(told)].T  # (asked, told)
        near |= zip(old, pairs.max(axis=1).clip(0.0, 1.0).tolist(), strict=True)
    return near
