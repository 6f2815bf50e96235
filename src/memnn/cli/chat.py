"""`memnn chat`: statements are remembered, questions answered; `/` begins a command."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memnn.cli import screen
from memnn.cli.options import Name, Organised, StoreOrNone, Superseding, World
from memnn.cli.talk import HELP, Talk

if TYPE_CHECKING:
    from memnn.memory import Memory
    from memnn.network import Network


def chat(
    model: Annotated[
        Path | None,
        typer.Argument(help="A model folder.", show_default="the default model"),
    ] = None,
    store: StoreOrNone = None,
    name: Name = "main",
    organised: Organised = None,
    superseding: Superseding = False,
    world: World = True,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Talk to a memory network: tell it what happens, ask about that or about the world.

    Without MODEL it is the default ensemble, which comes with memnn. On a terminal it offers to
    keep a diary, once; without one, or through a pipe, it remembers until it ends. What was typed
    comes back with the arrow keys.

    Example: printf 'Joe went to the kitchen.\\nWhere is Joe?\\n' | memnn chat
    """
    from memnn.cli.diary import RAM, offer
    from memnn.memory import open_memory

    typed = sys.stdin.isatty()
    said: list[str] = []
    if store is None:
        store, said = offer() if typed and model is None and not json else (RAM, [])
    with closing(open_memory(store, name)) as memory:
        net = network_of(model, memory, organised, superseding, world)
        if typed:
            screen.say("Tell me what happens, or ask. " + HELP)
        Talk(net, json)(said)


def network_of(
    model: Path | None,
    memory: Memory | None = None,
    organised: bool | None = None,
    superseding: bool = False,
    world: bool = True,
) -> Network:
    """The model of a folder, of whatever kind, or the default ensemble."""
    from memnn.dialogue.network import Ensemble
    from memnn.folder import kind_of
    from memnn.loading import load, refuse_story_options

    screen.prepare_kernels("ensemble" if model is None else kind_of(model))
    if model is None:
        from memnn import default

        refuse_story_options(organised, superseding)
        return Ensemble(default.ensemble(), memory, world=world)
    return load(model, memory, organised=organised, superseding=superseding, world=world)
