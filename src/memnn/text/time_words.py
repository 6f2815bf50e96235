"""What is known of a language's words for times: `times.toml`, with its patterns compiled."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from memnn.text.english import FUNCTION_WORDS
from memnn.text.tokens import words_1

TOLD: dict[str, Any] = tomllib.loads(
    (files("memnn.text") / "times.toml").read_text(encoding="utf-8")
)
TENSES: frozenset[str] = frozenset(TOLD["tenses"].split())
"""Words near a time that may tell whether it is earlier or later."""
SHORT: dict[str, str] = TOLD["short"]


class TimeWords(NamedTuple):
    """The words, by what they are, and where they are looked for."""

    about: dict[str, Any]
    number: dict[str, tuple[int, bool]]
    ordinal: dict[str, int]
    month: dict[str, int]
    weekday: dict[str, int]
    unit: dict[str, str]
    unsure: frozenset[str]
    patterns: dict[str, list[tuple[str, re.Pattern[str]]]]
    """By the list whose words each needs."""
    questions: list[re.Pattern[str]]


@cache
def telling() -> re.Pattern[str]:
    """One word that a time needs, in a group by the name of its list. Most texts have none."""
    groups = [f"(?P<{name}>{_any(words)})" for name, words in _lists().items()]
    ordinals = _any(_numbered(TOLD["ordinals"]))
    groups.append(rf"(?P<day>{ordinals}|(?:\d\d?)(?:st|nd|rd|th))")
    groups.append(r"(?P<year>['’]?\d\d(?:\d\d)?s?(?:-\d\d-\d\d)?)")
    return re.compile(rf"(?<!\w)(?:{'|'.join(groups)})(?!\w)", re.IGNORECASE)


def _lists() -> dict[str, Iterable[str]]:
    return {
        "holiday": TOLD["holidays"], "days": TOLD["days"], "month": _numbered(TOLD["months"]),
        "weekday": _numbered(TOLD["weekdays"]), "season": TOLD["seasons"], "unit": _units(),
    }  # fmt: skip


@cache
def single_words() -> frozenset[str]:
    """Words that say by themselves that a time is spoken of: "yesterday", "week", "monday"."""
    lists = [words for name, words in _lists().items() if name != "holiday"]
    words = frozenset(word for texts in lists for text in texts for word in words_1(text))
    return words - FUNCTION_WORDS - set(TOLD["unsure"].split())


def _units() -> dict[str, str]:
    return {form: name for name, words in TOLD["units"].items() for form in words.split()}


@cache
def time_words() -> TimeWords:
    """All of them, which takes a moment to compile."""
    told = TOLD
    forms = {key: _numbered(told[key]) for key in ("months", "weekdays", "numbers", "ordinals")}
    number = {word: (n, False) for word, n in forms["numbers"].items()}
    number |= {word: (n, True) for word, n in told["about"].items()}
    unit = _units()
    months, weekdays = forms["months"], forms["weekdays"]
    years = r"(?<![\d.,$€£])(?P<year>(?:1[5-9]|20)\d\d)(?![\d%]|[.,]\d)"
    parts = r"(?:the )?(?:early|late|mid-?|middle|end|beginning|start|(?:fir|la)st week(?:end)?)"
    lists = {
        "year4": r"(?P<year4>\d{4})", "mm": r"(?P<mm>\d\d)", "dd": r"(?P<dd>\d\d)",
        "day": rf"(?P<day>(?:[12]?\d|3[01])(?:st|nd|rd|th)?|{_any(forms['ordinals'])})\b",
        "month2": rf"(?P<month2>{_any(months)})\b", "short": r"(?P<short>\d\d)\b",
        "nth": r"(?P<nth>(?:[12]?\d|3[01])(?:st|nd|rd|th))\b",
        "month": rf"(?P<month>{_any(months)})\b", "weekday": rf"(?P<weekday>{_any(weekdays)})\b",
        "year": years, "century": r"(?P<century>19|20)", "tens": r"(?P<tens>\d0)",
        "season": rf"(?P<season>{_any(told['seasons'])})\b", "part": f"(?P<part>{parts})",
        "holiday": rf"(?P<holiday>{_any(told['holidays'])})\b",
        "days": rf"(?P<days>{_any(told['days'])})\b",
        "direction": f"(?P<direction>{_any(told['directions'])})",
        "unit": rf"(?P<unit>{_any(unit)})\b",
        "number": rf"(?P<number>\d{{1,3}}|{_any(number)})",
    }  # fmt: skip
    patterns: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for kind, each in told["patterns"].items():
        for pattern in each:
            needs = next((n for n in (*_lists(), "day") if f"{{{n}" in pattern), "year")
            compiled = _compiled(pattern, lists)
            patterns.setdefault("day" if kind == "day_of_month" else needs, []).append(
                (kind, compiled)
            )
    return TimeWords(
        told, number, forms["ordinals"], months, weekdays, unit,
        frozenset(told["unsure"].split()), patterns,
        [_compiled(pattern, lists) for pattern in told["questions"]["when"]],
    )  # fmt: skip


def _numbered(rows: list[str]) -> dict[str, int]:
    """Every form of a name with the number of its row."""
    return {form: number for number, row in enumerate(rows) for form in row.split()}


def _any(words: Iterable[str]) -> str:
    """One of these, the longest first; apostrophes as people type them."""
    longest = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(
        re.escape(word).replace("'", "['’]?").replace(r"\ ", r"\s+") for word in longest
    )


def _compiled(pattern: str, lists: dict[str, str]) -> re.Pattern[str]:
    """A pattern with its lists in place; a list that stands in it twice is named once."""
    seen: set[str] = set()

    def insert(found: re.Match[str]) -> str:
        name = found[1]
        text = lists[name]
        if name in seen:
            text = re.sub(r"\?P<\w+>", "?:", text)
        seen.add(name)
        return text

    full = (
        re.sub(r"\{(\w*[a-z]\w*)\}", insert, pattern).replace(" ", r"\s+").replace(r"\s+?", r"\s*")
    )
    return re.compile(rf"(?<![\w’'])(?:{full})(?!\w)", re.IGNORECASE)
