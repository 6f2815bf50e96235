"""Checksums of rows, and what is raised where one does not fit: a store never answers from a row
that something else has changed.

A checksum covers where a row belongs (memory, id, word) as well as what it says, so that a row
that has moved is found, too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class Changed(Exception):
    """What was changed, and what to do; `Database` adds the file and makes it a DamagedStore."""


def statement_changed(id: object, name: str) -> Changed:
    return Changed(
        f"statement {id} of memory '{name}' was changed on disk; delete it and tell it again, "
        "or use a backup"
    )


def statements_changed(name: str) -> Changed:
    """Where it is not known which ones."""
    return Changed(
        f"statements of memory '{name}' were changed on disk; memnn memory verify names them"
    )


def newest_changed() -> Changed:
    """Where statements cannot be put into buckets."""
    return Changed("statements were changed on disk; memnn memory verify names them")


def buckets_changed() -> Changed:
    return Changed("its buckets were changed on disk; mend them with memnn memory verify --repair")


def vectors_changed() -> Changed:
    return Changed("its vectors were changed on disk; mend them with memnn memory verify --repair")


def fetch(connection: sqlite3.Connection, query: str, values: Sequence[object]) -> list[Any]:
    """All rows, though some may hold bytes that are no text: no checksum fits what is read then."""
    try:
        return connection.execute(query, values).fetchall()
    except sqlite3.OperationalError as error:
        if "UTF-8" not in str(error):
            raise
    connection.text_factory = _replaced
    try:
        return connection.execute(query, values).fetchall()
    finally:
        connection.text_factory = str


def _replaced(data: bytes) -> str:
    return data.decode(errors="replace")


@contextmanager
def reading_as(damage: Changed) -> Iterator[None]:
    """A value of another type or length than was ever written means damage, too."""
    try:
        yield
    except (TypeError, ValueError, OverflowError, AttributeError):
        raise damage from None
