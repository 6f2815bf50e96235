"""`memnn ask`: one question about a story."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memnn.cli import screen
from memnn.cli.options import Json, Name, Organised, StoreOrNone, Superseding, World
from memnn.errors import InputError


def ask(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] QUESTION", help="The question, after a model folder if it is another."
        ),
    ],
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
    world: World = True,
    json: Json = False,
) -> None:
    """Answer a question from a story or a store, with the facts that were used.

    Without MODEL it is the default ensemble, as in `memnn chat`.

    Example: memnn ask "Where is the milk now?" --store diary.db
    """
    from memnn.cli.chat import network_of
    from memnn.cli.stories import tell_story
    from memnn.memory import RamMemory, open_memory

    model, question = _model_and_question(words)

    if story is not None and store is not None:
        raise InputError("ask about a story or about a store: give --story or --store, not both")
    memory = RamMemory() if store is None else open_memory(store, name, create=False)
    network = network_of(model, memory, organised, superseding, world)
    if story is not None:
        tell_story(network, story)
    answer = network.ask(question, as_of=as_of)
    if json:
        screen.print_json(screen.answer_json(answer))
    else:
        screen.show_answer(answer)


def _model_and_question(words: list[str]) -> tuple[Path | None, str]:
    if len(words) == 1 and not (Path(words[0]) / "model.json").is_file():
        return None, words[0]
    if len(words) != 2:
        raise InputError(
            'ask one question, in quotes: memnn ask "Where is Joe?" --store diary.db, or with a '
            'model in front of it: memnn ask model "Where is Joe?" --story story.txt'
        )
    return Path(words[0]), words[1]
