"""The paper's components with the parameters of a story model."""

from __future__ import annotations

from pathlib import Path

from memnn.generalization import Append
from memnn.memory import Memory, open_memory
from memnn.network import MemoryNetwork
from memnn.stories import model as models
from memnn.stories.organised import Organised
from memnn.stories.responses import response_named
from memnn.stories.superseding import Superseding
from memnn.stories.supports import Supports
from memnn.text.sentences import Sentences
from memnn.text.stream import WordStream


def network(
    model: models.Model,
    memory: Memory | None = None,
    *,
    organised: bool | None = None,
    superseding: bool = False,
) -> MemoryNetwork:
    """The paper's components with the parameters of a model.

    `organised` looks only at the part of the memory that the question is about, with the same
    supports; None does so in a memory that lasts. `superseding` leaves what was overtaken out of
    questions about now.
    """
    if organised is None:
        organised = memory is not None and memory.lasts
    recipe = model.recipe
    marks = Superseding(model.dictionary, model.habits) if superseding else None
    O = Organised if organised else Supports  # noqa: E741
    return MemoryNetwork(
        I=Sentences() if model.segmenter is None else WordStream(model.segmenter),
        G=Append(),
        O=O(model.dictionary, model.layout_O, model.U_O, recipe, marks),
        R=response_named(recipe.response)(model),
        memory=memory,
        model=model,
    )


def load(
    folder: str | Path,
    memory: str | Memory | None = None,
    *,
    organised: bool | None = None,
    superseding: bool = False,
) -> MemoryNetwork:
    """A network from its folder, on a memory or the address of one; see `network`."""
    model = models.load(folder)
    opened = open_memory(memory) if isinstance(memory, str) else memory
    return network(model, opened, organised=organised, superseding=superseding)
