"""Questions that need two triples: k = 2 beside k = 1, on joined triples held back from training.

    python -m benchmarks.two_hops TRIPLES [-o docs/results/facts]

Pairs of triples that share an entity become questions that do not name it. A fifth of the entities
is held back: no pair of theirs is trained on. k = 1 is trained on the same questions with the
second triple, the one that answers, as its support.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

from benchmarks.machine import machine
from benchmarks.processes import command
from benchmarks.report import write_json
from memnn.facts.index import FactIndex, in_memory
from memnn.facts.joins import joined
from memnn.facts.model import FactsModel
from memnn.facts.recipe import FactsRecipe
from memnn.facts.templates import two_hop_question
from memnn.facts.train import fit
from memnn.facts.triples import Asked, Triple, triples


def split(rows: list[Triple], seed: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Pairs to train on and pairs to test on, no entity in both."""
    chance = random.Random(seed)
    pairs = joined(rows, chance)
    entities = sorted({rows[second].subject.lower() for _, second in pairs})
    held = set(chance.sample(entities, len(entities) // 5))
    train = [pair for pair in pairs if rows[pair[1]].subject.lower() not in held]
    test = [pair for pair in pairs if rows[pair[1]].subject.lower() in held]
    return train, test


def right(
    model: FactsModel, index: FactIndex, asked: list[tuple[str, int, int]]
) -> dict[str, float]:
    """How often the last support is the answering triple, and both supports are right."""
    lookup = model.lookup()
    reading = index.reading(model.dictionary)
    answers = chains = 0
    for question, first, second in asked:
        support, found = -1, []
        for _ in range(model.recipe.hops):
            place = lookup.search(question, reading, k=1, support=support).found[0].place
            if place == support:
                break
            found.append(place)
            support = place
        answers += found[-1] == second
        chains += found == [first, second]
    return {"answer": answers / len(asked), "chain": chains / len(asked)}


def run(rows: list[Triple], seed: int) -> list[dict[str, float]]:
    """k = 1 and k = 2 on the same questions."""
    train, test = split(rows, seed)
    chance = random.Random(1000 + seed)
    asked = [
        (two_hop_question(rows[a], rows[b], chance), a, b)
        for a, b in chance.sample(test, min(1000, len(test)))
    ]
    results = []
    for hops in (1, 2):
        start = time.perf_counter()
        recipe = FactsRecipe(hops=hops, match=True, repeat=1, seed=seed)
        if hops == 1:
            chance = random.Random(seed)
            known = [Asked(two_hop_question(rows[a], rows[b], chance), rows[b]) for a, b in train]
            model = fit(rows, known, (), recipe)
        else:
            model = fit(rows, (), (), recipe, joins=train)
        result = right(model, in_memory(model, rows), asked)
        seconds = round(time.perf_counter() - start, 1)
        results.append(
            {"seed": seed, "hops": hops, "questions": len(asked), **result, "seconds": seconds}
        )
        print(results[-1], flush=True)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("triples", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, help="only the first N triples")
    options = parser.parse_args()
    rows = list(dict.fromkeys(triples(options.triples)))[: options.first]
    results = [row for seed in range(options.seeds) for row in run(rows, seed)]
    if options.output:
        about = {"machine": machine("numpy", "numba"), "results": results}
        write_json(options.output / "two-hops.json", about)


if __name__ == "__main__":
    command(main)
