"""Times as answers: is the right day, month or year given for questions that ask when?

    python -m benchmarks.when --data DIR [-o DIR]

`ours`    questions for a time of the project's conversations, asked of the turn that answers them;
          the chooser is learnt from the other conversations (five folds)
`locomo`  the temporal questions (category 2) of LoCoMo, DIR/locomo/conversations-dev.json.gz, which
          is only measured with. Search is asked first; counted are the questions whose gold answer
          is a time and whose evidence it finds first.

A gold answer becomes a span of days (`gold_span`):

    7 May 2023             that day               May 2023, the summer of 2022, 2022   all of it
    the Friday before D    that day               the week before D    from the Monday of the week
    the weekend before D   Saturday and Sunday                         before until the day before D
    a few days before D    the six days before D  two weeks before D   the week around that day
    around D, early May    the week around D, the month                first week of May, ...

An answer is right if it is at least as precise as the gold (a day is more precise than a weekend, a
week, a month, a season, a year) and its middle day lies in the gold's span. Gold answers that name
no time ("three years", "Seattle") are counted and left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.machine import machine
from benchmarks.processes import command
from memnn.conversations.files import read_lines
from memnn.conversations.labelled import Conversation, ours
from memnn.conversations.search import Finder
from memnn.conversations.train_when import fits, train_when
from memnn.conversations.when import when, when_told
from memnn.memory import RamMemory
from memnn.text.times import UNITS, TimeSpan, mentions
from memnn.types import When

FOLDS = 5
TEMPORAL = 2
_MONTHS = "january february march april may june july august september october november december"
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_BEFORE = re.compile(
    r"^(?:the )?(?P<what>few days|a few days|two weeks|week|weekend|"
    + "|".join(_WEEKDAYS)
    + r") (?P<how>before|after|of)\b"
)
_PART = re.compile(r"^(?:the )?(?P<which>first|last) (?P<what>week|weekend) of\b")
_NUMBER = re.compile(r"^between \w+ (\d+) and (\d+)|^the week of \w+ (\d+)\w* to (\d+)")


def gold_span(text: str, said: date) -> TimeSpan | None:
    """The days that a gold answer means; None if it names no time. Its year is that of the
    evidence where it names none."""
    text = re.sub(r"(\d)`?(?=[a-z]{3})", r"\1 ", text.strip().strip(".").lower())
    text = re.sub(r"(?<=[a-z])\.(?=\d)", " ", text)
    text = re.sub(r"[a-z]{3,}", lambda word: _month(word[0]), text)
    year = re.search(r"\b(?:19|20)\d\d\b", text)
    said = date(int(year[0]) if year else said.year, 12, 31)
    named = [m for m in mentions(text, said) if m.kind in ("date", "month", "year", "season")]
    if not named:
        return None
    span = max(named, key=lambda m: len(m.words)).readings[0]
    day = span.first
    if found := _NUMBER.match(text):
        a, b = (int(n) for n in found.groups() if n)
        return TimeSpan(day.replace(day=a), day.replace(day=b), "week")
    if found := _PART.match(text):
        return _part(span, found["which"], found["what"])
    if found := _BEFORE.match(text):
        return _beside(day, found["what"], found["how"])
    if text.startswith("around") and span.unit == "day":
        return TimeSpan(day - timedelta(3), day + timedelta(3), "week")
    return span


def _month(word: str) -> str:
    """A month, misspelled as it may be."""
    alike = [m for m in _MONTHS.split() if m.startswith(word[:3])]
    return alike[0] if alike and len(word) > 3 and word not in _WEEKDAYS else word


def _part(span: TimeSpan, which: str, what: str) -> TimeSpan:
    if what == "week":
        first = span.first if which == "first" else span.last - timedelta(6)
        return TimeSpan(first, first + timedelta(6), "week")
    saturday = span.first + timedelta((5 - span.first.weekday()) % 7)
    if which == "last":
        saturday = span.last - timedelta((span.last.weekday() - 5) % 7)
    return TimeSpan(saturday, saturday + timedelta(1), "weekend")


def _beside(day: date, what: str, how: str) -> TimeSpan:
    monday, week = day - timedelta(day.weekday()), timedelta(7)
    if what in _WEEKDAYS:
        away = (day.weekday() - _WEEKDAYS.index(what) - 1) % 7 + 1
        found = day - timedelta(away) if how == "before" else day + timedelta(8 - away)
        return TimeSpan(found, found, "day")
    if what == "weekend":
        saturday = monday + timedelta(5)
        if how == "before":
            saturday -= week
        elif how == "after" and saturday <= day:
            saturday += week
        elif how == "of" and day.weekday() < 2:  # the one before is nearer
            saturday -= week
        return TimeSpan(saturday, saturday + timedelta(1), "weekend")
    if what == "two weeks":
        middle = day - 2 * week if how == "before" else day + 2 * week
        return TimeSpan(middle - timedelta(3), middle + timedelta(3), "week")
    if what.endswith("few days"):
        return TimeSpan(day - timedelta(6), day - timedelta(1), "week")
    if how == "before":
        return TimeSpan(monday - week, day - timedelta(1), "week")
    if how == "after":
        return TimeSpan(day + timedelta(1), monday + week + timedelta(6), "week")
    return TimeSpan(monday, monday + timedelta(6), "week")


def is_right(answer: When, gold: TimeSpan) -> bool:
    span = span_of(answer)
    precise = UNITS.index(span.unit) <= UNITS.index(gold.unit)
    return precise and gold.first <= span.middle <= gold.last


def span_of(answer: When) -> TimeSpan:
    first, last = date.fromisoformat(answer.first), date.fromisoformat(answer.last)
    return TimeSpan(first, last, answer.unit, answer.about)


class Case(NamedTuple):
    """A temporal question, and what became of it."""

    question: str
    gold: str
    precision: str
    """Of the gold answer; empty where it is no time."""
    first: bool
    """Whether search has its evidence first."""
    answer: str = ""
    words: str = ""
    right: bool = False


def locomo(file: Path) -> Iterator[Case]:
    """All temporal questions, each asked of its conversation."""
    finder = Finder()
    for sample in json.loads(gzip.decompress(file.read_bytes())):
        memory = RamMemory()
        told = read_lines(json.dumps(sample), file.name, 0, "locomo").slots
        memory.write_many([s.text for s in told], turns=[s.turn for s in told])
        said = {s.meta["dia_id"]: s.said for s in memory.scan(0) if s.meta}
        for asked in sample["qa"]:
            if asked["category"] == TEMPORAL:
                yield _case(asked, finder, memory, said)


def _case(asked: dict[str, Any], finder: Finder, memory: RamMemory, said: dict[str, Any]) -> Case:
    question, evidence = asked["question"], asked["evidence"]
    day = next((said[e] for e in evidence if e in said), "2023-07-01")
    gold = gold_span(str(asked["answer"]), date.fromisoformat(day[:10]))
    found = finder(memory, question, 1)
    first = bool(found and (found[0].meta or {}).get("dia_id") in evidence)
    case = Case(question, str(asked["answer"]), gold.unit if gold else "", first)
    answer = when_told(question, found[0].slot) if found else None
    if gold is None or answer is None:
        return case
    return case._replace(answer=answer.text, words=answer.words, right=is_right(answer, gold))


def own(conversations: list[Conversation]) -> tuple[int, int]:
    """Right answers and questions, each fold with weights learnt from the others."""
    right = asked = 0
    for fold in range(FOLDS):
        others = [c for i, c in enumerate(conversations) if i % FOLDS != fold]
        weights = train_when(others)
        for each in conversations[fold::FOLDS]:
            for q in each.questions:
                if q.when:
                    text, turn = each.turns[q.supports[0]]
                    day = date.fromisoformat((turn.said or "")[:10])
                    right += fits(span_of(when(q.question, text, day, weights)), q.when)
                    asked += 1
    return right, asked


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="the folder with locomo/")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--verbose", action="store_true", help="show what is wrong")
    given = parser.parse_args()
    right, asked = own(ours())
    results: dict[str, Any] = {"ours": {"questions": asked, "right": right / asked}}
    lines = [
        f"Our conversations, from the turn that answers: {right} of {asked} ({right / asked:.1%})"
    ]
    file = given.data and given.data / "locomo" / "conversations-dev.json.gz"
    if file:
        cases = list(locomo(file))
        results["locomo"] = counted = _counted(cases)
        lines.append(
            f"LoCoMo: {counted['questions']} temporal questions, {counted['times']} with a time as "
            f"gold answer, evidence first for {counted['first']}: right {counted['right']} "
            f"({counted['share']:.1%})"
        )
        rows = [[unit, n, r] for unit, (n, r) in counted["precision"].items()]
        lines += ["", *report.table(["as precise as", "evidence first", "right"], rows)]
        if given.verbose:
            lines += [repr(c) for c in cases if c.first and c.precision and not c.right]
    print("\n".join(lines))
    if given.output:
        report.write_json(given.output / "when.json", {"machine": machine(), **results})


def _counted(cases: list[Case]) -> dict[str, Any]:
    times = [c for c in cases if c.precision]
    first = [c for c in times if c.first]
    units, right = (
        Counter(c.precision for c in first),
        Counter(c.precision for c in first if c.right),
    )
    return {
        "questions": len(cases),
        "times": len(times),
        "first": len(first),
        "right": right.total(),
        "share": right.total() / max(len(first), 1),
        "precision": {unit: (units[unit], right[unit]) for unit in UNITS if units[unit]},
    }


if __name__ == "__main__":
    command(main)
