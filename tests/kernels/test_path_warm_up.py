"""Compiling the path network's kernels ahead: nothing is left to be compiled later."""

from __future__ import annotations

import memnn
from memnn.kernels import jit, path_warm_up
from memnn.kernels.path_among import extend_among, worth_of_words
from memnn.kernels.path_evidence import path_terms
from memnn.kernels.path_response import read_and_say
from memnn.kernels.path_response_train import train_answers
from memnn.kernels.path_search import find_paths
from memnn.kernels.path_train import train_paths
from memnn.support_paths.network import network
from memnn.support_paths.organised import FEW
from memnn.support_paths.recipe import PathRecipe
from memnn.support_paths.train import train

KERNELS = (
    train_paths, find_paths, extend_among, worth_of_words, path_terms, train_answers, read_and_say,
)  # fmt: skip


def signatures():
    return {kernel.__name__: set(kernel.signatures) for kernel in KERNELS}


def test_training_and_answering_find_their_kernels_compiled(monkeypatch, tmp_path):
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path)
    assert not path_warm_up.compiled()
    path_warm_up.warm_up()
    assert path_warm_up.compiled()
    before = signatures()
    assert all(before.values())
    story = memnn.simulate(statements=30, questions=20, seed=1)
    net = train(story, PathRecipe(epochs=1, answer_epochs=1))
    net.tell("Joe went to the kitchen. Joe took the milk.")
    assert net.ask("Where is Joe?").evidence
    large = network(net.model, organised=True)
    large.memory.write_many(["Joe went to the kitchen."] * (FEW + 1))
    assert large.ask("Where is Joe?").evidence
    assert signatures() == before
