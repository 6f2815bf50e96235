"""Many threads tell, ask and forget at once: no error, and every answer is one of its time.

Each thread tells of a subject of its own, and anybody asks about anyone. What a subject's thread
did, in its order, gives the states that a question about it may have met: those between its call
and its return. For each of them a twin, told the same by one thread, says what is right.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache

import pytest

import memnn
from memnn import default
from memnn.dialogue.network import Ensemble
from memnn.generalization import Append
from memnn.memory.sqlite.store import SqliteStore
from memnn.network import MemoryNetwork, Network
from memnn.stories.forgetting import Oldest
from memnn.stories.network import network

NAMES = ("Joe", "Fred", "Dan", "Sue", "Ann", "Bill", "Max", "Eva")
ROOMS = ("kitchen", "garden", "office", "bathroom")
THINGS = ("wokalu", "bazoni", "fendil", "gruval", "hamtex", "jorvik", "lumpen", "nixola")
KINDS = ("story", "paths", "told", "ensemble")
PLACES = ("under the stairs", "behind the boiler", "above the wardrobe", "beside the printer")


@dataclass(frozen=True)
class Subject:
    """What one thread tells of: a mover of a story, or a thing in an ordinary sentence."""

    says: Callable[[random.Random], str]
    question: str


def mover(n: int) -> Subject:
    return Subject(
        lambda chance: f"{NAMES[n]} went to the {chance.choice(ROOMS)}.", f"Where is {NAMES[n]}?"
    )


def thing(n: int) -> Subject:
    return Subject(
        lambda chance: f"The {THINGS[n]} lies {chance.choice(PLACES)}.",
        f"Where does the {THINGS[n]} lie?",
    )


@dataclass
class Did:
    """Something a subject's thread did: from `start` on it may be seen, from `end` on it is."""

    start: float
    end: float
    told: tuple[tuple[int, str], ...]
    """What was told of the subject, and not forgotten, when it was done."""


@dataclass
class Asked:
    subject: int
    start: float
    end: float
    said: str


@dataclass
class Run:
    """Threads on one network."""

    net: Network
    subjects: list[Subject]
    seed: int
    done: list[list[Did]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    errors: list[BaseException] = field(default_factory=list)

    def __call__(self, calls: int) -> None:
        self.done = [[Did(0.0, 0.0, ())] for _ in self.subjects]
        threads = [
            threading.Thread(target=self._work, args=(n, calls)) for n in range(len(self.subjects))
        ]
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)  # threads change as often as they can
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            sys.setswitchinterval(interval)
        if self.errors:
            raise self.errors[0]

    def _work(self, n: int, calls: int) -> None:
        chance = random.Random(1000 * self.seed + n)
        told: dict[int, str] = {}
        try:
            for _ in range(calls):
                what = chance.random()
                if what < 0.5:
                    self._ask(chance.choice([n, chance.randrange(len(self.subjects))]))
                elif what < 0.8 or len(told) < 2:
                    text = self.subjects[n].says(chance)
                    start = time.monotonic()
                    (slot,) = self.net.tell(text)
                    told[slot.id] = text
                    self._note(n, start, told)
                else:
                    id = chance.choice(sorted(told))
                    start = time.monotonic()
                    self.net.forget(id)
                    del told[id]
                    self._note(n, start, told)
        except BaseException as error:
            self.errors.append(error)

    def _note(self, n: int, start: float, told: dict[int, str]) -> None:
        self.done[n].append(Did(start, time.monotonic(), tuple(sorted(told.items()))))

    def _ask(self, subject: int) -> None:
        start = time.monotonic()
        answer = self.net.ask(self.subjects[subject].question)
        said = "" if answer.abstained else answer.text
        self.asked.append(Asked(subject, start, time.monotonic(), said))

    def wrong(self, twin: Callable[[tuple[tuple[int, str], ...], str], str]) -> list[str]:
        """The answers that are right at no moment between call and return."""
        found = []
        for asked in self.asked:
            done = self.done[asked.subject]
            states = {
                did.told
                for i, did in enumerate(done)
                if did.start <= asked.end and (i + 1 == len(done) or done[i + 1].end >= asked.start)
            }
            question = self.subjects[asked.subject].question
            if asked.said not in {twin(told, question) for told in states}:
                found.append(
                    f"{question} → '{asked.said}', {len(states)} states: {sorted(states)[-2:]}"
                )
        return found


def twin_of(net: Network) -> Callable[[tuple[tuple[int, str], ...], str], str]:
    @cache
    def said(told: tuple[tuple[int, str], ...], question: str) -> str:
        twin = net.with_memory(memnn.RamMemory())
        for id, text in told:
            twin.memory.write(text, id=id)
        answer = twin.ask(question)
        return "" if answer.abstained else answer.text

    return said


@pytest.fixture(scope="session", name="networks")
def networks_fixture(
    trained, over_paths
) -> dict[str, tuple[Network, list[Callable[[int], Subject]]]]:
    # As it ships, since others' statements must be no answers; unread, since reading takes longer.
    ensemble = Ensemble(replace(default.ensemble(), ordinary=None))
    return {
        "story": (trained, [mover]),
        "paths": (over_paths, [mover]),
        "told": (ensemble, [thing]),
        "ensemble": (ensemble, [mover, thing]),
    }


def hammer(
    networks: dict[str, tuple[Network, list[Callable[[int], Subject]]]],
    kind: str,
    memory: memnn.Memory,
    threads: int,
    calls: int,
    seed: int,
) -> None:
    net, makers = networks[kind]
    subjects = [makers[n % len(makers)](n) for n in range(threads)]
    # A story network reads a memory that lasts in parts, and its twin reads all of it.
    hammered = network(net.model, memory) if kind == "story" else net.with_memory(memory)
    run = Run(hammered, subjects, seed)
    run(calls)
    assert len(run.asked) > threads * calls / 4
    assert any(asked.said for asked in run.asked)
    assert run.wrong(twin_of(net)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_threads_on_a_memory_in_ram(networks, kind):
    hammer(networks, kind, memnn.RamMemory(), threads=8, calls=60, seed=0)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_on_a_store(networks, kind, tmp_path):
    with SqliteStore(tmp_path / "store.db") as store:
        hammer(networks, kind, store.memory(), threads=8, calls=40, seed=0)


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", ["ram", "sqlite"])
def test_many_threads_for_long(networks, kind, where, seed, tmp_path):
    if where == "ram":
        hammer(networks, kind, memnn.RamMemory(), threads=8, calls=2000, seed=seed)
        return
    with SqliteStore(tmp_path / "store.db") as store:
        hammer(networks, kind, store.memory(), threads=8, calls=2000, seed=seed)


def test_a_full_memory_forgets_one_for_one(trained):
    """Between choosing a slot and writing to it no other thread chooses."""
    net = MemoryNetwork(I=trained.I, G=Append(Oldest(10)), O=trained.O, R=trained.R)
    texts = [f"{name} went to the {room}." for name in NAMES for room in ROOMS]
    threads = [threading.Thread(target=net.tell, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [slot.id for slot in net.memory.scan()] == list(range(len(texts) - 9, len(texts) + 1))
