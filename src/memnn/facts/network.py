"""A network over facts by itself: it answers with the sentence that was told."""

from __future__ import annotations

from pathlib import Path

from memnn.facts import model as models
from memnn.facts.response import FactResponse
from memnn.generalization import Append
from memnn.memory import Memory, open_memory
from memnn.network import MemoryNetwork
from memnn.text.sentences import Sentences


def network(model: models.FactsModel, memory: Memory | None = None) -> MemoryNetwork:
    """The components with the parameters of a model."""
    return MemoryNetwork(
        I=Sentences(),
        G=Append(),
        O=model.lookup(),
        R=FactResponse(model.threshold),
        memory=memory,
        model=model,
    )


def load(folder: str | Path, memory: str | Memory | None = None) -> MemoryNetwork:
    """A network from its folder, on a memory or the address of one."""
    model = models.load(folder)
    return network(model, open_memory(memory) if isinstance(memory, str) else memory)
