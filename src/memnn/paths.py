"""Paths and files from users, checked before they reach the system."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from memnn.errors import InputError


def path_of(path: str | os.PathLike[str]) -> Path:
    """A path that the system can use, or one line that says that it cannot."""
    try:
        if b"\0" not in os.fsencode(path):
            return Path(path)
    except (TypeError, UnicodeEncodeError):
        pass
    raise InputError(f"{path!r} is not a path")


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """A file to be read; an OSError for a pipe, which would be waited for, or a device."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    file = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
    try:
        mode = os.fstat(file).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", path)
        return os.fdopen(file, "rb")
    except BaseException:
        os.close(file)
        raise


def read_file(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, as `open_file` has it."""
    with open_file(path) as file:
        return file.read()


def private(path: str, flags: int) -> int:
    """An opener for `open`: a file that it creates is its owner's alone."""
    return os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)


def private_folder(path: Path) -> Path:
    """A folder for its owner alone, made if need be; one of somebody else's is left as it is."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(OSError):
        if path.stat().st_mode & 0o077:
            path.chmod(0o700)
    return path
