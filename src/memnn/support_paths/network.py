"""The components of a path network with the parameters of a model."""

from __future__ import annotations

from pathlib import Path

from memnn.generalization import Append
from memnn.memory import Memory, open_memory
from memnn.network import MemoryNetwork
from memnn.support_paths import model as models
from memnn.support_paths.response import Composed
from memnn.support_paths.supports import Paths
from memnn.text.sentences import Sentences


def network(model: models.PathModel, memory: Memory | None = None) -> MemoryNetwork:
    """O over paths, and R that says an answer word by word."""
    return MemoryNetwork(
        I=Sentences(), G=Append(), O=Paths(model), R=Composed(model), memory=memory, model=model
    )


def load(folder: str | Path, memory: str | Memory | None = None) -> MemoryNetwork:
    """A network from its folder, on a memory or the address of one."""
    opened = open_memory(memory) if isinstance(memory, str) else memory
    return network(models.load(folder), opened)
