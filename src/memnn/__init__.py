"""Memory Networks (Weston, Chopra, Bordes 2014): tell it what happens, ask, see the evidence.

import memnn
net = memnn.train(memnn.simulate())
net.tell("Joe went to the kitchen. Joe picked up the milk.")
net.ask("Where is the milk?").text
"""

from __future__ import annotations

from memnn.errors import (
    FormatError,
    InputError,
    MemnnError,
    MemoryStoreError,
    ModelError,
    TrainingError,
    UnknownName,
)
from memnn.memory import Memory, RamMemory, open_memory
from memnn.network import MemoryNetwork, load
from memnn.recipe import Recipe
from memnn.simulator import simulate
from memnn.training.evaluation import Evaluation, evaluate
from memnn.training.trainer import Progress, train
from memnn.types import (
    Answer,
    Comparison,
    Hop,
    Output,
    Question,
    Slot,
    Statement,
    Story,
)
from memnn.version import __version__

__all__ = [
    "Answer",
    "Comparison",
    "Evaluation",
    "FormatError",
    "Hop",
    "InputError",
    "MemnnError",
    "Memory",
    "MemoryNetwork",
    "MemoryStoreError",
    "ModelError",
    "Output",
    "Progress",
    "Question",
    "RamMemory",
    "Recipe",
    "Slot",
    "Statement",
    "Story",
    "TrainingError",
    "UnknownName",
    "__version__",
    "evaluate",
    "load",
    "open_memory",
    "simulate",
    "train",
]
