"""Triples and questions about them: tab-separated text, plain or gzip, read as a stream.

Triples have three columns and no header; further columns are ignored. Questions have a header that
names `question` and the gold triple's `narg1 nrel narg2`. What cannot be used is left out and
counted, with the line where it first happened; nothing is guessed.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from memnn.errors import FormatError, InputError
from memnn.paths import open_file, path_of

LONGEST_ROW = 100_000
"""Bytes; a longer one is no row of triples."""
MOST_EXPANSION = 200
"""Text shrinks to a fifth, rarely to a twentieth; what shrinks much more is no text."""
HARMLESS = 64 * 2**20
"""Bytes that may be unpacked, or skipped in one row, before it looks like malice."""


class Triple(NamedTuple):
    subject: str
    relation: str
    object: str

    def __str__(self) -> str:
        return " ".join(self)


class Asked(NamedTuple):
    """A question and the triple that answers it."""

    question: str
    gold: Triple


@dataclass
class Skipped:
    """What was left out of a file, why, and where it happened first."""

    reasons: dict[str, int] = field(default_factory=dict)
    first_line: dict[str, int] = field(default_factory=dict)
    more_columns: int = 0
    """Rows that were used and whose columns from the fourth on were not."""

    def count(self, reason: str, line: int | None, rows: int = 1) -> None:
        if rows:
            self.reasons[reason] = self.reasons.get(reason, 0) + rows
            if line is not None:
                self.first_line.setdefault(reason, line)

    @property
    def total(self) -> int:
        return sum(self.reasons.values())

    def __str__(self) -> str:
        parts = [
            f"{n:,} {reason}"
            + (f" (first in line {self.first_line[reason]:,})" if reason in self.first_line else "")
            for reason, n in self.reasons.items()
        ]
        if self.more_columns:
            parts.append(f"{self.more_columns:,} rows had more columns, which were ignored")
        return "; ".join(parts)


def triples(path: str | os.PathLike[str], skipped: Skipped | None = None) -> Iterator[Triple]:
    """The triples of a file in its order, duplicates included."""
    skipped = Skipped() if skipped is None else skipped
    for number, row in _rows(path, skipped):
        columns = row.split("\t")
        if len(columns) < 3:
            skipped.count("with fewer than three columns", number)
            continue
        triple = Triple(*(" ".join(column.split()) for column in columns[:3]))
        if not all(triple):
            skipped.count("with an empty field", number)
            continue
        skipped.more_columns += len(columns) > 3
        yield triple


def questions(path: str | os.PathLike[str], skipped: Skipped | None = None) -> Iterator[Asked]:
    """The questions of a file with their gold triples."""
    skipped = Skipped() if skipped is None else skipped
    for number, columns in _table(path, ("question", "narg1", "nrel", "narg2"), skipped):
        question, *gold = columns
        if not question or not all(gold):
            skipped.count("with an empty field", number)
        else:
            yield Asked(question, Triple(*gold))


def paraphrases(
    path: str | os.PathLike[str], skipped: Skipped | None = None
) -> Iterator[tuple[str, str]]:
    """Pairs of questions that ask for the same; two columns, no header."""
    skipped = Skipped() if skipped is None else skipped
    for number, row in _rows(path, skipped):
        columns = row.split("\t")
        if len(columns) < 2 or not columns[0].strip() or not columns[1].strip():
            skipped.count("without two questions", number)
        else:
            yield columns[0].strip(), columns[1].strip()


class Label(NamedTuple):
    """A person's word on whether a triple answers a question."""

    question: str
    triple: Triple
    right: bool


RIGHT = {"right": True, "1": True, "true": True, "wrong": False, "0": False, "false": False}


def labels(path: str | os.PathLike[str], skipped: Skipped | None = None) -> Iterator[Label]:
    """Labelled candidates: a header that names question, narg1, nrel, narg2 and label."""
    skipped = Skipped() if skipped is None else skipped
    names = ("question", "narg1", "nrel", "narg2", "label")
    for number, columns in _table(path, names, skipped):
        question, *triple, label = columns
        if label.lower() not in RIGHT:
            raise FormatError(str(path), number, "a label is right or wrong, or 1 or 0")
        if not question or not all(triple):
            skipped.count("with an empty field", number)
        else:
            yield Label(question, Triple(*triple), RIGHT[label.lower()])


def _table(
    path: str | os.PathLike[str], names: tuple[str, ...], skipped: Skipped
) -> Iterator[tuple[int, list[str]]]:
    """The named columns of a file with a header."""
    rows = _rows(path, skipped)
    _, header = next(rows, (1, ""))
    found = [column.strip() for column in header.split("\t")]
    missing = [name for name in names if name not in found]
    if missing:
        raise FormatError(
            str(path), 1, f"the header must name {' '.join(names)}; {missing[0]} is missing"
        )
    places = [found.index(name) for name in names]
    for number, row in rows:
        columns = row.split("\t")
        if len(columns) <= max(places):
            skipped.count("with too few columns", number)
        else:
            yield number, [" ".join(columns[place].split()) for place in places]


def _rows(path: str | os.PathLike[str], skipped: Skipped) -> Iterator[tuple[int, str]]:
    """The lines of a file that are text, numbered from 1."""
    place = path_of(path)
    try:
        with _opened(place) as file:
            number = 0
            while line := file.readline(LONGEST_ROW + 1):
                number += 1
                if len(line) > LONGEST_ROW:
                    length = 0
                    while line and not line.endswith(b"\n"):
                        line = file.readline(LONGEST_ROW)
                        length += len(line)
                        if length > HARMLESS:  # a device gives bytes for ever
                            raise InputError(f"{path}: line {number:,} has no end; is it text?")
                    skipped.count(f"longer than {LONGEST_ROW:,} bytes", number)
                    continue
                try:
                    row = line.decode().rstrip("\r\n")
                except UnicodeDecodeError:
                    skipped.count("that are not UTF-8", number)
                    continue
                if not row.strip():
                    skipped.count("that are empty", number)
                elif "\0" in row:
                    skipped.count("with a NUL character", number)
                else:
                    yield number, row.removeprefix("\ufeff") if number == 1 else row
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path} is a damaged gzip file: {error}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def _opened(path: Path) -> BinaryIO:
    file = open_file(path)
    start = file.read(2)
    file.seek(0)
    if start != b"\x1f\x8b":
        return file
    return io.BufferedReader(_Unpacked(file, path), 2**20)


class _Unpacked(io.RawIOBase):
    """A gzip file that refuses to grow without measure (a few bytes can hold terabytes)."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = gzip.GzipFile(fileobj=file)
        self._under = file
        self._path = path
        self._most = max(HARMLESS, MOST_EXPANSION * path.stat().st_size)
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._file.read1(len(buffer))
        buffer[: len(data)] = data
        self._given += len(data)
        if self._given > self._most:
            raise InputError(
                f"{self._path} unpacks to more than {MOST_EXPANSION} times its size; is it text?"
            )
        return len(data)

    def close(self) -> None:
        self._file.close()
        self._under.close()
        super().close()
