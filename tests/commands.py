"""Commands as users type them, in one folder and with a cache of their own.

Most run in this process, with streams, environment and folder of their own: a process for each of
hundreds would load everything anew. Where the process is the point (its memory, its signals, its
streams), `memnn.process` starts one.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

from memnn.cli import main
from memnn.kernels import jit


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


class Commands:
    """Runs `memnn ...` in one folder."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        kept = {k: v for k, v in os.environ.items() if not k.startswith("MEMNN")}
        self.env = kept | {"XDG_CACHE_HOME": str(cache), "COLUMNS": "200", "PYTHONUTF8": "1"}
        # Compiled kernels may be shared: what is tested here is not the compiler.
        self.env["NUMBA_CACHE_DIR"] = str(jit.cache_folder().parent)

    def __call__(self, *arguments: object, stdin: str | bytes = "") -> Result:
        """In this process, from the first argument to the exit code."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        given = [os.fsdecode(a) if isinstance(a, bytes) else str(a) for a in arguments]
        with (
            _streams(data) as (out, err),
            contextlib.chdir(self.folder),
            patch.dict(os.environ, self.env, clear=True),
            pytest.raises(SystemExit) as end,
        ):
            main(given)
        return Result(int(end.value.code or 0), out.getvalue().decode(), err.getvalue().decode())

    def argv(self, *arguments: object) -> list[str | bytes]:
        given = [a if isinstance(a, bytes) else str(a) for a in arguments]
        return [sys.executable, "-m", "memnn", *given]

    def process(self, *arguments: object, stdin: str | bytes = "") -> Result:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            self.argv(*arguments),
            input=data,
            capture_output=True,
            cwd=self.folder,
            env=self.env,
            check=False,
            timeout=300,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


@contextlib.contextmanager
def _streams(data: bytes) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Pipes as a process has them: bytes below, UTF-8 above."""
    out, err = io.BytesIO(), io.BytesIO()
    with (
        patch("sys.stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8")),
        patch("sys.stdout", io.TextIOWrapper(out, "utf-8", write_through=True)) as written,
        patch("sys.stderr", io.TextIOWrapper(err, "utf-8", write_through=True)) as said,
    ):
        yield out, err
        written.detach()
        said.detach()
