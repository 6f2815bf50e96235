"""A model of any kind from its folder, as something to tell and ask."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from memnn.errors import InputError, ModelError
from memnn.folder import kind_of
from memnn.memory import Memory
from memnn.network import Network

ROOMS = {
    "story": "stories",
    "paths": "support_paths",
    "ordinary": "ordinary",
    "facts": "facts",
    "ensemble": "dialogue",
}
"""Where the network of each kind of model is; only that room is imported."""


def part(folder: Path, kind: str) -> Path:
    """The folder itself, or the network of that kind in it, if it is an ensemble."""
    return folder / kind if kind_of(folder) == "ensemble" else folder


def refuse_story_options(organised: bool | None, superseding: bool) -> None:
    """For networks that have none of these: they change how a memory is read, so that to ignore
    them would be to answer otherwise than asked for."""
    if organised is not None:
        raise InputError(
            "organised applies to story and path networks only; give the folder of one"
        )
    if superseding:
        raise InputError("superseding applies to story networks only; give the folder of one")


def load(
    folder: str | Path,
    memory: str | Memory | None = None,
    *,
    organised: bool | None = None,
    superseding: bool = False,
    world: bool = True,
) -> Network:
    """A network from its folder, on a memory or the address of one.

    A facts network by itself answers with the sentence that was told; `organised` and
    `superseding` are for stories (see `stories.network`), the former for paths, too. Facts of the
    world come with an ensemble alone; with `world=False` it does not use them.
    """
    kind = kind_of(folder)
    if kind not in ROOMS:
        raise ModelError(f"{folder} is a model of kind '{kind}'; known: {', '.join(ROOMS)}")
    room = import_module(f"memnn.{ROOMS[kind]}.network")
    how: dict[str, bool | None] = {}
    if kind in ("story", "paths"):
        how["organised"], organised = organised, None
    if kind == "story":
        how["superseding"], superseding = superseding, False
    refuse_story_options(organised, superseding)
    if kind == "ensemble":
        how["world"] = world
    net: Network = room.load(folder, memory, **how)
    return net
