"""A model of any kind from its folder, as something to tell and ask."""

from __future__ import annotations

from pathlib import Path

from memnn.dialogue import model as ensemble
from memnn.dialogue.network import Ensemble
from memnn.errors import InputError, ModelError
from memnn.facts import model as facts
from memnn.facts.response import FactResponse
from memnn.folder import kind_of
from memnn.generalization import Append
from memnn.memory import Memory, open_memory
from memnn.network import MemoryNetwork, Network
from memnn.stories import network as stories
from memnn.text.sentences import Sentences

KINDS = ("story", "facts", "ensemble")


def part(folder: Path, kind: str) -> Path:
    """The folder itself, or the network of that kind in it, if it is an ensemble."""
    return folder / kind if kind_of(folder) == "ensemble" else folder


def only_stories(organised: bool | None, superseding: bool) -> None:
    """No silent fallback: these settings change how a story network reads its memory."""
    if organised is not None or superseding:
        raise InputError(
            "organised and superseding are settings of a story network; give the folder of one"
        )


def load(
    folder: str | Path,
    memory: str | Memory | None = None,
    *,
    organised: bool | None = None,
    superseding: bool = False,
) -> Network:
    """A network from its folder, on a memory or the address of one.

    A facts network by itself answers with the sentence that was told; `organised` and
    `superseding` are for stories (see `network.network`).
    """
    kind = kind_of(folder)
    if kind not in KINDS:
        raise ModelError(f"{folder} is a model of kind '{kind}'; known: {', '.join(KINDS)}")
    if kind == "story":
        return stories.load(folder, memory, organised=organised, superseding=superseding)
    only_stories(organised, superseding)
    opened = open_memory(memory) if isinstance(memory, str) else memory
    if kind == "ensemble":
        return Ensemble(ensemble.load(folder), opened)
    known = facts.load(folder)
    return MemoryNetwork(
        I=Sentences(), G=Append(), O=known.lookup(), R=FactResponse(known.threshold), memory=opened
    )
