"""Whether right answers stay right where a word gives way to one that training never saw.

    python -m benchmarks.word_swaps [--swaps 200]

Of dialogues that are answered right, a word that question or answer shares with what was told is
replaced everywhere by the word nearest in meaning, of the same class, which no training story has.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import memnn
from benchmarks.blind_dialogues import Outcome, cases, outcomes
from memnn.network import Network
from memnn.ordinary.train import QUESTIONS, written
from memnn.ordinary.words import PERSONS, is_content, tokens
from memnn.simulator.ordinary import stories
from memnn.text.vectors import WordVectors, english

ENDS = ("ing", "ed", "s")
FINEST = -1


def seen() -> set[str]:
    """All words of training."""
    told = [*written(), *stories(seed=0, questions=QUESTIONS)]
    return {token.text for story in told for line in story.lines for token in tokens(line.text)}


def unseen_like(word: str, known: set[str], vectors: WordVectors) -> str | None:
    """The nearest word of its finest class that was not seen, with the same ending."""
    mine, classes = vectors.of(word), vectors.classes_of(word)
    if mine is None or classes is None:
        return None
    end = next((end for end in ENDS if word.endswith(end)), "")
    rows = np.flatnonzero(vectors.classes[:, FINEST] == classes[FINEST])
    found = []
    for row in rows.tolist():
        other = vectors.words[row]
        its = vectors.of(other)
        if other in known or not other.isalpha() or its is None:
            continue
        if next((e for e in ENDS if other.endswith(e)), "") == end:
            found.append((float(mine @ its), other))
    return max(found)[1] if found else None


def swapped(case: dict[str, Any], word: str, other: str) -> dict[str, Any]:
    def put(text: str) -> str:
        def like(found: re.Match[str]) -> str:
            return other.capitalize() if found[0][0].isupper() else other

        return re.sub(rf"\b{re.escape(word)}\b", like, text, flags=re.IGNORECASE)

    lists = {key: [put(text) for text in case[key]] for key in ("told", "accept", "reject", "all")}
    return {**case, **lists, "question": put(case["question"])}


def swaps(right: list[Outcome], known: set[str]) -> Iterator[tuple[Outcome, dict[str, Any]]]:
    """One for each word that can be swapped."""
    vectors = english()
    for outcome in right:
        case = outcome.case
        asked = {t.text for text in (case["question"], *case["accept"]) for t in tokens(text)}
        told = {t.text for text in case["told"] for t in tokens(text)}
        for word in sorted(asked & told):
            if is_content(word) and word not in PERSONS and word.isalpha() and len(word) > 2:
                other = unseen_like(word, known, vectors)
                if other is not None:
                    yield outcome, swapped(case, word, other)


def measure(new: Callable[[], Network], most: int) -> dict[str, Any]:
    found = outcomes(new, cases("dev"))
    right = [each for each in found if each.right and not each.answer.abstained]
    chosen = list(swaps(right, seen()))
    rng = np.random.default_rng(0)
    chosen = [chosen[i] for i in rng.permutation(len(chosen))[:most].tolist()]
    after = list(outcomes(new, [case for _, case in chosen]))
    halved = [
        (now.answer.probability or 0.0) < (was.answer.probability or 0.0) / 2
        for (was, _), now in zip(chosen, after, strict=True)
    ]
    return {
        "swaps": len(after),
        "right": sum(each.right for each in after),
        "declined": sum(each.answer.abstained for each in after),
        "probability_halved": sum(halved),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--swaps", type=int, default=200)
    options = parser.parse_args()
    net = memnn.open()
    print(json.dumps(measure(lambda: net.with_memory(memnn.RamMemory()), options.swaps)))


if __name__ == "__main__":
    main()
