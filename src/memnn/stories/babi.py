"""bAbI text: `ID text`, or `ID question TAB answer TAB supporting ids`; ID 1 starts a new story.

Texts and answers are kept to the character, so that reading and writing a file gives its bytes
back: `dumps(loads(text)) == text` for a file as bAbI's are (every line ends with `\\n`, supports
have one space between them). Line ends of Windows and stray spaces around supports are accepted
and written in that form. A line with `?` at its end and no answer is a question without labels.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import nullcontext, suppress
from pathlib import Path

from memnn.errors import FormatError, InputError
from memnn.paths import open_file, path_of
from memnn.text.tokens import LONGEST_TEXT
from memnn.types import Question, Statement, Story

Line = Statement | Question
MOST_BYTES = 2**30
_CHUNK = 2**24
_LONGEST_NUMBER = 18


def read(path: str | Path) -> list[Story]:
    """The stories of a file; `-` is standard input."""
    return loads(read_text(path), source=name_of(path))


def name_of(path: str | Path) -> str:
    return "standard input" if str(path) == "-" else str(path)


def read_text(path: str | Path) -> str:
    """A file as text, or one line that says why not."""
    path, name = path_of(path), name_of(path)
    try:
        data = _read_bytes(path, name)
    except FileNotFoundError:
        raise InputError(f"there is no file {name}") from None
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}") from None
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise FormatError(name, line, "not a text file (it holds a NUL byte)")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FormatError(name, line, "not UTF-8 text; convert the file to UTF-8") from None


def _read_bytes(path: Path, name: str) -> bytes:
    """A file until its end or its first NUL."""
    data = bytearray()
    with nullcontext(sys.stdin.buffer) if str(path) == "-" else open_file(path) as file:
        while chunk := file.read(_CHUNK):
            data += chunk
            if b"\0" in chunk:
                break
            if len(data) > MOST_BYTES:
                raise InputError(f"{name} is larger than 1 GB; split it into smaller files")
    return bytes(data)


def loads(text: str, source: str = "story") -> list[Story]:
    """The stories of a text."""
    if not text.strip():
        raise InputError(f"{source} is empty")
    stories: list[Story] = []
    lines: list[Line] = []
    first_line = 1
    rows = text.split("\n")
    if rows[-1] == "":
        rows.pop()
    for number, row in enumerate(rows, start=1):
        line = _line(row.removesuffix("\r"), source, number)
        if line.id == 1 and lines:
            stories.append(Story(tuple(lines), source, first_line))
            lines, first_line = [], number
        expected = len(lines) + 1
        if line.id != expected:
            should = "1" if expected == 1 else f"{expected} or 1"
            raise FormatError(source, number, f"the id is {line.id} but should be {should}")
        if isinstance(line, Question):
            _check_supports(line, lines, source, number)
        lines.append(line)
    stories.append(Story(tuple(lines), source, first_line))
    return stories


def dumps(stories: Iterable[Story]) -> str:
    """Stories as bAbI text."""
    rows = []
    for story in stories:
        for number, line in enumerate(story.lines, start=story.first_line):
            if line.id is None:
                raise FormatError(
                    story.source, number, "bAbI text needs ids, but this line has none"
                )
            fields = [f"{line.id} {line.text}"]
            if isinstance(line, Question):
                if line.answer is not None or line.supports:
                    fields.append(line.answer or "")
                if line.supports:
                    fields.append(" ".join(map(str, line.supports)))
            if any(mark in field for field in fields for mark in "\t\n\r\0"):
                raise FormatError(
                    story.source, number, "bAbI text cannot hold a tab or line break within a text"
                )
            rows.append("\t".join(fields) + "\n")
    return "".join(rows)


def write(path: str | Path, stories: Iterable[Story]) -> None:
    """Write a story file, whole or not at all; `-` is standard output."""
    text = dumps(stories)
    if str(path) == "-":
        sys.stdout.write(text)
        return
    path = path_of(path)
    real = Path(os.path.realpath(path))  # a link stays a link
    part = real.with_name(f".memnn-{os.urandom(6).hex()}.part")
    try:
        data = text.encode()
        if path.exists() and not path.is_file():  # a pipe or a device: nothing to replace
            path.write_bytes(data)
        else:
            part.write_bytes(data)
            os.replace(part, real)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    except UnicodeEncodeError:
        raise InputError(f"cannot write {path}: a text is not valid Unicode") from None
    finally:
        with suppress(OSError):
            part.unlink()


def looks_like(text: str) -> bool:
    """Whether a text is bAbI text rather than plain lines: its first line starts with id 1."""
    return text.startswith("1 ")


def _line(row: str, source: str, number: int) -> Line:
    id_text, space, rest = row.partition(" ")
    if not _is_number(id_text) or not space or id_text[0] == "0":
        what = f"'{row[:40]}'" if row.strip() else "an empty line"
        raise FormatError(source, number, f"a line starts with its number and a space, not {what}")
    if len(rest) > LONGEST_TEXT:
        raise FormatError(
            source, number, f"the line has {len(rest):,} characters; the limit is {LONGEST_TEXT:,}"
        )
    id = int(id_text)
    text, *fields = rest.split("\t")
    if not text.strip():
        raise FormatError(source, number, "the line has a number but no text")
    if not fields:
        return Question(text, id) if text.rstrip().endswith("?") else Statement(text, id)
    if len(fields) > 2:
        raise FormatError(
            source, number, f"a question has at most 3 fields between tabs, not {len(fields) + 1}"
        )
    supports: list[int] = []
    for support in fields[1].split() if len(fields) == 2 else []:
        if not _is_number(support):
            raise FormatError(source, number, f"'{support[:40]}' is not the number of a line")
        supports.append(int(support))
    return Question(text, id, fields[0], tuple(supports))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER


def _check_supports(question: Question, before: list[Line], source: str, number: int) -> None:
    for support in question.supports:
        if not 1 <= support <= len(before):
            raise FormatError(
                source, number, f"there is no statement {support} before the question"
            )
        if isinstance(before[support - 1], Question):
            raise FormatError(source, number, f"line {support} is a question, not a statement")
