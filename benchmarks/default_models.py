"""Train the models that come with the package anew: `make models`.

The same seed gives the same models on one machine.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from rich.progress import Progress

from memnn import default
from memnn.dialogue import train as dialogue
from memnn.facts.train import FactsProgress
from memnn.ordinary.model import load
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.train import QUESTIONS, mean_ordinary, train_ordinary
from memnn.stories.model import Model
from memnn.tensors import rounded

RECIPE = OrdinaryRecipe()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "-o", "--output", type=Path, help="a folder for both, instead of the package"
    )
    parser.add_argument("--only", choices=("ordinary", "dialogue"), help="one of them alone")
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="the reader's folder that it learns on from")
    parser.add_argument("--epochs", type=int, default=RECIPE.epochs, help="the reader's passes")
    parser.add_argument("--lr", type=float, default=RECIPE.lr, help="its learning rate")
    parser.add_argument("--batch", type=int, default=RECIPE.batch, help="questions at once")
    parser.add_argument("--threads", type=int, default=1, help="the same number, the same sums")
    parser.add_argument("--processes", type=int, default=1, help="that learn to read together")
    parser.add_argument(
        "--mean", type=Path, nargs="+", help="folders of readers whose mean it is, untrained"
    )
    options = parser.parse_args()
    makers = {"dialogue": train_ensemble, "ordinary": train_reader}
    with Progress() as shown:
        for room, make in makers.items():
            if options.only in (None, room):
                place = options.output / room if options.output else default.folder(room)
                make(place, options, shown)
                print(room, place)


def train_ensemble(place: Path, options: argparse.Namespace, shown: Progress) -> None:
    """Stories, facts and when to believe which, with half the precision, which is half the size."""
    task = shown.add_task("stories and facts", total=None)

    def moved(done: FactsProgress) -> None:
        shown.update(task, total=done.epochs, completed=done.epoch)

    dialogue.ensemble(halved(default.train_story()), progress=moved).save(place)


def halved(story: Model) -> Model:
    return replace(story, U_O=rounded(story.U_O), U_R=rounded(story.U_R))


def train_reader(place: Path, options: argparse.Namespace, shown: Progress) -> None:
    """With one thread unless more are asked for: sums depend on how many there are."""
    import torch

    torch.set_num_threads(options.threads)
    task = shown.add_task("reading", total=None)

    def moved(part: str, step: int, of: int, loss: float) -> None:
        shown.update(task, total=of, completed=step, description=f"{part}, loss {loss:.3f}")

    if options.mean:
        models = [load(folder) for folder in options.mean]
        net = mean_ordinary(models, seed=options.seed, questions=options.questions)
        net.save(place)
        print(load(place).card["held_back"])
        return
    start = load(options.start) if options.start else None
    recipe = OrdinaryRecipe(
        seed=options.seed, epochs=options.epochs, batch=options.batch, lr=options.lr
    )
    net = train_ordinary(
        seed=options.seed, questions=options.questions, recipe=recipe, start=start, moved=moved,
        processes=options.processes,
    )  # fmt: skip
    net.save(place)
    print(load(place).card["held_back"])


if __name__ == "__main__":
    main()
