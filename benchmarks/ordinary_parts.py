"""What each part of the network for ordinary language is worth: it is trained without it.

    python -m benchmarks.ordinary_parts -o docs/results/ordinary

All rows learn alike, from a part of the stories and for fewer passes than the model that ships.
They are asked the blind dialogues for development, alone and not in the ensemble, and questions
about written stories that none of them has learnt from.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import memnn
from benchmarks import blind_dialogues, written_stories
from memnn.kernels.arrays import Bools, Floats
from memnn.ordinary import passage
from memnn.ordinary.heard import HeardQuestion, HeardTexts
from memnn.ordinary.network import network
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.train import train, train_ordinary, written


@dataclass(frozen=True)
class Effort:
    """How much is learnt and asked, the same in every row."""

    questions: int = 1_500
    stories: int = 16
    """One of so many written stories is learnt from."""
    epochs: int = 2
    files: int = 24
    """One of so many files is asked."""
    cases: int = 1_000


@dataclass(frozen=True)
class Row:
    settings: dict[str, Any] = field(default_factory=dict)
    contexts: bool = True
    world: bool = True


ROWS = {
    "everything": Row(),
    "without vectors": Row({"vectors": False}),
    "without related words": Row({"related": False}),
    "without stories among others": Row({"mixed": 0.0}),
    "without unsupported questions": Row({"unsupported": False}),
    "without the simulated world": Row(world=False),
    "without contexts": Row(contexts=False),
    "without hidden words": Row({"hidden": 0.0, "unknown": 0.0, "noise": 0.0}),
    "without pronouns": Row({"pronouns": False}),
}


OF_OTHERS = ("newer mention", "stands for asked", "carried")
MARKS_OF = passage.LinesInView._marks


def _marks_alone(lines: passage.LinesInView, texts: HeardTexts, n: int, there: Bools) -> Floats:
    """How a word is written and where it stands, and nothing of other statements."""
    marks = MARKS_OF(lines, texts, n, there)
    marks[:, :, [passage.MARKS.index(name) for name in OF_OTHERS]] = 0.0
    return marks


def _own_words(texts: HeardTexts, row: int, question: HeardQuestion) -> list[float]:
    return [float(stem in texts.texts[row].stems) for stem in question.stems]


@contextmanager
def without_contexts() -> Iterator[None]:
    """Words carry no marks of other statements: none is marked because a newer one has it, or
    because what a pronoun stands for was told before. They still look at each other."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(passage.LinesInView, "_marks", _marks_alone))
        stack.enter_context(patch.object(passage, "carried", _own_words))
        yield


def measure(row: Row, effort: Effort) -> dict[str, Any]:
    """A reader without a part, and how good it is."""
    recipe = replace(OrdinaryRecipe(epochs=effort.epochs), **row.settings)
    stories = written()[:: effort.stories]
    with ExitStack() as stack:
        if not row.contexts:
            stack.enter_context(without_contexts())
        start = time.process_time()
        if row.world:
            net = train_ordinary(questions=effort.questions, recipe=recipe, stories=stories)
        else:
            net = network(train(stories, recipe))
        seconds = time.process_time() - start
        cases = blind_dialogues.cases("dev")[: effort.cases]
        found = blind_dialogues.outcomes(lambda: net.with_memory(memnn.RamMemory()), cases)
        dialogues = blind_dialogues.summary(list(found))
        model: Any = net.model
        trials = written_stories.trials(model, written_stories.kept_back(effort.files))
        asked = written_stories.summary(model, trials)
    return {"seconds": round(seconds), "dialogues": dialogues, "stories": asked}


def table(found: dict[str, dict[str, Any]]) -> str:
    """As Markdown."""
    head = (
        "| | dialogues right | supported declined | stories: supports | right words |"
        " declined | unsupported declined |\n|---|---|---|---|---|---|---|\n"
    )
    lines = []
    for name, row in found.items():
        talks, asked = row["dialogues"], row["stories"]
        shares = [talks["right"], talks["supported_declined"]]
        shares += [
            asked.get(key, 0.0) for key in ("supports", "right", "declined", "unsupported_declined")
        ]
        lines.append(f"| {name} | " + " | ".join(f"{share:.1f}" for share in shares) + " |\n")
    return head + "".join(lines)


def run(effort: Effort, chosen: list[str], keep: Callable[[dict[str, Any]], None]) -> None:
    """Row by row; those that there are go to `keep` each time."""
    found: dict[str, Any] = {}
    for name in chosen:
        found[name] = measure(ROWS[name], effort)
        keep(found)


def main() -> None:
    import torch

    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="A folder for parts.json and parts.md.")
    parser.add_argument("--row", choices=ROWS, action="append", help="Only this one.")
    parser.add_argument("--questions", type=int, default=Effort.questions, help="Simulated ones.")
    parser.add_argument(
        "--stories", type=int, default=Effort.stories, help="One of so many written stories."
    )
    parser.add_argument("--epochs", type=int, default=Effort.epochs)
    options = parser.parse_args()
    file = options.output / "parts.json" if options.output else None
    before = json.loads(file.read_text("utf-8")) if options.row and file and file.exists() else {}

    def keep(found: dict[str, Any]) -> None:
        rows = {name: row for name in ROWS if (row := (before | found).get(name))}
        print(table(rows), flush=True)
        if file:
            file.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
            file.with_suffix(".md").write_text(table(rows), encoding="utf-8")

    effort = Effort(options.questions, options.stories, options.epochs)
    run(effort, options.row or list(ROWS), keep)


if __name__ == "__main__":
    main()
