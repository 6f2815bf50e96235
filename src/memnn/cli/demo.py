"""`memnn demo`: train, tell the story of Figure 1, ask its questions, then talk."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.text import Text

from memnn.cli import screen
from memnn.cli.chat import HELP, default_model, talk

STORY = (
    "Joe went to the kitchen.",
    "Fred went to the kitchen.",
    "Joe picked up the milk.",
    "Joe travelled to the office.",
    "Joe left the milk.",
    "Joe went to the bathroom.",
)
QUESTIONS = (
    "Where is the milk now?",
    "Where is Joe?",
    "Where was Joe before the office?",
)


def demo(
    retrain: Annotated[bool, typer.Option("--retrain", help="Train the model anew.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON; no chat.")] = False,
) -> None:
    """Watch a memory network train and answer the paper's first story, with its evidence.

    Example: memnn demo
    """
    from memnn.network import network

    screen.prepare_kernels()
    net = network(default_model(retrain))
    if json:
        net.tell("\n".join(STORY))
        answers = [{"question": q, **screen.answer_json(net.ask(q))} for q in QUESTIONS]
        screen.print_json({"story": list(STORY), "answers": answers})
        return
    screen.out.print("\nA story (Figure 1 of the paper):", style="bold")
    for sentence in STORY:
        for slot in net.tell(sentence):
            screen.out.print(Text.assemble((f"   [{slot.id}] ", "dim"), slot.text))
    title = "\nQuestions, each with the facts it used and how close the next one came:"
    screen.out.print(title, style="bold")
    for question in QUESTIONS:
        screen.out.print(Text(f"\n{question}"))
        screen.show_answer(net.ask(question))
    if sys.stdin.isatty():
        screen.say("\nYour turn: go on with the story, or ask. " + HELP)
        talk(net)
