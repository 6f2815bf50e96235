"""How answers look on a terminal, and what importing the commands costs."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO

import pytest
from rich.console import Console

from memnn.cli.screen import show_answer
from memnn.types import Answer, Comparison, Hop, Slot

BEST, OTHER = Slot(2, "Joe is in the hall.", ""), Slot(1, "Joe left.", "")


def shown(comparison: Comparison | None, source: str = "told") -> list[str]:
    console = Console(record=True, width=100, file=StringIO())
    hop = Hop(1, BEST, 2.0, comparison, source=source)
    show_answer(Answer("hall", 2.0, evidence=(hop,)), console)
    return [line.rstrip() for line in console.export_text().splitlines()]


def test_what_was_said_and_when():
    terms = {"words": 0.5, "write time": 0.25}
    assert shown(Comparison(OTHER, 1.0, 0.5, 0.25, terms)) == [
        "→ hall",
        "   1. Joe is in the hall.  [2]",
        "      +0.75 over “Joe left.” [1]:",
        "      content +0.50, write time +0.25",
    ]


@pytest.mark.parametrize(("time", "end"), [(0.25, ", write time +0.25"), (0.0, "")])
def test_content_of_several_terms(time, end):
    terms = {"words": 0.75, "names": -0.25, "write time": time}
    lines = shown(Comparison(OTHER, 1.0, 0.5, time, terms))
    assert lines[-1] == f"      content +0.50 (words +0.75, names -0.25){end}"


def test_one_term_is_the_margin():
    assert shown(Comparison(OTHER, 1.0, 0.5, 0.0, {"words": 0.5}), "world")[1:] == [
        "   1. Joe is in the hall.  world fact",
        "      +0.50 over “Joe left.”",
    ]
    assert shown(None)[1:] == ["   1. Joe is in the hall.  [2]"]


def test_commands_import_what_they_need():
    """`memnn --help` waits for no bar, no web framework and no numbers."""
    code = (
        "import sys, memnn.cli.app\n"
        "heavy = {'numpy', 'numba', 'pydantic', 'fastapi', 'rich.progress', 'typing_extensions'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
