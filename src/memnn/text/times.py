"""Words for times become dates: "yesterday", "last Friday", "two weeks ago", "in May".

What is known of the language stands in `times.toml`, with the patterns; what a pattern means is a
function by the same name in `time_readers.py`. A time is as precise as its words: a day, a week, a
month … Words such as "on Friday" have two readings, the one before and the one after the day they
were said: who asks has to choose.
"""

from __future__ import annotations

from datetime import date, timedelta
from itertools import islice
from typing import NamedTuple

from memnn.text.time_readers import READERS, TimeSpan, month_span, readings, span_of
from memnn.text.time_words import SHORT, TENSES, telling, time_words

__all__ = [
    "KINDS",
    "SHORT",
    "TENSES",
    "UNITS",
    "TimeMention",
    "TimeSpan",
    "asked_unit",
    "coarser",
    "mentions",
    "names_time",
    "written",
]

UNITS = ("day", "weekend", "week", "month", "season", "year", "decade")
"""From the most precise on."""
KINDS = tuple(READERS)
"""Of words for a time."""
_LONGEST = 5_000
"""Characters of a text in which times are looked for."""
_MOST = 50
"""Words for times that are looked at."""
_NEAR = 30
"""Characters around a word for a time that may belong to it."""


class TimeMention(NamedTuple):
    """Words for a time in a text."""

    start: int
    end: int
    words: str
    kind: str
    """The name of the pattern."""
    readings: tuple[TimeSpan, ...]
    """What it may mean, the past first."""


def mentions(text: str, said: date) -> list[TimeMention]:
    """The times that a text names, in order, for someone who says it on this day."""
    text = text[:_LONGEST]
    if not names_time(text):
        return []
    language = time_words()
    found: set[TimeMention] = set()
    for word in islice(telling().finditer(text), _MOST):
        # What belongs to it stands near; the rest is not worth looking at.
        start, reach = max(word.start() - _NEAR, 0), word.end() + _NEAR
        end = text.find(" ", reach, reach + _NEAR)  # no word is cut
        for kind, pattern in language.patterns[word.lastgroup or ""]:
            for match in pattern.finditer(text, start, reach + _NEAR if end < 0 else end):
                if meant := readings(kind, match, said, language):
                    found.add(TimeMention(match.start(), match.end(), match[0], kind, meant))
    longest = sorted(found, key=lambda m: (m.start - m.end, m.start, m.kind))
    kept: list[TimeMention] = []  # the longest words first; nothing is read twice
    for mention in longest:
        if all(mention.end <= k.start or mention.start >= k.end for k in kept):
            kept.append(mention)
    return sorted(kept)


def names_time(text: str) -> bool:
    """Whether a word of a text may be one for a time: a quick look."""
    return telling().search(text) is not None


def asked_unit(question: str) -> str | None:
    """How precisely a question asks for a time: "month"; "" where it does not say; None if it asks
    for something else."""
    text = question.strip().lower()
    for pattern in time_words().questions:
        if found := pattern.match(text):
            unit = found.groupdict().get("asked") or ""
            return "day" if unit == "date" else unit
    return None


def coarser(span: TimeSpan, unit: str) -> TimeSpan:
    """The month, season, year … that a more precise time lies in; the time itself otherwise."""
    if unit not in UNITS or UNITS.index(unit) <= UNITS.index(span.unit):
        return span
    day = span.middle
    if unit == "month":
        return month_span(day.year, day.month)._replace(about=span.about)
    if unit == "year":
        return TimeSpan(date(day.year, 1, 1), date(day.year, 12, 31), "year", span.about)
    if unit == "week":
        return span_of(day - timedelta(day.weekday()), 7, "week")._replace(about=span.about)
    return span


def written(span: TimeSpan) -> str:
    """A time as an answer is written: "7 May 2023", "May 2023", "about 2019"."""
    language = time_words()
    forms, months = language.about["answers"], language.about["months"]
    first = span.first
    if span.unit == "week" and span.about:
        first = span.middle
    season = next((n for n, m in language.about["seasons"].items() if m == first.month), "")
    text: str = forms[span.unit].format(
        day=first.day, month=months[first.month - 1].split()[0].capitalize(), year=first.year,
        season=season,
    )  # fmt: skip
    return str(forms["about"].format(time=text)) if span.about else text
