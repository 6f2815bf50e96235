"""Telling a network the story of a file."""

from __future__ import annotations

import json
from pathlib import Path

from memnn.cli import screen
from memnn.conversations.files import read_lines
from memnn.errors import FormatError
from memnn.memory.copy import write_lines
from memnn.network import Network
from memnn.stories import babi
from memnn.text.tokens import LONGEST_TEXT
from memnn.types import Statement


def tell_story(network: Network, path: Path) -> int:
    """Tell an empty memory the story of a file; the number of statements told.

    The id is the line's number; further statements of a plain line take the next ids, and so does
    a line whose number is taken by then.
    """
    statements = read_story(network, path)
    for statement in statements:
        network.G(statement, network.memory)
    return len(statements)


def tell_lines(network: Network, path: Path) -> int:
    """Tell what a file says after what was told before, all of it or nothing.

    Of lines of JSON, as /export writes them, ids and times of writing are new.
    """
    if exported := _exported(path):
        lines = read_lines(exported, babi.name_of(path), network.memory.last_id, "jsonl")
        write_lines(network.memory, lines)
        return len(lines.slots)
    statements = read_story(network, path)
    network.memory.write_many([statement.text for statement in statements])
    return len(statements)


def _exported(path: Path) -> str:
    """Lines of JSON without what they were numbered; empty where they are something else."""
    rows = []
    for line in filter(str.strip, babi.read_text(path).split("\n")):
        try:
            row = json.loads(line)
        except ValueError:
            return ""
        if not isinstance(row, dict) or "text" not in row:
            return ""
        numbers = ("id", "time", "supersedes")
        rows.append(json.dumps({key: value for key, value in row.items() if key not in numbers}))
    return "\n".join(rows)


def read_story(network: Network, path: Path) -> list[Statement]:
    """bAbI text (its last story, questions passed over) or plain lines."""
    text = babi.read_text(path)
    name = babi.name_of(path)
    if babi.looks_like(text):
        stories = babi.loads(text, source=name)
        if len(stories) > 1:
            screen.say(f"{name} holds {len(stories):,} stories; this is about the last one")
        (last,) = network.I.hear(stories[-1:])
        statements = list(last.statements)
    else:
        statements = []
        id = 0
        for number, line in enumerate(text.split("\n"), start=1):
            if len(line) > LONGEST_TEXT:
                raise FormatError(
                    name, number, f"the line has {len(line):,} characters; the limit is 10,000"
                )
            # A line of a file ends what it says.
            for x in (*network.I(line), *network.I.flush()):
                if isinstance(x, Statement):
                    id = max(id + 1, number)
                    statements.append(Statement(x.text, id))
    return statements
