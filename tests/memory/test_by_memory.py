"""What is kept of a memory goes with it, whatever the garbage collector does meanwhile."""

from __future__ import annotations

import gc
import subprocess
import sys
from weakref import ref

import pytest

from memnn.memory import by_memory
from memnn.memory.by_memory import ByMemory
from memnn.memory.follow import Following
from memnn.memory.present import present
from memnn.memory.ram import RamMemory
from memnn.stories.network import network
from memnn.types import Turn


class Value:
    """Something that can be seen to go."""


def kept(memory):
    value = Value()
    values = ByMemory()
    values[memory] = value
    return values, ref(value)


def test_values_are_those_of_their_memory():
    values, one, two = ByMemory(), RamMemory(), RamMemory()
    values[one], values[two] = 1, 2
    values[one] = 3
    assert (values.get(one), values.get(two), len(values)) == (3, 2, 2)
    values.pop_oldest()
    assert one not in values
    assert two in values
    values.pop(two)
    values.pop(two)
    assert values.get(two) is None


def test_a_value_goes_with_its_memory():
    memory = RamMemory()
    (a, of_a), (b, of_b) = kept(memory), kept(memory)
    memory = None
    assert (of_a(), of_b(), len(a), len(b)) == (None, None, 0, 0)


def test_a_value_goes_with_a_memory_that_is_garbage():
    memory = RamMemory()
    values, value = kept(memory)
    memory.itself = memory
    memory = None
    assert value() is not None
    gc.collect()
    assert (value(), len(values)) == (None, 0)


def test_a_value_goes_with_whoever_kept_it_and_leaves_no_trace():
    memory = RamMemory()
    for _ in range(100):
        values, value = kept(memory)
        del values
        assert value() is None
    assert len(by_memory._ends[id(memory)].told) <= 2


def test_another_memory_at_the_same_place_is_another():
    values, places = ByMemory(), set()
    for number in range(100):
        memory = RamMemory()
        assert values.get(memory) is None
        assert memory not in values
        values[memory] = number
        places.add(id(memory))
        del memory
    assert len(places) < 100


def test_a_network_goes_when_nobody_has_it(trained):
    """By itself: until the collector comes, all that it knows of its memory would stay."""
    memory = RamMemory()
    memory.write("Joe went to the garden.")
    gc.collect()
    gc.disable()
    try:
        net = network(trained.model, memory)
        net.ask("Where is Joe?")
        gone = ref(net.O)
        del net
        assert gone() is None
    finally:
        gc.enable()


def test_views_of_what_was_superseded_go_with_their_memory():
    memory = RamMemory()
    memory.write("Ann lives in Oslo.", turn=Turn("Ann"))
    memory.write("Ann lives in Rome.", turn=Turn("Ann", supersedes=1))
    view = ref(present(memory))
    assert view() is not None
    memory = None
    gc.collect()
    assert view() is None


DIES = """
import faulthandler, gc
from memnn.memory.by_memory import ByMemory
from memnn.memory.follow import Cache, Following
from memnn.memory.present import present
from memnn.memory.ram import RamMemory

class Last(Cache):
    def read_on(self, memory, after):
        return memory.last_id
    def view(self):
        return None

class Owner:
    def __init__(self):
        self.itself = self

{body}
gc.enable()
gc.set_threshold(1)
memory = owner = None
gc.collect()
print("alive")
"""
GARBAGE = {
    "many that follow a memory": """
gc.disable()
memory = RamMemory()
for _ in range(20):
    owner = Owner()
    owner.read = Following(Last)
    owner.read(memory)
""",
    "many memories that are followed": """
gc.disable()
owner = Following(Last)
for _ in range(20):
    memory = RamMemory()
    memory.itself = memory
    owner(memory)
""",
}


@pytest.mark.parametrize("what", GARBAGE)
def test_the_collector_may_run_while_a_memory_goes(what):
    """In a process of its own: this ended one."""
    done = subprocess.run(
        [sys.executable, "-c", DIES.format(body=GARBAGE[what])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "alive\n", "")


def test_following_forgets_what_has_gone():
    following = Following(Nothing)
    memory = RamMemory()
    following(memory)
    assert memory in following
    del memory
    assert len(following._followed) == 0


class Nothing:
    def begin(self, memory):
        return 0

    def read_on(self, memory, after):
        return memory.last_id

    def view(self):
        return None
