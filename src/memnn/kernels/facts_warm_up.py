"""Compile the kernels that answer from sentences and facts in memory."""

from __future__ import annotations

import numpy as np

from memnn.kernels import jit
from memnn.kernels.arrays import floats, ints
from memnn.kernels.facts_packed import Facts, post
from memnn.kernels.facts_scan import ask, best_of, forget
from memnn.kernels.facts_scores import Work
from memnn.kernels.phi import Sparse

NAME = "facts"


def compiled() -> bool:
    return jit.marker(NAME).exists()


def warm_up() -> None:
    """Run them once: one word, one fact, one question."""
    facts = Facts(np.arange(2), np.zeros(1, np.uint32), floats(1))
    found = np.zeros(1, np.int32)
    post(facts.ptr, facts.entries, ints(1), found)
    sparse = Sparse(ints(256), floats(256))
    work = Work(
        floats(4), floats(4), sparse, sparse, sparse, floats(2), ints(2), floats(2), floats(2),
        floats(2, 27), ints(1),
    )  # fmt: skip
    U, blocks, idf = floats(300, 4), np.full(15, -1), floats(1)
    ask(U, blocks, 1, ints(1), floats(1), facts, idf, -1, work)
    best_of(U, blocks, 1, facts, found, floats(0), idf, 0.0, work, found, floats(1))
    forget(ints(1), facts, -1, work)
    jit.marker(NAME).touch()
