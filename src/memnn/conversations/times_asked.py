"""Questions about a time: "what did Ann do in May 2023?" looks at what was said then.

A month without a year is that month of every year. Words such as "yesterday" are of the day on
which the question is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memnn.text.times import TimeSpan, mentions

Micros = NDArray[np.int64]
KINDS = frozenset(
    ["date", "month", "year", "decade", "season", "holiday", "named_day", "relative", "ago"]
)
"""Of words that name a time: "on Friday" and "for two weeks" do not say which."""
MOST_YEARS = 20
"""Years back from the newest turn that "in May" may be of."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY = timedelta(1) // _MICROSECOND


def spans_asked(question: str, years: Sequence[int], today: date) -> list[TimeSpan]:
    """The times that a question names; one that comes every year, of all of these years."""
    found: dict[TimeSpan, None] = {}
    for mention in mentions(question, today):
        if mention.kind not in KINDS:
            continue
        if len(mention.readings) == 1:
            found[mention.readings[0]] = None
            continue
        for year in years:
            found.update(dict.fromkeys(_in_year(mention.words, year)))
    return list(found)


@lru_cache(maxsize=10_000)
def _in_year(words: str, year: int) -> tuple[TimeSpan, ...]:
    """What words such as "in May" mean in a year."""
    again = mentions(words, date(year, 12, 31))
    return tuple(s for each in again for s in each.readings if s.first.year == year)


def said_in(spans: Sequence[TimeSpan], said: Micros) -> NDArray[np.bool_]:
    """Which times (microseconds since 1970) lie within one of these spans."""
    inside = np.zeros(len(said), np.bool_)
    for span in spans:
        inside |= (said >= _micros(span.first)) & (said < _micros(span.last) + _DAY)
    return inside


def _micros(day: date) -> int:
    """The first moment of a day."""
    return (datetime.combine(day, time(), UTC) - _EPOCH) // _MICROSECOND
