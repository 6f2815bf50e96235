"""Several threads on one memory in Milvus, checked as in `tests/test_threads.py`."""

from __future__ import annotations

from contextlib import closing

import pytest

from memnn.memory.milvus.memory import MilvusMemory
from tests.test_threads import hammer, networks_fixture

pytestmark = pytest.mark.soak
networks = networks_fixture


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("kind", ["story", "told", "ensemble"])
def test_threads_on_milvus(server, networks, kind, seed):
    with closing(MilvusMemory(server.address, f"threads {kind} {seed}")) as memory:
        hammer(networks, kind, memory, threads=4, calls=200, seed=seed)
