"""The server is killed under two writers, and so are they: what was acknowledged is there."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memnn.errors import MemoryStoreError
from memnn.memory import batch
from memnn.memory.milvus import claims, connection
from memnn.memory.milvus.memory import MilvusMemory
from memnn.memory.protocol import timestamp
from tests.memory.acknowledged import Ledger, write_on
from tests.memory.milvus_server import Server
from tests.memory.unreliable import Line

KINDS = ("one",) * 12 + ("many",) * 4 + ("delete",) * 8 + ("embed", "compact")
PATIENCE = 120.0


class Writer:
    """A process that writes to a memory until it is killed, or its input ends."""

    def __init__(
        self, address: str, name: str, life: str, folder: Path, *, hasty: bool, ahead: float = 0.0
    ) -> None:
        """`ahead` is by how many days its clock is."""
        self.said = folder / f"{life.replace(' ', '-')}.txt"
        how = [str(int(hasty)), str(ahead)]
        self.process = subprocess.Popen(
            [sys.executable, __file__, address, name, life, str(self.said), *how],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.PIPE,
        )

    def lines(self) -> list[str]:
        return self.said.read_text().split("\n") if self.said.exists() else []

    def acknowledged(self) -> int:
        return sum(line.startswith('["end"') for line in self.lines())

    def wait_for(self, more: int, patience: float = PATIENCE) -> None:
        """Return when so much more was acknowledged."""
        until, goal = time.monotonic() + patience, self.acknowledged() + more
        while self.acknowledged() < goal:
            assert self.process.poll() is None, "the writer failed by itself"
            assert time.monotonic() < until, f"nothing is acknowledged: {self.lines()[-3:]}"
            time.sleep(0.05)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(60)
        self.process.stdin.close()

    def stop(self, patience: float = PATIENCE) -> None:
        """Let it finish what it does."""
        self.process.stdin.close()
        assert self.process.wait(patience) == 0


def check(address: str, name: str, writers: list[Writer]) -> Ledger:
    ledger = Ledger()
    for writer in writers:
        ledger.add(writer.lines())
    with closing(MilvusMemory(address, name)) as memory:
        ledger.check(memory)
        back = len(memory._table.graves.back)
        print(f"{len(ledger.gone)} deleted, of which the engine brought back {back}")
        memory.write("and on")
    return ledger


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.soak)])
def test_killed_writers_lose_nothing(server, tmp_path, kills):
    """Of two writers one is killed and another begins, in turns."""
    rng, name = random.Random(kills), f"killed writers {kills}"

    def start(number: int) -> Writer:
        return Writer(server.address, name, f"life {number}", tmp_path, hasty=True)

    writers = [start(0), start(1)]
    for number in range(kills):
        writers[-2].wait_for(1)
        writers[-1].wait_for(rng.randrange(1, 6))
        time.sleep(rng.uniform(0, 0.5))
        victim = writers.pop(-2)
        victim.kill()
        writers.insert(0, victim)
        writers.append(start(number + 2))
    writers[-1].wait_for(1)
    for writer in writers[-2:]:
        writer.stop()
    ledger = check(server.address, name, writers)
    print(f"{kills} kills of writers, {ledger.acknowledged} acknowledged; {ledger.failed}")


@pytest.mark.soak
def test_a_killed_server_loses_nothing(tmp_path):
    """It comes back on another port, which the writers do not see."""
    rng, kills = random.Random(0), 20
    with tempfile.TemporaryDirectory(prefix="memnn-milvus-", ignore_cleanup_errors=True) as folder:
        server = Server(Path(folder))
        line, writers = None, []
        try:
            server.start()
            line = Line(server.port)
            address = server.address.replace(str(server.port), str(line.port))
            writers = [
                Writer(address, "killed", f"life {n}", tmp_path, hasty=False) for n in range(2)
            ]
            for _ in range(kills):
                for writer in writers:
                    writer.wait_for(1)
                time.sleep(rng.uniform(0.0, 4.0))
                server.kill()
                line.cut()
                server.start()
                line.target = server.port
            for writer in writers:
                writer.wait_for(1)
            for writer in writers:
                writer.stop()
            ledger = check(server.address, "killed", writers)
        finally:
            for writer in writers:
                writer.process.kill()
            if line is not None:
                line.close()
            server.stop()
    print(f"{kills} kills of the server, {ledger.acknowledged} acknowledged; {ledger.failed}")
    assert ledger.acknowledged > kills


class Turns:
    """A memory that is closed after a few writes, so that the other writer gets its turn."""

    def __init__(self, address: str, name: str, rng: random.Random) -> None:
        self.address, self.name, self.rng = address, name, rng
        self.memory: MilvusMemory | None = None
        self.left = 0

    def __call__(self) -> MilvusMemory:
        if self.left == 0 and self.memory is not None:
            self.memory.close()
            self.memory = None
        while self.memory is None:
            try:
                self.memory = MilvusMemory(self.address, self.name)
                self.left = self.rng.randrange(1, 9)
            except MemoryStoreError:  # the server is away
                time.sleep(0.2)
        self.left -= 1
        return self.memory


def live(address: str, name: str, life: str, said: str, hasty: bool, ahead: float) -> None:
    if ahead:
        batch.now = lambda: timestamp(datetime.now(UTC) + timedelta(days=ahead))
    if hasty:  # the death of the other is noticed sooner, and no write takes longer
        connection.WRITE_SECONDS, claims.HOLD, claims.LEASE = 2.0, 1.0, 3.0
    rng = random.Random(life)
    use = Turns(address, name, rng)
    os.set_blocking(0, False)

    def going_on() -> bool:
        try:
            return os.read(0, 1) != b""
        except BlockingIOError:
            return True

    pipe = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    write_on(
        use, life, rng, pipe, kinds=KINDS, compact=lambda memory: memory.compact(),
        dims=(2, 2, 2, 3), most=40, failed=lambda: time.sleep(0.2), going_on=going_on,
    )  # fmt: skip
    if use.memory is not None:
        use.memory.close()


if __name__ == "__main__":
    live(*sys.argv[1:5], bool(int(sys.argv[5])), float(sys.argv[6]))
