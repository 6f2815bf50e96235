"""The path network beside MemN2N: both learn, and what is shown is what was measured."""

from __future__ import annotations

import pytest

from benchmarks import twenty_training
from memnn.simulator import simulate_tasks

pytest.importorskip("torch")

from benchmarks import memn2n, path_training

STORIES = simulate_tasks(1, questions=60, seed=0)
SIX_PLACES = 100 * (1 - 1 / 6)


def test_an_end_to_end_network_learns():
    more = simulate_tasks(1, questions=400, seed=0)
    moments = memn2n.learn(more, more, 0, lambda moment: moment.epoch == 20)
    assert [moment.epoch for moment in moments] == list(range(1, 21))
    assert min(moment.error for moment in moments) < SIX_PLACES - 10
    assert moments[0].seconds < moments[-1].seconds


def test_memories_are_read_from_the_newest_on():
    reader = memn2n.Reader(STORIES)
    batch = reader.read(STORIES[:1])
    story = [line.text for line in STORIES[0].statements]
    told = len(story) if len(batch) == 1 else 2
    first = reader.number[story[told - 1].split()[0].lower()]
    assert batch.told.shape[1:] == (memn2n.MEMORY, reader.longest)
    assert int(batch.told[0, 0, 0]) == first
    assert not batch.told[0, told:].any()


def test_a_table_of_seconds():
    other = {"seconds": 50.0, "epochs": 100, "error": 20.0, "as_good": None, "solved": None}
    row = {"task": 2, "ours": {"seconds": 2.5, "error": 0.5}, "memn2n": other}
    shown = path_training.shown([row])
    assert "| 2 | 0.5 | 2.5 | 20.0 | 50.0 | never | never | ≥ 20 |" in shown


def test_a_table_of_trainings():
    row = {
        "files": "qa1", "recipe": "paths", "seconds": 6.04, "megabytes": 0.5,
        "held_back": {"answers": 1.0},
    }  # fmt: skip
    assert "| qa1 | paths | 6.0 | 0.50 | 100.0 |" in twenty_training.shown([row])
