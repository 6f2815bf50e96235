"""How well the network for ordinary language reads words that it never saw.

    python -m benchmarks.ordinary_language --without vectors

It is trained on two thirds of the simulator's wordings, ways to ask, names and things, and asked
about stories of the rest, one part at a time and all at once.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from memnn.ordinary.examples import FIRST_LEARNT, encode
from memnn.ordinary.judging import tried
from memnn.ordinary.lexicon import WordTable
from memnn.ordinary.model import OrdinaryModel
from memnn.ordinary.recipe import OrdinaryRecipe
from memnn.ordinary.train import QUESTIONS, train_ordinary
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


SETS: dict[str, HoldOut] = {
    "words of training": HoldOut("everything"),
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
                "told": question.question.id - 1 if question.question.id else 0,
                "p": model.judgement(trial.measured),
            }


def share(found: list[bool]) -> str:
    return f"{100 * float(np.mean(found)):5.1f} ({len(found)})" if found else "–"


def error_of(p: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> float:
    """The expected calibration error, ten bins."""
    bins = np.minimum((10 * p).astype(int), 9)
    total = 0.0
    for b in range(10):
        here = bins == b
        if here.any():
            total += here.mean() * abs(p[here].mean() - right[here].mean())
    return total


def measure(name: str, rows: list[dict[str, Any]], sure: float, kinds: bool) -> None:
    told = [r for r in rows if r["supported"]]
    none = [r for r in rows if not r["supported"]]
    p = np.array([r["p"] for r in rows])
    right = np.array([r["right"] for r in rows], float)
    confident = [not r["right"] for r in rows if r["p"] >= 0.9]
    print(
        f"{name:22} right {share([r['right'] for r in told])}"
        f"  given {share([r['right'] and r['p'] >= sure for r in told])}"
        f"  supports {share([r['supports'] for r in told])}"
        f"  two hops {share([r['right'] for r in told if r['hops'] == 2])}"
        f"  short {share([r['right'] for r in told if r['told'] <= 3])}"
        f"  long {share([r['right'] for r in told if r['told'] >= 17])}"
        f"  declined {share([r['p'] < sure for r in none])}"
        f"  wrongly {share([r['p'] < sure for r in told if r['right']])}"
        f"  wrong at 0.9 {share(confident)}  ECE {error_of(p, right):.3f}",
        flush=True,
    )
    if kinds:
        by: dict[str, list[bool]] = defaultdict(list)
        for r in rows:
            by[r["kind"]].append(r["right"] if r["supported"] else r["p"] < sure)
        print("   " + "; ".join(f"{kind} {share(found)}" for kind, found in sorted(by.items())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--unwritten", action="store_true", help="Without the written stories.")
    parser.add_argument("--tests", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", choices=WITHOUT, action="append", default=[])
    parser.add_argument("--set", default="{}", help="Other settings, as JSON.")
    parser.add_argument("--save", help="A folder for the model.")
    parser.add_argument("--kinds", action="store_true")
    options = parser.parse_args()
    recipe = OrdinaryRecipe(seed=options.seed)
    for what in options.without:
        recipe = replace(recipe, **WITHOUT[what])
    recipe = replace(recipe, **json.loads(options.set))
    start = time.perf_counter()

    def moved(part: str, step: int, of: int, loss: float) -> None:
        if step % 500 == 0:
            took = time.perf_counter() - start
            print(f"{took:6.1f} s  {part} {step} of {of}  {loss:.4f}", flush=True)

    net = train_ordinary(
        seed=options.seed, questions=options.questions, recipe=recipe,
        hold_out=HoldOut("everything"), stories=[] if options.unwritten else None, moved=moved,
    )  # fmt: skip
    model: OrdinaryModel = net.model  # type: ignore[assignment]
    print(f"{model.card['seconds']} s, {len(model.weights()) / 1e6:.1f} MB, learnt {model.learnt}")
    if options.save:
        net.save(options.save)
    for name, held in SETS.items():
        stories = list(annotated(seed=1_000_001, questions=options.tests, hold_out=held))
        measure(name, list(asked(model, stories)), model.judgement.sure, options.kinds)


if __name__ == "__main__":
    main()
