"""Arrays in, arrays out: the loops of the embedding model, compiled by numba.

Kernels are compiled on first use and kept on disk. `compiled` tells whether that has happened,
`warm_up` makes it happen, so that a program can say what it is waiting for. Those of the path
network are apart, in `path_warm_up`: whoever does not use it need not wait.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memnn.kernels import jit


def _marker() -> Path:
    """A file that lives and dies with the cache, and changes places with the sources."""
    return jit.cache_folder() / "compiled"


def compiled() -> bool:
    return _marker().exists()


def warm_up() -> None:
    """Run the kernels of training, answering and streams once on almost nothing."""
    from memnn.kernels.phi import Contexts, Sparse
    from memnn.kernels.rng import new_state
    from memnn.kernels.segment import find_breaks, new_scan, train_segments, word_scores
    from memnn.kernels.story_examples import Labels, Scratch, Settings, Texts
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
    from memnn.kernels.story_train import train_epoch
    from memnn.kernels.words import (
        LOWER,
        find_contexts,
        find_patterns,
        find_words,
        number,
        sort_rows,
    )

    def ints(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, np.int64)

    def floats(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, np.float32)

    kinds = np.zeros(2, np.int32)
    texts = Texts(np.arange(2), ints(1), kinds, ints(2), np.arange(3), ints(2))
    labels = Labels(ints(1), ints(1) + 2, ints(1, 2), ints(1))
    contexts = Contexts(ints(2) - 1, ints(5), ints(4))
    phi = Sparse(ints(50), floats(50))
    scratch = Scratch(
        floats(4), floats(4), phi, phi, phi, floats(50), ints(50), floats(9), ints(9),
        ints(9), ints(9), ints(9), ints(2, 2), ints(2, 2), np.arange(2), ints(2),
    )  # fmt: skip
    blocks = np.array([0, 2, -1, -1, 4, -1, -1, -1, -1, -1, -1, 6, -1, -1, 9])
    U = floats(50, 4)
    train_epoch(
        U, U, blocks, blocks, 2, texts, texts, labels, ints(1), contexts, ints(1),
        Settings(1, 0.1, 0.01, 1, 1, 0, 0, 0.0), new_state(0), scratch,
    )  # fmt: skip
    A, columns = floats(4, 9), np.where(blocks >= 4, blocks - 4, -1)
    find_supports(
        A, blocks, columns, ints(1), texts.ptr, texts.words, kinds, *contexts, 1, 0.0,
        ints(2, 2), np.zeros((2, 3)),
    )  # fmt: skip
    p, e, x, w = floats(9), floats(2), ints(1), floats(3)
    add_input(p, A, blocks, 0, x, contexts)
    score_tokens(e, p, columns, 2, contexts)
    add_matches(e, p, columns, 5, x, contexts, 0.0, np.zeros(2, np.int32), 1)
    score_bags(floats(1), e, texts.ptr, texts.words)
    walk(floats(2), kinds, 2, 1, w, ints(2), np.zeros(3))
    by_side(1, w)
    most_content(e, np.zeros(2, np.bool_), ints(2), x, ints(2), ints(1), x, x)
    rank(A, blocks, columns, 2, 2, ints(1), ints(1), *contexts, floats(2))
    train_segments(
        U, floats(4), 2, ints(1), ints(1), ints(1) + 1, ints(1) + 1, ints(1), ints(1), 0.1, 0.01,
        0, ints(2), 0, new_state(0), ints(2), floats(4),
    )  # fmt: skip
    total, scan = new_scan()
    scores = np.zeros(4)
    word_scores(U[:4], floats(4), scores)
    find_breaks(scores, 2, 0.0, ints(1), ints(1), ints(1), 9, 1, total, scan, ints(4), ints(4))
    text, table = np.zeros(1, np.uint8), np.full(4, -1, np.int32)
    find_words(text, LOWER, ints(1), ints(1), ints(1))
    number(text, ints(1), ints(1), table, ints(1), ints(1))
    number(ints(1), ints(1), ints(1), table, ints(1), ints(1))
    find_contexts(ints(2), ints(1), 1, 0, 0, ints(4) - 1, ints(2), ints(2))
    find_patterns(
        ints(2), ints(1), np.zeros(1, np.bool_), ints(1), ints(2), ints(1), ints(2), ints(1)
    )
    sort_rows(ints(2), ints(1), True, ints(2), ints(1))
    _marker().touch()
