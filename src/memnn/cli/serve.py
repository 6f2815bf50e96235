"""`memnn serve`: the memory over HTTP, with a web page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memnn.cli import screen
from memnn.cli.diary import GONE_AT_THE_END, RAM
from memnn.cli.options import Store, World


def serve(
    model: Annotated[
        Path | None,
        typer.Option(help="A model folder of any kind.", show_default="the default ensemble"),
    ] = None,
    store: Store = RAM,
    world: World = True,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes one that is free.")
    ] = 8080,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="Tokens that clients must show, one a line; `read NAME` after one limits it."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Listen to the network without a token.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log every request.")] = False,
) -> None:
    """Serve named memories over HTTP: the API under /v1, a page to talk to at /.

    Example: memnn serve --store diary.db --port 8080
    """
    import logging
    import signal

    from memnn.server.listening import check_host, listen
    from memnn.server.tokens import read_tokens

    token = None if token_file is None else read_tokens(token_file, screen.say)
    check_host(host, token, force)
    sock = listen(host, port)

    from memnn.cli.chat import network_of
    from memnn.server.memories import Memories
    from memnn.server.run import serve as run

    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("memnn").setLevel(logging.DEBUG if verbose else logging.WARNING)
    memories = Memories(network_of(model, world=world), store)
    address, port = sock.getsockname()[:2]
    url = f"http://{f'[{address}]' if ':' in address else address}:{port}/"

    def started() -> None:
        if store == RAM:
            screen.say(f"{GONE_AT_THE_END} (--store diary.db keeps it)")
        screen.err.print(f"Listening on {url} (Ctrl-C ends)")

    if run(memories, sock, token, started=started) == signal.SIGINT:
        raise KeyboardInterrupt
