"""`memnn train`: a model folder from story files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

from memnn.cli import screen
from memnn.cli.options import Json, given, options_of
from memnn.errors import InputError, UnknownName
from memnn.folder import check_place
from memnn.stories.recipe import Recipe

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


class Trained(Protocol):
    """A model of either network."""

    @property
    def id(self) -> str: ...

    @property
    def card(self) -> dict[str, Any]: ...

    def save(self, folder: str | Path) -> Path: ...


@options_of(Recipe, leave_out=PYTHON_ONLY)
def train(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(help="Story files (bAbI text); - is stdin.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model folder to write.")],
    recipe: Recipe,
    network: Annotated[
        str,
        typer.Option(
            "--recipe", help="Which network: " + "; ".join(f"{k}: {v}" for k, v in NETWORKS.items())
        ),
    ] = "paper",
    first: Annotated[
        int | None, typer.Option(help="Learn from the first N questions only.")
    ] = None,
    json: Json = False,
) -> None:
    """Train a memory network on stories with supporting facts.

    Example: memnn train train.txt -o model --hops 2
    """
    from memnn.stories import babi
    from memnn.stories.examples import first_questions

    if network not in NETWORKS:
        raise UnknownName("recipe", network, NETWORKS)
    fit = (
        _over_paths(recipe, given(context, [each.name for each in fields(recipe)]))
        if network == "paths"
        else _paper(recipe)
    )
    check_place(output)
    stories = [story for file in files for story in babi.read(file)]
    if first is not None:
        stories = first_questions(stories, first)
    screen.prepare_kernels()
    with screen.training_bar("Training") as bar:
        model = fit(stories, bar)
    model.save(output)
    if json:
        screen.print_json({"model": str(output), "id": model.id, **model.card})
    else:
        card = model.card
        screen.say(
            f"Learnt from {screen.count(card['questions'], 'question')} about "
            f"{screen.count(card['statements'], 'statement')} in {card['seconds']:.1f} s; "
            f"the model is in {output}"
        )


def _paper(recipe: Recipe) -> Callable[..., Trained]:
    from memnn.stories.train import fit

    return lambda stories, progress: fit(stories, recipe, progress)


def _over_paths(recipe: Recipe, said: list[str]) -> Callable[..., Trained]:
    """A path network with what was said of the options that it shares."""
    from memnn.support_paths.recipe import PathRecipe
    from memnn.support_paths.train import fit

    if alien := [name for name in said if name not in SHARED]:
        option = "--" + alien[0].replace("_", "-")
        raise InputError(
            f"{option} is for the paper's network; leave it out, or use --recipe paper"
        )
    chosen = PathRecipe(**{name: getattr(recipe, name) for name in said})
    return lambda stories, progress: fit(stories, chosen, progress)
