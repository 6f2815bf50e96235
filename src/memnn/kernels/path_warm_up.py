"""Compile the kernels of the path network."""

from __future__ import annotations

import numpy as np

from memnn.kernels import jit
from memnn.kernels.arrays import Floats
from memnn.kernels.path_among import extend_among, worth_of_words
from memnn.kernels.path_evidence import GROUPS, path_terms
from memnn.kernels.path_features import NEVER, WordLines
from memnn.kernels.path_reading import SupportSet
from memnn.kernels.path_response import MOST_STEPS, Weights, new_scratch, read_and_say
from memnn.kernels.path_response_train import AnswerLabels, Rates, train_answers
from memnn.kernels.path_search import (
    BeamSettings,
    begin_paths,
    find_paths,
    new_beam,
    new_work,
)
from memnn.kernels.path_train import CellTable, PathLabels, train_paths
from memnn.kernels.rng import new_state

NAME = "paths"


def compiled() -> bool:
    return jit.marker(NAME).exists()


def warm_up() -> None:
    """Run the kernels of training and answering once: one memory, one question, one word."""
    one = np.ones(1, np.int64)
    zero, ptr, nobody = np.zeros(1, np.int64), np.arange(2), np.zeros(0, np.int64)
    lines = WordLines(ptr, one, np.full(1, NEVER), np.full(1, -1, np.int64), zero, ptr)
    labels = PathLabels(lines, zero, one, ptr, zero)
    words, dim = 2, 1
    literal, answer_of = np.arange(words), np.full(words, 2, np.int64)

    def floats(*shape: int) -> Floats:
        return np.ones(shape, np.float32)

    search = BeamSettings(1, 1, 0.5, 2.0)
    beam, work, A = new_beam(search), new_work(words), floats(4)
    train_paths(
        CellTable(A, floats(4)), lines, labels, zero, 0.1, 0.1, search, beam, work, literal,
        new_state(0),
    )  # fmt: skip
    find_paths(A, one, literal, lines, 0, 1, nobody, search, beam, work)
    H = begin_paths(beam, work)
    worth_of_words(np.zeros(words), A, one, literal, lines, beam.paths[0], 0, work)
    extend_among(A, one, literal, lines, 1, zero, 1, search, beam, H, work)
    path_terms(np.zeros((1, 2, len(GROUPS))), A, one, literal, lines, 1, beam, zero, search, work)
    R, squares = (Weights(floats(4, dim), floats(3, 3, dim), floats(4)) for _ in range(2))
    seen, asked, scratch = np.zeros(words, np.int64), np.zeros(words, np.int64), new_scratch(dim)
    train_answers(
        R, squares, lines, labels, AnswerLabels(ptr, one + 1, answer_of), zero,
        Rates(0.1, 0.1, 0.1, 0.1, 0.3, 0.2, 0.3), seen, asked, scratch, literal, new_state(0),
    )  # fmt: skip
    said = np.zeros(MOST_STEPS, np.int64)
    reading = SupportSet(np.zeros(1, np.int64), np.zeros(1, np.int64), seen, asked)
    read_and_say(said, one, lines, literal, R, answer_of, reading, scratch, 0.3, 0.2)
    jit.marker(NAME).touch()
