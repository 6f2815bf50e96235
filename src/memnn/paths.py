"""Paths from users, checked before they reach the system."""

from __future__ import annotations

import os
from pathlib import Path

from memnn.errors import InputError


def path_of(path: str | os.PathLike[str]) -> Path:
    """A path that the system can use, or one line that says that it cannot."""
    try:
        if b"\0" not in os.fsencode(path):
            return Path(path)
    except (TypeError, UnicodeEncodeError):
        pass
    raise InputError(f"{path!r} is not a path")
