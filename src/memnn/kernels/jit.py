"""numba's compiler with types, a cache that always has a folder, and nothing random of its own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from platformdirs import user_cache_path

F = TypeVar("F", bound=Callable[..., object])


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
        folder = Path(tempfile.gettempdir()) / f"memnn-kernels-{os.getuid()}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


# numba reads its variables once, when it is first imported.
os.environ["NUMBA_CACHE_DIR"] = str(cache_folder())

import numba  # noqa: E402


def kernel(function: F) -> F:
    """Compile on first call, keep the machine code on disk; numbers stay IEEE (no fastmath)."""
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))
