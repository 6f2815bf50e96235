"""`memnn demo`: tell the paper's stories, ask their questions, then talk."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from rich.text import Text

from memnn.cli import screen
from memnn.cli.talk import HELP, Talk

if TYPE_CHECKING:
    from memnn.network import MemoryNetwork
    from memnn.stories.model import Model


class Figure(NamedTuple):
    """A story of the paper, one statement a line, and what is asked about it."""

    title: str
    story: tuple[str, ...]
    questions: tuple[str, ...]


FIGURES = (
    Figure(
        "A story (Figure 1 of the paper):",
        (
            "Joe went to the kitchen.",
            "Fred went to the kitchen.",
            "Joe picked up the milk.",
            "Joe travelled to the office.",
            "Joe left the milk.",
            "Joe went to the bathroom.",
        ),
        ("Where is the milk now?", "Where is Joe?", "Where was Joe before the office?"),
    ),
    Figure(
        "A story whose names it has never seen (Figure 3 of the paper):",
        (
            "Bilbo travelled to the cave.",
            "Gollum dropped the ring there.",
            "Bilbo took the ring.",
            "Bilbo went back to the Shire.",
            "Bilbo left the ring there.",
            "Frodo got the ring.",
            "Frodo journeyed to Mount-Doom.",
            "Frodo dropped the ring there.",
            "Sauron died.",
            "Frodo went back to the Shire.",
            "Bilbo travelled to the Grey-havens.",
            "The End.",
        ),
        ("Where is the ring?", "Where is Bilbo now?", "Where is Frodo now?"),
    ),
)


def demo(
    retrain: Annotated[
        bool, typer.Option("--retrain", help="Train the story network before your eyes.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON; no chat.")] = False,
) -> None:
    """Watch a memory network answer the paper's stories, with its evidence.

    Example: memnn demo
    """
    from memnn import default
    from memnn.dialogue.network import Ensemble
    from memnn.memory import RamMemory
    from memnn.stories.network import network

    screen.prepare_kernels("training" if retrain else "story")
    net = network(train() if retrain else default.story())
    told = [(figure, net.with_memory(RamMemory())) for figure in FIGURES]
    if json:
        screen.print_json({"stories": [as_json(figure, one) for figure, one in told]})
        return
    for figure, one in told:
        show(figure, one)
    if sys.stdin is not None and sys.stdin.isatty():
        screen.out.print("\nYour turn: tell me what happens, or ask. " + HELP, style="dim")
        screen.prepare_kernels()
        Talk(Ensemble(default.ensemble()))()


def train() -> Model:
    """The story network of the package, trained now."""
    from memnn import default

    screen.say("Training on a simulated world: 7,000 statements, 3,000 questions")
    with screen.training_bar("Training") as bar:
        return default.train_story(bar)


def as_json(figure: Figure, net: MemoryNetwork) -> dict[str, object]:
    net.tell("\n".join(figure.story))
    answers = [{"question": q, **screen.answer_json(net.ask(q))} for q in figure.questions]
    return {"title": figure.title, "story": list(figure.story), "answers": answers}


def show(figure: Figure, net: MemoryNetwork) -> None:
    screen.out.print(f"\n{figure.title}", style="bold")
    for sentence in figure.story:
        for slot in net.tell(sentence):
            screen.out.print(Text.assemble((f"   [{slot.id}] ", "dim"), slot.text))
    title = "\nQuestions, each with the facts it used and how close the next one came:"
    screen.out.print(title, style="bold")
    for question in figure.questions:
        screen.out.print(Text(f"\n{question}"))
        screen.show_answer(net.ask(question))
