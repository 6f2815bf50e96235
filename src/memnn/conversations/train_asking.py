"""Learn how questions begin: `python -m memnn.conversations.train_asking` writes asking.npz."""

from __future__ import annotations

from collections import Counter
from io import BytesIO
from itertools import cycle
from pathlib import Path

import numpy as np

from memnn.conversations import labelled, train_intents
from memnn.conversations.asking import FIRST, AskedModel, features
from memnn.conversations.intents import ASK, STORE
from memnn.conversations.train_intents import Utterance
from memnn.text.sentences import QUESTION_WORDS, is_question, split_sentences
from memnn.text.spelling import neighbours
from memnn.text.tokens import words_1
from memnn.text.vectors import WordVectors, english

OFTEN = 5
"""A word is read by itself if so many sentences begin with it, or nearly so."""
FILE = Path(__file__).with_name("asking.npz")


def said() -> list[Utterance]:
    """What is asked and told in the project's conversations and in data/talk.txt."""
    talks = labelled.ours()
    turns = [text for each in talks for turn, _ in each.turns for text in split_sentences(turn)]
    asked = [text for text in turns if text.endswith("?")]
    asked += [q.question for each in talks for q in each.questions]
    told = [text for text in turns if not is_question(text)]
    found = [Utterance(text, ASK) for text in asked] + [Utterance(text, STORE) for text in told]
    for each in train_intents.talk():
        if each.intent in (ASK, STORE):
            found.append(each)
        elif each.text.endswith("?"):
            found.append(Utterance(each.text, ASK))
    return found


def slips(vectors: WordVectors) -> dict[str, list[str]]:
    """What becomes of question words in a hurry: a letter is missing, or two are swapped."""
    found = {}
    for word in sorted(QUESTION_WORDS):
        _, swapped, missing, _ = neighbours(word)
        found[word] = sorted(x for x in swapped | missing if x != word and x not in vectors)
    return found


def hurried(examples: list[Utterance], vectors: WordVectors) -> list[Utterance]:
    """The questions that begin with a question word once more, with a slip in it."""
    ways = {word: cycle(found) for word, found in slips(vectors).items() if found}
    again = []
    for each in examples:
        first, _, rest = each.text.partition(" ")
        if each.intent == ASK and first.lower() in ways:
            again.append(Utterance(f"{next(ways[first.lower()])} {rest}", ASK))
    return again


def often(examples: list[Utterance]) -> frozenset[str]:
    counts = Counter(word for each in examples for word in set(words_1(each.text)[:FIRST]))
    return frozenset(word for word, n in counts.items() if n >= OFTEN)


def train(examples: list[Utterance], vectors: WordVectors) -> AskedModel:
    examples = examples + hurried(examples, vectors)
    known = often(examples)
    held = [features(each.text, known) for each in examples]
    kinds = np.array([each.intent == ASK for each in examples], np.int64)
    none = np.zeros((len(held), 0), np.float32)
    rows, weights = train_intents.regression(held, none, kinds, np.ones(2, np.float32))
    return AskedModel(known, rows, weights[:, 1] - weights[:, 0])


def packed(model: AskedModel) -> bytes:
    """As `asking.unpacked` reads it."""
    data = BytesIO()
    np.savez_compressed(
        data,
        known=np.frombuffer("\n".join(sorted(model.known)).encode(), np.uint8),
        rows=np.frombuffer("\n".join(model.rows).encode(), np.uint8),
        weights=model.weights.astype(np.float16),
    )
    return data.getvalue()


if __name__ == "__main__":
    FILE.write_bytes(packed(train(said(), english())))
