"""What is told is its owner's alone: no file of a store can be read by others."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile

import pytest

from memnn.cli.app import run
from memnn.kernels import jit
from memnn.memory.sqlite.store import SqliteStore
from tests.memory.conftest import Hashes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="permissions are those of POSIX")


@pytest.fixture(autouse=True)
def open_to_all():
    """As careless as a user can be."""
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder):
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def test_a_store_its_log_and_its_vectors(tmp_path):
    with SqliteStore(tmp_path / "store.db") as store:
        memory = store.memory()
        memory.write_many(["a", "b", "c"])
        memory.vectors(Hashes())
        memory.delete([2])
        assert {"store.db-wal", "store.db-shm"} <= modes(tmp_path).keys()
        assert set(modes(tmp_path).values()) == {0o600}
        store.compact()
        assert set(modes(tmp_path).values()) == {0o600}


def test_a_store_that_was_opened_to_a_group_stays_so(tmp_path):
    path = tmp_path / "store.db"
    SqliteStore(path).close()
    path.chmod(0o660)
    with SqliteStore(path) as store:
        store.memory().write("a")
        store.memory().vectors(Hashes())
        assert set(modes(tmp_path).values()) == {0o660}


def test_an_export(tmp_path):
    with SqliteStore(tmp_path / "store.db") as store:
        store.memory().write("a")
    assert run(["memory", "export", str(tmp_path / "store.db"), "-o", str(tmp_path / "x")]) == 0
    assert modes(tmp_path)["x"] == 0o600


@pytest.mark.parametrize("how", ["group", "all", "parent", "link", "other"])
def test_a_cache_of_kernels_that_others_can_write(tmp_path, monkeypatch, capsys, how):
    """What is in it is run."""
    wanted, folder = tmp_path / "wanted", tmp_path / "wanted" / jit._version()
    wanted.mkdir(mode=0o777 if how == "parent" else 0o755)
    if how == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o755)
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.mkdir(mode={"group": 0o770, "all": 0o707}.get(how, 0o700))
    if how == "other":
        if os.geteuid() != 0:
            pytest.skip("only root can give a folder away")
        os.chown(folder, 12345, -1)
        folder.chmod(0o755)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(wanted))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(jit.tempfile, "tempdir", None)
    chosen = jit.cache_folder.__wrapped__()
    assert chosen.parent.parent == tmp_path
    assert stat.S_IMODE(chosen.stat().st_mode) == 0o700
    assert stat.S_IMODE(chosen.parent.stat().st_mode) == 0o700
    (line,) = capsys.readouterr().err.splitlines()
    assert str(folder) in line


def test_a_cache_of_kernels_of_our_own(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "new"))
    os.umask(0o022)
    folder = jit.cache_folder.__wrapped__()
    assert folder.parent == tmp_path / "new"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert capsys.readouterr().err == ""


def test_a_cache_of_kernels_that_cannot_be_written_is_used_from_a_copy(tmp_path, monkeypatch):
    """A container whose files are read-only, and whose kernels were compiled with it."""
    os.umask(0o022)
    there = tmp_path / "there" / jit._version()
    (there / "part").mkdir(mode=0o700, parents=True)
    (there / "compiled-stories").touch()
    (there / "part").chmod(0o500)
    there.chmod(0o500)
    writing = tempfile.TemporaryFile

    def read_only(*arguments, dir=None, **options):
        if dir == there:
            raise OSError(errno.EROFS, "Read-only file system")
        return writing(*arguments, dir=dir, **options)

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "there"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tempfile, "TemporaryFile", read_only)
    for _ in range(2):
        folder = jit.cache_folder.__wrapped__()
        assert folder != there
        assert sorted(file.name for file in folder.iterdir()) == ["compiled-stories", "part"]
        assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600, 0o700}
        assert folder.parent.stat().st_mode & 0o077 == 0
    shutil.rmtree(folder)
    monkeypatch.setattr(shutil, "copytree", lambda *_, **__: read_only(dir=there))
    assert jit.cache_folder.__wrapped__() == folder.parent, "compiled anew"
