"""`memnn simulate`: the paper's simulated world (§5.2, Appendix A), bAbI's tasks, and ordinary
language."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memnn.cli import screen
from memnn.cli.options import Json
from memnn.types import Story

_THE_WORLD_S = {
    "ask": "--ask",
    "statements": "--statements",
    "story_length": "--story-length",
    "before_moves": "--before",
    "stream": "--stream",
    "sentences": "--sentences",
}
"""Options that neither the twenty tasks nor ordinary language have a use for."""

Ask = Annotated[
    str,
    typer.Option(help="What is asked: actor, actor+object, describe …; an unknown name lists all."),
]
Before = Annotated[
    int,
    typer.Option(
        "--before",
        min=0,
        help="“Where was A before R?” asks about the rooms of A's last N moves; 0: of all.",
    ),
]
Task = Annotated[
    str | None,
    typer.Option(help="Stories of bAbI's twenty tasks instead: 7, all, or weighted 1:3,7,19."),
]
WordsFile = Annotated[
    Path | None, typer.Option(help="A TOML file with names and sentences of your own for --task.")
]
Language = Annotated[
    str | None,
    typer.Option(help="Stories as people tell them instead: ordinary, or ordinary:german."),
]
Held = Annotated[
    str | None,
    typer.Option(
        "--hold-out",
        help="With --language: do without a third of the frames, questions, names, or everything.",
    ),
]
OnlyHeld = Annotated[
    bool, typer.Option("--only-held-out", help="Make the stories of that third alone.")
]


def simulate(
    context: typer.Context,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    difficulty: Annotated[
        int, typer.Option(help="How many statements back the asked-about may lie.")
    ] = 5,
    ask: Ask = "actor+object",
    task: Task = None,
    words: WordsFile = None,
    language: Language = None,
    hold_out: Held = None,
    only_held_out: OnlyHeld = False,
    statements: Annotated[int, typer.Option(help="How many statements.")] = 7000,
    questions: Annotated[
        int, typer.Option(help="How many questions; with --task 1000 for each task.")
    ] = 3000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same file.")] = 0,
    story_length: Annotated[
        int | None, typer.Option(help="Statements per story; without it one long story.")
    ] = None,
    before_moves: Before = 2,
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

    Example: memnn simulate -o lists.txt --task 8 --questions 1000

    Example: memnn simulate -o everyday.txt --language ordinary --questions 1000
    """
    from memnn.errors import InputError
    from memnn.simulator import simulate
    from memnn.stories import babi

    if json and str(output) == "-":
        raise InputError("--json and the story cannot both go to standard output; name a file")
    if language is not None:
        stories = _in_language(context, language, questions, seed)
    elif hold_out is not None or only_held_out:
        raise InputError("--hold-out goes with --language; add --language ordinary")
    elif task is not None:
        stories = _of_tasks(context, task, words, difficulty, seed)
    elif words is not None:
        raise InputError("--words goes with --task; name a task, too")
    else:
        stories = simulate(
            statements=statements, questions=questions, difficulty=difficulty, ask=ask, seed=seed,
            story_length=story_length, before_moves=before_moves or None, stream=stream,
            sentences=sentences,
        )  # fmt: skip
    babi.write(output, stories)
    _report(stories, output, seed, json)


def _report(stories: list[Story], output: Path, seed: int, json: bool) -> None:
    statements = sum(1 for story in stories for _ in story.statements)
    questions = sum(1 for story in stories for _ in story.questions)
    if json:
        counts = {"stories": len(stories), "statements": statements, "questions": questions}
        screen.print_json({"file": str(output), **counts, "seed": seed})
    else:
        screen.say(
            f"Wrote {screen.count(statements, 'statement')} and "
            f"{screen.count(questions, 'question')} in {screen.count(len(stories), 'story')} "
            f"to {output}"
        )


def _of_tasks(
    context: typer.Context, task: str, words: Path | None, difficulty: int, seed: int
) -> list[Story]:
    from memnn.errors import InputError
    from memnn.simulator.twenty import Vocabulary, simulate_tasks

    given = {name for name in context.params if _is_given(context, name)}
    for name, option in _THE_WORLD_S.items():
        if name in given:
            raise InputError(f"{option} is not for --task; a task has its own way to tell")
    return simulate_tasks(
        task,
        questions=context.params["questions"] if "questions" in given else None,
        seed=seed,
        difficulty=difficulty,
        words=None if words is None else Vocabulary.read(words),
    )


def _in_language(context: typer.Context, language: str, questions: int, seed: int) -> list[Story]:
    from memnn.errors import InputError, UnknownName
    from memnn.simulator import ordinary

    world, _, name = language.partition(":")
    if world != "ordinary":
        raise UnknownName("kind of language", world, ["ordinary"])
    others = {**_THE_WORLD_S, "task": "--task", "words": "--words", "difficulty": "--difficulty"}
    for option in (others[key] for key in others if _is_given(context, key)):
        raise InputError(f"{option} is not for --language; leave one of them out")
    what, only = context.params["hold_out"], context.params["only_held_out"]
    if only and what is None:
        raise InputError("--only-held-out goes with --hold-out; say what is held out")
    held = None if what is None else ordinary.HoldOut(what, only=only)
    return ordinary.stories(
        seed=seed, questions=questions, language=name or "english", hold_out=held
    )


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
