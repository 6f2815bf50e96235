"""Several processes that learn one reader."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from memnn.errors import TrainingError

torch = pytest.importorskip("torch")
together = pytest.importorskip("memnn.ordinary.together")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux alone")
SCRIPT = """
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.train import train
from tests.ordinary.written import some
import sys
recipe = OrdinaryRecipe(epochs=1, batch=8)
print(train(some(20), recipe, processes=int(sys.argv[1])).id)
"""

ENDS = """
import os, signal, torch
from memnn.errors import TrainingError
from memnn.ordinary.together import helped
def work(one):
    os.kill(os.getpid(), signal.SIGKILL)
weight = torch.zeros(3, requires_grad=True)
try:
    with helped(2, 3, work) as first:
        first.agree([weight])
except TrainingError as error:
    print(error)
"""


def test_all_have_the_mean_of_their_gradients():
    gradients, ends = torch.zeros(2, 2, 3), multiprocessing.Pipe()
    parts = [together.Together(number, gradients, [end]) for number, end in enumerate(ends)]
    given = [[torch.zeros(n, requires_grad=True) for n in (2, 1)] for _ in parts]
    for _ in range(3):
        given[0][0].grad, given[0][1].grad = torch.tensor([1.0, 2.0]), None
        given[1][0].grad, given[1][1].grad = torch.tensor([3.0, 0.0]), torch.tensor([5.0])
        with ThreadPoolExecutor() as both:
            list(both.map(together.Together.agree, parts, given))
        for mine in given:
            assert [p.grad.tolist() for p in mine] == [[2.0, 1.0], [2.5]]


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_batch_is_dealt_out(size):
    parts = [together.Together(number, torch.zeros(2, 2, 0)) for number in range(2)]
    dealt = [one.part(list(range(size))) for one in parts]
    assert all(dealt), "nobody is without a question"
    assert {each for part in dealt for each in part} == set(range(size))


@LINUX
def test_the_same_number_of_processes_gives_the_same_network():
    first, second, alone = (run(SCRIPT, n) for n in ("2", "2", "1"))
    assert first == second != alone


@LINUX
def test_a_process_that_ends_is_told():
    assert run(ENDS) == "a process that learnt along has ended; train again\n"


@pytest.mark.parametrize("processes", [0, -1])
def test_somebody_has_to_learn(processes):
    with pytest.raises(TrainingError, match="at least 1"), together.helped(processes, 3, print):
        pass


def run(script, *arguments):
    command = [sys.executable, "-c", script, *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
