"""A store under load that everything happens to: writers are killed, the disk fills up, clocks are
set, it is copied while it is written to, and it grows."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memnn.memory.address import verify
from memnn.memory.copy import copy
from memnn.memory.sqlite import writing
from memnn.memory.sqlite.store import SqliteStore
from tests.memory.acknowledged import Ledger, write_on

MINUTES = float(os.environ.get("MINUTES", "60"))
KINDS = ("one",) * 40 + ("many",) * 10 + ("delete",) * 20 + ("embed", "compact")
EVENTS = ("kill", "kill", "clock", "full", "backup", "grow")
LONGEST_LIFE = 4.0
"""Seconds."""
FARTHEST = 400
"""Days that a clock is set forward or back at most."""
LARGE = 4 * 2**30
ROOM = 300_000
"""Bytes that are left when the disk is about to be full."""
NOW_AND_THEN = 50
"""Rounds between two looks at everything."""
FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked")


@FORKS
@pytest.mark.parametrize(
    ("minutes", "grow"),
    [(0.2, 2_000), pytest.param(MINUTES, 20_000, marks=pytest.mark.soak)],
)
def test_nothing_is_lost_whatever_happens(tmp_path, minutes, grow):
    """The driver runs in a process of its own: it forks writers, and kills them."""
    with disk(tmp_path / "disk") as mounted:
        done = subprocess.run(
            [sys.executable, __file__, str(tmp_path), str(minutes), str(grow), str(int(mounted))],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=False,
            timeout=60 * minutes + 900,
        )
        assert done.returncode == 0, done.stderr
        print(done.stdout)
        report = json.loads(done.stdout)
        assert report["acknowledged"] > 0
        print("full disks are left out: only root can make a small one" if not mounted else "")
        assert verify(tmp_path / "disk" / "store.db").problems == []


@contextmanager
def disk(folder: Path) -> Iterator[bool]:
    """A file system whose size can be changed, where one can be made; else a folder."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={LARGE}", "memnn-test", str(folder)]
    mounted = hasattr(os, "geteuid") and os.geteuid() == 0
    mounted = mounted and not subprocess.run(command, capture_output=True, check=False).returncode
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)


class Driver:
    """Rounds of two writers each, and what happens meanwhile."""

    def __init__(self, folder: Path, grow: int, *, mounted: bool, seed: int = 0) -> None:
        self.folder, self.more, self.mounted = folder, grow, mounted
        self.path, self.copied = folder / "disk" / "store.db", folder / "copy.db"
        self.rng, self.ledger, self.happened = random.Random(seed), Ledger(), Counter[str]()
        self.round = 0

    def run(self, minutes: float) -> None:
        until = time.monotonic() + 60 * minutes
        while time.monotonic() < until:
            self.round += 1
            event = EVENTS[self.round % len(EVENTS)]
            if event == "full" and not self.mounted:
                continue
            self.happened[event] += 1
            before = self.known()
            said, children = self.writers(set_clock=event == "clock")
            try:
                if event in ("full", "backup", "grow"):
                    getattr(self, event)()
                time.sleep(self.rng.uniform(0.0, LONGEST_LIFE))
            finally:
                self.end(said, children)
            if event == "backup":
                self.restore(before)
            if self.round % NOW_AND_THEN == 0:
                self.look()
        self.look()
        with SqliteStore(self.path) as store:
            statements, last = len(store.memory()), store.memory().last_id
        print(json.dumps({
            "rounds": self.round, "happened": self.happened, "statements": statements,
            "last id": last, "acknowledged": self.ledger.acknowledged,
            "failed": self.ledger.failed,
        }))  # fmt: skip

    def known(self) -> set[int]:
        return set(self.ledger.told) - self.ledger.gone

    def writers(self, *, set_clock: bool) -> tuple[list[Path], list[int]]:
        files, children = [], []
        for who in range(2):
            seed = self.rng.randrange(2**32)
            said = self.folder / f"{self.round} {who}.txt"
            child = os.fork()
            if child == 0:
                try:
                    live(self.path, f"{self.round} {who}", random.Random(seed), said, set_clock)
                except BaseException:
                    traceback.print_exc()
                finally:
                    os._exit(9)  # it never ends by itself
            files.append(said)
            children.append(child)
        return files, children

    def end(self, files: list[Path], children: list[int]) -> None:
        for child in self.rng.sample(children, 2):
            os.kill(child, signal.SIGKILL)
            time.sleep(self.rng.uniform(0.0, 0.2))
        for said, child in zip(files, children, strict=True):
            _, status = os.waitpid(child, 0)
            killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
            assert killed, f"the writer failed by itself in round {self.round}: {status}"
            if said.exists():
                self.ledger.add(said.read_text().split("\n"))
                said.unlink()

    def full(self) -> None:
        """The disk fills up, and there is room again."""
        while not self.resize(shutil.disk_usage(self.path.parent).used + ROOM):
            time.sleep(0.01)  # it has grown meanwhile
        time.sleep(self.rng.uniform(0.2, 2.0))
        assert self.resize(LARGE)

    def resize(self, size: int) -> bool:
        command = ["mount", "-o", f"remount,size={size}", str(self.path.parent)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def backup(self) -> None:
        """A copy of what is written to."""
        with SqliteStore(self.path) as here, SqliteStore(self.copied) as there:
            copy(here.memory(), there.memory())

    def restore(self, before: set[int]) -> None:
        """The copy holds all that was there before it began and was not deleted meanwhile, is
        whole, and can be written to."""
        assert verify(self.copied).problems == []
        maybe_gone = self.ledger.gone | {id for _, ids in self.ledger.begun for id in ids}
        with SqliteStore(self.copied) as store:
            there = {slot.id: slot.text for slot in store.memory().scan()}
            missing = before - maybe_gone - set(there)
            assert not missing, f"not in the copy: {sorted(missing)[:5]}"
            assert all(self.ledger.told.get(id, text) == text for id, text in there.items())
            assert store.memory().write("and on").id > max(there, default=0)
        for file in self.folder.glob("copy.db*"):
            file.unlink()

    def grow(self) -> None:
        """Many statements at once."""
        texts = [f"grown {self.round} {number}" for number in range(self.more)]
        with SqliteStore(self.path) as store:
            for slot in store.memory().write_many(texts):
                self.ledger.told[slot.id] = slot.text

    def look(self) -> None:
        with SqliteStore(self.path) as store:
            self.ledger.check(store.memory())
            times = [slot.time for slot in store.memory().scan()]
            assert times == sorted(times), "times go back"
            if self.happened["clock"] > 3 and times:  # one of them was set forward, surely
                assert times[-1] > datetime.now(UTC).isoformat()
        assert verify(self.path).problems == []


def live(path: Path, name: str, rng: random.Random, said: Path, set_clock: bool) -> None:
    if set_clock:
        ahead = int(rng.uniform(-FARTHEST, FARTHEST) * 24 * 3600 * 1e9)
        writing.time_ns = lambda: time.time_ns() + ahead
    driver = os.getppid()
    store = SqliteStore(path)
    memory = store.memory()
    pipe = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    write_on(
        lambda: memory, name, rng, pipe, kinds=KINDS, compact=lambda memory: store.compact(),
        most=20, failed=lambda: time.sleep(0.05), going_on=lambda: os.getppid() == driver,
    )  # fmt: skip


if __name__ == "__main__":
    folder, minutes, grow, mounted = sys.argv[1:]
    Driver(Path(folder), int(grow), mounted=bool(int(mounted))).run(float(minutes))
