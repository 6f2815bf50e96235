"""Shared by all tests: a small trained network, and the real data when it is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import memnn
from memnn.network import MemoryNetwork


@pytest.fixture(scope="session")
def trained() -> MemoryNetwork:
    """The default recipe on the default simulation; tests take it with a memory of their own."""
    return memnn.train(memnn.simulate(seed=0))


@pytest.fixture
def net(trained: MemoryNetwork) -> MemoryNetwork:
    return trained.with_memory(memnn.RamMemory())


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data that is not part of the project; tests that need it are skipped without it."""
    root = Path(__file__).parent.parent
    folder = Path(os.environ.get("MEMNN_DATA") or root.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("the real data sets are not here (MEMNN_DATA names their folder)")
    return folder
