"""numba's compiler with types, a cache that always has a folder, and nothing random of its own."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from platformdirs import user_cache_path

F = TypeVar("F", bound=Callable[..., object])


@cache
def cache_folder() -> Path:
    """Where compiled kernels are kept: numba's variable, the user's cache, else a temporary folder.

    numba alone would write beside the sources, which fails for a read-only installation.
    """
    wanted = os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(wanted) if wanted else user_cache_path("memnn") / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        folder = _temporary_folder()
    return folder


def _temporary_folder() -> Path:
    """One per user if nobody else may write there, since what is cached is run; else a new one."""
    try:
        folder = Path(tempfile.gettempdir()) / f"memnn-kernels-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if found.st_uid == os.getuid() and stat.filemode(found.st_mode) == "drwx------":
            return folder
    except (OSError, AttributeError):  # AttributeError: a system without user ids
        pass
    folder = Path(tempfile.mkdtemp(prefix="memnn-kernels-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def kernel(function: F) -> F:
    """Compile on first call, keep the machine code on disk; numbers stay IEEE (no fastmath)."""
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder())  # for this function, not for the user's own
    try:
        return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))
    finally:
        config.CACHE_DIR = before
