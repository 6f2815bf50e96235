"""`memnn simulate`: stories of the paper's simulated world (§5.2, Appendix A)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memnn.cli import screen
from memnn.cli.options import Json


def simulate(
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    difficulty: Annotated[
        int, typer.Option(help="How many statements back the asked-about may lie.")
    ] = 5,
    ask: Annotated[
        str,
        typer.Option(
            help="What is asked: actor, actor+object, describe …; an unknown name lists all."
        ),
    ] = "actor+object",
    statements: Annotated[int, typer.Option(help="How many statements.")] = 7000,
    questions: Annotated[int, typer.Option(help="How many questions.")] = 3000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same file.")] = 0,
    story_length: Annotated[
        int | None, typer.Option(help="Statements per story; without it one long story.")
    ] = None,
    before_moves: Annotated[
        int,
        typer.Option(
            "--before",
            min=0,
            help="“Where was A before R?” asks about the rooms of A's last N moves; 0: of all.",
        ),
    ] = 2,
    stream: Annotated[
        bool, typer.Option("--stream", help="Join the statements, as for word streams.")
    ] = False,
    sentences: Annotated[
        bool, typer.Option("--sentences", help="Answers are sentences, not words.")
    ] = False,
    json: Json = False,
) -> None:
    """Write simulated stories with questions, answers and supporting facts, as bAbI text.

    Example: memnn simulate -o train.txt --difficulty 5 --ask actor+object --seed 0
    """
    from memnn.errors import InputError
    from memnn.simulator import simulate
    from memnn.stories import babi

    if json and str(output) == "-":
        raise InputError("--json and the story cannot both go to standard output; name a file")
    stories = simulate(
        statements=statements, questions=questions, difficulty=difficulty, ask=ask, seed=seed,
        story_length=story_length, before_moves=before_moves or None, stream=stream,
        sentences=sentences,
    )  # fmt: skip
    babi.write(output, stories)
    if json:
        counts = {"stories": len(stories), "statements": statements, "questions": questions}
        screen.print_json({"file": str(output), **counts, "seed": seed})
    else:
        screen.say(
            f"Wrote {screen.count(statements, 'statement')} and "
            f"{screen.count(questions, 'question')} in {screen.count(len(stories), 'story')} "
            f"to {output}"
        )
