"""How well the network for ordinary language reads words that it never saw.

    python -m benchmarks.ordinary_language --without vectors

It is trained on two thirds of the simulator's wordings, ways to ask, names and things, and asked
about stories of the rest, one part at a time and all at once; then about stories of three and of
thirty statements in the words of training. `--stories 4 --epochs 3` learns less, in a few minutes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from memnn.ordinary.examples import FIRST_LEARNT, encode
from memnn.ordinary.judging import tried
from memnn.ordinary.lexicon import WordTable
from memnn.ordinary.model import OrdinaryModel
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.train import QUESTIONS, train_ordinary, written
from memnn.simulator.ordinary import Annotated, HoldOut, annotated
from memnn.simulator.ordinary.language import third_of

MOST_SUPPORTS = 16
WITHOUT: dict[str, dict[str, Any]] = {
    "vectors": {"vectors": False},
    "pronouns": {"pronouns": False},
    "hidden": {"hidden": 0.0, "unknown": 0.0, "noise": 0.0},
    "unsupported": {"unsupported": False},
}
"""What can be taken away, and how."""


@dataclass(frozen=True)
class NewWords(HoldOut):
    """Stories in which one part is made of the third that training did without, and no other."""

    def allows(self, part: str, text: str, salt: int = 0) -> bool:
        new = third_of(text, salt) == self.third
        return new if self.what in (part, "everything") else not new


TRAINED = "words of training"
LENGTHS = (3, 30)
SETS: dict[str, HoldOut] = {
    TRAINED: HoldOut("everything"),
    "new verbs and frames": NewWords("frames"),
    "new ways to ask": NewWords("questions"),
    "new names and things": NewWords("names"),
    "everything new": NewWords("everything"),
}


def asked(model: OrdinaryModel, stories: list[Annotated]) -> Iterator[dict[str, Any]]:
    """Every question: whether it was answered right, how probable that was, and its kind."""
    table = WordTable(model.literals, model.hearing.vectors)
    answers = {answer: i for i, answer in enumerate(model.learnt, FIRST_LEARNT)}
    for each in stories:
        examples = encode([each.story], table, model.hearing, answers, MOST_SUPPORTS)
        for example, question in zip(examples, each.asked, strict=True):
            trial = tried(example, model.reader, model.learnt, model.recipe)
            yield {
                "kind": question.kind,
                "right": trial.right,
                "supported": trial.answerable,
                "supports": trial.supports,
                "hops": len(example.path),
                "p": model.judgement(trial.measured),
                "declined": model.judgement.declines(trial.measured),
            }


def share(found: list[bool]) -> float | None:
    return round(100 * float(np.mean(found)), 1) if found else None


def error_of(p: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> float:
    """The expected calibration error, ten bins."""
    bins = np.minimum((10 * p).astype(int), 9)
    total = 0.0
    for b in range(10):
        here = bins == b
        if here.any():
            total += here.mean() * abs(p[here].mean() - right[here].mean())
    return total


def measure(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Shares in per cent, with how many questions each is of."""
    told = [r for r in rows if r["supported"]]
    none = [r for r in rows if not r["supported"]]
    shares = {
        "right": [r["right"] for r in told],
        "given": [r["right"] and not r["declined"] for r in told],
        "supports": [r["supports"] for r in told],
        "one hop": [r["right"] for r in told if r["hops"] == 1],
        "two hops": [r["right"] for r in told if r["hops"] == 2],
        "unsupported declined": [r["declined"] for r in none],
        "right ones declined": [r["declined"] for r in told if r["right"]],
        "wrong at 0.9": [not r["right"] for r in rows if r["p"] >= 0.9],
    }
    p = np.array([r["p"] for r in rows])
    right = np.array([r["right"] for r in rows], float)
    return {
        **{name: [share(found), len(found)] for name, found in shares.items()},
        "calibration error": round(error_of(p, right), 3),
    }


def by_kind(rows: list[dict[str, Any]]) -> dict[str, Any]:
    by: dict[str, list[bool]] = defaultdict(list)
    for r in rows:
        by[r["kind"]].append(r["right"] if r["supported"] else r["declined"])
    return {kind: [share(found), len(found)] for kind, found in sorted(by.items())}


def of_length(statements: int, most: int) -> list[Annotated]:
    """Stories of so many statements, in the words of training."""
    found: list[Annotated] = []
    asked = 0
    for each in annotated(seed=1_000_002, questions=60 * most, hold_out=SETS[TRAINED]):
        if asked >= most:
            break
        if len(each.told) == statements:
            found.append(each)
            asked += len(each.asked)
    return found


def measured(model: OrdinaryModel, tests: int, kinds: bool) -> dict[str, Any]:
    sets = {
        name: list(annotated(seed=1_000_001, questions=tests, hold_out=held))
        for name, held in SETS.items()
    }
    sets |= {f"{n} statements": of_length(n, tests // 2) for n in LENGTHS}
    found = {}
    for name, stories in sets.items():
        rows = list(asked(model, stories))
        found[name] = measure(rows)
        if kinds:
            found[name]["kinds"] = by_kind(rows)
        print(name, json.dumps(found[name]), flush=True)
    return found


def main() -> None:
    import torch

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--stories", type=int, default=1, help="One of so many written stories.")
    parser.add_argument("--unwritten", action="store_true", help="Without the written stories.")
    parser.add_argument("--epochs", type=int, default=OrdinaryRecipe().epochs)
    parser.add_argument("--tests", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", choices=WITHOUT, action="append", default=[])
    parser.add_argument("--save", help="A folder for the model.")
    parser.add_argument("--kinds", action="store_true")
    parser.add_argument("-o", "--output", type=Path, help="A folder for held-out.json.")
    options = parser.parse_args()
    torch.set_num_threads(1)
    recipe = OrdinaryRecipe(seed=options.seed, epochs=options.epochs)
    for what in options.without:
        recipe = replace(recipe, **WITHOUT[what])
    start = time.process_time()

    def moved(part: str, step: int, of: int, loss: float) -> None:
        if step % 500 == 0:
            took = time.process_time() - start
            print(f"{took:6.1f} s  {part} {step} of {of}  {loss:.4f}", flush=True)

    net = train_ordinary(
        seed=options.seed, questions=options.questions, recipe=recipe,
        hold_out=HoldOut("everything"), moved=moved,
        stories=[] if options.unwritten else written()[:: options.stories],
    )  # fmt: skip
    model: OrdinaryModel = net.model  # type: ignore[assignment]
    seconds = round(time.process_time() - start)
    if options.save:
        net.save(options.save)
    found = measured(model, options.tests, options.kinds)
    if options.output:
        settings = {
            key: getattr(options, key) for key in ("questions", "stories", "epochs", "tests")
        }
        kept = {"settings": settings, "seconds": seconds, "sets": found}
        text = json.dumps(kept, indent=1) + "\n"
        (options.output / "held-out.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
