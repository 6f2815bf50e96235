"""Several processes that learn one reader."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Thread

import pytest

torch = pytest.importorskip("torch")
together = pytest.importorskip("memnn.ordinary.together")
SCRIPT = """
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.train import train, written
recipe = OrdinaryRecipe(epochs=1, batch=8)
for processes in (2, 2, 1):
    print(train(written()[:20], recipe, processes=processes).id)
"""

ENDS = """
import torch
from memnn.errors import TrainingError
from memnn.ordinary.together import helped
def work(one):
    raise MemoryError
weight = torch.zeros(3, requires_grad=True)
try:
    with helped(2, 3, work) as first:
        first.agree([weight])
except TrainingError as error:
    print(error)
"""


def test_all_have_the_mean_of_their_gradients():
    import multiprocessing

    gradients, met = torch.zeros(2, 3), multiprocessing.Barrier(2)
    parts = [together.Together(number, gradients, met) for number in range(2)]
    given = [
        [torch.zeros(2, requires_grad=True), torch.zeros(1, requires_grad=True)] for _ in parts
    ]
    given[0][0].grad = torch.tensor([1.0, 2.0])
    given[1][0].grad, given[1][1].grad = torch.tensor([3.0, 0.0]), torch.tensor([5.0])
    both = [Thread(target=one.agree, args=(mine,)) for one, mine in zip(parts, given, strict=True)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    for mine in given:
        assert [p.grad.tolist() for p in mine] == [[2.0, 1.0], [2.5]]


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_batch_is_dealt_out(size):
    parts = [together.Together(number, torch.zeros(2, 0), None) for number in range(2)]
    dealt = [one.part(list(range(size))) for one in parts]
    assert all(dealt), "nobody is without a question"
    assert {each for part in dealt for each in part} == set(range(size))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
def test_the_same_number_of_processes_gives_the_same_network():
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=300
    )
    first, second, alone = ran.stdout.split()
    assert first == second != alone


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
def test_a_process_that_ends_is_told():
    ran = subprocess.run(
        [sys.executable, "-c", ENDS], capture_output=True, text=True, check=True, timeout=300
    )
    assert ran.stdout == "a process that learnt along has ended; train again\n"
