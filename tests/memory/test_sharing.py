"""One process writes and four ask at once: no error, nothing stale after an acknowledged write."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.sharing import under_load

from memnn.memory.address import verify
from memnn.memory.sqlite.store import SqliteStore
from memnn.stories.model import save


def test_one_writes_and_four_ask(tmp_path, trained):
    model = save(trained.model, tmp_path / "model")
    result = under_load(tmp_path / "store.db", model, seconds=2.0)
    assert result["errors"] == []
    assert result["writes"] > 0
    assert result["reads"] > 0
    assert verify(tmp_path / "store.db").problems == []


def test_another_process_makes_the_store_meanwhile(path, monkeypatch):
    is_file = Path.is_file

    def then_made(place):
        found = is_file(place)
        monkeypatch.undo()
        with SqliteStore(path) as other:
            other.memory().write("Joe left.")
        return found

    monkeypatch.setattr(Path, "is_file", then_made)
    with SqliteStore(path) as store:
        assert [slot.text for slot in store.memory().scan()] == ["Joe left."]


@pytest.mark.parametrize("look", ["pages", "read", "changes"])
def test_what_is_deleted_while_a_question_is_answered(tmp_path, trained, look):
    """O looks at a memory several times; a deletion in between must not mix two moments."""

    class Meddled:
        """A memory from which another process deletes after one kind of look at it."""

        def __init__(self, memory, other):
            self.memory, self.other = memory, other

        def __getattr__(self, name):
            return self._meddled if name == look else getattr(self.memory, name)

        def __len__(self):
            return len(self.memory)

        def _meddled(self, *arguments, **named):
            found = getattr(self.memory, look)(*arguments, **named)
            found = list(found) if look == "pages" else found
            if self.other is not None:
                self.other.delete([3])
                self.other = None
            return found

    with SqliteStore(tmp_path / "store.db") as one, SqliteStore(tmp_path / "store.db") as two:
        for room in ("kitchen", "garden", "office"):
            one.memory().write(f"Joe went to the {room}.")
        net = trained.with_memory(Meddled(one.memory(), two.memory()))
        answer = net.ask("Where is Joe?")
    assert answer.text == "garden"
    assert [hop.id for hop in answer.evidence] == [2]
