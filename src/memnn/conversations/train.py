"""Learn the weights of a scorer from questions whose turns are known.

s(q, y) = w·f(q, y) is to be higher for a turn that answers the question than for every other one.
The loss is minus the logarithm of the share that the supports have of Σ exp s: ranking as the paper
trains it, but against all other turns at once. Of several turns that answer, the best counts most.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.conversations.features import FEATURES, measured
from memnn.conversations.index import lemmas_of
from memnn.conversations.labelled import Conversation, groups, memories, ours, told
from memnn.conversations.question import Floats, TurnQuestion
from memnn.conversations.rarity import counted
from memnn.conversations.scoring import LinearScorer, default_scorer
from memnn.conversations.shortened import SEED, shortened
from memnn.conversations.turn_reader import TurnReader
from memnn.errors import TrainingError
from memnn.memory.follow import Following
from memnn.text.tokens import words_1

TOGETHER = 4
"""Conversations that are one memory in training: a real one is longer than one talk."""
DECAY, STEPS, RATE = 0.05, 200, 0.08
RIVALS = 50
ROUGH = {
    "turn": 1.0, "window": 1.0, "session": 2.0, "near words": 3.0, "previous": 0.5, "length": 0.3,
    "speaker named": 2.0, "another named": -1.0,
}  # fmt: skip
"""Only so many turns are learnt against, those that a rough score puts first: others are no
rivals, and learning to tell them apart costs what tells rivals apart."""


class LabelledTurns(NamedTuple):
    """The features of all turns for one question, and which of them answer it."""

    features: Floats
    """(features, turns)"""
    right: NDArray[np.bool_]
    kind: str


def examples(conversations: Sequence[Conversation]) -> list[LabelledTurns]:
    """Of questions that something answers, over a memory that holds all of these conversations."""
    memory = told(conversations)
    index = Following(TurnReader)(memory)
    found, first = [], 0
    for each in conversations:
        for q in each.questions:
            if q.supports:
                asked = TurnQuestion(q.question, index, len(index))
                right = np.zeros(len(index), np.bool_)
                right[[first + place for place in q.supports]] = True
                found.append(LabelledTurns(measured(asked, np.arange(len(index))), right, q.kind))
        first += len(each.turns)
    return found


def against_rivals(labelled: Sequence[LabelledTurns]) -> list[LabelledTurns]:
    """The same questions, with what answers them and its closest rivals alone."""
    w, found = _array(ROUGH), []
    for each in labelled:
        chosen = each.right.copy()
        chosen[np.argsort(-(w @ each.features), kind="stable")[:RIVALS]] = True
        found.append(LabelledTurns(each.features[:, chosen], each.right[chosen], each.kind))
    return found


def fit(
    labelled: Sequence[LabelledTurns],
    decay: float = DECAY,
    towards: LinearScorer | None = None,
    doubt: float = 0.0,
    names: Iterable[str] = FEATURES,
) -> dict[str, float]:
    """The weights, by the names of the features: the same examples give the same ones.

    Decay draws them to 0, or towards those of another scorer. With doubt, examples count the less
    the smaller the share of their supports is: one that has just this share counts half.
    """
    if not labelled:
        raise TrainingError(
            "there is nothing to learn from: no question has a turn that answers it"
        )
    f = np.concatenate([each.features for each in labelled], axis=1).T
    right = np.concatenate([each.right for each in labelled])
    sizes = np.array([len(each.right) for each in labelled])
    starts, which = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(sizes)), sizes)
    spread = spread_of(labelled) if towards is None else _array(towards.spread)
    f = (f / spread).astype(np.float32)
    prior = np.zeros(f.shape[1]) if towards is None else _array(towards.weights) * spread
    w, m, v = prior.copy(), np.zeros(len(prior)), np.zeros(len(prior))
    for step in range(1, STEPS + 1):  # Adam, over all questions at once
        s = (f @ w.astype(np.float32)).astype(np.float64)
        p = np.exp(s - np.maximum.reduceat(s, starts)[which])
        p /= np.add.reduceat(p, starts)[which]
        answers = p * right
        share = np.maximum(np.add.reduceat(answers, starts), 1e-30)
        push = (p - answers / share[which]) * (share / (share + doubt))[which]
        g = f.T @ (push / len(sizes)).astype(np.float32) + decay * (w - prior)
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        rate = RATE * (1 - step / (1.1 * STEPS))
        w -= rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.99**step)) + 1e-8)
    return {name: round(float(x), 4) for name, x in zip(names, w / spread, strict=True)}


def spread_of(labelled: Sequence[LabelledTurns]) -> Floats:
    """By how much each feature differs between turns; 1 where it does not."""
    spread: Floats = np.concatenate([each.features for each in labelled], axis=1).std(axis=1)
    spread[spread < 1e-6] = 1.0
    return spread


def _array(values: Mapping[str, float]) -> Floats:
    return np.array([values.get(name, 0.0) for name in FEATURES])


def train(conversations: Iterable[Conversation] | None = None) -> LinearScorer:
    """A scorer from conversations with questions: those of the project, or others.

    What a reader counts is learnt from notes (`benchmarks.user_memories`), and is kept.
    """
    talks = ours() if conversations is None else list(conversations)
    labelled = against_rivals([e for some in groups(talks, TOGETHER) for e in examples(some)])
    rng = np.random.default_rng(SEED)
    labelled += [e for talk in talks for short in shortened(talk, rng) for e in examples([short])]
    if conversations is None:
        labelled += [e for user in memories() for e in examples([user])]
    spread = dict(zip(FEATURES, np.round(spread_of(labelled), 4).tolist(), strict=True))
    return LinearScorer(fit(labelled), spread, default_scorer().read)


def ranks(scorer: LinearScorer, labelled: Iterable[LabelledTurns]) -> list[int]:
    """The rank of the first turn that answers each question; of equal ones the newest is first."""
    w = np.array([scorer.weights.get(name, 0.0) for name in FEATURES])
    found = []
    for each in labelled:
        s = w @ each.features
        order = np.lexsort((-np.arange(len(s)), -s))
        found.append(1 + int(np.flatnonzero(each.right[order])[0]))
    return found


def words_in_general(talks: Iterable[Conversation]) -> str:
    """`words.json`, see `rarity`."""
    words = [
        [{form for word in words_1(text) for form in lemmas_of(word)} for text, _ in talk.turns]
        for talk in talks
    ]
    return json.dumps(counted(words), ensure_ascii=False, indent=0) + "\n"


if __name__ == "__main__":
    (Path(__file__).with_name("words.json")).write_text(words_in_general(ours()), encoding="utf-8")
    print(f"wrote {train().save(Path(__file__).with_name('weights.json'))}")
