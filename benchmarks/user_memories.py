"""Notes that an assistant keeps of its user, written without sight of the project:
`python -m benchmarks.user_memories [--set first|second|third]`.

Right is a question whose first finding is a note that answers it; a question that no note answers
is to be declined: its probability, as search gives it, is below one half. Look at it once, and
write it into docs/log.md. `--own` asks our own notes instead, those that weights are learnt from,
and also says which weight of what was read puts their answers, and those of long stories that the
reader has not learnt from, nearest to the front ("read" in `conversations/weights.json`).
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import written_stories
from memnn import default
from memnn.conversations.labelled import Conversation, LabelledQuestion, memories
from memnn.conversations.scoring import LinearScorer, default_scorer
from memnn.conversations.search import AS_READ, Finder
from memnn.ordinary.answering import OrdinaryPaths
from memnn.stories.examples import numbered
from memnn.types import Question, Statement, Turn

HALF = 0.5
WEIGHTS = np.arange(17.0)
"""Of what was read, beside words; those that are tried."""
LONG = 8
"""Statements of a story that is long enough to search in."""
FOLDER = Path(__file__).parent / "blind"
SETS = {
    "first": "user-memories.jsonl.gz",
    "second": "user-memories-second.jsonl.gz",
    "third": "user-memories-third.jsonl.gz",
}


def blind(name: str = "first") -> Iterator[Conversation]:
    with gzip.open(FOLDER / SETS[name], "rt", encoding="utf-8") as lines:
        users = [json.loads(line) for line in lines]
    numbers = [n for user in users for q in user["questions"] for n in q["answer"]]
    first = min(numbers)  # notes are counted from 0 or from 1
    for user in users:
        questions = tuple(
            LabelledQuestion(
                q["question"],
                "none" if q["decline"] else "single",
                () if q["decline"] else tuple(n - first for n in q["answer"]),
            )
            for q in user["questions"]
        )
        told = tuple((text, Turn()) for text in user["memories"])
        yield Conversation(str(user["user"]), told, questions)


def long_stories(every: int = 1) -> Iterator[Conversation]:
    """Stories that the reader has not learnt from, and what is asked at their end."""
    for story in written_stories.kept_back(every):
        told = [line for line in story.lines if isinstance(line, Statement)]
        place = {id: i for i, id in enumerate(id for id, line in numbered(story) if line in told)}
        last = story.lines.index(told[-1])
        asked = [q for q in story.lines[last + 1 :] if isinstance(q, Question)]
        if len(told) >= LONG and asked:
            questions = tuple(
                LabelledQuestion(q.text, "single", tuple(place[id] for id in q.supports))
                for q in asked
            )
            yield Conversation(story.source, tuple((line.text, Turn()) for line in told), questions)


def measured(users: list[Conversation], finder: Finder) -> dict[str, float]:
    ranks: list[int] = []
    sure: list[float] = []
    unsure: list[float] = []
    for user in users:
        memory = user.memory()
        for q in user.questions:
            found = finder(memory, q.question, k=len(user.turns))
            (sure if q.supports else unsure).append(found.probability or 0.0)
            if q.supports:
                ids = [each.id - 1 for each in found]
                places = [ids.index(place) for place in q.supports if place in ids]
                ranks.append(min(places, default=len(user.turns)))
    right, answered = np.array(ranks), np.array(sure)
    return {
        "questions": len(ranks) + len(unsure),
        "right first": float((right == 0).mean()),
        "among three": float((right < 3).mean()),
        "unsupported declined": float((np.array(unsure) < HALF).mean()),
        "supported declined": float((answered < HALF).mean()),
        "declined where a fifth of the others are": float(
            (np.array(unsure) < np.quantile(answered, 0.2)).mean()
        ),
    }


def reading() -> Finder:
    """As `memnn search` does: what is best by its words is read."""
    return Finder(reads=OrdinaryPaths(default.ordinary()).among)


def weight_of_reading(users: Iterable[Conversation]) -> float:
    """What puts the notes that answer nearest to the front: the smallest of the best weights, by
    the mean reciprocal rank to three places."""
    shipped = default_scorer()
    scorer = LinearScorer(shipped.weights, shipped.spread, read=1.0)
    finder = Finder(scorer, OrdinaryPaths(default.ordinary()).among)
    found = []
    for user in users:
        memory = user.memory()
        for q in user.questions:
            slots = finder(memory, q.question, k=len(user.turns))
            read = np.array([each.terms.get(AS_READ, 0.0) for each in slots])
            right = np.array([each.id - 1 in q.supports for each in slots], np.bool_)
            if right.any():
                found.append((np.array([each.score for each in slots]) - read, read, right))

    def near(weight: float) -> float:
        return float(np.mean([_reciprocal(score + weight * read, r) for score, read, r in found]))

    return float(max(WEIGHTS, key=lambda weight: (round(near(weight), 3), -weight)))


def _reciprocal(scores: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    return 1.0 / (1.0 + int(np.flatnonzero(right[np.argsort(-scores, kind="stable")])[0]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--own", action="store_true", help="our own notes, not the blind ones")
    parser.add_argument("--set", choices=list(SETS), default="first", help="of the blind ones")
    asked = parser.parse_args()
    users = memories() if asked.own else list(blind(asked.set))
    found = measured(users, reading())
    if asked.own:
        found["weight of reading"] = weight_of_reading([*users, *long_stories()])
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
