"""What is kept beside slots: lessons, and overviews of a memory in parts that fit into rows;
and what is asked about slots beside their texts.

Their ids lie below those of claims. An older memnn takes these rows for claims until it has read
row 0, which it refuses; so each has a beat.
"""

from __future__ import annotations

import json
import secrets
import zlib
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Iterable
from time import time_ns

from memnn.memory.milvus import parts_kept
from memnn.memory.milvus.claims import LEAST_CLAIM
from memnn.memory.milvus.fields import Row, blank
from memnn.memory.milvus.filters import quoted
from memnn.memory.milvus.table import Table
from memnn.types import Lesson

MOST_KEPT, OVERVIEWS = 20_000_000, 4
"""Bytes of an overview that is worth keeping here, and overviews of one kind that are."""
LESSONS, KEPT = 'kind == "lesson"', 'kind == "kept"'


def lesson_row(lesson: Lesson, dim: int) -> Row:
    about = {"ids": lesson.ids, "as_of": lesson.as_of}
    return _row("lesson", lesson.question, about, dim)


def lessons(table: Table) -> dict[int, Lesson]:
    """The lessons by the ids of their rows, in order."""
    if not table.is_current():
        return {}
    found = {
        row["id"]: Lesson(row["text"], tuple(row["meta"]["ids"]), row["meta"]["as_of"])
        for row in table.rows(LESSONS, ["id", "text", "meta"])
    }
    return dict(sorted(found.items(), key=lambda item: (item[1].as_of, item[1].question)))


def naming(table: Table, slots: Iterable[int]) -> list[int]:
    """The rows that go when these slots do: lessons about them, and every overview."""
    if not table.is_current():
        return []
    gone = set(slots)
    return [id for id, lesson in lessons(table).items() if not gone.isdisjoint(lesson.ids)] + [
        row["id"] for row in table.rows(KEPT, ["id"])
    ]


def kept_rows(name: str, data: bytes, deletions: int, dim: int) -> list[Row]:
    text = b64encode(data).decode()
    parts = parts_kept.pieces(text)
    about = {
        "name": name, "deletions": deletions, "parts": len(parts), "crc": zlib.crc32(data),
        "made": time_ns() // 1_000,
    }  # fmt: skip
    return [_row("kept", part, about | {"part": n}, dim) for n, part in enumerate(parts)]


def kept(table: Table, name: str, deletions: int) -> bytes | None:
    """The newest overview of this name that is whole and of the memory as it is."""
    if not table.is_current():
        return None
    versions: dict[int, list[Row]] = defaultdict(list)
    wanted = f'{KEPT} and meta["name"] == {quoted(name)}'
    for row in table.rows(wanted, ["id", "text", "meta"]):
        versions[row["meta"]["made"]].append(row)
    for _, rows in sorted(versions.items(), reverse=True):
        about = rows[0]["meta"]
        if about["deletions"] == deletions and len(rows) == about["parts"]:
            rows.sort(key=lambda row: row["meta"]["part"])
            data = b64decode("".join(row["text"] for row in rows))
            if zlib.crc32(data) == about["crc"]:
                return data
    return None


def outdated(table: Table, name: str, made: int) -> list[int]:
    """The rows of overviews that a new one replaces, and of models of long ago; its parts, too.

    Overviews of another kind, which the beginning of a name says, are none of its business.
    """
    newest: dict[str, int] = {}
    rows: dict[str, list[int]] = defaultdict(list)
    for row in table.rows(KEPT, ["id", "meta"]):
        about = row["meta"]
        if about["made"] != made:
            rows[about["name"]].append(row["id"])
            newest[about["name"]] = max(newest.get(about["name"], 0), about["made"])
    same_kind = [n for n in newest if n != name and n.partition("-")[0] == name.partition("-")[0]]
    gone = sorted(same_kind, key=lambda other: -newest[other])[OVERVIEWS - 1 :]
    left = [other for other in newest if other not in gone]
    return [id for n in [name, *gone] for id in rows[n]] + parts_kept.of_others(
        table, [name, *left]
    )


def _row(kind: str, text: str, about: dict[str, object], dim: int) -> Row:
    id = LEAST_CLAIM - 1 - secrets.randbelow(parts_kept.IDS)
    told = {"text": text, "meta": about, "kind": kind, "state": json.dumps({"beat": 0})}
    return blank(id, dim) | told


def still_there(table: Table, rows: list[Row]) -> list[Row]:
    """Those of them that nobody deleted while their vectors were made."""
    ids = [row["id"] for row in rows]
    there = {row["id"] for row in table.rows(f"id in {ids}", ["id"])}
    return [row for row in rows if row["id"] in there]


def supersessions(table: Table, after: int) -> list[tuple[int, int]]:
    """Slots after an id that supersede others, and what they supersede; format 1 has none."""
    if not table.is_current():
        return []
    rows = table.rows(f"id > {max(after, 0)} and supersedes > 0", ["id", "supersedes"])
    return [(row["id"], row["supersedes"]) for row in rows]


def embedded(table: Table) -> tuple[str | None, int]:
    """The model whose vectors are there, and how many; of several models the first."""
    row = table.first(f"id > 0 and model != {quoted('')}", ["model"])
    if row is None:
        return None, 0
    return row["model"], table.count(f"id > 0 and model == {quoted(row['model'])}")
