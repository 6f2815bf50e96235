"""Parts of overviews, each read by its name: the name gives the ids of its rows.

Nothing looks for them but who knows their names, and these are in an overview that a deletion
drops. So they need no note when they are removed: one that the engine brings back is never read.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from hashlib import blake2b

from memnn.memory.milvus import graves
from memnn.memory.milvus.claims import LEAST_CLAIM
from memnn.memory.milvus.fields import Row, blank
from memnn.memory.milvus.filters import quoted
from memnn.memory.milvus.table import WINDOW, Table

PIECE = 60_000
"""Letters in one row."""
IDS = 2**62 - graves.ROOM
"""Below the ids of claims."""
PARTS = 'kind == "part"'


def rows(name: str, parts: Mapping[str, bytes], dim: int) -> list[Row]:
    """The rows of parts of the overview of this name."""
    made = []
    for part, data in parts.items():
        text = pieces(b64encode(data).decode())
        about = {"of": name, "pieces": len(text), "crc": zlib.crc32(data)}
        for n, piece in enumerate(text):
            told = {"text": piece, "meta": about, "kind": "part", "state": json.dumps({"beat": 0})}
            made.append(blank(_id(part, n), dim) | told)
    return made


def read(table: Table, names: Iterable[str]) -> dict[str, bytes]:
    """Those of these parts that are there and whole."""
    wanted = list(dict.fromkeys(names))
    if not table.is_current():
        return {}
    fields = ["id", "text", "meta"]
    found = _found(table, [_id(name, 0) for name in wanted], fields)
    more = _found(table, _more_ids(wanted, found), fields)
    data = {}
    for name in wanted:
        if first := found.get(_id(name, 0)):
            about = first["meta"]
            rest = [more.get(_id(name, n)) for n in range(1, about["pieces"])]
            whole = b64decode("".join(row["text"] for row in (first, *rest) if row))
            if zlib.crc32(whole) == about["crc"]:
                data[name] = whole
    return data


def ids(table: Table, names: Iterable[str]) -> list[int]:
    """The ids of the rows of parts that are there."""
    wanted = list(names)
    found = _found(table, [_id(name, 0) for name in wanted], ["id", "meta"])
    return [*found, *_more_ids(wanted, found)]


def everything(table: Table) -> list[int]:
    return [row["id"] for row in table.rows(PARTS, ["id"])] if table.is_current() else []


def of_others(table: Table, names: Iterable[str]) -> list[int]:
    """The rows of parts of overviews that are none of these."""
    others = " and ".join(f'meta["of"] != {quoted(name)}' for name in names)
    return [row["id"] for row in table.rows(f"{PARTS} and {others}", ["id"])]


def pieces(text: str) -> list[str]:
    """A text in pieces that fit into rows, one at least."""
    return [text[i : i + PIECE] for i in range(0, len(text), PIECE)] or [""]


def _found(table: Table, ids: list[int], fields: list[str]) -> dict[int, Row]:
    some = (ids[i : i + WINDOW] for i in range(0, len(ids), WINDOW))
    return {row["id"]: row for each in some for row in table.rows(f"id in {each}", fields)}


def _more_ids(names: Iterable[str], found: Mapping[int, Row]) -> list[int]:
    """Of what has several pieces, all but the first."""
    firsts = ((name, found.get(_id(name, 0))) for name in names)
    counts = ((name, row["meta"]["pieces"]) for name, row in firsts if row is not None)
    return [_id(name, n) for name, pieces in counts for n in range(1, pieces)]


def _id(name: str, piece: int) -> int:
    digest = blake2b(f"{name}#{piece}".encode(), digest_size=8).digest()
    return LEAST_CLAIM - 1 - int.from_bytes(digest, "big") % IDS
