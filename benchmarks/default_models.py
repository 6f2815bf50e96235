"""Train the network for ordinary language that comes with the package: `make models`.

The same seed and number of threads give the same model on one machine.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.progress import Progress

from memnn import ordinary
from memnn.ordinary.model import load
from memnn.ordinary.train import QUESTIONS, train_ordinary

PLACE = Path(ordinary.__file__).parent / "english"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=PLACE)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with Progress() as shown:
        task = shown.add_task("reading", total=None)

        def moved(part: str, step: int, of: int, loss: float) -> None:
            shown.update(task, total=of, completed=step, description=f"{part}, loss {loss:.3f}")

        net = train_ordinary(seed=options.seed, questions=options.questions, moved=moved)
    net.save(options.output)
    print(load(options.output).card["held_back"], options.output)


if __name__ == "__main__":
    main()
