"""`memnn evaluate`: how often a model is right on a story file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memnn.cli import screen
from memnn.cli.options import Json, Model


def evaluate(
    model: Model,
    file: Annotated[Path, typer.Argument(help="A story file (bAbI text); - is stdin.")],
    errors: Annotated[
        int, typer.Option(help="Show the first N wrong answers with their evidence.")
    ] = 0,
    json: Json = False,
) -> None:
    """Ask every question of a story file and count the right answers and the right supports.

    Example: memnn evaluate model test.txt --json
    """
    from memnn.folder import kind_of
    from memnn.loading import load
    from memnn.stories import babi
    from memnn.stories import evaluate as evaluation
    from memnn.types import Answer, Question

    network = load(model)
    response = evaluation.response_of(network)
    stories = babi.read(file)
    wrong: list[tuple[Question, Answer]] = []

    def look(question: Question, answer: Answer) -> None:
        if len(wrong) < errors and not evaluation.is_right(question, answer, response):
            wrong.append((question, answer))

    screen.prepare_kernels(kind_of(model))
    total = sum(1 for story in stories for _ in story.questions)
    with screen.counting_bar("Asking", total) as bar:
        result = evaluation.evaluate(network, stories, progress=bar, on_answer=look)
    if json:
        screen.print_json(result.to_json())
    else:
        screen.out.print(
            f"{result.accuracy:.2%} of {screen.count(result.questions, 'answer')} right, "
            f"{result.support_accuracy:.2%} with the right supports ({result.seconds:.1f} s)"
        )
    for question, answer in wrong:
        screen.err.print(f"\n{question.text.strip()}  should be: {question.answer}", markup=False)
        screen.show_answer(answer, screen.err)
