"""What lessons are worth: some labelled questions of a conversation, measured on its others.

`python -m benchmarks.teaching FILE` reads conversations as LoCoMo has them; without a file it takes
the project's own, each with weights learnt from other ones. Beside right lessons it teaches wrong
ones: a random turn, or the best one that does not answer.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from memnn.conversations.features import FEATURES
from memnn.conversations.labelled import Conversation, groups, locomo, ours
from memnn.conversations.learning import learn
from memnn.conversations.scoring import LinearScorer, default_scorer
from memnn.conversations.train import (
    TOGETHER,
    LabelledTurns,
    against_rivals,
    examples,
    fit,
    ranks,
    spread_of,
)
from memnn.conversations.turn_reader import TurnReader
from memnn.memory.follow import Following

KINDS = ("right", "random", "nearest")


def measured(
    talk: Conversation, shipped: LinearScorer, lessons: int, draws: int, rng: np.random.Generator
) -> Iterator[tuple[str, float, bool]]:
    """The gain at rank one of each draw and kind of lesson, in points, and whether it was kept."""
    questions = [q for q in talk.questions if q.supports]
    labelled = examples([talk])
    if len(questions) <= lessons:
        return
    index = Following(TurnReader)(talk.memory())
    for _ in range(draws):
        order = rng.permutation(len(questions))
        others = [labelled[i] for i in order[lessons:]]
        before = np.mean(np.array(ranks(shipped, others)) == 1)
        for kind in KINDS:
            memory = talk.memory()
            for i in order[:lessons]:
                right = [p + 1 for p in questions[i].supports]
                ids = right if kind == "right" else [_wrong(labelled[i], shipped, kind, rng)]
                memory.teach(questions[i].question, ids)
            learnt = learn(memory, index, shipped)
            after = np.mean(np.array(ranks(LinearScorer(learnt.weights), others)) == 1)
            yield kind, 100 * float(after - before), learnt.kept


def _wrong(
    labelled: LabelledTurns, shipped: LinearScorer, kind: str, rng: np.random.Generator
) -> int:
    wrong = np.flatnonzero(~labelled.right)
    if kind == "random":
        return 1 + int(rng.choice(wrong))
    w = np.array([shipped.weights[name] for name in FEATURES])
    return 1 + int(wrong[np.argmax((w @ labelled.features)[wrong])])


def own() -> Iterator[tuple[Conversation, LinearScorer]]:
    """Each conversation, with weights learnt from three quarters that it is not in."""
    some = list(groups(ours(), TOGETHER))
    labelled = [examples(each) for each in some]
    for fold in range(4):
        rest = [e for i, each in enumerate(labelled) if i % 4 != fold for e in each]
        rest = against_rivals(rest)
        spread = dict(zip(FEATURES, spread_of(rest).tolist(), strict=True))
        scorer = LinearScorer(fit(rest), spread)
        for i, each in enumerate(some):
            if i % 4 == fold:
                yield from ((talk, scorer) for talk in each)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--lessons", type=int, default=20)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    talks = own() if asked.file is None else ((t, default_scorer()) for t in locomo(asked.file))
    found = [
        each
        for talk, shipped in talks
        for each in measured(talk, shipped, asked.lessons, asked.draws, rng)
    ]
    print(f"{asked.lessons} lessons, seed {asked.seed}: points at rank one on the other questions")
    for kind in KINDS:
        gains = np.array([gain for k, gain, _ in found if k == kind])
        kept = np.mean([kept for k, _, kept in found if k == kind])
        error = 1.96 * gains.std() / max(len(gains), 1) ** 0.5
        print(f"{kind:8} {gains.mean():+.2f} ± {error:.2f} ({len(gains)} draws, kept {kept:.0%})")


if __name__ == "__main__":
    main()
