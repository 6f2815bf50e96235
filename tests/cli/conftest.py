"""Commands are run as users run them: a process of its own, an empty folder, a cache of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest


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
        from memnn.kernels.jit import cache_folder

        self.env["NUMBA_CACHE_DIR"] = str(cache_folder().parent)

    def argv(self, *arguments: object) -> list[str | bytes]:
        given = [a if isinstance(a, bytes) else str(a) for a in arguments]
        return [sys.executable, "-m", "memnn", *given]

    def __call__(self, *arguments: object, stdin: str | bytes = "") -> Result:
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


@pytest.fixture(scope="session")
def cache(user_cache: Path) -> Path:
    """The user's cache folder; kernels are compiled by now, so that no command has to say so."""
    return user_cache


@pytest.fixture
def memnn(tmp_path: Path, cache: Path) -> Commands:
    return Commands(tmp_path, cache)


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """A model folder that `memnn simulate` and `memnn train` made."""
    folder = tmp_path_factory.mktemp("model")
    run = Commands(folder, cache)
    assert run("simulate", "-o", "train.txt").code == 0
    result = run("train", "train.txt", "-o", "model")
    assert result.code == 0, result.err
    return folder / "model"
