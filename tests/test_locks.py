"""Locks between processes: one at a time, nothing left behind, and no waiting without locks."""

from __future__ import annotations

import errno
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import filelock
import pytest

from memnn.locks import exclusive

ADDING = """
import sys
from pathlib import Path
from memnn.locks import exclusive
lock, count = map(Path, sys.argv[1:])
for _ in range(200):
    with exclusive(lock, 60):
        count.write_text(str(int(count.read_text()) + 1))
"""


def test_one_at_a_time(tmp_path):
    """The file is made and removed 800 times; a lock on a removed one would lose a count."""
    (tmp_path / "count").write_text("0")
    command = [sys.executable, "-c", ADDING, tmp_path / "lock", tmp_path / "count"]
    for process in [subprocess.Popen(command) for _ in range(4)]:
        assert process.wait(timeout=600) == 0
    assert (tmp_path / "count").read_text() == "800"
    assert [file.name for file in tmp_path.iterdir()] == ["count"]


def test_threads_take_turns(tmp_path):
    inside = []

    def work(_):
        with exclusive(tmp_path / "lock", 60):
            inside.append(None)
            assert len(inside) == 1
            inside.pop()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(100)))


def test_patience_ends(tmp_path):
    with exclusive(tmp_path / "lock", 0):
        with pytest.raises(TimeoutError), exclusive(tmp_path / "lock", 0):
            pytest.fail("two have it")
        assert (tmp_path / "lock").exists()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSYS, errno.ENOLCK, errno.EACCES])
def test_where_there_are_no_locks_nobody_waits(tmp_path, monkeypatch, code):
    def refuse(self):
        raise OSError(code, "no locks here")

    monkeypatch.setattr(filelock.FileLock, "_acquire", refuse)
    with exclusive(tmp_path / "lock", 0), exclusive(tmp_path / "lock", 0):
        pass
    with exclusive(tmp_path / "none" / "lock", 0):
        pass


def test_what_fails_inside_releases_it(tmp_path):
    with pytest.raises(ZeroDivisionError), exclusive(tmp_path / "lock", 0):
        raise ZeroDivisionError
    with exclusive(tmp_path / "lock", 0):
        pass
