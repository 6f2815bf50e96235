"""Learning what questions ask for (`kinds`): softmax regression by Adagrad, a few seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from memnn.dialogue.kinds import OBJECT, SUBJECT, Kinds
from memnn.dialogue.wordings import Wordings
from memnn.dialogue.world_features import asking_words
from memnn.facts.bags import FactDictionary
from memnn.kernels.arrays import Floats, Ints
from memnn.tensors import rounded
from memnn.text.related import related_english

NARROW, EPOCHS, LEARNING, BATCH = 48, 20, 0.05, 32
LOST = 0.15
"""The share of words that are left out at random, so that no word alone decides."""
OFTEN = 2
"""From how many wordings on a word is learnt by itself."""
RIDGE = 1e-5
SETTINGS = (NARROW, EPOCHS, LEARNING, BATCH, LOST, OFTEN, RIDGE)
Examples = Sequence[tuple[Sequence[str], tuple[str, str]]]
"""Words of wordings, and the kind of each."""


def learn_kinds(ways: Wordings, dictionary: FactDictionary, seed: int = 0) -> Kinds:
    """From wordings: which relation, and that {s} asks for the object."""
    normal = dictionary.normal
    examples = []
    for relation, texts in ways.items():
        name = " ".join(normal(relation))
        for text in texts:
            words = asking_words(normal(text.replace("{s}", "").replace("{o}", "")))
            examples.append((words, (name, OBJECT if "{s}" in text else SUBJECT)))
    return fit_kinds(examples, seed)


def fit_kinds(examples: Examples, seed: int = 0) -> Kinds:
    rng = np.random.default_rng(seed)
    vectors = related_english()
    names = tuple(sorted({name for _, name in examples}))
    counted = Counter(word for words, _ in examples for word in dict.fromkeys(words))
    row = {word: i for i, word in enumerate(sorted(counted))}
    learnt = tuple(word for word in row if counted[word] >= OFTEN)
    own_row = np.full(len(row), len(learnt))  # the last row stays zero
    own_row[[row[word] for word in learnt]] = np.arange(len(learnt))
    given = np.zeros((len(row), vectors.dim), np.float32)
    for word, i in row.items():
        if (vector := vectors.of(word)) is not None:
            given[i] = vector
    net = _Net(len(learnt), vectors.dim, len(names), rng)
    place = {name: i for i, name in enumerate(names)}
    texts = [np.array([row[word] for word in words], np.int64) for words, _ in examples]
    kinds = np.array([place[name] for _, name in examples])
    for _ in range(EPOCHS):
        order = rng.permutation(len(texts))
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            kept = [texts[i][rng.random(len(texts[i])) >= LOST] for i in some]
            flat = np.concatenate(kept)
            net.step(given[flat], own_row[flat], np.array([*map(len, kept)]), kinds[some])
    own, meaning, out, usual = (rounded(part) for part in net.parts)
    return Kinds(names, learnt, own[:-1], meaning, out, usual)


class _Net:
    def __init__(self, words: int, dim: int, kinds: int, rng: np.random.Generator) -> None:
        def some(*shape: int, size: float) -> Floats:
            return np.asarray(size * rng.standard_normal(shape), np.float32)

        own = some(words + 1, NARROW, size=0.05)
        own[-1] = 0
        self.parts = [
            own,
            some(dim, NARROW, size=dim**-0.5),
            some(NARROW, kinds, size=0.1),
            np.zeros((1, kinds), np.float32),
        ]
        self._squares = [np.full_like(part, 1e-3) for part in self.parts]

    def step(self, vectors: Floats, rows: Ints, lengths: Ints, kinds: Ints) -> None:
        """One step of some wordings."""
        own, meaning, out, usual = self.parts
        n = len(lengths)
        whose = np.repeat(np.arange(n), lengths)
        scale = (np.maximum(1, lengths) ** -0.5).astype(np.float32)[:, None]
        means, owns = np.zeros((n, vectors.shape[1]), np.float32), np.zeros((n, NARROW), np.float32)
        np.add.at(means, whose, vectors)
        np.add.at(owns, whose, own[rows])
        means, inner = means * scale, owns * scale
        inner = inner + means @ meaning
        p = inner @ out + usual
        p = np.exp(p - p.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        p[np.arange(n), kinds] -= 1
        p *= 8 / n
        back = p @ out.T
        some, at = np.unique(rows, return_inverse=True)
        moved = np.zeros((len(some), NARROW), np.float32)
        np.add.at(moved, at, (back * scale)[whose])
        moved += RIDGE * own[some]
        squares = self._squares
        squares[0][some] += moved**2
        own[some] -= LEARNING * moved / np.sqrt(squares[0][some])
        own[-1] = 0
        slopes = (means.T @ back + RIDGE * meaning, inner.T @ p + RIDGE * out, p.sum(axis=0)[None])
        for part, slope, square in zip(self.parts[1:], slopes, squares[1:], strict=True):
            square += slope**2
            part -= LEARNING * slope / np.sqrt(square)
