"""What is read of a memory once, and looked at again."""

from __future__ import annotations

from threading import Event, Thread

from memnn.memory import Memory, RamMemory
from memnn.memory.follow import Cache, Following

MOMENT = 10.0


class Slow(Cache[int]):
    """Counts statements, when it is allowed to."""

    reading, go = Event(), Event()

    def __init__(self) -> None:
        self.count = 0

    def read_on(self, memory: Memory, after: int) -> int:
        self.reading.set()
        assert self.go.wait(MOMENT)
        for slot in memory.scan(after):
            self.count, after = self.count + 1, slot.id
        return after

    def view(self) -> int:
        return self.count


def test_a_look_waits_for_nobody_who_reads() -> None:
    memory, counted = RamMemory(), Following(Slow)
    memory.write_many(["Joe is in the park.", "Ann slept."])
    thread = Thread(target=counted, args=(memory,))
    thread.start()
    assert Slow.reading.wait(MOMENT)
    assert counted.look(memory)[0] is None
    Slow.go.set()
    thread.join(MOMENT)
    assert counted.look(memory) == (2, 0)
    memory.write_many(["Bill left."])
    assert counted.look(memory) == (None, 1)
