"""Compile the kernels that answer from stories."""

from __future__ import annotations

import numpy as np

from memnn.kernels import jit
from memnn.kernels.arrays import floats, ints
from memnn.kernels.phi import Contexts
from memnn.kernels.story_infer import (
    add_input,
    add_matches,
    by_side,
    find_supports,
    most_content,
    rank,
    score_bags,
    score_tokens,
    walk,
)
from memnn.kernels.words import (
    LOWER,
    find_contexts,
    find_patterns,
    find_words,
    number,
    sort_rows,
)

NAME = "stories"


def compiled() -> bool:
    return jit.marker(NAME).exists()


def warm_up() -> None:
    """Run them once on almost nothing."""
    kinds, ptr = np.zeros(2, np.int32), np.arange(2)
    contexts = Contexts(ints(2) - 1, ints(5), ints(4))
    blocks = np.array([0, 2, -1, -1, 4, -1, -1, -1, -1, -1, -1, 6, -1, -1, 9])
    A, columns = floats(4, 9), np.where(blocks >= 4, blocks - 4, -1)
    find_supports(
        A, blocks, columns, ints(1), ptr, ints(1), kinds, *contexts, 1, 0.0,
        ints(2, 2), np.zeros((2, 3)),
    )  # fmt: skip
    p, e, x, w = floats(9), floats(2), ints(1), floats(3)
    add_input(p, A, blocks, 0, x, contexts)
    score_tokens(e, p, columns, 2, contexts)
    add_matches(e, p, columns, 5, x, contexts, 0.0, np.zeros(2, np.int32), 1)
    score_bags(floats(1), e, ptr, ints(1))
    walk(floats(2), kinds, 2, 1, w, ints(2), np.zeros(3))
    by_side(1, w)
    most_content(e, np.zeros(2, np.bool_), ints(2), x, ints(2), ints(1), x, x)
    rank(A, blocks, columns, 2, 2, ints(1), ints(1), *contexts, floats(2))
    text, table = np.zeros(1, np.uint8), np.full(4, -1, np.int32)
    find_words(text, LOWER, ints(1), ints(1), ints(1))
    number(text, ints(1), ints(1), table, ints(1), ints(1))
    number(ints(1), ints(1), ints(1), table, ints(1), ints(1))
    find_contexts(ints(2), ints(1), 1, 0, 0, ints(4) - 1, ints(2), ints(2))
    find_patterns(
        ints(2), ints(1), np.zeros(1, np.bool_), ints(1), ints(2), ints(1), ints(2), ints(1)
    )
    sort_rows(ints(2), ints(1), True, ints(2), ints(1))
    jit.marker(NAME).touch()
