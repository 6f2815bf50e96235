"""`memnn train`: a model folder from story files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memnn.cli import screen
from memnn.cli.options import Json, options_of
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


@options_of(Recipe, leave_out=PYTHON_ONLY)
def train(
    files: Annotated[list[Path], typer.Argument(help="Story files (bAbI text); - is stdin.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model folder to write.")],
    recipe: Recipe,
    first: Annotated[
        int | None, typer.Option(help="Learn from the first N questions only.")
    ] = None,
    json: Json = False,
) -> None:
    """Train a memory network on stories with supporting facts.

    Example: memnn train train.txt -o model --hops 2
    """
    from memnn.stories import babi
    from memnn.stories import model as models
    from memnn.stories.examples import first_questions
    from memnn.stories.train import fit

    check_place(output)
    stories = [story for file in files for story in babi.read(file)]
    if first is not None:
        stories = first_questions(stories, first)
    screen.prepare_kernels()
    with screen.training_bar("Training") as bar:
        model = fit(stories, recipe, bar)
    models.save(model, output)
    if json:
        screen.print_json({"model": str(output), "id": model.id, **model.card})
    else:
        card = model.card
        screen.say(
            f"Learnt from {screen.count(card['questions'], 'question')} about "
            f"{screen.count(card['statements'], 'statement')} in {card['seconds']:.1f} s; "
            f"the model is in {output}"
        )
