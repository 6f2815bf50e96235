"""`memnn train`: a model folder from story files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memnn.cli import screen
from memnn.folder import check_place


def train(
    files: Annotated[list[Path], typer.Argument(help="Story files (bAbI text); - is stdin.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model folder to write.")],
    hops: Annotated[int, typer.Option(help="k, how many supporting memories to find.")] = 2,
    time: Annotated[
        str, typer.Option(help="Write time: ordered, signed, literal, index or none.")
    ] = "ordered",
    response: Annotated[
        str, typer.Option(help="word: rank words and answers; memory: the last support; rnn; lstm.")
    ] = "word",
    unseen: Annotated[
        bool, typer.Option("--unseen", help="Understand words it never saw by their context.")
    ] = False,
    match: Annotated[
        bool, typer.Option("--match", help="Matching features: words that input and memory share.")
    ] = False,
    bow: Annotated[float, typer.Option(help="λ of the bag-of-words term.")] = 0.0,
    dropout: Annotated[
        float | None,
        typer.Option(
            help="How often --unseen hides a word in training.", show_default="drawn per example"
        ),
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Words come in a stream; learn where statements end.")
    ] = False,
    epochs: Annotated[
        int | None,
        typer.Option(help="Passes over the data.", show_default="10, more for few questions"),
    ] = None,
    dim: Annotated[int, typer.Option(help="n, the embedding dimension.")] = 100,
    margin: Annotated[float, typer.Option(help="γ of the ranking loss.")] = 0.1,
    lr: Annotated[float, typer.Option(help="The learning rate.")] = 0.01,
    first: Annotated[
        int | None, typer.Option(help="Learn from the first N questions only.")
    ] = None,
    first_supports: Annotated[
        bool,
        typer.Option(
            "--first-supports", help="Where a question has more supports than hops, use the first."
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="The same seed gives the same model.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Train a memory network on stories with supporting facts.

    Example: memnn train train.txt -o model --hops 2
    """
    from memnn.stories import babi
    from memnn.stories import model as models
    from memnn.stories.examples import first_questions
    from memnn.stories.recipe import Recipe
    from memnn.stories.responses import response_named
    from memnn.stories.train import fit

    recipe = Recipe(
        hops=hops, time=time, response=response, epochs=epochs, dim=dim, margin=margin, lr=lr,
        unseen=unseen, match=match, bow=bow, dropout=dropout, stream=stream,
        first_supports=first_supports, seed=seed,
    )  # fmt: skip
    response_named(response)
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
