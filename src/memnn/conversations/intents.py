"""What somebody wants who says a sentence to a memory: to tell, to ask, or just to talk.

A regression over words, their neighbours and their meanings (`memnn.text.vectors`), learnt from
data/talk.txt by `train_intents`. Another of the same kind marks what a recall is about: the words
whose scores have the greatest sum. Both are cautious: what looks like a statement or a question is
one unless something else is far more likely, most of all where something would be deleted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.text.english import FUNCTION_WORDS
from memnn.text.vectors import WordVectors, english, letters_of

Floats = NDArray[np.float32]

STORE, ASK, RECALL, RECALL_ALL, FORGET = "store", "ask", "recall", "recall all", "forget"
ORDINARY = (STORE, ASK)
REMARK, WHY, NONSENSE = "remark", "why", "nonsense"
UNDO, FORGET_OTHER, CORRECT = "undo", "forget other", "correct"
CHOOSE = "choose"
"""Which of the statements that were listed is meant; nobody is taken for saying so unasked."""
ACTS = (RECALL, RECALL_ALL, FORGET, UNDO, FORGET_OTHER, CORRECT)
"""Intents for which something is done; all other talk only gets a reply."""
LEAST = {FORGET: 0.9, UNDO: 0.9, CORRECT: 0.9, NONSENSE: 0.8}
"""How probable it must be that something is to be deleted or put back, or is not worth keeping."""
SURELY = 0.8
"""How probable it must be that something is meant by its name: less, and it is asked which."""
LEAST_TALK, LEAST_REPLY = 0.8, 0.9
"""How probable talk must be to be neither told nor asked; more where nothing would be shown."""
MOST_WORDS, LONGEST_TALK = 25, 250
"""Longer sentences say something; in words and in characters."""
_WORD = re.compile(r"[^\W_]+")


class TalkWord(NamedTuple):
    """A word of a sentence, and where it stands."""

    text: str
    start: int
    end: int


class Intent(NamedTuple):
    """What is wanted, and of what."""

    name: str
    topic: str = ""
    probability: float = 1.0


NO_TALK = Intent("")
"""An ordinary statement or question."""


@dataclass(frozen=True)
class IntentModel:
    """What was learnt: weights by feature, for intents and for the words of a topic."""

    intents: tuple[str, ...]
    known: frozenset[str]
    """Words that are read by themselves; others, names above all, by their class only."""
    rows: Mapping[str, int]
    weights: Floats  # (features + dim + 1, intents)
    topic_rows: Mapping[str, int]
    topic_weights: Floats  # (features,)

    def probabilities(self, text: str, vectors: WordVectors) -> dict[str, float]:
        """How likely each intent is."""
        tokens = tokens_of(text)
        found = [
            self.rows[f] for f in features(text, tokens, self.known, vectors) if f in self.rows
        ]
        scores = self.weights[found].sum(0) + self.weights[-1]
        scores = scores + mean_vector(tokens, vectors) @ self.weights[-1 - vectors.dim : -1]
        likely = np.exp(scores - scores.max())
        return dict(zip(self.intents, (likely / likely.sum()).tolist(), strict=True))

    def topic(self, text: str, intent: str, vectors: WordVectors) -> str:
        """What a text is about: the stretch of words with the greatest sum of scores."""
        tokens = tokens_of(text)
        scores = [
            sum(float(self.topic_weights[self.topic_rows[f]]) for f in each if f in self.topic_rows)
            for each in topic_features(tokens, intent, self.known, vectors)
        ]
        sums = [0.0, *accumulate(scores)]
        spans = [(sums[b] - sums[a], a, b) for b in range(len(sums)) for a in range(b)]
        best, first, last = max(spans, default=(0.0, 0, 0))
        return text[tokens[first].start : tokens[last - 1].end] if best > 0 else ""


NUMBERED = re.compile(r"[\[#](\d{1,18})\]?", re.ASCII)
"""A statement's number as it is shown: [3]."""


def intent_of(text: str, model: IntentModel | None = None) -> Intent:
    """What a sentence wants; "" where it is an ordinary statement or question."""
    text = NUMBERED.sub(r"\1", text)
    tokens = tokens_of(text)
    if not tokens or len(tokens) > MOST_WORDS or len(text) > LONGEST_TALK:
        return Intent("")
    model, vectors = model or shipped(), english()
    if not text.isascii() and not any(token.text.lower() in vectors for token in tokens):
        return Intent("")  # a language that it knows nothing of: better kept than answered
    likely = model.probabilities(text, vectors)
    talk = 1.0 - sum(likely[each] for each in ORDINARY)
    replied = sum(likely.values()) - sum(likely[each] for each in (*ORDINARY, *ACTS))
    act = max(ACTS, key=lambda each: likely[each])
    if talk < LEAST_TALK:
        return Intent("", probability=1.0 - talk)
    if replied > likely[act]:
        if talk < LEAST_REPLY:
            return Intent("", probability=1.0 - talk)
        others = [each for each in likely if each not in (*ORDINARY, *ACTS)]
        name = max(others, key=lambda each: likely[each])
        if likely[name] < LEAST.get(name, 0.0):
            return Intent("", probability=1.0 - talk)
        if likely[name] < replied / 2:  # no thanks, and no goodbye
            name = REMARK
        if name == REMARK and _says_something(tokens):
            return Intent("", probability=1.0 - talk)
        return Intent(name, probability=replied)
    if act == FORGET and likely[act] < LEAST[act]:  # something is to go, but is it the last one?
        act = FORGET_OTHER
    if likely[act] < LEAST.get(act, 0.0):
        return Intent("", probability=1.0 - talk)
    topic = model.topic(text, act, vectors) if act in (RECALL, FORGET_OTHER, CORRECT) else ""
    return Intent(act, topic, likely[act])


def _says_something(tokens: Sequence[TalkWord]) -> bool:
    """Whether a remark may be a fact as well ("We lost."): then it is told, for nothing is lost."""
    return len(tokens) > 1 and any(t.text.lower() not in FUNCTION_WORDS for t in tokens)


def tokens_of(text: str) -> list[TalkWord]:
    return [TalkWord(found[0], found.start(), found.end()) for found in _WORD.finditer(text)]


def features(
    text: str, tokens: Sequence[TalkWord], known: frozenset[str], vectors: WordVectors
) -> list[str]:
    """The words of a sentence and their neighbours, its length, and how it ends."""
    words = ["<", *(_read(token, known) for token in tokens), ">"]
    found = [f"1 {word}" for word in words]
    found += [f"2 {a} {b}" for a, b in pairwise(words)]
    for gap in (2, 3):
        found += [f"2+ {a} {b}" for a, b in zip(words, words[gap:], strict=False)]
    found += [f"3 {' '.join(words[:3])}", f"3 {' '.join(words[-3:])}", f"4 {' '.join(words[:4])}"]
    found += [f"length {n}" for n in range(1, 1 + min(len(tokens), 12))]
    found += [f"new {n}" for n in range(1, 1 + min(sum(w[0] == "*" for w in words), 4))]
    mark = text.rstrip()[-1:] if text.rstrip()[-1:] in "?!.:" else ""
    found += [f"end {mark}", f"end {words[1]} {mark}"]
    found += [f"digits {any(token.text.isdigit() for token in tokens)}"]
    for token in tokens:
        classes = vectors.classes_of(token.text.lower()) or ()
        found += [f"class {size} {kind}" for size, kind in enumerate(classes[:2])]
    return list(dict.fromkeys(found + _strangeness(text, tokens, known, vectors)))


def _strangeness(
    text: str, tokens: Sequence[TalkWord], known: frozenset[str], vectors: WordVectors
) -> list[str]:
    """How many words are unknown, and look like no word; how many signs there are, and which."""
    words = [token.text.lower() for token in tokens]
    unknown = [word for word in words if word not in known and word not in vectors]
    odd = [word for word in unknown if not letters_of(word) <= vectors.letters]
    signs = [sign for sign in text if not (sign.isalnum() or sign.isspace() or sign in ".,!?'’-")]
    found = [f"signs {n}" for n in _steps(signs)] + [f"sign {sign}" for sign in signs]
    for kind, these in (("unknown", unknown), ("odd", odd)):
        found += [f"{kind} {n}" for n in _steps(these)]
        found += [f"all {kind}"] if these == words else []
    return found


def _steps(these: Sequence[str]) -> list[int]:
    return [n for n in (1, 2, 3, 5) if n <= len(these)]


def topic_features(
    tokens: Sequence[TalkWord], intent: str, known: frozenset[str], vectors: WordVectors
) -> list[list[str]]:
    """Of every word: itself, what stands before and after it, its class, whether it is a name.

    What is correct is another matter than what a recall is about: it has features of its own.
    """
    found = _topic_features(tokens, known, vectors)
    if intent != CORRECT:
        return found
    parts = _parts_after(tokens)
    return [
        [f"{intent} {feature}" for feature in [*each, f"parts {n}", f"parts {n} {each[1]}"]]
        for n, each in zip(parts, found, strict=True)
    ]


def _parts_after(tokens: Sequence[TalkWord]) -> list[int]:
    """How many marks stand after each word: "No, that's wrong, it's green"."""
    marks = [b.start - a.end > 1 for a, b in pairwise(tokens)]
    return [sum(marks[place:]) for place in range(len(tokens))]


def _topic_features(
    tokens: Sequence[TalkWord], known: frozenset[str], vectors: WordVectors
) -> list[list[str]]:
    words = ["<", "<", *(_read(token, known) for token in tokens), ">", ">"]
    found = []
    for place, token in enumerate(tokens, start=2):
        before, here, after = words[place - 1], words[place], words[place + 1]
        classes = vectors.classes_of(token.text.lower()) or ()
        found.append(
            [
                "bias", f"0 {here}", f"-1 {before}", f"1 {after}", f"-2 {words[place - 2]}",
                f"-10 {before} {here}", f"01 {here} {after}", f"-21 {words[place - 2]} {before}",
                f"start {place - 2 < 3}", f"capital {place > 2 and token.text[0].isupper()}",
                *(f"class {size} {kind}" for size, kind in enumerate(classes[:2])),
            ]
        )  # fmt: skip
    return found


def _read(token: TalkWord, known: frozenset[str]) -> str:
    word = token.text.lower()
    return word if word in known else "*"


def mean_vector(tokens: Sequence[TalkWord], vectors: WordVectors) -> Floats:
    found = [vectors.of(token.text.lower()) for token in tokens]
    there = [vector for vector in found if vector is not None]
    mean: Floats = np.mean(there, 0) if there else np.zeros(vectors.dim, np.float32)
    return 2 * mean


@cache
def shipped() -> IntentModel:
    """What was learnt from data/talk.txt."""
    return unpacked((files("memnn.conversations") / "intents.npz").read_bytes())


def unpacked(data: bytes) -> IntentModel:
    with np.load(BytesIO(data)) as arrays:
        found: dict[str, NDArray[Any]] = dict(arrays)

    def lines(name: str) -> tuple[str, ...]:
        return tuple(found[name].tobytes().decode().split("\n"))

    def weights(name: str) -> Floats:
        read: Floats = found[name].astype(np.float32)
        return read

    return IntentModel(
        lines("intents"),
        frozenset(lines("known")),
        {name: row for row, name in enumerate(lines("rows"))},
        weights("weights"),
        {name: row for row, name in enumerate(lines("topic_rows"))},
        weights("topic_weights"),
    )
