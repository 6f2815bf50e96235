"""Memory Networks (Weston, Chopra, Bordes 2014): tell it what happens, ask, see the evidence.

>>> import memnn
>>> net = memnn.open("diary.db")  # or ":memory:"
>>> slots = net.tell("Joe went to the kitchen. Joe picked up the milk.")
>>> net.ask("Where is the milk?").text
'kitchen'
>>> net.close()
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING

from memnn.errors import (
    FormatError,
    InputError,
    MemnnError,
    MemoryStoreError,
    ModelError,
    TrainingError,
    UnknownName,
)
from memnn.types import (
    Answer,
    Comparison,
    FoundSlot,
    Hop,
    Output,
    Question,
    Slot,
    Statement,
    Story,
    Turn,
)
from memnn.version import __version__

if TYPE_CHECKING:
    from memnn.choosing import train
    from memnn.dialogue.network import Ensemble
    from memnn.loading import load
    from memnn.memory import Memory, RamMemory, open_memory
    from memnn.network import MemoryNetwork, Network
    from memnn.opening import open
    from memnn.simulator import simulate
    from memnn.stories.evaluate import Evaluation, evaluate
    from memnn.stories.recipe import Recipe
    from memnn.stories.train import Progress

# Most of these import numpy and numba, which takes a while: `memnn --help` does without.
_LAZY = {
    "Memory": "memory",
    "RamMemory": "memory",
    "open_memory": "memory",
    "MemoryNetwork": "network",
    "Network": "network",
    "Ensemble": "dialogue.network",
    "load": "loading",
    "open": "opening",
    "simulate": "simulator",
    "Evaluation": "stories.evaluate",
    "evaluate": "stories.evaluate",
    "Recipe": "stories.recipe",
    "Progress": "stories.train",
    "train": "choosing",
}

__all__ = [
    "Answer",
    "Comparison",
    "Ensemble",
    "Evaluation",
    "FormatError",
    "FoundSlot",
    "Hop",
    "InputError",
    "MemnnError",
    "Memory",
    "MemoryNetwork",
    "MemoryStoreError",
    "ModelError",
    "Network",
    "Output",
    "Progress",
    "Question",
    "RamMemory",
    "Recipe",
    "Slot",
    "Statement",
    "Story",
    "TrainingError",
    "Turn",
    "UnknownName",
    "__version__",
    "evaluate",
    "load",
    "open",
    "open_memory",
    "simulate",
    "train",
]


logging.getLogger("memnn").addHandler(logging.NullHandler())  # who wants to hear us says so


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module 'memnn' has no attribute '{name}'")
    value: object = getattr(import_module(f"memnn.{_LAZY[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
