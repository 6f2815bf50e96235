"""A server of named memories on Milvus keeps few connections, and lets go of what is unused."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from memnn.errors import MemoryStoreError
from memnn.memory.milvus.memory import MilvusMemory
from memnn.memory.milvus.store import MilvusStore
from memnn.server import memories as opened
from memnn.server.memories import Memories

PLACES = {"m0": "kitchen", "m1": "garden", "m2": "office", "m3": "bathroom", "m4": "kitchen"}


def settled(memories: Memories, most: int) -> None:
    """Connections are closed by threads that nobody waits for."""
    until = time.monotonic() + 20
    while len(memories.store._open) > most:
        assert time.monotonic() < until, list(memories.store._open)
        time.sleep(0.05)


def test_what_is_not_used_is_let_go(server, trained, monkeypatch):
    monkeypatch.setattr(opened, "MOST_OPEN", 2)
    memories = Memories(trained, server.address.replace("/tests", "/evicted"))

    async def work() -> None:
        await asyncio.gather(
            *(memories.tell(n, f"Joe went to the {place}.") for n, place in PLACES.items())
        )
        for name, place in [*PLACES.items(), *reversed(PLACES.items())]:
            assert (await memories.ask(name, "Where is Joe?")).text == place
            settled(memories, 2)
            assert len(memories._open) <= 2
        # More are used at once than may stay open: some are opened while they are being closed.
        names = [*PLACES] * 12
        answers = await asyncio.gather(*(memories.ask(n, "Where is Joe?") for n in names))
        assert [answer.text for answer in answers] == [PLACES[n] for n in names]
        await memories.tell("m0", "Fred went to the garden.")
        settled(memories, 2)
        # Who lets go of a memory lets the next writer in: nobody waits for a claim.
        await memories.ask("m1", "Where is Joe?")
        await memories.ask("m2", "Where is Joe?")
        settled(memories, 2)
        with closing(MilvusMemory(memories.store.where, "m0")) as other:
            began = time.monotonic()
            assert other.write("Fred went to the office.").id == 3
            assert time.monotonic() - began < 3
        assert (await memories.ask("m0", "Where is Fred?")).text == "office"
        assert await memories.sizes() == {"m0": 3, "m1": 1, "m2": 1, "m3": 1, "m4": 1}
        for name in PLACES:
            await memories.delete(name)
        settled(memories, 0)

    try:
        asyncio.run(work())
    finally:
        memories.close()


def test_who_opens_a_memory_again_shares_its_connection(server):
    with MilvusStore(server.address.replace("/tests", "/shared")) as store:
        one, two = store.memory("a"), store.memory("a")
        assert one.write("Joe left.").id == 1
        assert two.write("Ann came.").id == 2, "one writer: nobody waits for a claim"
        one.close()
        one.close()
        assert two.write("Dan slept.").id == 3
        for call in (lambda: one.write("x"), lambda: len(one), lambda: one.last_id):
            with pytest.raises(MemoryStoreError, match="closed"):
                call()
        two.close()
        assert not store._open

        def use(n: int) -> int:
            with closing(store.memory("a")) as memory:
                return memory.write(f"Joe went to room {n}.").id

        with ThreadPoolExecutor(8) as pool:
            assert sorted(pool.map(use, range(40))) == list(range(4, 44))
        assert len(store.memory("a")) == 43
        store.drop("a")
