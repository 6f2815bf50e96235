"""Learn what sentences want: `python -m memnn.conversations.train_intents` writes intents.npz.

Multinomial regression with a Gaussian prior, by gradient steps with momentum; no chance is in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.conversations import labelled
from memnn.conversations.intents import (
    ASK,
    CORRECT,
    ORDINARY,
    Floats,
    IntentModel,
    features,
    mean_vector,
    tokens_of,
    topic_features,
)
from memnn.text.vectors import WordVectors, english

STEPS, RATE, MOMENTUM, PRIOR = 400, 1.0, 0.97, 5e-5
TWICE = 2
"""A word or feature counts if so many sentences have it."""
EVERY = 3
OFTEN = 3.0
"""Statements and questions are more frequent than in the file, and worse to miss."""
FILE = Path(__file__).with_name("intents.npz")
_TOPIC = re.compile(r"\[(.+?)\]")


class Utterance(NamedTuple):
    """A sentence, what it wants, and where its topic stands."""

    text: str
    intent: str
    topic: tuple[int, int] | None = None


def talk() -> list[Utterance]:
    """The sentences that come with the package."""
    return read((files("memnn.conversations") / "data" / "talk.txt").read_text("utf-8"))


def questions(offset: int = 0) -> list[Utterance]:
    """A third of those about the project's conversations, as examples of what is just asked."""
    asked = [q.question for each in labelled.ours() for q in each.questions]
    return [Utterance(text, ASK) for text in asked[offset::EVERY]]


def read(text: str) -> list[Utterance]:
    """Sentences under the headings of their intents."""
    found, intent = [], ""
    for line in filter(str.strip, text.splitlines()):
        if line.startswith("# "):
            intent = line[2:].strip()
        elif not line.startswith("="):
            topic = _TOPIC.search(line)
            span = None if topic is None else (topic.start(), topic.end() - 2)
            found.append(Utterance(line.replace("[", "").replace("]", "").strip(), intent, span))
    return found


def train(said: Sequence[Utterance], vectors: WordVectors) -> IntentModel:
    """A model of these; what is one word has nothing else to be known by, and counts twice."""
    said = [*said, *(each for each in said if len(tokens_of(each.text)) == 1)]
    known = known_words(said)
    intents = tuple(dict.fromkeys(each.intent for each in said))
    kinds = np.array([intents.index(each.intent) for each in said])
    held = [features(each.text, tokens_of(each.text), known, vectors) for each in said]
    means = np.array([mean_vector(tokens_of(each.text), vectors) for each in said], np.float32)
    counted = np.array([OFTEN if each in ORDINARY else 1.0 for each in intents], np.float32)
    rows, weights = regression(held, means, kinds, counted)
    marked = [each for each in said if each.topic is not None]
    words = [topic_features(tokens_of(each.text), each.intent, known, vectors) for each in marked]
    inside = [is_in for each in marked for is_in in _inside(each)]
    held = list(chain.from_iterable(words))
    topic_rows, topic = regression(
        held,
        np.zeros((len(held), 0), np.float32),
        np.array(inside, np.int64),
        np.ones(2, np.float32),
    )
    two = topic[: len(topic_rows), 1] - topic[: len(topic_rows), 0]
    bias = topic[-1, 1] - topic[-1, 0]
    for name in ("bias", f"{CORRECT} bias"):
        if name in topic_rows:
            two[topic_rows[name]] += bias
    return IntentModel(intents, known, rows, weights, topic_rows, two)


def known_words(said: Sequence[Utterance]) -> frozenset[str]:
    """Words that several sentences have, except those written as names and those of topics."""
    names: set[str] = set()
    counts: Counter[str] = Counter()
    for each in said:
        tokens = tokens_of(each.text)
        names |= {t.text.lower() for t in tokens[1:] if t.text[0].isupper() and len(t.text) > 2}
        outside = [t for t in tokens if each.topic is None or not _within(t.start, each.topic)]
        counts.update({t.text.lower() for t in outside})
    return frozenset(word for word, n in counts.items() if n >= TWICE and word not in names)


def _within(start: int, topic: tuple[int, int]) -> bool:
    return topic[0] <= start < topic[1]


def _inside(said: Utterance) -> list[bool]:
    return [said.topic is not None and _within(t.start, said.topic) for t in tokens_of(said.text)]


def regression(
    held: Sequence[Sequence[str]],
    dense: Floats,
    kinds: NDArray[np.int64],
    counted: Floats,
) -> tuple[dict[str, int], Floats]:
    """Rows of features and weights: of these, of the dense ones, and a bias (rows, kinds).

    `counted` says how much an example of each kind counts.
    """
    counts = Counter(chain.from_iterable(held))
    rows = {name: row for row, name in enumerate(name for name, c in counts.items() if c >= TWICE)}
    lists = [[rows[name] for name in each if name in rows] for each in held]
    columns = np.concatenate([np.array(each, np.int64) for each in lists])
    owners = np.repeat(np.arange(len(lists)), [len(each) for each in lists])
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    order = np.argsort(columns, kind="stable")
    column_starts = np.flatnonzero(np.diff(columns[order], prepend=-1))
    more = np.hstack([dense, np.ones((len(dense), 1), np.float32)])
    truth = np.eye(len(counted), dtype=np.float32)[kinds]
    share = counted[kinds] / counted[kinds].sum()
    weights = np.zeros((len(rows) + more.shape[1], len(counted)), np.float32)
    speed = np.zeros_like(weights)
    rate = np.float64(RATE / max(1.0, len(columns) / len(lists) / 8))
    for _ in range(STEPS):
        ahead = weights + MOMENTUM * speed
        scores = np.add.reduceat(ahead[columns], starts) + more @ ahead[len(rows) :]
        likely = np.exp(scores - scores.max(1, keepdims=True))
        wrong = share[:, None] * (truth - likely / likely.sum(1, keepdims=True))
        slope = np.vstack([np.add.reduceat(wrong[owners[order]], column_starts), more.T @ wrong])
        speed = MOMENTUM * speed + rate * (slope - PRIOR * ahead)
        weights = weights + speed
    return rows, weights


def packed(model: IntentModel) -> bytes:
    """As `intents.unpacked` reads it."""

    def lines(names: Sequence[str]) -> NDArray[np.uint8]:
        return np.frombuffer("\n".join(names).encode(), np.uint8)

    data = BytesIO()
    np.savez_compressed(
        data,
        intents=lines(model.intents),
        known=lines(sorted(model.known)),
        rows=lines(list(model.rows)),
        weights=model.weights.astype(np.float16),
        topic_rows=lines(list(model.topic_rows)),
        topic_weights=model.topic_weights.astype(np.float16),
    )
    return data.getvalue()


if __name__ == "__main__":
    FILE.write_bytes(packed(train(talk() + questions(), english())))
