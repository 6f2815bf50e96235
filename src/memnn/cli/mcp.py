"""`memnn mcp`: the memory as an MCP server on stdio."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memnn.cli import screen
from memnn.cli.diary import GONE_AT_THE_END, RAM
from memnn.cli.options import Store, World


def mcp(
    model: Annotated[
        Path | None,
        typer.Option(help="A model folder of any kind.", show_default="the default ensemble"),
    ] = None,
    store: Store = RAM,
    name: Annotated[
        str | None,
        typer.Option(help="One named memory alone, such as alice.travel.", show_default="any"),
    ] = None,
    world: World = True,
) -> None:
    """Be the memory of an assistant: an MCP server on stdio (remember, search, ask …).

    Example: memnn mcp --store diary.db
    """
    from memnn.cli.chat import network_of
    from memnn.errors import InputError
    from memnn.server.memories import Memories, check_name

    try:
        from memnn.server.mcp import make_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise InputError("this needs the package mcp: pip install 'memnn[mcp]'") from None

    if name is not None:
        check_name(name)
    memories = Memories(network_of(model, world=world), store)
    if store == RAM:
        screen.say(f"{GONE_AT_THE_END} (--store diary.db keeps it)")
    try:
        make_server(memories, name).run("stdio")
    finally:
        memories.close()
