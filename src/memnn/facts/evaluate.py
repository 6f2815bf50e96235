"""How well facts are found: hit@k, MRR and F1 as in the paper, ties in expectation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from memnn.facts.lookup import Found, Lookup
from memnn.facts.reading import Reading
from memnn.facts.triples import Asked, Label, Triple

DEPTH = 100
"""How deep a ranking is looked at; what lies further down counts as not found."""
TIED = 1e-6


@dataclass
class Ranked:
    """One question: its gold fact's rank (ties in expectation), and whether it was answered."""

    hit1: float
    hit10: float
    reciprocal: float
    score: float
    candidates: int
    right: bool = False


@dataclass
class FactsEvaluation:
    outcomes: list[Ranked] = field(default_factory=list)
    seconds: float = 0.0
    missing: int = 0
    """Questions whose gold triple is not in the memory: counted as wrong."""

    def results(self, threshold: float) -> dict[str, float]:
        n = max(1, len(self.outcomes))
        answered = [o for o in self.outcomes if o.score >= threshold]
        right = sum(o.hit1 for o in answered)
        return {
            "questions": len(self.outcomes),
            "hit@1": sum(o.hit1 for o in self.outcomes) / n,
            "hit@10": sum(o.hit10 for o in self.outcomes) / n,
            "mrr": sum(o.reciprocal for o in self.outcomes) / n,
            "f1": 2 * right / max(1, len(answered) + len(self.outcomes)),
            "answered": len(answered) / n,
            "candidates": sum(o.candidates for o in self.outcomes) / n,
            "ms_per_question": 1000 * self.seconds / n,
            "missing": self.missing,
        }


def outcome(found: Sequence[Found], gold: int | None, candidates: int) -> Ranked:
    """Ranks in expectation over the orders that ties could have had."""
    score = found[0].score if found else -math.inf
    mine = next((f.score for f in found if f.place == gold), None)
    if mine is None:
        return Ranked(0.0, 0.0, 0.0, score, candidates)
    better = sum(f.score > mine + TIED for f in found)
    tied = sum(abs(f.score - mine) <= TIED for f in found)
    return Ranked(*expected(better, tied, 1), score, candidates)


def expected(better: int, tied: int, right: int) -> tuple[float, float, float]:
    """hit@1, hit@10 and 1/rank of the first of `right` facts that are tied with others."""

    def among_first(n: int) -> float:
        """The chance that one of them is among the first n of a random order."""
        n = min(max(n, 0), tied)
        return 1 - math.comb(tied - right, n) / math.comb(tied, n)

    chances = [among_first(i + 1) - among_first(i) for i in range(tied)]
    return (
        among_first(1) if better == 0 else 0.0,
        among_first(10 - better),
        sum(chance / (better + 1 + i) for i, chance in enumerate(chances)),
    )


Find = Callable[[str], tuple[Sequence[Found], int]]
"""A system: the facts it finds for a question, the best first, and how many it looked at."""


def evaluate(
    find: Find,
    questions: Sequence[Asked],
    place: dict[Triple, int],
    progress: Callable[[int], None] | None = None,
) -> FactsEvaluation:
    """Ask every question."""
    result = FactsEvaluation()
    if questions:
        find(questions[0].question)  # compiles, opens files
    for i, asked in enumerate(questions, start=1):
        gold = place.get(asked.gold)
        start = time.perf_counter()
        found, candidates = find(asked.question)
        result.seconds += time.perf_counter() - start
        result.missing += gold is None
        result.outcomes.append(outcome(found, gold, candidates))
        if progress is not None and i % 50 == 0:
            progress(i)
    return result


def finder(lookup: Lookup, reading: Reading, k: int = DEPTH) -> Find:
    """The network as a system."""

    def find(question: str) -> tuple[Sequence[Found], int]:
        search = lookup.search(question, reading, k=k)
        return search.found, search.candidates

    return find


def evaluate_labels(
    lookup: Lookup,
    reading: Reading,
    labels: Sequence[Label],
    place: dict[Triple, int],
) -> FactsEvaluation:
    """The paper's own measure: re-rank labelled candidates; what has no label is ignored."""
    by_question: dict[str, dict[int, bool]] = {}
    result = FactsEvaluation()
    for label in labels:
        candidates = by_question.setdefault(label.question, {})
        if label.triple in place:
            candidates[place[label.triple]] = label.right
        else:
            result.missing += 1
    for question, candidates in by_question.items():
        places = np.array(sorted(candidates), np.int32)
        start = time.perf_counter()
        search = lookup.search(question, reading, k=max(1, len(places)), places=places)
        result.seconds += time.perf_counter() - start
        score = search.found[0].score if search.found else -math.inf
        first = next((f.score for f in search.found if candidates[f.place]), None)
        ranks = (0.0, 0.0, 0.0)
        if first is not None:
            tied = [f for f in search.found if abs(f.score - first) <= TIED]
            right = sum(candidates[f.place] for f in tied)
            ranks = expected(sum(f.score > first + TIED for f in search.found), len(tied), right)
        result.outcomes.append(Ranked(*ranks, score, len(places)))
    return result


def sign_test(a: Sequence[Ranked], b: Sequence[Ranked]) -> float:
    """Two-sided p that as many questions favour a as b, if they were equally good (McNemar)."""
    return sign_test_of([x.hit1 > 0 for x in a], [y.hit1 > 0 for y in b])


def sign_test_of(a: Sequence[bool], b: Sequence[bool]) -> float:
    """The same of whether each question was right."""
    wins = sum(x > y for x, y in zip(a, b, strict=True))
    losses = sum(x < y for x, y in zip(a, b, strict=True))
    n = wins + losses
    if n == 0:
        return 1.0
    tail: float = sum(math.comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n
    return min(1.0, 2 * tail)
