"""How well a fact fits a question, in a few numbers that a calibration can read.

A score says which fact fits best, not whether the best one fits. That shows in what is left over:
words of the question that the fact neither has nor is near to.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from memnn.components.lookup import Lookup, Reading
from memnn.features.english import FUNCTION_WORDS
from memnn.features.facts import ASKING, ROLE, words_of
from memnn.features.tokens import surface_words
from memnn.kernels.phi import X, Y

_EMPTY = FUNCTION_WORDS | {ASKING}
_ASKING = frozenset(
    [
        "?",
        "what",
        "who",
        "whom",
        "whose",
        "where",
        "when",
        "which",
        "why",
        "how",
        "do",
        "be",
        "can",
        "could",
        "will",
        "would",
        "must",
        "should",
        "have",
        "a",
        "an",
        "the",
        "i",
        "me",
        "my",
        "we",
        "our",
        "us",
        "you",
        "your",
        "it",
        "its",
        "there",
        "of",
    ]
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|"
    r"forty|fifty|sixty|half|quarter|dozen|hundred|thousand|once|twice|every|each)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\d|\b(?:\w+day|january|february|march|april|may|june|july|august|september|october|november|"
    r"december|spring|summer|autumn|winter|morning|noon|afternoon|evening|night|midnight|weekend|"
    r"week|month|year|today|tomorrow|yesterday|o'clock|first|second|third|\w+th|until|before|after|"
    r"at (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|quarter))\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|on|at|under|behind|beside|by|near|next to|above|below|to|from|into|inside|outside|"
    r"between|over|through|around|opposite|with|lives?|stands?|hangs?)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\bwhen\b|\b(?:what|which) (?:time|day|date|year|month)\b", re.IGNORECASE)
_WHERE = re.compile(r"\bwhere\b", re.IGNORECASE)
_COUNT = re.compile(r"\bhow (?:many|much|often|long|old|far|big|tall|high)\b", re.IGNORECASE)
_HOW = re.compile(r"\bhow (?!many\b|do\b|does\b|did\b|is\b|are\b|should\b|can\b)", re.IGNORECASE)


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
    kind: float
    """Whether a question for a time, place or number finds one: 1, -1, or 0 where not asked."""
    how: float
    """It asks for a measure: how old, how far."""


class Fitted(NamedTuple):
    fit: Fit
    matched: frozenset[int]
    """The rows of the question's words that stand in the fact."""
    unmatched: tuple[str, ...]
    """The words that the fact leaves over, for people."""


def fit(
    lookup: Lookup,
    reading: Reading,
    question: str,
    place: int,
    text: str,
    score: float,
    gap: float,
    read: tuple[np.ndarray, list[str]] | None = None,
) -> Fitted:
    """What a fact (`text`, at its place) has to do with a question, which may have been read."""
    words, idf = reading.words, reading.idf
    rows, unknown = read or words.question(question)
    asked = [r for r in rows.tolist() if words.word(r) not in _EMPTY]
    unknown = [word for word in unknown if word not in FUNCTION_WORDS]
    a, b = reading.facts.ptr[place : place + 2]
    entries = reading.facts.entries[a:b]
    told = words_of(entries)
    present = set(told.tolist())
    matched = frozenset(r for r in asked if r in present)
    rarest = words.dictionary.rarest
    total = float(idf[asked].sum()) + rarest * len(unknown) or 1.0
    near = {r: 1.0 if r in matched else nearness(lookup, r, told) for r in asked}
    over_by = [float(idf[r]) * (1 - near[r]) for r in asked] + [rarest] * len(unknown)
    over = [words.word(r) for r in asked if near[r] < 0.5] + unknown
    named = 0.0
    for part in (0, 2):
        inside = told[(entries >> np.uint32(ROLE)) & 3 == part]
        inside = np.array([w for w in inside if words.word(int(w)) not in FUNCTION_WORDS], np.int64)
        if len(inside):
            share = float(idf[[w for w in inside if w in matched]].sum()) / float(idf[inside].sum())
            named = max(named, share)
    numbers = Fit(
        score=score,
        gap=float(np.clip(gap / max(abs(score), 1e-6), -1.0, 1.0)),
        matched=float(idf[sorted(matched)].sum()) / total,
        left=sum(over_by) / total,
        worst=max(over_by, default=rarest) / rarest,
        phrase=_share(present, [r for r in rows.tolist() if words.word(r) not in _ASKING], unknown),
        words=float(min(len(matched), 3)),
        head=float(bool(asked) and not unknown and max(asked, key=lambda r: idf[r]) in matched),
        unknown=float(min(len(unknown), 3)),
        names=float(len(_names(question) - _words(text))),
        named=named,
        kind=_kind(question, text),
        how=float(_HOW.search(question) is not None),
    )
    return Fitted(numbers, matched, tuple(over))


def _share(present: set[int], rows: list[int], unknown: list[str]) -> float:
    return sum(r in present for r in rows) / max(1, len(rows) + len(unknown))


def nearness(lookup: Lookup, row: int, told: np.ndarray) -> float:
    """How near a word of the question is to the nearest word of a fact, from 0 to 1."""
    known = len(lookup.dictionary)
    told = told[told < known]
    if row >= known or not len(told):
        return 0.0
    U, blocks = lookup.U_O, lookup.blocks
    return float(np.clip((U[blocks[Y] + told] @ U[blocks[X] + row]).max(), 0.0, 1.0))


def _names(text: str) -> set[str]:
    """Words with a capital, but the first."""
    return {w.lower().removesuffix("'s") for w in surface_words(text)[1:] if w[:1].isupper()} - {
        "i"
    }


def _words(text: str) -> set[str]:
    return {part for w in surface_words(text) for part in (w.lower(), w.lower().removesuffix("'s"))}


def _kind(question: str, text: str) -> float:
    for asks, tells in ((_WHEN, _TIME), (_COUNT, _NUMBER), (_WHERE, _PLACE)):
        if asks.search(question):
            return 1.0 if tells.search(text) else -1.0
    return 0.0
