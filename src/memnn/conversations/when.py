"""When something was: the time that a turn names for what a question is about.

A turn may name several times, and "on Friday" may be the last or the next one. Which of all
readings a question is after is a ranking like any other here: each has features, whose weights are
learnt from the questions of the project's conversations (`train_when.py`). That nothing is named,
and so the day it was said counts, is one of the readings.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from memnn.text.english import FUNCTION_WORDS
from memnn.text.lemmas import closer_lemma
from memnn.text.times import (
    KINDS,
    SHORT,
    TENSES,
    TimeMention,
    TimeSpan,
    asked_unit,
    coarser,
    mentions,
    written,
)
from memnn.text.tokens import words_1
from memnn.types import Answer, Slot, When

SAID = "said"
"""The kind of a reading that is the day of telling itself."""
NONE = frozenset[str]()
ENDS = ".!?\n"
_LETTERS = re.compile(r"[^\W\d_]+")


class TimeReading(NamedTuple):
    """One thing that a turn may say of when."""

    mention: TimeMention
    span: TimeSpan
    number: int
    """Which reading of its words it is."""
    later: bool
    """Whether it is after the day it was told."""
    held: list[int]
    """Where words of the question stand in its sentence, counted in words from the time."""
    share: float
    """Which share of the question's words the sentence has."""
    past: bool
    tenses: frozenset[str]
    """Those of `TENSES` in its sentence."""


class TimeQuestion:
    """A question for a time, and all readings of the times that a turn names."""

    def __init__(self, question: str, text: str, said: date) -> None:
        self.unit = asked_unit(question)
        self.said = said
        words = words_1(question)
        self.tenses = _tenses(question)
        self._lemmas = {closer_lemma(w) for w in words if w not in FUNCTION_WORDS} - {""}
        self.readings = [r for mention in mentions(text, said) for r in self._read(mention, text)]
        self.most = max((r.share for r in self.readings), default=0.0)
        told = TimeMention(0, 0, "", SAID, (TimeSpan(said, said, "day"),))
        self.readings.append(TimeReading(told, told.readings[0], 0, False, [], 0.0, False, NONE))

    def _read(self, mention: TimeMention, text: str) -> Iterator[TimeReading]:
        start, end = _sentence_at(text, mention.start)
        words, place = words_1(text[start:end]), len(words_1(text[start : mention.start]))
        lemmas = [closer_lemma(word) for word in words]
        held = [abs(i - place) for i, form in enumerate(lemmas) if form in self._lemmas]
        share = len(self._lemmas.intersection(lemmas)) / max(len(self._lemmas), 1)
        past, tenses = _past(words, lemmas), _tenses(text[start:end])
        for number, span in enumerate(mention.readings):
            later = span.first > self.said
            yield TimeReading(mention, span, number, later, held, share, past, tenses)


def _sentence_at(text: str, place: int) -> tuple[int, int]:
    start = max(text.rfind(end, 0, place) for end in ENDS) + 1
    ends = [found for end in ENDS if (found := text.find(end, place)) >= 0]
    return start, min(ends, default=len(text))


def _past(words: list[str], lemmas: list[str]) -> bool:
    """Whether a word is a verb of the past, for all its form says: neither a plural nor "-ing"."""
    return any(
        form != word
        and word.isalpha()
        and word not in FUNCTION_WORDS
        and not word.endswith(("s", "ing", "er", "est"))
        for word, form in zip(words, lemmas, strict=True)
    )


def _tenses(text: str) -> frozenset[str]:
    """Which of `TENSES` stand in a text; "she'll" has one, too."""
    words = _LETTERS.findall(text.lower())
    return frozenset(SHORT.get(word, word) for word in words).intersection(TENSES)


def _far(r: TimeReading, q: TimeQuestion) -> float:
    return math.log1p(abs((r.span.middle - q.said).days))


def _told(word: str) -> Feature:
    return lambda r, q: float(r.later and word in r.tenses)


def _asked(word: str) -> Feature:
    return lambda r, q: float(r.later and word in q.tenses)


def _timed(word: str) -> Feature:
    return lambda r, q: float(r.later and r.mention.words.lower().startswith(word + " "))


def _kind(kind: str) -> Feature:
    return lambda r, q: float(r.mention.kind == kind)


Feature = Callable[[TimeReading, TimeQuestion], float]
WORDS_MEANT: dict[str, Feature] = {
    "words": lambda r, q: r.share,
    "fewer words than another": lambda r, q: float(r.share < q.most),
    "near": lambda r, q: 1 / (1 + min(r.held)) if r.held else 0.0,
    "far": _far,
    "later": lambda r, q: float(r.later),
    "precise": lambda r, q: float(r.span.unit == "day"),
    "not as precise as asked": lambda r, q: float(bool(q.unit) and r.span.unit != q.unit),
    "lasting, since": lambda r, q: float(r.mention.kind == "lasting" and "since" in q.tenses),
    **{f"later, asked {word}": _asked(word) for word in sorted(TENSES)},
    **{f"kind {kind}": _kind(kind) for kind in (*KINDS, SAID)},
}
"""What speaks for some words of a turn, in their first reading."""
READING_MEANT: dict[str, Feature] = {
    "far": _far,
    "later": lambda r, q: float(r.later),
    "later and far": lambda r, q: r.later * _far(r, q),
    "later, told as past": lambda r, q: float(r.later and r.past),
    "second reading": lambda r, q: float(r.number == 1),
    "third reading": lambda r, q: float(r.number == 2),
    **{f"later, told {word}": _told(word) for word in sorted(TENSES)},
    **{f"later, asked {word}": _asked(word) for word in sorted(TENSES)},
    **{f"later, beginning with {word}": _timed(word) for word in sorted(TENSES)},
}
"""What speaks for one reading of these words."""


def features_of(
    readings: Sequence[TimeReading], asked: TimeQuestion, features: Mapping[str, Feature]
) -> list[list[float]]:
    """(readings, features)"""
    return [[of(r, asked) for of in features.values()] for r in readings]


def _best(
    readings: Sequence[TimeReading],
    asked: TimeQuestion,
    features: Mapping[str, Feature],
    weights: Mapping[str, float],
) -> TimeReading:
    w = [weights.get(name, 0.0) for name in features]
    scores = [
        sum(a * b for a, b in zip(w, f, strict=True))
        for f in features_of(readings, asked, features)
    ]
    return readings[scores.index(max(scores))]


class TimeWeights(NamedTuple):
    """By the names of `WORDS_MEANT` and `READING_MEANT`."""

    words: Mapping[str, float]
    reading: Mapping[str, float]


@cache
def default_weights() -> TimeWeights:
    """Learnt from the project's conversations."""
    text = (files("memnn.conversations") / "when.json").read_text(encoding="utf-8")
    told = json.loads(text)
    return TimeWeights(told["words"], told["reading"])


def when(question: str, text: str, said: date, weights: TimeWeights | None = None) -> When:
    """The time that a turn, said on this day, gives for what a question asks."""
    asked, w = TimeQuestion(question, text, said), weights or default_weights()
    firsts = [r for r in asked.readings if r.number == 0]
    words = _best(firsts, asked, WORDS_MEANT, w.words)
    readings = [r for r in asked.readings if r.mention is words.mention]
    best = _best(readings, asked, READING_MEANT, w.reading)
    span = coarser(best.span, asked.unit or "")
    return When(
        written(span), span.first.isoformat(), span.last.isoformat(), span.unit,
        best.mention.words, span.about,
    )  # fmt: skip


def when_told(question: str, slot: Slot) -> When | None:
    """The time that a memory gives, if the question asks for one and the memory can say."""
    if asked_unit(question) is None:
        return None
    found = when(question, slot.text, date.fromisoformat((slot.said or slot.time)[:10]))
    # Nobody said when a bare statement happened: the day of writing is no answer.
    return found if found.words or slot.said is not None else None


def dated(question: str, answer: Answer) -> Answer:
    """An answer that is what was told becomes the time it tells, if the question asks for one.

    A statement without a date keeps its words: "at three tomorrow" says more than a day.
    """
    if not answer.evidence or answer.abstained:
        return answer
    last = answer.evidence[-1]
    if last.source != "told" or answer.text != last.text:
        return answer
    found = when_told(question, last.support)
    if found is None:
        return answer
    return replace(
        answer, text=answer.text if last.support.said is None else found.text, when=found
    )
