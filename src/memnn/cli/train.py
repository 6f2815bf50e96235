"""`memnn train`: a model folder from story files."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from memnn.cli import screen
from memnn.cli.options import Json, given, options_of
from memnn.errors import InputError, Interrupted, UnknownName
from memnn.folder import check_place
from memnn.stories.recipe import Recipe

if TYPE_CHECKING:
    from memnn.checkpoint import Checkpoint
    from memnn.choosing import Choice, Judged
    from memnn.stories.model import Model
    from memnn.stories.train import Progress
    from memnn.support_paths.model import PathModel
    from memnn.types import Story

PYTHON_ONLY = {
    "init": "the defaults were chosen with it; another value asks for other epochs, too",
    "tries": "only how soon a negative is found",
    "recent": "only how soon a negative is found",
    "lesions": "a choice of the package, not of a data set (docs/decisions/0004)",
    "shared": "an ablation of the paper's",
    "habits": "the experiments' R, which always answers",
}
"""The settings that are no options, and why."""
NETWORKS = {
    "paper": "the paper's network, k hops and one answer",
    "paths": "as many hops as a question needs, answers of any form",
}
SHARED = ("hops", "epochs", "seed")
"""The options of the paper's network that the other one has, too."""
STREAMS = ("stream", "segmenter")
"""The same, if somebody asks for the other one: alone they mean the paper's."""


CURVE = ("epoch", "loss_O", "loss_R", "supports", "answers")
SHOWN = {"paper": "the paper's network", "paths": "the path network"}


@options_of(Recipe, leave_out=PYTHON_ONLY)
def train(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(help="Story files (bAbI text); - is stdin.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model folder to write.")],
    recipe: Recipe,
    network: Annotated[
        str | None,
        typer.Option(
            "--recipe",
            help="Which network: " + "; ".join(f"{k}: {v}" for k, v in NETWORKS.items()),
            show_default="what fits the stories; paper with an option that only it has",
        ),
    ] = None,
    first: Annotated[
        int | None, typer.Option(help="Learn from the first N questions only.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an interrupted training stopped.")
    ] = False,
    curve: Annotated[
        list[Path] | None,
        typer.Option(help="Write the learning curve to this file, .json or .png (repeatable)."),
    ] = None,
    json: Json = False,
) -> None:
    """Train a memory network on stories with supporting facts.

    Example: memnn train train.txt -o model
    """
    from memnn.curve import check_curve, write_curve
    from memnn.stories import babi
    from memnn.stories.examples import first_questions

    said = given(context, [each.name for each in fields(recipe)])
    shared = (*SHARED, *STREAMS) if network == "paths" else SHARED
    only_paper = [name for name in said if name not in shared]
    _check(network, only_paper)
    check_place(output)
    for path in curve or ():
        check_curve(path)
    stories = [story for file in files for story in babi.read(file)]
    if first is not None:
        stories = first_questions(stories, first)
    _warn(stories)
    if network != "paths":
        screen.prepare_kernels("training")
    if network == "paper" or only_paper:
        done = _paper(stories, recipe, only_paper)
    else:
        screen.prepare_kernels("paths")
        settings = {name: getattr(recipe, name) for name in said}
        done = _chosen(stories, network, settings, output, resume)
    about = done.choice.to_json()
    model = replace(done.model, card={**done.model.card, **about})
    model.save(output)
    if done.checkpoint is not None:
        done.checkpoint.remove()
    for path in curve or ():
        write_curve(path, [_row(epoch) for epoch in done.curve], {"model": str(output), **about})
    _report(model, done.choice, output, json)


class Done(NamedTuple):
    """What a training leaves."""

    model: Model | PathModel
    choice: Choice
    curve: list[Progress]
    checkpoint: Checkpoint | None = None


def _check(network: str | None, only_paper: list[str]) -> None:
    if network is not None and network not in NETWORKS:
        raise UnknownName("recipe", network, NETWORKS)
    if network == "paths" and only_paper:
        raise InputError(
            f"{_option(only_paper[0])} is for the paper's network; leave it out, or use "
            "--recipe paper"
        )


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _paper(stories: list[Story], recipe: Recipe, only_paper: list[str]) -> Done:
    """The paper's network as its options say, and nothing else."""
    from memnn.choosing import Choice
    from memnn.stories.train import fit

    curve: list[Progress] = []
    with screen.training_bar("Training") as bar:

        def moved(epoch: Progress) -> None:
            curve.append(epoch)
            bar(epoch)

        model = fit(stories, recipe, moved)
    why = f"{_option(only_paper[0])} is for it" if only_paper else "as asked"
    return Done(model, Choice("paper", why), curve)


def _chosen(
    stories: list[Story],
    network: str | None,
    settings: dict[str, Any],
    output: Path,
    resume: bool,
) -> Done:
    """What fits the stories, or the path network; measured on stories held back."""
    from memnn.checkpoint import Checkpoint
    from memnn.choosing import Training

    def tell(choice: Choice) -> None:
        if network is None:
            screen.say(f"Chose {SHOWN[choice.network]}: {choice.why}")

    with screen.training_bar("Training") as bar:
        training = Training(stories, wanted=network, settings=settings, progress=bar, chosen=tell)
        checkpoint = Checkpoint(output, training.key)
        checkpoint.check()
        if resume and not checkpoint.folder.exists():
            screen.say("There is nothing to resume; starting from the beginning")
        try:
            model, choice = training.run(checkpoint, resume=resume)
        except KeyboardInterrupt:
            if not checkpoint.folder.exists():
                raise
            raise Interrupted(
                "interrupted; the same command with --resume goes on from there"
            ) from None
    return Done(model, choice, training.curve, checkpoint)


def _warn(stories: list[Story]) -> None:
    from memnn.stories.contradictions import contradictions

    if found := contradictions(stories):
        n = "A question is" if len(found) == 1 else f"{len(found):,} questions are"
        screen.say(
            f"{n} answered in two ways after the same statements, "
            f"first at {found[0].source}:{found[0].line}"
        )


def _row(epoch: Progress) -> dict[str, Any]:
    """An epoch of the curve; what was not measured is None."""
    numbers = {name: None if value != value else value for name, value in asdict(epoch).items()}
    return {"stage": epoch.stage or "All stories", **{k: numbers[k] for k in CURVE}}


def _report(model: Model | PathModel, choice: Choice, output: Path, json: bool) -> None:
    card, held_back = model.card, choice.held_back
    if json:
        screen.print_json({"model": str(output), "id": model.id, **card})
        return
    screen.say(
        f"Learnt from {screen.count(card['questions'], 'question')} about "
        f"{screen.count(card['statements'], 'statement')} in {card['seconds']:.1f} s; "
        f"the model is in {output}"
    )
    if held_back is not None:
        screen.say(
            f"Of {screen.count(held_back.questions, 'question')} held back from a training on the "
            f"other stories, {held_back.answers:.1%} were answered right, {_supports(held_back)}"
        )


def _supports(held_back: Judged) -> str:
    if held_back.supports is None:
        return "from supports that were found, not named"
    return f"{held_back.supports:.1%} with the right supports"
