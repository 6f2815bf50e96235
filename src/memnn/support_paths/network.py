"""The components of a path network with the parameters of a model."""

from __future__ import annotations

from pathlib import Path

from memnn.generalization import Append
from memnn.memory import Memory, open_memory
from memnn.network import MemoryNetwork
from memnn.support_paths import model as models
from memnn.support_paths.organised import OrganisedPaths
from memnn.support_paths.response import Composed
from memnn.support_paths.supports import Paths
from memnn.text.sentences import Sentences
from memnn.text.stream import WordStream


def network(
    model: models.PathModel, memory: Memory | None = None, *, organised: bool | None = None
) -> MemoryNetwork:
    """O over paths, and R that says an answer word by word.

    `organised` looks only at the part of a large memory that the question may be about. That is
    not always what the full search finds, so that it is off unless somebody asks for it.
    """
    O = OrganisedPaths if organised else Paths  # noqa: E741
    return MemoryNetwork(
        I=Sentences() if model.segmenter is None else WordStream(model.segmenter),
        G=Append(),
        O=O(model),
        R=Composed(model),
        memory=memory,
        model=model,
    )


def load(
    folder: str | Path,
    memory: str | Memory | None = None,
    *,
    organised: bool | None = None,
) -> MemoryNetwork:
    """A network from its folder, on a memory or the address of one; see `network`."""
    opened = open_memory(memory) if isinstance(memory, str) else memory
    return network(models.load(folder), opened, organised=organised)
