"""Words for times: what each means on the day it is said."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memnn.text.time_readers import easter
from memnn.text.times import TimeSpan, asked_unit, coarser, mentions, names_time, written

SAID = date(2023, 5, 8)  # a Monday


def read(text, said=SAID):
    return [(m.words, [(str(s.first), s.unit) for s in m.readings]) for m in mentions(text, said)]


@pytest.mark.parametrize(
    ("text", "first", "unit"),
    [
        ("I went yesterday.", "2023-05-07", "day"),
        ("I went there last Friday!", "2023-05-05", "day"),
        ("It was two weeks ago", "2023-04-21", "week"),
        ("It was three days ago", "2023-05-05", "day"),
        ("a few months ago", "2023-02-01", "month"),
        ("ten years ago", "2013-01-01", "year"),
        ("last week", "2023-05-01", "week"),
        ("We met last weekend.", "2023-05-06", "weekend"),
        ("next month", "2023-06-01", "month"),
        ("We moved last summer.", "2022-06-01", "season"),
        ("the day before yesterday", "2023-05-06", "day"),
        ("Tomorrow I fly.", "2023-05-09", "day"),
        ("in two days", "2023-05-10", "day"),
        ("on 7 May 2021", "2021-05-07", "day"),
        ("on May 7th, 2021", "2021-05-07", "day"),
        ("the second of May 2021", "2021-05-02", "day"),
        ("2021-05-07", "2021-05-07", "day"),
        ("since March 2019", "2019-03-01", "month"),
        ("in February '22", "2022-02-01", "month"),
        ("the summer of 2022", "2022-06-01", "season"),
        ("in 1998", "1998-01-01", "year"),
        ("in '98", "1998-01-01", "year"),
        ("the 1990s", "1990-01-01", "decade"),
        ("last Christmas", "2022-12-25", "day"),
        ("Friday the 13th", "2023-01-13", "day"),
        ("my daughter is nine days old", "2023-04-29", "day"),
    ],
)
def test_what_words_mean(text, first, unit):
    ((_, (meant, *_)),) = read(text)
    assert meant == (first, unit)


def test_words_without_a_direction_have_two_readings():
    assert read("We leave on Saturday") == [
        ("on Saturday", [("2023-05-06", "day"), ("2023-05-13", "day")])
    ]
    assert read("in June") == [("in June", [("2022-06-01", "month"), ("2023-06-01", "month")])]
    assert read("on the 20th.") == [("on the 20th", [("2023-04-20", "day"), ("2023-05-20", "day")])]


@pytest.mark.parametrize(
    "text",
    [
        "You may go.",
        "They march on.",
        "I sat in the sun and had the second cup.",
        "He is in her 30s.",
        "It cost 2,000 euros, or $1999.",
        "0000-00-00 and in 999 years",
        "room 13, 3.5 percent, 12:30",
    ],
)
def test_what_names_no_time(text):
    assert [m for m in mentions(text, SAID) if m.kind not in ("ago", "ahead", "lasting")] == []


def test_ranges_name_their_first_day():
    ((words, readings), *_) = read("from the 9th and 10th of August")
    assert (words, readings[1]) == ("from the 9th", ("2023-08-09", "day"))


def test_easter():
    known = {2000: (4, 23), 2008: (3, 23), 2011: (4, 24), 2023: (4, 9), 2038: (4, 25)}
    assert {y: (easter(y).month, easter(y).day) for y in known} == known


@pytest.mark.parametrize(
    ("question", "unit"),
    [
        ("When did Ann move?", ""),
        ("Since when has Ann lived there?", ""),
        ("In which month did Ann move?", "month"),
        ("What year was it?", "year"),
        ("On which day was the party?", "day"),
        ("Where does Ann live?", None),
        ("What did Ann say when she left?", None),
        ("Who came in May?", None),
    ],
)
def test_which_questions_ask_for_a_time(question, unit):
    assert asked_unit(question) == unit


def test_times_are_written_as_precisely_as_they_are_known():
    day = TimeSpan(SAID, SAID, "day")
    assert written(day) == "8 May 2023"
    assert written(coarser(day, "month")) == "May 2023"
    assert written(coarser(day, "year")) == "2023"
    assert coarser(coarser(day, "year"), "month").unit == "year"
    week = TimeSpan(SAID, SAID + timedelta(6), "week", about=True)
    assert written(week) == "about the week of 11 May 2023"


@given(st.text(max_size=200), st.dates())
def test_any_text_on_any_day(text, said):
    """Nothing is raised, and what is found stands in the text."""
    for mention in mentions(text, said):
        assert text[mention.start : mention.end] == mention.words
        assert mention.readings
        assert all(span.first <= span.last for span in mention.readings)


WORDS = """in on last next this two 3 31 29 February May Friday weekend week weeks years ago the of
2023 1999 9999 '98 20th first since for old summer Easter decade fortnight from now"""


@given(
    st.lists(st.sampled_from(WORDS.split()), max_size=8),
    st.sampled_from([date.min, date.max, date(2024, 2, 29), SAID]),
)
def test_words_for_times_in_any_order(words, said):
    for mention in mentions(" ".join(words), said):
        assert all(span.first <= span.last for span in mention.readings)


@pytest.mark.parametrize("text", ["11 May, ", "1999-", "two weeks ago ", "the first of "])
def test_a_long_text_is_looked_at_in_part(text):
    assert names_time(text)
    assert len(mentions(text * 12_500, SAID)) <= 100
