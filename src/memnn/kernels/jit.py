"""numba's compiler with types, a cache that always has a folder, and nothing random of its own."""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import numba
from platformdirs import user_cache_path

F = TypeVar("F", bound=Callable[..., object])


@cache
def cache_folder() -> Path:
    """Where compiled kernels are kept: numba's variable, the user's cache, else a temporary folder.

    numba alone would write beside the sources, which fails for a read-only installation, and would
    not notice when a kernel changes that another file's kernels call: hence a folder per version
    of all the sources. What is in it is run, so nobody else may write there.
    """
    wanted = os.environ.get("NUMBA_CACHE_DIR")
    folder = (Path(wanted) if wanted else user_cache_path("memnn") / "kernels") / _version()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return _copied(folder) if folder.is_dir() and _ours_alone(folder) else _temporary_folder()
    if not _ours_alone(folder):
        print(
            f"memnn: {folder} can be written by others, and what is in it would be run; kernels "
            "are compiled elsewhere (remove it, or set NUMBA_CACHE_DIR)",
            file=sys.stderr,
        )
        return _temporary_folder()
    return folder


def marker(name: str) -> Path:
    """A file that says that these kernels are compiled: it lives and dies with the cache, and
    changes places with the sources."""
    return cache_folder() / f"compiled-{name}"


def _ours_alone(folder: Path) -> bool:
    """Whether only this user (or root) can change what is in a folder, or put another there."""
    try:
        uid, here, above = os.getuid(), folder.lstat(), folder.parent.stat()
    except AttributeError:  # a system without user ids
        return True
    return (
        stat.S_ISDIR(here.st_mode)
        and here.st_uid in (uid, 0)
        and not here.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        and above.st_uid in (uid, 0)
        and (above.st_mode & (stat.S_IWOTH | stat.S_ISVTX)) != stat.S_IWOTH
    )


def _version() -> str:
    """A name for these sources, this numba and this Python."""
    here = Path(__file__).parent
    key = hashlib.sha256(f"{numba.__version__} {platform.python_version()} {here}".encode())
    for source in sorted(here.glob("*.py")):
        key.update(source.read_bytes())
    return key.hexdigest()[:16]


def _copied(folder: Path) -> Path:
    """What can be read and not written, as in a container, is used from a copy."""
    here = _temporary_folder()
    copy, new = here / "read-only", here / f"copying-{os.getpid()}"
    if not copy.exists():
        try:
            shutil.copytree(folder, new, copy_function=shutil.copyfile)
            for path in (new, *new.rglob("*")):
                path.chmod(0o700 if path.is_dir() else 0o600)
            new.rename(copy)
        except OSError:  # it cannot be read, or another process was faster
            shutil.rmtree(new, ignore_errors=True)
    return copy if copy.exists() else here


def _temporary_folder() -> Path:
    """One per user if nobody else may write there, since what is cached is run; else a new one."""
    try:
        folder = Path(tempfile.gettempdir()) / f"memnn-kernels-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if found.st_uid == os.getuid() and stat.filemode(found.st_mode) == "drwx------":
            (folder / _version()).mkdir(mode=0o700, exist_ok=True)
            return folder / _version()
    except (OSError, AttributeError):  # AttributeError: a system without user ids
        pass
    folder = Path(tempfile.mkdtemp(prefix="memnn-kernels-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def kernel(function: F) -> F:
    """Compile on first call, keep the machine code on disk; numbers are IEEE, in written order."""
    return _compiled(function, fastmath=False)


def reordering(function: F) -> F:
    """The same, but sums may be taken in another order, which one depends on the processor.

    On one machine the same seed gives the same bits; on another kind the last ones may differ.
    """
    return _compiled(function, fastmath={"reassoc"})


def inlined(function: F) -> F:
    """A kernel whose body goes into its callers: bundles of arrays are costly to hand on."""
    return _compiled(function, fastmath=False, inline="always")


def bare(function: F) -> F:
    """A kernel that makes no arrays: nobody counts who holds those it was given, or views of them,
    which takes longer than short sums do."""
    return _compiled(function, fastmath=False, counting=False)


def _compiled(
    function: F,
    fastmath: bool | set[str],
    inline: Literal["never", "always"] = "never",
    counting: bool = True,
) -> F:
    config: Any = numba.config
    njit: Any = numba.njit  # its types leave out _nrt
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder())  # for this function, not for the user's own
    try:
        compile = njit(
            cache=True, nogil=True, error_model="numpy", fastmath=fastmath, inline=inline,
            _nrt=counting,
        )  # fmt: skip
        return cast(F, _for_any_value(compile(function)))
    finally:
        config.CACHE_DIR = before


def _for_any_value(dispatcher: Any) -> Any:
    """One version per types: numba would compile one for every constant that a caller passes."""
    typed = dispatcher.get_call_template

    def plainly(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        plain: Any = numba.types.unliteral
        return typed(tuple(map(plain, args)), {name: plain(of) for name, of in kws.items()})

    dispatcher.get_call_template = plainly
    return dispatcher
