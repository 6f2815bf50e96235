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
from pathlib import Path

from memnn.errors import FormatError, InputError
from memnn.memory.protocol import LONGEST_TEXT
from memnn.types import Question, Statement, Story

Line = Statement | Question


def read(path: str | Path) -> list[Story]:
    """The stories of a file; `-` is standard input."""
    name = "standard input" if str(path) == "-" else str(path)
    return loads(read_text(path), source=name)


def read_text(path: str | Path) -> str:
    """A file as text, or one line that says why not."""
    name = "standard input" if str(path) == "-" else str(path)
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
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
            raise FormatError(source, number, f"the id is {line.id} and should be {expected} or 1")
        if isinstance(line, Question):
            _check_supports(line, lines, source, number)
        lines.append(line)
    stories.append(Story(tuple(lines), source, first_line))
    return stories


def dumps(stories: Iterable[Story]) -> str:
    """Stories as bAbI text."""
    rows = []
    for story in stories:
        for line in story.lines:
            row = f"{line.id} {line.text}"
            if isinstance(line, Question):
                if line.answer is not None:
                    row += f"\t{line.answer}"
                if line.supports:
                    row += "\t" + " ".join(map(str, line.supports))
            rows.append(row + "\n")
    return "".join(rows)


def write(path: str | Path, stories: Iterable[Story]) -> None:
    """Write a story file, whole or not at all; `-` is standard output."""
    text = dumps(stories)
    if str(path) == "-":
        sys.stdout.write(text)
        return
    path = Path(path)
    try:
        if path.exists() and not path.is_file():  # a pipe or a device: nothing to replace
            path.write_text(text, encoding="utf-8", newline="\n")
            return
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    path = path.resolve()  # a link stays a link
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(f"cannot write {path}: {error.strerror}") from None


def looks_like(text: str) -> bool:
    """Whether a text is bAbI text rather than plain lines: its first line starts with id 1."""
    return text.startswith("1 ")


def _line(row: str, source: str, number: int) -> Line:
    id_text, space, rest = row.partition(" ")
    if not (id_text.isascii() and id_text.isdigit()) or not space or id_text[0] == "0":
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
            source, number, f"a question has 3 fields between tabs at most, not {len(fields) + 1}"
        )
    supports: list[int] = []
    for support in fields[1].split() if len(fields) == 2 else []:
        if not (support.isascii() and support.isdigit()):
            raise FormatError(source, number, f"'{support}' is not the number of a line")
        supports.append(int(support))
    return Question(text, id, fields[0], tuple(supports))


def _check_supports(question: Question, before: list[Line], source: str, number: int) -> None:
    for support in question.supports:
        if not 1 <= support <= len(before):
            raise FormatError(
                source, number, f"there is no statement {support} before the question"
            )
        if isinstance(before[support - 1], Question):
            raise FormatError(source, number, f"line {support} is a question and supports nothing")
