"""Compile the kernels that train on stories, and on streams of words."""

from __future__ import annotations

import numpy as np

from memnn.kernels import jit
from memnn.kernels.arrays import floats, ints
from memnn.kernels.phi import Contexts, Sparse
from memnn.kernels.rng import new_state
from memnn.kernels.segment import find_breaks, new_scan, train_segments, word_scores
from memnn.kernels.story_examples import Labels, Scratch, Settings, Texts
from memnn.kernels.story_train import train_epoch

NAME = "training"


def compiled() -> bool:
    return jit.marker(NAME).exists()


def warm_up() -> None:
    """Run them once on almost nothing."""
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
    train_segments(
        U, floats(4), 2, ints(1), ints(1), ints(1) + 1, ints(1) + 1, ints(1), ints(1), 0.1, 0.01,
        0, ints(2), 0, new_state(0), ints(2), floats(4),
    )  # fmt: skip
    total, scan = new_scan()
    scores = np.zeros(4)
    word_scores(U[:4], floats(4), scores)
    find_breaks(scores, 2, 0.0, ints(1), ints(1), ints(1), 9, 1, total, scan, ints(4), ints(4))
    jit.marker(NAME).touch()
