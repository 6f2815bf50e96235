"""A memory in Milvus under load that everything happens to: writers and the server are killed,
clocks are set, it is copied while it is written to, and it grows."""

from __future__ import annotations

import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memnn.errors import MemoryStoreError
from memnn.memory.copy import copy
from memnn.memory.milvus.memory import MilvusMemory
from memnn.memory.sqlite.store import SqliteStore
from tests.memory.acknowledged import Ledger
from tests.memory.milvus_server import Server
from tests.memory.test_milvus_crash import Writer
from tests.memory.unreliable import Line

MINUTES = float(os.environ.get("MINUTES", "60"))
EVENTS = ("kill", "clock", "kill", "grow", "restart", "kill", "backup", "clock")
FARTHEST = 400
"""Days that a clock is set forward or back at most."""
GROW = 5_000
PATIENCE = 900.0
"""Seconds that a write may take: vectors of all statements are written anew, too."""
NOW_AND_THEN = 16
"""Rounds between two looks at everything."""


@pytest.mark.soak
def test_nothing_is_lost_in_milvus_whatever_happens(tmp_path):
    with (
        tempfile.TemporaryDirectory(prefix="memnn-milvus-", ignore_cleanup_errors=True) as folder,
        started(Path(folder)) as (server, line),
    ):
        driver = Driver(server, line, tmp_path)
        try:
            driver.run(MINUTES)
        finally:
            for writer in driver.writers:
                writer.process.kill()


@contextmanager
def started(folder: Path) -> Iterator[tuple[Server, Line]]:
    """The server, and the line to it that writers have."""
    server = Server(folder)
    try:
        server.start()
        with Line(server.port) as line:
            yield server, line
    finally:
        server.stop()


class Driver:
    """Two writers at any time, and what happens meanwhile."""

    def __init__(self, server: Server, line: Line, folder: Path, seed: int = 0) -> None:
        self.server, self.line, self.folder = server, line, folder
        self.rng, self.ledger, self.happened = random.Random(seed), Ledger(), Counter[str]()
        self.writers: list[Writer] = []
        self.lives = 0

    def run(self, minutes: float) -> None:
        until, rounds = time.monotonic() + 60 * minutes, 0
        while time.monotonic() < until:
            event = EVENTS[rounds % len(EVENTS)]
            rounds += 1
            while len(self.writers) < 2:
                self.begin()
            for writer in self.writers:
                writer.wait_for(1, PATIENCE)
            time.sleep(self.rng.uniform(0.0, 3.0))
            getattr(self, event)()
            self.happened[event] += 1
            if rounds % NOW_AND_THEN == 0:
                self.look()
                print(self.report(rounds), flush=True)
        for writer in self.writers:
            writer.wait_for(1, PATIENCE)
        self.look()
        print(self.report(rounds))

    def report(self, rounds: int) -> str:
        with closing(self.memory()) as memory:
            return json.dumps({
                "rounds": rounds, "happened": self.happened, "lives": self.lives,
                "statements": len(memory), "last id": memory.last_id,
                "acknowledged": self.ledger.acknowledged, "failed": self.ledger.failed,
            })  # fmt: skip

    def memory(self) -> MilvusMemory:
        return MilvusMemory(self.server.address, "endures")

    def begin(self, ahead: float = 0.0) -> None:
        self.lives += 1
        address = self.server.address.replace(str(self.server.port), str(self.line.port))
        life = f"life {self.lives}"
        self.writers.append(Writer(address, "endures", life, self.folder, hasty=False, ahead=ahead))

    def kill(self) -> None:
        writer = self.writers.pop(self.rng.randrange(2))
        writer.kill()
        self.ledger.add(writer.lines())

    def clock(self) -> None:
        """Another one goes on, by a clock that is wrong."""
        self.kill()
        self.begin(self.rng.uniform(-FARTHEST, FARTHEST))

    def grow(self) -> None:
        """Many statements at once, when it is this process's turn."""
        texts = [f"grown {sum(self.happened.values())} {number}" for number in range(GROW)]
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with closing(self.memory()) as memory:
                    slots = memory.write_many(texts)
                break
            except MemoryStoreError as error:
                if "another process is writing" not in str(error) or time.monotonic() > until:
                    raise
        self.ledger.told |= {slot.id: slot.text for slot in slots}

    def backup(self) -> None:
        """A copy of what is written to holds what was known before, and can be written to."""
        before = set(self.ledger.told) - self.ledger.gone
        copied = self.folder / f"copy {self.lives}.db"
        with SqliteStore(copied) as there:
            with closing(self.memory()) as here:
                copy(here, there.memory())
            found = {slot.id: slot.text for slot in there.memory().scan()}
            assert there.memory().write("and on").id > max(found, default=0)
        # What writers have deleted since is known when they have ended.
        self.look()
        maybe_gone = self.ledger.gone | {id for _, ids in self.ledger.begun for id in ids}
        missing = before - maybe_gone - set(found)
        assert not missing, f"not in the copy: {sorted(missing)[:5]}"
        assert all(self.ledger.told.get(id, text) == text for id, text in found.items())
        copied.unlink()

    def restart(self) -> None:
        self.server.kill()
        self.line.cut()
        self.server.start()
        self.line.target = self.server.port

    def look(self) -> None:
        """When both have finished what they do: nothing is lost, back or twice."""
        while self.writers:
            writer = self.writers.pop()
            writer.stop(PATIENCE)
            self.ledger.add(writer.lines())
        with closing(self.memory()) as memory:
            self.ledger.check(memory)
            times = [slot.time for slot in memory.scan()]
        assert times == sorted(times), "times go back"
        if self.happened["clock"] > 3:  # one of them was set forward, surely
            assert times[-1] > datetime.now(UTC).isoformat()
