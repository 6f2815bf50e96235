"""What docs/milvus.md promises of writers, against an engine and a clock that hypothesis moves.

Processes tell and delete, are killed in any call, lose calls and answers, and pause for as long as
they like between two calls. What is not tried: a process that stops between a look at the clock and
the call after it.
"""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pymilvus")

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memnn.errors import InputError, MemoryStoreError
from memnn.memory.milvus import claims, connection, table
from memnn.memory.milvus.memory import MilvusMemory
from tests.memory.simulated_engine import Process, World

MOST_PROCESSES = 3
PAUSES = st.sampled_from([0.1, 0.9, 1.9, 2.1, 3.9, 4.1, 6.1, 31.0])


class Writers(RuleBasedStateMachine):
    """Some processes and one memory."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.before = [(module, module.clock) for module in (claims, connection, table)]
        self.connection = table.Connection
        for module, _ in self.before:
            module.clock = self.world
        table.Connection = self.world.connection
        self.told = 0
        self.ids: dict[str, int] = {}
        """What was acknowledged, and as what."""
        self.doomed: set[str] = set()
        """What somebody began to delete …"""
        self.gone: set[str] = set()
        """… and what was acknowledged to be gone."""
        self.wrong: list[str] = []
        for _ in range(2):
            self.run(self.world.start())

    def run(self, process: Process, most: int = 3_000) -> None:
        """Until it has nothing to do."""
        for _ in range(most):
            if process.ended or (process.idle and process.memory is not None):
                return
            self.world.step(process)
        raise AssertionError("it goes on for ever")

    def busy(self) -> list[Process]:
        return [p for p in self.world.processes if not p.ended and not p.idle]

    def idle(self) -> list[Process]:
        return [p for p in self.world.processes if p.idle and p.memory is not None]

    @precondition(lambda self: self.idle())
    @rule(data=st.data(), more=st.integers(0, 1))
    def tell(self, data, more):
        process = data.draw(st.sampled_from(self.idle()))
        texts = [f"Fact {self.told + i} is told." for i in range(1 + more)]
        self.told += len(texts)
        before = max(self.ids.values(), default=0)

        def job(memory: MilvusMemory) -> None:
            try:
                slots = memory.write_many(texts)
            except MemoryStoreError:
                return
            if slots[0].id <= before:
                self.wrong.append(f"{texts[0]} has {slots[0].id}, which is not after {before}")
            self.ids.update((slot.text, slot.id) for slot in slots)

        process.job = job
        process.go_on()

    @precondition(lambda self: self.idle() and self.ids)
    @rule(data=st.data())
    def delete(self, data):
        process = data.draw(st.sampled_from(self.idle()))
        text = data.draw(st.sampled_from(sorted(self.ids)))
        self.doomed.add(text)

        def job(memory: MilvusMemory) -> None:
            try:
                memory.delete([self.ids[text]])
            except InputError:
                if text not in self.doomed:
                    raise
            except MemoryStoreError:
                return
            self.gone.add(text)

        process.job = job
        process.go_on()

    @precondition(lambda self: self.busy())
    @rule(data=st.data(), calls=st.integers(1, 12))
    def go_on(self, data, calls):
        process = data.draw(st.sampled_from(self.busy()))
        for _ in range(calls):
            if not process.ended and not process.idle:
                self.world.step(process)

    @precondition(lambda self: any(p.call for p in self.busy()))
    @rule(data=st.data())
    def arrive(self, data):
        """A call does what it should, but the process does not go on yet."""
        data.draw(st.sampled_from([p for p in self.busy() if p.call])).call.arrive()

    @precondition(lambda self: any(p.call for p in self.busy()))
    @rule(data=st.data(), arrives=st.booleans(), busy=st.booleans())
    def lose(self, data, arrives, busy):
        call = data.draw(st.sampled_from([p for p in self.busy() if p.call])).call
        call.fail(arrives=arrives and not busy, busy=busy and call.writes)

    @rule(seconds=PAUSES, arrives=st.booleans())
    def wait(self, seconds, arrives):
        self.world.advance(seconds, arrives)

    @precondition(lambda self: any(not p.ended for p in self.world.processes))
    @rule(data=st.data(), arrives=st.booleans())
    def kill(self, data, arrives):
        there = [p for p in self.world.processes if not p.ended]
        data.draw(st.sampled_from(there)).kill(arrives=arrives)

    @precondition(lambda self: sum(not p.ended for p in self.world.processes) < MOST_PROCESSES)
    @rule()
    def start(self):
        self.world.start().go_on()

    @rule()
    def engine_is_killed(self):
        self.world.server.bring_back()

    @invariant()
    def one_writes(self):
        assert sum(process.writing for process in self.world.processes) <= 1

    @invariant()
    def nothing_is_wrong(self):
        assert not self.wrong, self.wrong
        for process in self.world.processes:
            if process.wrong is not None:
                raise process.wrong

    @invariant()
    def no_id_is_given_twice(self):
        for rows in self.world.server.collections.values():
            by_id = {}
            for row in rows:
                if row["id"] > 0:
                    assert by_id.setdefault(row["id"], row["text"]) == row["text"]

    def teardown(self):
        try:
            for process in self.busy():
                self.run(process)
            self.nothing_is_wrong()
            last = self.world.start()
            self.run(last)
            found: list[tuple[str, int]] = []
            told: list[int] = []

            def job(memory: MilvusMemory) -> None:
                found.extend((slot.text, slot.id) for slot in memory.scan())
                told.append(memory.write("This is the end.").id)

            last.job = job
            last.go_on()
            self.run(last)
            self.nothing_is_wrong()
            self._as_it_should_be(found, told)
        finally:
            for process in self.world.processes:
                if not process.ended:
                    process.kill(arrives=False)
            for module, clock in self.before:
                module.clock = clock
            table.Connection = self.connection

    def _as_it_should_be(self, found: list[tuple[str, int]], told: list[int]) -> None:
        texts = [text for text, _ in found]
        assert len(set(texts)) == len(texts), "something is there twice"
        there = dict(found)
        for text, id in self.ids.items():
            if text not in self.doomed:
                assert there.get(text) == id, f"{text} is lost"
            if text in self.gone:
                assert text not in there, f"{text} is back"
        assert told, "nobody can write any more"
        assert told[0] > max([*self.ids.values(), *there.values()], default=0)


def tried(examples: int, steps: int, **more: Any) -> None:
    """So many histories of so many steps."""
    run_state_machine_as_test(
        Writers,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None,
            suppress_health_check=list(HealthCheck), report_multiple_bugs=False, **more,
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("examples", "steps"), [(60, 40), pytest.param(5_000, 60, marks=pytest.mark.soak)]
)
def test_nothing_is_lost_back_or_twice(examples, steps):
    tried(examples, steps)


@pytest.mark.parametrize(
    ("name", "value"),
    [("LEASE", 1.0), ("HOLD", 60.0)],
    ids=["a writer is given up too early", "a writer goes on for too long"],
)
def test_a_broken_protocol_is_found(monkeypatch, name, value):
    monkeypatch.setattr(claims, name, value)
    with pytest.raises((AssertionError, MemoryStoreError)):
        tried(1_000, 60, phases=[Phase.generate], derandomize=True, database=None)


def test_a_memory_is_made_again_where_the_server_was_too_slow():
    history = Writers()
    try:
        process = history.idle()[0]
        process.job = lambda memory: history.ids.update({"Joe left.": memory.write("Joe left.").id})
        process.go_on()
        while not (process.call.writes and history.world.server.collections):
            history.world.step(process)
        process.call.fail(arrives=False)  # the first row of the new collection
        history.run(process)
        assert history.ids == {"Joe left.": 1}
    finally:
        history.teardown()
