"""Learn when nothing answers: from questions that have no answer, and from names exchanged.

Of every answered question that names one speaker, the same about another one is asked, who did not
say it; and questions about other conversations are asked of each. All of these together weigh as
much as the questions that something answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from memnn.conversations.declining import Declining, FindingWeights, findings, standardised
from memnn.conversations.index import TurnIndex
from memnn.conversations.labelled import Conversation, groups, memories, ours, told
from memnn.conversations.question import Floats, TurnQuestion
from memnn.conversations.scoring import LinearScorer, default_scorer
from memnn.conversations.train import TOGETHER
from memnn.conversations.turn_reader import TurnReader
from memnn.logistic import most_likely
from memnn.memory.follow import Following

RIDGE = 1.0
FOREIGN = 20
"""Questions about other conversations that are asked of each."""
SEED = 0
ASSISTANT = "Assistant"
"""A speaker whom nobody asks about."""


class JudgedQuestion(NamedTuple):
    """What was found for a question, and whether something answers it."""

    found: dict[str, float]
    answered: bool
    first: bool
    """Whether the best turn does."""


def judged(
    talks: Sequence[Conversation], scorer: LinearScorer, exchange: bool = True
) -> Iterator[JudgedQuestion]:
    """Of all questions about some conversations in one memory."""
    index = Following(TurnReader)(told(talks))
    start = 0
    for talk in talks:
        for q in talk.questions:
            supports = [start + place for place in q.supports]
            yield from _judged(q.question, index, scorer, supports)
            other = exchanged(q.question, talk) if exchange and supports else None
            if other is not None:
                yield from _judged(other, index, scorer, [])
        start += len(talk.turns)


def _judged(
    question: str, index: TurnIndex, scorer: LinearScorer, supports: Sequence[int]
) -> Iterator[JudgedQuestion]:
    asked = TurnQuestion(question, index, len(index))
    places = asked.holding_or_beside()
    terms = scorer(asked, places)
    found = findings(terms)
    if found is not None:
        best = int(places[int(np.argmax(terms.scores()))])
        yield JudgedQuestion(found, bool(supports), best in supports)


def exchanged(question: str, talk: Conversation) -> str | None:
    """The question with another speaker's name instead of the one it has; None without one."""
    first_names = {name.split()[0]: name for name in sorted(talk.speakers - {ASSISTANT})}
    named = [n for n in first_names if re.search(rf"\b{re.escape(n)}\b", question)]
    others = [n for n in first_names if n not in named]
    if len(named) != 1 or not others:
        return None
    other = others[len(question) % len(others)]
    return re.sub(rf"\b{re.escape(named[0])}\b", other, question)


def foreign(
    talks: Sequence[Conversation], others: Sequence[str], most: int, rng: np.random.Generator
) -> Iterator[JudgedQuestion]:
    """Questions about something else altogether."""
    index = Following(TurnReader)(told(talks))
    for i in rng.permutation(len(others))[:most].tolist():
        yield from _judged(others[i], index, default_scorer(), [])


def fit_declining(examples: Sequence[JudgedQuestion]) -> Declining:
    names = list(examples[0].found)
    x = np.array([list(each.found.values()) for each in examples])
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-6

    def rounded(values: Floats) -> dict[str, float]:
        return {n: round(float(v), 5) for n, v in zip(names, values, strict=True)}

    def judgement(some: Sequence[JudgedQuestion]) -> FindingWeights:
        answered = np.array([each.answered for each in some], np.float64)
        z = standardised([each.found for each in some], mean, scale)
        weight = np.where(answered > 0, 0.5 / answered.mean(), 0.5 / (1 - answered.mean()))
        w = most_likely(np.column_stack([z, np.ones(len(z))]), answered, weight, RIDGE)
        return FindingWeights(rounded(w[:-1]), round(float(w[-1]), 5))

    sides = [[e for e in examples if bool(e.found["named"]) is named] for named in (True, False)]
    return Declining(rounded(mean), rounded(scale), *map(judgement, sides))


def train_declining() -> Declining:
    """From the project's conversations, alone and several in a memory, and the notes of users."""
    rng = np.random.default_rng(SEED)
    kinds = [list(groups(ours(), n)) for n in (TOGETHER, 1)] + [[[u] for u in memories()]]
    examples: list[JudgedQuestion] = []
    for some in kinds:
        for talks in some:
            examples += judged(talks, default_scorer())
            there = {talk.name for talk in talks}
            far = [c for other in some for c in other if c.name not in there]
            others = [q.question for talk in far for q in talk.questions]
            examples += foreign(talks, others, FOREIGN * len(talks), rng)
    return fit_declining(examples)


if __name__ == "__main__":
    path = Path(__file__).with_name("declining.json")
    path.write_text(train_declining().as_json(), encoding="utf-8")
    print(f"wrote {path}")
