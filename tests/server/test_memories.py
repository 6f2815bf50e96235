"""Many named memories on one store: what one costs, and what it leaves behind."""

from __future__ import annotations

import asyncio
import gc
import json
import sqlite3
import sys
import tracemalloc
from dataclasses import astuple
from time import perf_counter

import httpx
import psutil
import pytest

import memnn
from memnn.as_json import said_json
from memnn.dialogue.network import Ensemble
from memnn.errors import InputError
from memnn.memory.follow import Following
from memnn.memory.ram import RamStore
from memnn.memory.sqlite.state import MemoryRow
from memnn.memory.sqlite.store import SqliteStore
from memnn.server import memories as opened
from memnn.server.memories import Memories
from memnn.server.session import NOT_ANSWERED, Missing, TooLong
from memnn.stories.view import StoryReader


@pytest.fixture(params=["ram", "sqlite"])
def where(request, tmp_path) -> str:
    return ":memory:" if request.param == "ram" else str(tmp_path / "store.db")


def run(net, where, work):
    memories = Memories(net, where)
    try:
        return asyncio.run(work(memories))
    finally:
        memories.close()


def test_what_is_refused_leaves_nothing(trained, where):
    """A name costs nothing before something was told to it."""

    async def work(memories: Memories) -> None:
        for n in range(100):
            for refused in ("Where is Joe?", "...", "a\0b"):
                with pytest.raises(InputError):
                    await memories.tell(f"name{n}", refused)
            await memories.converse(f"name{n}", "Where is Joe?")
            await memories.ask(f"name{n}", "Where is Joe?")
            assert await memories.page(f"name{n}", 0, 10) == []
            with pytest.raises(Missing):
                await memories.forget(f"name{n}", 1)
        assert await memories.sizes() == {}
        assert memories._open == {}
        gc.collect()
        if isinstance(memories.store, RamStore):
            assert len(memories.store._opened) == 0

    run(trained, where, work)


def test_what_is_not_used_is_let_go(trained, where, monkeypatch):
    """Of many memories those used last are open; the others answer as before."""
    monkeypatch.setattr(opened, "MOST_OPEN", 5)

    async def work(memories: Memories) -> None:
        for n in range(40):
            await memories.tell(f"m{n}", f"Joe went to the {'kitchen' if n % 2 else 'garden'}.")
            await memories.ask("m0", "Where is Joe?")
            assert len(memories._open) <= 5
        assert list(memories._open)[-1] == "m0", "the one used last is the last to go"
        for n in range(40):
            answer = await memories.ask(f"m{n}", "Where is Joe?")
            assert answer.text == ("kitchen" if n % 2 else "garden")
            assert len(memories._open) <= 5
        assert set((await memories.sizes()).values()) == {1}

    run(trained, where, work)


def test_one_in_use_is_not_let_go(trained, where, monkeypatch):
    monkeypatch.setattr(opened, "MOST_OPEN", 1)

    async def work(memories: Memories) -> list[int]:
        told = await asyncio.gather(
            *(memories.tell(f"m{n % 3}", f"Joe went to place {n}.") for n in range(60))
        )
        return sorted(slots[0].id for slots in told)

    assert run(trained, where, work) == sorted([*range(1, 21)] * 3)


def test_the_deleted_are_not_remembered_for_ever(trained, where, monkeypatch):
    monkeypatch.setattr(opened, "MOST_DELETED", 3)

    async def work(memories: Memories) -> None:
        for n in range(6):
            await memories.tell(f"m{n}", "Joe left.")
            await memories.delete(f"m{n}")
        assert list(memories._deleted) == ["m3", "m4", "m5"]

    run(trained, where, work)


def test_a_network_follows_the_memories_used_last(trained, monkeypatch):
    monkeypatch.setattr(sys.modules["memnn.memory.follow"], "MOST", 4)
    recipe = trained.model.recipe
    following = Following(lambda: StoryReader(trained.model.dictionary, recipe))
    many = [memnn.RamMemory() for _ in range(9)]
    for memory in many:
        memory.write("Joe went to the kitchen.")
        assert len(following(memory).ids) == 1
        assert len(following(many[0]).ids) == 1
    assert [memory in following for memory in many] == [True] + [False] * 5 + [True] * 3
    assert [len(following(memory).ids) for memory in many] == [1] * 9


def test_an_empty_memory_in_ram_is_one_while_somebody_has_it():
    store = RamStore()
    one, two = store.memory("a"), store.memory("a")
    assert one is two
    assert store.names() == []
    one.write("Joe left.")
    assert store.names() == ["a"]
    del one, two
    gc.collect()
    assert len(store.memory("a")) == 1
    held = store.memory("a")
    store.drop("a")
    assert "a" not in store
    assert held.write("Joe came.").id == 1
    assert store.memory("a") is held
    assert store.sizes() == {"a": 1}


async def longest_wait(work) -> tuple[float, object]:
    """What some work comes to, and how long others had to wait for the event loop meanwhile."""
    task, longest = asyncio.ensure_future(work), 0.0
    while not task.done():
        start = perf_counter()
        await asyncio.sleep(0)
        longest = max(longest, perf_counter() - start)
    return longest, await task


def test_a_message_lets_others_pass(small, where):
    """The questions of one message are few, and others are served between them."""

    async def work(memories: Memories) -> None:
        told = " ".join(
            f"Joe{n} went to the {'kitchen' if n % 2 else 'garden'}." for n in range(50)
        )
        await memories.tell("m", told)
        await memories.converse("m", "Where is Joe1? What is the capital of France? " * 5)  # warm
        with pytest.raises(TooLong, match="1,400 questions, and 100 are"):
            await memories.converse("m", "Joe left. " + "Where? " * 1_400)
        assert await memories.sizes() == {"m": 50}, "nothing of it was told"
        waited, (_, answers, _) = await longest_wait(
            memories.converse("m", "Where is Joe1? " * 100)
        )
        assert len(answers) == 100
        assert {answer.text for _, answer in answers} == {"kitchen"}
        assert waited < 0.25
        waited, slots = await longest_wait(memories.tell("m", "Joe left. " * 1_000))
        assert len(slots) == 1_000
        assert waited < 0.25

    run(Ensemble(small), where, work)


def test_the_reply_to_a_message_is_bounded(trained, where):
    """Long statements are evidence for few questions; the others are said to be unanswered."""

    async def work(memories: Memories) -> None:
        for place in ("kitchen", "garden"):
            await memories.tell("m", f"Joe went to the {place}" + " and" * 2_000)
        slots, answers, _ = await memories.converse("m", "Where is Joe? " * 100 + "Joe left.")
        assert len(slots) == 1
        assert len(answers) == 100
        assert len(json.dumps(said_json(slots, answers))) < 2_000_000
        reasons = [answer.reason for _, answer in answers]
        assert reasons[-1] == NOT_ANSWERED
        assert reasons[0] != NOT_ANSWERED
        assert answers[-1][1].abstained

    run(trained, where, work)


def filled(path: str, names: int) -> None:
    """A store with so many memories of one statement, without waiting for each."""
    with SqliteStore(path) as store:
        store.memory("n0").write("Joe went to the kitchen.")
    with sqlite3.connect(path) as connection:
        rows = [MemoryRow(i + 1, f"n{i}", 1, 0, 1, 0, 0) for i in range(1, names)]
        connection.executemany(
            "INSERT INTO memories (key, name, last_id, last_time, count, deletions, indexed, crc)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(*astuple(row), row.crc) for row in rows],
        )
    connection.close()


@pytest.mark.parametrize("names", [2_000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_names_come_in_pages(trained, tmp_path, names):
    path = str(tmp_path / "many.db")
    filled(path, names)

    async def work(memories: Memories) -> float:
        assert await memories.count() == names
        seen, slowest, after = [], 0.0, ""
        while True:
            start = perf_counter()
            page = await memories.sizes(after, 1000)
            slowest = max(slowest, perf_counter() - start)
            if not page:
                break
            assert len(page) <= 1000
            seen += page
            after = seen[-1]
        assert seen == sorted(f"n{n}" for n in range(names))
        assert memories._open == {}, "none was opened for it"
        return slowest

    slowest = run(trained, path, work)
    print(f"{names:,} names: the slowest page took {slowest * 1e3:.1f} ms")
    assert slowest < 0.2


async def use(memories: Memories, name: str) -> None:
    await memories.tell(name, "Joe went to the kitchen.")
    assert (await memories.ask(name, "Where is Joe?")).text == "kitchen"
    await memories.ask(name, "What is the capital of France?")


def test_a_name_in_use_costs_little(small, where):
    """The network is shared: a memory with one statement takes less than 40 kB."""

    async def work(memories: Memories) -> float:
        for n in range(20):
            await use(memories, f"first{n}")
        gc.collect()
        tracemalloc.start()
        for n in range(100):
            await use(memories, f"n{n}")
        gc.collect()
        taken, _ = tracemalloc.get_traced_memory()
        assert len(memories._open) == 120
        return taken / 100

    try:
        assert run(Ensemble(small), where, work) < 40_000
    finally:
        tracemalloc.stop()


@pytest.mark.soak
@pytest.mark.parametrize("lasts", [False, True], ids=["ram", "sqlite"])
def test_ten_thousand_names_in_a_server(start, tmp_path, lasts, small):
    """What a thousand names in use take of a server's memory, and ten thousand that were."""
    model = small.save(tmp_path / "ensemble")
    server = start(
        "--model", str(model), *(("--store", str(tmp_path / "store.db")) if lasts else ())
    )
    process = psutil.Process(server.process.pid)

    def use_all(first: int, last: int) -> int:
        for n in range(first, last):
            place = f"/v1/memories/n{n}"
            http.post(f"{place}/statements", json={"text": "Joe went to the kitchen."})
            for question in ("Where is Joe?", "What is the capital of France?"):
                answer = http.post(f"{place}/questions", json={"text": question})
                assert answer.status_code == 200
        return process.memory_info().rss

    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=30) as http:
        before = use_all(0, 100)
        few = (use_all(100, 1000) - before) / 900
        many = (use_all(1000, 10_000) - before) / 9_900
        taken = []
        for _ in range(5):  # the least is what it takes: the others waited for the machine
            begin = perf_counter()
            found = http.get("/v1/memories", params={"after": "n5", "limit": 1000}).json()
            taken.append(perf_counter() - begin)
        page, seconds = found["memories"], min(taken)
    print(f"{few / 1024:.1f} kB a name in use, {many / 1024:.1f} kB a name, page {seconds:.3f} s")
    assert len(page) == 1000
    assert seconds < 0.2
    assert few < 40 * 1024
    assert many < 10 * 1024
