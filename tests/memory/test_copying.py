"""From memory to memory, and as lines of JSON: ids, times and texts stay what they are."""

from __future__ import annotations

import json

import pytest

import memnn
from memnn.memory.copy import copy, from_lines, to_lines
from memnn.memory.sqlite.store import SqliteStore


@pytest.fixture
def told(store):
    memory = store.memory()
    for number in range(1, 6):
        memory.write(
            f"statement {number} Grüße", id=10 * number, time=f"200{number}-01-01T00:00:00Z"
        )
    memory.delete([20, 50])
    return memory


@pytest.mark.parametrize("to", ["ram", "disk"])
def test_copy_keeps_ids_and_times(told, tmp_path, to):
    target = memnn.RamMemory() if to == "ram" else memnn.open_memory(tmp_path / "other.db")
    assert copy(told, target) == 3
    assert list(target.scan()) == list(told.scan())
    assert target.last_id == told.last_id == 50, "a deleted id is not given again in the copy"
    assert copy(told, target) == 0
    told.write("more")
    assert copy(told, target) == 1, "a copy goes on where it stopped"
    assert list(target.scan()) == list(told.scan())
    back = memnn.RamMemory()
    copy(target, back)
    assert list(back.scan()) == list(told.scan())
    target.close()


def test_what_is_told_while_it_is_copied_is_for_the_next_copy(told):
    """It was taken for something deleted once, and could not be copied any more."""
    target = memnn.RamMemory()

    def meanwhile(_):
        slot = told.write("told meanwhile")
        told.teach("What was told meanwhile?", [slot.id])
        told.teach("What was told first?", [10])
        told.teach("Who slept?", [])

    assert copy(told, target, meanwhile) == 3
    assert [slot.id for slot in target.scan()] == [10, 30, 40]
    assert target.last_id == 50
    assert list(target.lessons()) == []
    assert copy(told, target) == 1
    assert list(target.scan()) == list(told.scan())
    assert list(target.lessons()) == list(told.lessons())


def test_copy_into_something_else_is_refused(told):
    for mine in ({"id": 1}, {"id": 10}, {"id": 60}):
        target = memnn.RamMemory()
        target.write("mine", **mine)
        with pytest.raises(memnn.InputError, match="other statements"):
            copy(told, target)
        assert [slot.text for slot in target.scan()] == ["mine"]


def test_lines_of_json_there_and_back(told, tmp_path):
    told.write("with a source", source="letter")
    lines = list(to_lines(told))
    assert [set(json.loads(line)) >= {"id", "text", "time"} for line in lines] == [True] * 4
    with SqliteStore(tmp_path / "other.db") as other:
        other.memory().write_slots(from_lines(lines, "file", 0).slots)
        assert list(other.memory().scan()) == list(told.scan())


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("{", "not JSON"), ("[1]", "JSON object"), ("{}", "text"), ('{"text": ""}', "nothing"),
        ('{"text": "a", "id": 1}', "after 7"), ('{"text": "a", "id": "x"}', "id"),
        ('{"text": "a", "time": "noon"}', "RFC 3339"), ('{"text": "a", "source": 5}', "source"),
        ('{"text": "a\\u0000b"}', "NUL"), ("[" * 100_000, "not JSON"),
    ],
)  # fmt: skip
def test_lines_that_are_wrong_are_named(line, word):
    with pytest.raises(memnn.FormatError, match=f"file:2: .*{word}"):
        from_lines(['{"text": "fine", "id": 7}', line], "file", 0)
