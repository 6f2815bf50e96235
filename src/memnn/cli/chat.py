"""`memnn chat`: statements are remembered, questions answered."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from memnn.cli import screen
from memnn.errors import InputError
from memnn.types import Answer, Slot

if TYPE_CHECKING:
    from memnn.model import Model
    from memnn.network import MemoryNetwork

HELP = "/memory shows what I was told, /forget ID deletes it, /quit ends (or Ctrl-D)."


def chat(
    model: Annotated[
        Path | None,
        typer.Argument(help="A model folder.", show_default="the default model"),
    ] = None,
    store: Annotated[str, typer.Option(help="Where to remember.")] = ":memory:",
    name: Annotated[str, typer.Option(help="Which of the store's named memories.")] = "main",
    organised: Annotated[
        bool | None,
        typer.Option(
            help="Look only at the part of the memory that the question is about.",
            show_default="where a store is named",
        ),
    ] = None,
    superseding: Annotated[
        bool,
        typer.Option("--superseding", help="What was told last about somebody is what holds now."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Talk to a memory network: tell it what happens, ask about it.

    Example: printf 'Joe went to the kitchen.\\nWhere is Joe?\\n' | memnn chat
    """
    from memnn.memory import open_memory
    from memnn.model import load as read_model
    from memnn.network import network

    memory = open_memory(store, name)
    screen.prepare_kernels()
    trained = read_model(model) if model else default_model()
    net = network(trained, memory, organised=organised, superseding=superseding)
    if sys.stdin.isatty():
        screen.say("Tell me what happens, or ask. " + HELP)
    talk(net, json)


def default_model(retrain: bool = False) -> Model:
    """The default model, trained now if it never was."""
    from memnn import default

    model = None if retrain else default.cached()
    if model is not None:
        screen.say(f"Using the model trained before, in {default.folder()}")
        return model
    screen.say("Training the default model on a simulated world: 7,000 statements, 3,000 questions")
    with screen.training_bar("Training") as bar:
        model, place = default.train(bar)
    screen.say(
        f"Kept for next time in {place}"
        if place
        else "The cache folder cannot be written: not kept"
    )
    return model


def talk(net: MemoryNetwork, json: bool = False) -> None:
    """The conversation, until the input ends."""
    from memnn.components.input import is_question

    for line in lines():
        try:
            if line.startswith("/"):
                if not obey(net, line, json):
                    return
                continue
            for said in net.respond(line):
                show(said, json)
            if is_question(line):  # on a word stream nothing else may tell that it has ended
                for said in net.flush():
                    show(said, json)
        except InputError as error:
            screen.err.print(Text(str(error), style="red"))
    for said in net.flush():
        show(said, json)


def show(said: Slot | Answer, json: bool) -> None:
    if isinstance(said, Slot):
        show_told(said, json)
    elif json:
        screen.print_json(screen.answer_json(said))
    else:
        screen.show_answer(said)


def show_told(slot: Slot, json: bool) -> None:
    if json:
        screen.print_json({"id": slot.id, "text": slot.text, "time": slot.time})
    else:
        screen.out.print(Text(f"   remembered as [{slot.id}]", style="dim"))


def obey(net: MemoryNetwork, line: str, json: bool) -> bool:
    """A command of the chat; False ends it."""
    command, *rest = line.split()
    if command in ("/quit", "/exit"):
        return False
    if command == "/memory":
        for slot in net.memory.scan():
            if json:
                show_told(slot, json)
            else:
                screen.out.print(Text(f"   [{slot.id}] {slot.text}"))
    elif command == "/forget" and len(rest) == 1 and rest[0].isdecimal() and len(rest[0]) < 20:
        id = int(rest[0])
        net.forget(id)
        if json:
            screen.print_json({"forgot": id})
        else:
            screen.out.print(Text(f"   forgot [{id}]", style="dim"))
    else:
        screen.say(HELP)
    return True


def lines() -> Iterator[str]:
    """What the user types, or what is piped in."""
    prompt = ""
    if sys.stdin.isatty():
        import readline  # noqa: F401  (editing and history for input())

        prompt = "> "
    elif isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="strict")
    while True:
        try:
            line = input(prompt)
        except (EOFError, KeyboardInterrupt) as end:
            if prompt:
                screen.err.print()  # the shell's prompt gets a line of its own
            if isinstance(end, KeyboardInterrupt):
                raise
            return
        except UnicodeDecodeError:
            raise InputError("the input is not UTF-8 text") from None
        if line.strip():
            yield line.strip()
