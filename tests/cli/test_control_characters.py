"""Whatever was told, a terminal is shown it and does not obey it."""

from __future__ import annotations

import json
import unicodedata

import pytest

from memnn.memory.sqlite.store import SqliteStore
from memnn.text.printable import printable, printable_json

EVIL = "Joe went to the \x1b]0;owned\x07\x1b[2J\x9b31mkitchen\x7f\x08\r."


def is_shown(result) -> None:
    for text in (result.out, result.err):
        obeyed = [c for c in text if unicodedata.category(c) == "Cc" and c not in "\n\t"]
        assert not obeyed, (result.out, result.err)


@pytest.fixture
def store(memnn):
    with SqliteStore(memnn.folder / "diary.db") as store:
        store.memory().write_many([EVIL, "Joe took the milk.\x1b[31m"])
        store.memory("[/red] [bold]").write(EVIL)
    return "diary.db"


@pytest.mark.parametrize(
    "arguments",
    [
        ("memory", "list", "diary.db"),
        ("memory", "list", "diary.db", "--json"),
        ("memory", "list", "diary.db", "--name", "[/red] [bold]"),
        ("memory", "export", "diary.db"),
        ("memory", "info", "diary.db", "--name", "[/red] [bold]"),
        ("memory", "info", "diary.db", "--name", "\x1b[31m"),
        ("memory", "list", "\x1b[31m.db"),
        ("memory", "\x1b[31m"),
        ("ask", "\x1b[31m", "Where is Joe?"),
    ],
)
def test_commands(memnn, store, arguments):
    result = memnn(*arguments)
    is_shown(result)
    assert "Traceback" not in result.err
    assert "failed" not in result.err


def test_answers(memnn, model, store):
    for more in ((), ("--json",)):
        result = memnn("ask", model, "Where is Joe\x1b[31m?", "--store", store, *more)
        assert result.code == 0, result.err
        is_shown(result)
    talk = "Where is the milk?\n/why\n/memory\n/forget 99\n/load \x1b[31m\nWhere is \x1b[2J Joe?\n"
    for more in ((), ("--json",)):
        result = memnn("chat", model, "--store", store, *more, stdin=talk)
        assert result.code == 0, result.err
        is_shown(result)


def test_what_is_exported_is_what_was_told(memnn, store):
    first = json.loads(memnn("memory", "export", store).out.splitlines()[0])
    assert first["text"] == EVIL
    listed = json.loads(memnn("memory", "list", store, "--json").out)
    assert listed["statements"][0]["text"] == EVIL


def test_signs():
    assert printable("a\x1bb\x00\x7f\x9b\t\n") == "a␛b␀␡\N{REPLACEMENT CHARACTER}\t\n"
    assert printable("Grüße, 世界 👋") == "Grüße, 世界 👋"
    for text in ("a\x9b\x7fb", "é\x80"):
        line = printable_json(json.dumps(text, ensure_ascii=False))
        assert line.isprintable()
        assert json.loads(line) == text
