"""Processes that learn one reader together: each takes its part of every batch, and all take the
same step with the mean of their gradients.

They are copies of this process, made when everything is in memory. They share the gradients, and
have a line to the first one: where it ends, the other end has ended.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

import torch
from torch import Tensor

from memnn.errors import TrainingError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

PATIENCE = 30.0
"""Seconds in which a process ends that nobody waits for any more."""
WRITTEN, GO = b"written", b"go"
T = TypeVar("T")


class Together:
    """One of some processes, by its number; 0 is the first."""

    def __init__(self, number: int, gradients: Tensor, lines: Sequence[Connection] = ()) -> None:
        self.number, self.lines = number, lines
        self._gradients = gradients  # (2, processes, parameters), which all of them see
        self._step = 0

    @property
    def processes(self) -> int:
        return self._gradients.shape[1]

    def part(self, batch: Sequence[T]) -> Sequence[T]:
        """What of a batch this one learns from: some of any size, since batches are sorted. Where
        there are fewer questions than processes, the first is for several."""
        return batch[self.number :: self.processes] or batch[:1]

    def agree(self, parameters: Sequence[Tensor]) -> None:
        """Every process has the mean of all gradients afterwards."""
        if self.processes == 1:
            return
        # Two places in turns: nobody writes where another may still read.
        shared, self._step = self._gradients[self._step % 2], self._step + 1
        given = [p.grad if p.grad is not None else torch.zeros_like(p) for p in parameters]
        torch.cat([each.flatten() for each in given], out=shared[self.number])
        self._meet()
        mean, start = shared.mean(0), 0
        for parameter in parameters:
            end = start + parameter.numel()
            parameter.grad = mean[start:end].view_as(parameter)
            start = end

    def _meet(self) -> None:
        """Return when all have written."""
        if self.number:
            self.lines[0].send_bytes(WRITTEN)
            self.lines[0].recv_bytes()
            return
        for line in self.lines:
            line.recv_bytes()
        for line in self.lines:
            line.send_bytes(GO)


@contextmanager
def helped(processes: int, count: int, work: Callable[[Together], None]) -> Iterator[Together]:
    """This process as the first of some, while the others do the work; `count` is of parameters."""
    if processes < 1:
        raise TrainingError("the number of processes must be at least 1")
    gradients = torch.zeros(2, processes, count if processes > 1 else 0)
    if processes == 1:
        yield Together(0, gradients)
        return
    if sys.platform != "linux":  # elsewhere PyTorch has threads that a copy does not
        raise TrainingError("several processes learn together on Linux alone; use one")
    gradients.share_memory_()  # type: ignore[no-untyped-call]
    context = multiprocessing.get_context("fork")
    threads, others, lines = torch.get_num_threads(), [], list["Connection"]()

    def help_(number: int, line: Connection) -> None:
        for mine in lines:
            mine.close()
        with suppress(EOFError, OSError, KeyboardInterrupt):  # the first one has ended, or says why
            work(Together(number, gradients, [line]))

    try:
        torch.set_num_threads(1)  # threads that sums are divided among do not survive a fork
        for number in range(1, processes):
            mine, its = context.Pipe()
            lines.append(mine)
            others.append(context.Process(target=help_, args=(number, its), daemon=True))
            others[-1].start()
            its.close()
        yield Together(0, gradients, lines)
    except (EOFError, ConnectionError):
        raise TrainingError("a process that learnt along has ended; train again") from None
    finally:
        for line in lines:
            line.close()
        for each in others:
            each.join(PATIENCE)
            each.kill()
        torch.set_num_threads(threads)
