"""Processes that learn one reader together: each takes its part of every batch, and all take the
same step with the mean of their gradients.

They are copies of this process, made when everything is in memory; they share nothing but
gradients.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.synchronize import Barrier
from threading import BrokenBarrierError
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor

from memnn.errors import TrainingError

PATIENCE = 900.0
"""Seconds that one waits for the others at most."""
T = TypeVar("T")


class Together(NamedTuple):
    """One of some processes, by its number."""

    number: int
    gradients: Tensor  # (processes, parameters), which all of them see
    met: Barrier

    def part(self, batch: Sequence[T]) -> Sequence[T]:
        """What of a batch this one learns from: some of any size, since batches are sorted."""
        return batch[self.number :: len(self.gradients)] or batch[:1]

    def agree(self, parameters: Sequence[Tensor]) -> None:
        """Every process has the mean of all gradients afterwards."""
        if len(self.gradients) == 1:
            return
        given = [p.grad if p.grad is not None else torch.zeros_like(p) for p in parameters]
        torch.cat([each.flatten() for each in given], out=self.gradients[self.number])
        self.met.wait(PATIENCE)
        mean = self.gradients.mean(0)
        self.met.wait(PATIENCE)  # nobody writes before all have read
        start = 0
        for parameter in parameters:
            end = start + parameter.numel()
            parameter.grad = mean[start:end].view_as(parameter)
            start = end


def alone() -> Together:
    """The only one."""
    return Together(0, torch.zeros(1, 0), multiprocessing.Barrier(1))


@contextmanager
def helped(processes: int, count: int, work: Callable[[Together], None]) -> Iterator[Together]:
    """This process as the first of some, while the others do the work; `count` is of parameters."""
    if processes == 1:
        yield alone()
        return
    if not hasattr(os, "fork"):
        raise TrainingError("several processes cannot learn together on this system; use one")
    context = multiprocessing.get_context("fork")

    def help_(one: Together) -> None:
        try:
            work(one)
        except (BrokenBarrierError, KeyboardInterrupt):  # the first one says why
            pass
        except BaseException:
            met.abort()
            raise

    gradients = torch.zeros(processes, count)
    gradients.share_memory_()  # type: ignore[no-untyped-call]
    met = context.Barrier(processes)
    others = [
        context.Process(target=help_, args=(Together(number, gradients, met),), daemon=True)
        for number in range(1, processes)
    ]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a copy has no threads but its own
    for each in others:
        each.start()
    try:
        yield Together(0, gradients, met)
    except BrokenBarrierError:
        raise TrainingError("a process that learnt along has ended; train again") from None
    finally:
        met.abort()  # whoever still waits need not
        for each in others:
            each.join(PATIENCE)
        torch.set_num_threads(threads)
