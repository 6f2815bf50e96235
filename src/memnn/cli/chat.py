"""`memnn chat`: statements are remembered, questions answered; `/` begins a command."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from memnn.cli import screen
from memnn.cli.options import Name, Organised, Store, Superseding
from memnn.errors import InputError
from memnn.types import Answer, Slot

if TYPE_CHECKING:
    from memnn.conversations.intents import Intent
    from memnn.dialogue.model import EnsembleModel
    from memnn.memory import Memory
    from memnn.network import Network
    from memnn.stories.model import Model

HELP = (
    "/why shows what the last answer rests on, /memory what I was told, /forget ID deletes it, "
    "/load FILE tells me a file, /quit ends (or Ctrl-D)."
)


def chat(
    model: Annotated[
        Path | None,
        typer.Argument(help="A model folder.", show_default="the default model"),
    ] = None,
    store: Store = ":memory:",
    name: Name = "main",
    organised: Organised = None,
    superseding: Superseding = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Talk to a memory network: tell it what happens, ask about that or about the world.

    Without MODEL it is the default ensemble of a story network and a facts network, which is
    trained on first use. On a terminal, what was typed comes back with the arrow keys.

    Example: printf 'Joe went to the kitchen.\\nWhere is Joe?\\n' | memnn chat
    """
    from memnn.memory import open_memory

    memory = open_memory(store, name)
    net = network_of(model, memory, organised=organised, superseding=superseding)
    if sys.stdin.isatty():
        screen.say("Tell me what happens, or ask. " + HELP)
    Talk(net, json)()


def network_of(
    model: Path | None,
    memory: Memory | None = None,
    *,
    organised: bool | None = None,
    superseding: bool = False,
) -> Network:
    """The model of a folder, of whatever kind, or the default ensemble."""
    from memnn.dialogue.network import Ensemble
    from memnn.folder import kind_of
    from memnn.loading import load, only_stories

    screen.prepare_kernels(None if model is None else kind_of(model))
    if model is None:
        only_stories(organised, superseding)
        return Ensemble(default_ensemble(), memory)
    return load(model, memory, organised=organised, superseding=superseding)


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


def default_ensemble(retrain: bool = False) -> EnsembleModel:
    """The default ensemble, trained now if it never was."""
    from memnn import default

    model = None if retrain else default.cached_ensemble()
    if model is not None:
        screen.say(f"Using the model trained before, in {default.ensemble_folder()}")
        return model
    story = default_model(retrain)
    screen.say("Training the facts network on the world facts, and calibrating both")
    with screen.facts_bar() as bar:
        model, place = default.train_ensemble(story, bar)
    if place:
        screen.say(f"Kept for next time in {place}")
    return model


class Talk:
    """The conversation: a network, and what was asked last."""

    def __init__(self, net: Network, json: bool = False) -> None:
        from memnn.conversations.small_talk import SmallTalk

        self.net, self.json = net, json
        self.small_talk = SmallTalk()
        self.asked = ""
        self.answer: Answer | None = None

    def __call__(self) -> None:
        """Until the input ends."""
        for line in lines():
            try:
                if line.startswith("/"):
                    if not self.obey(line):
                        return
                else:
                    self.hear(line)
            except InputError as error:
                screen.err.print(Text(str(error), style="red"))
        self.show(self.net.flush())

    def hear(self, line: str) -> None:
        from memnn.conversations.small_talk import heard

        if self.net.I.streams:  # which takes every word
            self.take(line)
            return
        for part, intent in heard(line):
            if intent.name:
                self.reply(part, intent)
            else:
                self.take(part)

    def reply(self, said: str, intent: Intent) -> None:
        """What is neither told nor asked."""
        from memnn.conversations.intents import FORGET, UNDO

        reply = self.small_talk(self.net, self.net.memory, said, intent)
        if reply.intent in (FORGET, UNDO):
            self.answer = None  # it may rest on what is gone
        if self.json:
            screen.print_json(reply.to_json())
            return
        screen.out.print(Text(f"   {reply.text}", style="dim"))
        if reply.intent not in (FORGET, UNDO):
            for slot in reply.slots:
                screen.out.print(Text(f"   [{slot.id}] {slot.text}"))

    def take(self, line: str) -> None:
        from memnn.text.sentences import is_question

        self.show(self.net.respond(line), line)
        if is_question(line):  # on a word stream nothing else may tell that it has ended
            self.show(self.net.flush(), line)

    def show(self, said: Iterable[Slot | Answer], line: str = "") -> None:
        for each in said:
            if isinstance(each, Slot):
                show_told(each, self.json)
                continue
            self.asked, self.answer = line, each
            if self.json:
                screen.print_json(screen.answer_json(each))
            else:
                screen.show_answer(each)

    def obey(self, line: str) -> bool:
        """A command of the chat; False ends it."""
        command, *rest = line.split(maxsplit=1)
        argument = rest[0].strip() if rest else ""
        if command in ("/quit", "/exit"):
            return False
        if command == "/memory" and not rest:
            self.show_memory()
        elif command == "/why" and not rest:
            self.why()
        elif command == "/load" and rest:
            self.load(Path(argument))
        elif command == "/forget" and argument.isdecimal() and len(argument) < 20:
            self.forget(int(argument))
        else:
            screen.say(HELP)
        return True

    def show_memory(self) -> None:
        for slot in self.net.memory.scan():
            if self.json:
                show_told(slot, self.json)
            else:
                screen.out.print(Text(f"   [{slot.id}] {slot.text}"))

    def forget(self, id: int) -> None:
        self.net.forget(id)
        self.answer = None  # it may rest on what is gone
        if self.json:
            screen.print_json({"forgot": id})
        else:
            screen.out.print(Text(f"   forgot [{id}]", style="dim"))

    def load(self, path: Path) -> None:
        from memnn.cli.stories import tell_lines

        n = tell_lines(self.net, path)
        if self.json:
            screen.print_json({"loaded": str(path), "statements": n})
        else:
            screen.out.print(Text(f"   remembered {screen.count(n, 'statement')}", style="dim"))

    def why(self) -> None:
        """What each network would have said to the last question, and what spoke for it."""
        if self.answer is None:
            raise InputError("nothing was asked yet, or something was forgotten since; ask again")
        reasons = self.net.reasons(self.asked)
        if self.json:
            networks = [asdict(reason) for reason in reasons]
            screen.print_json({**screen.answer_json(self.answer), "networks": networks})
            return
        screen.show_answer(self.answer)
        for reason in reasons:
            screen.show_reason(reason)


def show_told(slot: Slot, json: bool) -> None:
    if json:
        from memnn.as_json import slot_json

        screen.print_json(slot_json(slot))
    else:
        screen.out.print(Text(f"   remembered as [{slot.id}]", style="dim"))


def lines() -> Iterator[str]:
    """What the user types, or what is piped in."""
    prompt = ""
    if sys.stdin.isatty():
        remember_lines()
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


def remember_lines() -> None:
    """Editing and history for input(), kept from one conversation to the next where it can be."""
    import atexit
    import readline

    from platformdirs import user_cache_path

    from memnn.paths import private

    file = user_cache_path("memnn") / "history"

    def keep() -> None:
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(file, "ab", opener=private):  # before there is anything to read in it
                file.chmod(0o600)
            readline.write_history_file(file)

    with suppress(OSError):
        readline.read_history_file(file)
    readline.set_history_length(1000)
    atexit.register(keep)
