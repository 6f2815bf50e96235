"""What the fact experiments share: the data, networks trained on it, systems measured on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from memnn.errors import InputError
from memnn.facts import triples as files
from memnn.facts.evaluate import FactsEvaluation, Find, evaluate
from memnn.facts.index import FactIndex, in_memory
from memnn.facts.lookup import Found
from memnn.facts.model import FactsModel
from memnn.facts.reading import Reading
from memnn.facts.recipe import FactsRecipe
from memnn.facts.train import best_threshold, fit
from memnn.facts.triples import Asked, Triple
from memnn.paper.plan import Size
from memnn.paper.toy import toy

EVERYTHING = "all"
"""A cell of these experiments holds a whole table."""
RERANKED = 20
"""The union of this many from each system is ranked again."""
FILES = ("triples.tsv.gz", "questions-train.tsv", "questions-valid.tsv", "questions-test.tsv")


@dataclass(frozen=True)
class FactData:
    """Triples, questions to learn from, to choose on and to measure with, and what they are."""

    triples: list[Triple]
    train: list[Asked]
    valid: list[Asked]
    asked: list[Asked]
    paraphrases: list[tuple[str, str]]
    about: str


def load(size: Size) -> FactData:
    """The real data of a folder, a part of it for a quick run, or a made-up world without one."""
    if not size.data:
        world = toy(60 if size.quick else 400)
        asked = world.valid if size.split == "valid" else world.test
        about = f"a made-up world of {len(world.triples):,} triples, since no data was given"
        return FactData(
            world.triples, world.train, world.valid, asked, [], f"{about} (--data names a folder)"
        )
    folder = Path(size.data) / "reverb"
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise InputError(f"{folder} has no {missing[0]}")
    triples = list(dict.fromkeys(files.triples(folder / "triples.tsv.gz")))
    train = list(files.questions(folder / "questions-train.tsv"))
    valid = list(files.questions(folder / "questions-valid.tsv"))
    pairs_file = Path(size.data) / "paraphrases" / "wikianswers-10k.tsv.gz"
    pairs = list(files.paraphrases(pairs_file)) if pairs_file.is_file() else []
    if size.quick:
        valid, train, pairs = valid[:200], train[:500], pairs[:500]
        golds = [q.gold for q in (*valid, *train)]
        triples = list(dict.fromkeys([*golds, *triples[:3000]]))
        asked, name = valid, "the first 200 validation questions"
    else:
        # The test questions are read by a run that asks for them, and by no other.
        asked = valid if size.split == "valid" else list(files.questions(folder / FILES[3]))
        name = f"questions-{size.split}.tsv"
    about = (
        f"{len(asked):,} questions ({name}) over {len(triples):,} ReVerb triples; learnt from "
        f"{len(train):,} questions and {len(pairs):,} pairs of paraphrases"
    )
    if asked == valid:
        about += "; thresholds were chosen on the very questions that are measured"
    return FactData(triples, train, valid, asked, pairs, about)


def recipe(size: Size, seed: int, match: bool = False) -> FactsRecipe:
    full = FactsRecipe(seed=seed, match=match)
    return replace(full, epochs=2, dim=64) if size.quick else full


def trained(data: FactData, settings: FactsRecipe) -> tuple[FactsModel, FactIndex, Reading]:
    model = fit(data.triples, data.train, data.paraphrases, settings)
    index = in_memory(model, data.triples)
    return model, index, index.reading(model.dictionary)


@dataclass
class Measured:
    """A system on questions, with the threshold that validation chose, and what it found first."""

    evaluation: FactsEvaluation
    values: dict[str, float]
    tops: dict[str, list[int]]


def measure_system(
    find: Find, data: FactData, places: dict[Triple, int], asked: Sequence[Asked] | None = None
) -> Measured:
    tops: dict[str, list[int]] = {}

    def noted(question: str) -> tuple[Sequence[Found], int]:
        found, candidates = find(question)
        tops[question] = [f.place for f in found[:RERANKED]]
        return found, candidates

    chosen = evaluate(noted, data.valid, places)
    threshold, _ = best_threshold(
        [(o.score, o.hit1 >= 0.5) for o in chosen.outcomes if np.isfinite(o.score)],
        len(chosen.outcomes),
    )
    result = evaluate(noted, data.asked if asked is None else asked, places)
    return Measured(result, result.results(threshold), tops)
