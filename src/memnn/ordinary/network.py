"""The components of a network for ordinary language with the parameters of a model."""

from __future__ import annotations

from pathlib import Path

from memnn.generalization import Append
from memnn.memory import Memory, open_memory
from memnn.network import MemoryNetwork
from memnn.ordinary import model as models
from memnn.ordinary.answering import OrdinaryPaths, OrdinaryResponse
from memnn.text.sentences import Sentences


def network(model: models.OrdinaryModel, memory: Memory | None = None) -> MemoryNetwork:
    """O over paths, and R that answers in the form that was asked for, or not at all."""
    return MemoryNetwork(
        I=Sentences(), G=Append(), O=OrdinaryPaths(model), R=OrdinaryResponse(model),
        memory=memory, model=model,
    )  # fmt: skip


def load(folder: str | Path, memory: str | Memory | None = None) -> MemoryNetwork:
    """A network from its folder, on a memory or the address of one."""
    opened = open_memory(memory) if isinstance(memory, str) else memory
    return network(models.load(folder), opened)
