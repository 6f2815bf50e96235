"""Errors that pass from one process to another."""

from __future__ import annotations

import pickle

import pytest

from memnn.errors import FormatError, InputError, MemoryStoreError, UnknownName
from memnn.memory.milvus.claims import Overtaken


@pytest.mark.parametrize(
    "error",
    [
        InputError("give a text"),
        FormatError("stories.txt", 7, "no answer"),
        UnknownName("hash", "wrod", ["word", "none"]),
        MemoryStoreError("cannot be opened"),
        Overtaken("another process writes"),
    ],
)
def test_a_worker_of_a_pool_can_hand_it_on(error):
    """One that could not be made again would leave the pool waiting for ever."""
    same = pickle.loads(pickle.dumps(error))
    assert type(same) is type(error)
    assert str(same) == str(error)
    assert vars(same) == vars(error)
