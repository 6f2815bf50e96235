"""Tokens, and what whoever bears one may do: everything, only read, or only some memories."""

from __future__ import annotations

import hmac
import os
import re
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from memnn.errors import InputError

SHORTEST_TOKEN = 16
WANTED = f"{SHORTEST_TOKEN} or more characters without spaces; make one with: openssl rand -hex 32"
READS = frozenset({"questions", "search"})
"""Calls that read although they are sent with POST."""
MEMORY = re.compile(r"/v1/memories/([^/]+)(?:/([^/]+))?")


class Right(NamedTuple):
    """What a token opens."""

    token: bytes
    writes: bool = True
    names: frozenset[str] | None = None
    """The memories it is for; None for all of them."""

    def refuses(self, method: str, path: str) -> str:
        """Why a request must not pass; empty if it may."""
        reads = method in ("GET", "HEAD", "OPTIONS")
        found = MEMORY.match(path)
        if found is None:
            whole = path == "/metrics" or path.startswith("/mcp")
            if self.names is not None and whole:
                return "this token is for some memories only"
            return "" if reads or self.writes else "this token may only read"
        if not (self.writes or reads or (method == "POST" and found[2] in READS)):
            return "this token may only read"
        if self.names is None:
            return ""
        if unquote(found[1]) not in self.names:
            return "this token is for other memories"
        return "this token is for some memories only" if found[2] == "copies" else ""


def borne(authorization: bytes, rights: Sequence[Right]) -> Right | None:
    """The right of the token in a header; all are compared, so that time tells nothing."""
    scheme, _, given = authorization.partition(b" ")
    fitting = [right for right in rights if hmac.compare_digest(given.strip(), right.token)]
    return fitting[0] if fitting and scheme.lower() == b"bearer" else None


def read_tokens(file: Path, warn: Callable[[str], None] = lambda line: None) -> list[Right]:
    """The tokens of a file, one a line, so that they are in no process list.

    After a token may stand `read`, or `write`, and after that the names of memories. Whoever may
    write the file lets everybody in: that is refused. Whoever may read it gets in.
    """
    try:
        with open(file, encoding="ascii") as opened:
            _check_mode(file, os.fstat(opened.fileno()).st_mode, warn)
            lines = opened.read().splitlines()
    except OSError as error:
        raise InputError(f"cannot read the token file {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"the token in {file} must be printable ASCII") from None
    if not lines or not lines[0].strip() or lines[0].lstrip().startswith("#"):
        raise InputError(f"{file} must start with a line of {WANTED}")
    written = [(n, line) for n, line in enumerate(lines, start=1) if line.strip()]
    return [_right(file, n, line) for n, line in written if not line.lstrip().startswith("#")]


def _right(file: Path, number: int, line: str) -> Right:
    token, *rest = line.split()
    if len(token) < SHORTEST_TOKEN or not line.strip().isprintable():
        where = "must start with a line" if number == 1 else f"needs in line {number} a token"
        raise InputError(f"{file} {where} of {WANTED}")
    if rest and rest[0] not in ("read", "write"):
        raise InputError(
            f"{file}:{number}: after a token stands nothing, or read or write and the names of "
            "memories, for example: TOKEN read diary"
        )
    names = frozenset(rest[1:])
    return Right(token.encode(), rest[:1] != ["read"], names or None)


def _check_mode(file: Path, mode: int, warn: Callable[[str], None]) -> None:
    if os.name != "posix" or not stat.S_ISREG(mode):  # a pipe is nobody else's
        return
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise InputError(f"others can write the token file {file}; first: chmod 600 {file}")
    if mode & (stat.S_IRGRP | stat.S_IROTH):
        warn(f"Others on this machine can read the token in {file}; better: chmod 600 {file}")
