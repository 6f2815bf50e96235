"""`memnn ask`: one question about a story."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memnn.cli import screen
from memnn.cli.options import Json, Model, Name, Organised, StoreOrNone, Superseding
from memnn.errors import InputError


def ask(
    model: Model,
    question: Annotated[str, typer.Argument(help="The question.")],
    story: Annotated[
        Path | None, typer.Option(help="bAbI text or plain lines; - is stdin.")
    ] = None,
    store: StoreOrNone = None,
    name: Name = "main",
    as_of: Annotated[
        str | None,
        typer.Option(help="Ask about the past: the id (line) or time of the last memory to see."),
    ] = None,
    organised: Organised = None,
    superseding: Superseding = False,
    json: Json = False,
) -> None:
    """Answer a question from a story or a store, with the facts that were used.

    Example: memnn ask model "Where is the milk now?" --story story.txt
    """
    from memnn.cli.stories import tell_story
    from memnn.folder import kind_of
    from memnn.loading import load
    from memnn.memory import RamMemory, open_memory

    if story is not None and store is not None:
        raise InputError("ask about a story or about a store: give --story or --store, not both")
    memory = RamMemory() if store is None else open_memory(store, name, create=False)
    network = load(model, memory, organised=organised, superseding=superseding)
    if story is not None:
        tell_story(network, story)
    screen.prepare_kernels(kind_of(model))
    answer = network.ask(question, as_of=as_of)
    if json:
        screen.print_json(screen.answer_json(answer))
    else:
        screen.show_answer(answer)
