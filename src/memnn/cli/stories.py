"""Telling a network the story of a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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

    Lines of JSON, as /export writes them, have new ids here, and when they were told there is when
    they were said; what replaced what, and lessons, stay.
    """
    if exported := _exported(path, network.memory.last_id):
        lines = read_lines(exported, babi.name_of(path), network.memory.last_id, "jsonl")
        write_lines(network.memory, lines)
        return len(lines.slots)
    statements = read_story(network, path)
    network.memory.write_many([statement.text for statement in statements])
    return len(statements)


def _exported(path: Path, last_id: int) -> str:
    """Lines of JSON, numbered from the next id on; empty where they are something else."""
    rows = []
    for line in filter(str.strip, babi.read_text(path).split("\n")):
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):
            return ""
    if not all(isinstance(row, dict) and ("text" in row or "question" in row) for row in rows):
        return ""
    told = [row for row in rows if "text" in row]
    now = {_number(row.get("id")): last_id + n for n, row in enumerate(told, start=1)}
    return "\n".join(json.dumps(_moved(row, now)) for row in rows)


def _moved(row: dict[str, Any], now: Mapping[int | None, int]) -> dict[str, Any]:
    """A statement or a lesson, under the ids that are now; the rest as it is."""
    row = dict(row)
    if "text" not in row:
        ids = row["ids"] if isinstance(row.get("ids"), list) else []
        row["ids"] = [now.get(_number(id), 0) for id in ids]
        if (last := _number(row.get("as_of"))) is not None:
            row["as_of"] = max((new for old, new in now.items() if (old or 0) <= last), default=0)
        return row
    old = _number(row.pop("supersedes", None))
    row.pop("id", None)
    if (time := row.pop("time", None)) is not None:
        row.setdefault("said", time)
    return row | ({"supersedes": now[old]} if old is not None and old in now else {})


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


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
