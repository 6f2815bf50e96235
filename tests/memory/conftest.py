"""A store in an empty folder, a small file system of its own, and cheap vectors."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memnn.memory.milvus import connection
from memnn.memory.sqlite.store import SqliteStore
from tests.memory.milvus_server import Server


class Hashes:
    """An embedder without a model: vectors that depend on the text and on the embedder's id."""

    def __init__(self, id: str = "hashes", dim: int = 4) -> None:
        self.id, self.dim, self.calls = id, dim, 0

    def embed(self, texts):
        self.calls += len(texts)
        seeds = [sum(f"{self.id} {text}".encode()) for text in texts]
        return np.array([[s % (7 + d) for d in range(self.dim)] for s in seeds], np.float16)


@pytest.fixture(scope="package")
def server() -> Iterator[Server]:
    """The real server, once a run: all tests on it are one group (tests/scheduling.py).

    It takes a third of a processor even when nobody asks, so it ends with the last of them. On a
    busy machine it may take long to answer, and is waited for. Writes keep their deadline: how
    long a claim holds rests on it.
    """
    pytest.importorskip("milvus", reason="the server is not installed (pip install milvus)")
    with tempfile.TemporaryDirectory(prefix="memnn-milvus-", ignore_cleanup_errors=True) as folder:
        server = Server(Path(folder))
        try:
            server.start()
            with pytest.MonkeyPatch.context() as patient:
                for seconds in ("CONNECT_SECONDS", "READ_SECONDS", "CHANGE_SECONDS"):
                    patient.setattr(connection, seconds, 120.0)
                yield server
        finally:
            server.stop()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with SqliteStore(path) as store:
        yield store


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes; only root can make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "memnn-test", str(folder)],
            capture_output=True,
            check=False,
        ).returncode
    )
    if not made:
        pytest.skip("a file system cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
