"""What words for a time mean on the day they are said: a function for each pattern of `times.toml`.

A reader gives all readings that its words have, the past first.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import NamedTuple

from memnn.text.time_words import TimeWords


class TimeSpan(NamedTuple):
    """All days from the first to the last, and what they are called together."""

    first: date
    last: date
    unit: str
    about: bool = False
    """Whether the words were not exact: "a few weeks ago"."""

    @property
    def middle(self) -> date:
        return self.first + (self.last - self.first) // 2

    def overlaps(self, other: TimeSpan) -> bool:
        return self.first <= other.last and other.first <= self.last


def readings(
    kind: str, match: re.Match[str], said: date, language: TimeWords
) -> tuple[TimeSpan, ...]:
    given = {name: value.lower() for name, value in match.groupdict().items() if value}
    try:
        return tuple(READERS[kind](given, match[0], said, language))
    except (ValueError, OverflowError):  # 30 February, the year 12,000
        return ()


Spans = Iterable[TimeSpan]


def _date(given: dict[str, str], words: str, said: date, language: TimeWords) -> Spans:
    if "year4" in given:
        return [_day(date(int(given["year4"]), int(given["mm"]), int(given["dd"])))]
    month = 1 + language.month[given.get("month") or given["month2"]]
    day = _day_number(given["day"], language)
    if "year" in given:
        return [_day(date(int(given["year"]), month, day))]
    return _around(said, lambda year: _day(date(year, month, day)))


def _day_of_month(given: dict[str, str], words: str, said: date, language: TimeWords) -> Spans:
    number = _day_number(given.get("day") or given["nth"], language)
    found = []
    weekday = language.weekday.get(given.get("weekday", ""))
    for away in range(-7 if weekday is not None else -1, 8 if weekday is not None else 2):
        first = _months_from(said, away)
        if number <= calendar.monthrange(first.year, first.month)[1]:
            found.append(_day(first.replace(day=number)))
    if weekday is not None:  # "Friday the 13th" says the month as well
        found = [s for s in found if s.first.weekday() == weekday]
    past = [s for s in found if s.first <= said][-1:]
    return past + [s for s in found if s.first > said][:1]


def _weekday(given: dict[str, str], words: str, said: date, language: TimeWords) -> Spans:
    if _doubtful(given["weekday"], words, language):
        return []
    number = language.weekday[given["weekday"]]
    before = said - timedelta((said.weekday() - number - 1) % 7 + 1)
    after = said + timedelta((number - said.weekday() - 1) % 7 + 1)
    direction = _direction(given, language)
    week = timedelta(7)
    if "twice" in given:
        return [_day(before - week)]
    if "week" in given:
        return [_day(after + week)]
    monday = said - timedelta(said.weekday())
    if direction == -1:  # of this week, or the last one
        return [_day(before), _day(before - week)] if before >= monday else [_day(before)]
    if direction == 1:
        return [_day(after + week), _day(after)] if after < monday + week else [_day(after)]
    if said.weekday() == number:
        return [_day(said), _day(before), _day(after)] if direction is None else [_day(said)]
    return [_day(before), _day(after)] if direction is None else [_day(after), _day(before)]


def _month(given: dict[str, str], words: str, said: date, language: TimeWords) -> Spans:
    plain = {"direction", "sure", "part", "year", "short"}.isdisjoint(given)
    if plain and _doubtful(given["month"], words, language):
        return []
    number = 1 + language.month[given["month"]]
    if year := _year_of(given, said):
        return [month_span(year, number)]
    direction = _direction(given, language)
    if direction == 0:
        return [month_span(said.year, number)]
    spans = _around(said, lambda year: month_span(year, number))
    if direction is None:
        return spans
    return (
        [s for s in spans if s.last < said]
        if direction < 0
        else [s for s in spans if s.first > said]
    )


def _year(given: dict[str, str], words: str, said: date, language: TimeWords) -> Spans:
    year = _year_of(given, said)
    return [TimeSpan(date(year, 1, 1), date(year, 12, 31), "year")]


def _decade(given: dict[str, str], words: str, said: date, language: TimeWords) -> Spans:
    tens = int(given["tens"])
    if (
        "century" not in given
        and words.lower().lstrip("the ").startswith(given["tens"])
        and tens < 50
    ):
        return []  # "in her 30s"
    year = 100 * int(given.get("century", 19)) + tens
    return [TimeSpan(date(year, 1, 1), date(year + 9, 12, 31), "decade")]


def _season(given: dict[str, str], words: str, said: date, language: TimeWords) -> Spans:
    if {"direction", "sure", "year"}.isdisjoint(given) and _doubtful(
        given["season"], words, language
    ):
        return []
    month = language.about["seasons"][given["season"]]
    if "year" in given:
        return [_season_span(int(given["year"]), month)]
    direction = _direction(given, language)
    if direction == 0:
        return [_season_span(said.year, month)]
    return _around(said, lambda year: _season_span(year, month), direction)


def _holiday(given: dict[str, str], words: str, said: date, language: TimeWords) -> Spans:
    plain = {_spelled(name): day for name, day in language.about["holidays"].items()}
    told = plain[_spelled(given["holiday"])]

    def on(year: int) -> TimeSpan:
        if "-" in told[1:]:
            month, day = told.split("-")
            return _day(date(year, int(month), int(day)))
        return _day(easter(year) + timedelta(int(told)))

    if "year" in given:
        return [on(int(given["year"]))]
    return _around(said, on, _direction(given, language))


def _named_day(given: dict[str, str], words: str, said: date, language: TimeWords) -> Spans:
    days = language.about["days"][" ".join(given["days"].split())]
    return [_day(said + timedelta(days), about=days < -2)]


def _relative(given: dict[str, str], words: str, said: date, language: TimeWords) -> Spans:
    unit = language.unit[given["unit"]]
    direction = _direction(given, language) or 0
    if "twice" in given:
        direction = -2 if "before" in given["twice"] else 2
    if "here" in given and unit != "weekend":
        return []
    if unit == "fortnight":
        return [TimeSpan(said - timedelta(14), said - timedelta(1), "week", about=True)]
    if unit == "day" and direction > 0:
        return [_day(said + timedelta(direction))]
    if unit == "weekend":
        return _weekends(said, direction, here="here" in given)
    return [_shifted(said, unit, direction)]


def _weekends(said: date, direction: int, here: bool) -> Spans:
    """Saturday and Sunday; the last one is over on Monday."""
    saturday = said + timedelta(5 - said.weekday())
    if here:
        last = saturday if said.weekday() >= 5 else saturday - timedelta(7)
        return [span_of(last, 2, "weekend"), span_of(last + timedelta(7), 2, "weekend")]
    return [span_of(saturday + timedelta(7 * direction), 2, "weekend")]


def _ago(given: dict[str, str], words: str, said: date, language: TimeWords) -> Spans:
    return _counted(given, said, language, -1)


def _ahead(given: dict[str, str], words: str, said: date, language: TimeWords) -> Spans:
    return _counted(given, said, language, 1)


def _lasting(given: dict[str, str], words: str, said: date, language: TimeWords) -> Spans:
    """How long something has lasted: since when."""
    unit = language.unit[given["unit"]]
    return [] if unit == "day" and "direction" not in given else _counted(given, said, language, -1)


READERS: dict[str, Callable[[dict[str, str], str, date, TimeWords], Spans]] = {
    "date": _date, "day_of_month": _day_of_month, "weekday": _weekday, "month": _month,
    "year": _year, "decade": _decade, "season": _season, "holiday": _holiday,
    "named_day": _named_day, "relative": _relative, "ago": _ago, "ahead": _ahead,
    "lasting": _lasting,
}  # fmt: skip
"""What each pattern means."""


def _counted(given: dict[str, str], said: date, language: TimeWords, sign: int) -> Spans:
    number = given["number"]
    if number.isdigit():
        n, about = int(number), False
    else:
        n, about = language.number[" ".join(number.split())]
    unit = language.unit[given["unit"]]
    if unit == "fortnight":
        unit, n = "week", 2 * n
    if unit == "weekend":
        (found,) = _weekends(said, sign * n, here=False)
        return [found]
    return [_shifted(said, unit, sign * n, near=True)._replace(about=about)]


def _shifted(said: date, unit: str, n: int, near: bool = False) -> TimeSpan:
    """A unit of time before or after the one of this day; `near`, a week is about a day."""
    if unit == "day":
        return _day(said + timedelta(n))
    if unit == "week":
        first = said + timedelta(7 * n) - timedelta(3 if near else said.weekday())
        return span_of(first, 7, "week")
    if unit == "month":
        first = _months_from(said, n)
        return month_span(first.year, first.month)
    if unit == "decade":
        first = date(10 * (said.year // 10 + n), 1, 1)
        return TimeSpan(first, date(first.year + 9, 12, 31), "decade")
    return TimeSpan(date(said.year + n, 1, 1), date(said.year + n, 12, 31), "year")


def _direction(given: dict[str, str], language: TimeWords) -> int | None:
    told = given.get("direction")
    if told is None:
        return None
    direction: int = language.about["directions"][" ".join(told.split())]
    return direction


def _year_of(given: dict[str, str], said: date) -> int:
    """0 where none is named; '98 is the last one that ended so, or is soon to come."""
    if "short" in given:
        year = said.year // 100 * 100 + int(given["short"])
        return year - 100 if year > said.year + 10 else year
    return int(given.get("year", 0))


def _doubtful(name: str, words: str, language: TimeWords) -> bool:
    """Whether a word is more likely another one: "may", "fall"."""
    return name in language.unsure and words.lower() == name


def _spelled(name: str) -> str:
    return " ".join(re.sub("['’]", "", name).split())


def _day_number(text: str, language: TimeWords) -> int:
    if text[0].isdigit():
        return int(re.sub(r"\D", "", text))
    return language.ordinal[text]


def _day(day: date, about: bool = False) -> TimeSpan:
    return TimeSpan(day, day, "day", about)


def span_of(first: date, days: int, unit: str) -> TimeSpan:
    return TimeSpan(first, first + timedelta(days - 1), unit)


def month_span(year: int, month: int) -> TimeSpan:
    return TimeSpan(
        date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]), "month"
    )


def _season_span(year: int, month: int) -> TimeSpan:
    first = date(year, month, 1)
    return TimeSpan(first, _months_from(first, 3) - timedelta(1), "season")


def _months_from(day: date, n: int) -> date:
    """The first day of the month that is so many months from a day's."""
    months = 12 * day.year + day.month - 1 + n
    return date(months // 12, months % 12 + 1, 1)


def _around(
    said: date, of: Callable[[int], TimeSpan], direction: int | None = None
) -> list[TimeSpan]:
    """What comes every year: the last that has begun and the next; or the last that is over, or
    the next, if a direction is given."""
    found = []
    for year in (said.year - 1, said.year, said.year + 1):
        try:
            found.append(of(year))
        except (ValueError, OverflowError):  # 29 February
            continue
    after = [span for span in found if span.first > said][:1]
    if direction:
        return after if direction > 0 else [span for span in found if span.last < said][-1:]
    return [span for span in found if span.first <= said][-1:] + after


def easter(year: int) -> date:
    """Easter Sunday (Gauss's rule as Meeus has it, Gregorian calendar)."""
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    return date(year, f // 31, f % 31 + 1)
