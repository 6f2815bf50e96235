"""How gold answers for times are read."""

from __future__ import annotations

from datetime import date

import pytest
from benchmarks.when import gold_span, is_right

from memnn.types import When

SAID = date(2023, 7, 1)


@pytest.mark.parametrize(
    ("gold", "first", "last", "unit"),
    [
        ("7 May 2023", "2023-05-07", "2023-05-07", "day"),
        ("7May, 2023.", "2023-05-07", "2023-05-07", "day"),
        ("April.2023", "2023-04-01", "2023-04-30", "month"),
        ("Januarty 5, 2024", "2024-01-05", "2024-01-05", "day"),
        ("August", "2023-08-01", "2023-08-31", "month"),
        ("2022", "2022-01-01", "2022-12-31", "year"),
        ("The summer of 2022", "2022-06-01", "2022-08-31", "season"),
        ("The Friday before 20 May 2023", "2023-05-19", "2023-05-19", "day"),
        ("The week before 9 June 2023", "2023-05-29", "2023-06-08", "week"),
        ("The weekend before 22 July 2023", "2023-07-15", "2023-07-16", "weekend"),
        ("The weekend of 22 August, 2022.", "2022-08-20", "2022-08-21", "weekend"),
        ("Two weeks before 11 August 2023", "2023-07-25", "2023-07-31", "week"),
        ("first week of May 2023", "2023-05-01", "2023-05-07", "week"),
        ("between October 19 and 24, 2023", "2023-10-19", "2023-10-24", "week"),
        ("around April 2, 2023", "2023-03-30", "2023-04-05", "week"),
    ],
)
def test_gold_answers_are_spans_of_days(gold, first, last, unit):
    span = gold_span(gold, SAID)
    assert (str(span.first), str(span.last), span.unit) == (first, last, unit)


@pytest.mark.parametrize("gold", ["three years", "Seattle", "Max", "her mother", "No", "4 months"])
def test_others_name_no_time(gold):
    assert gold_span(gold, SAID) is None


def test_an_answer_is_as_precise_as_the_gold():
    day = When("8 May 2023", "2023-05-08", "2023-05-08", "day", "")
    month = When("May 2023", "2023-05-01", "2023-05-31", "month", "")
    assert is_right(day, gold_span("May 2023", SAID))
    assert is_right(day, gold_span("8 May 2023", SAID))
    assert not is_right(month, gold_span("8 May 2023", SAID))
    assert not is_right(day, gold_span("June 2023", SAID))
