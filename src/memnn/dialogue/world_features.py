"""What tells whether a fact of the world is asked for: how it is asked, and what words mean.

Beside how well the words fit (`match_features`): whether such a fact is asked for like that, which
part of it, and whether the words that it lacks mean something near to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memnn.dialogue.kinds import Kinds
from memnn.dialogue.match_features import Inquiry
from memnn.kernels.arrays import Floats
from memnn.ordinary.hearing import KIND
from memnn.text.english import FUNCTION_WORDS
from memnn.text.related import related_english
from memnn.text.sentences import QUESTION_WORDS
from memnn.types import Slot

Asking = Mapping[str, Mapping[str, float]]
"""The words that relations are asked for with, and how often."""
OFTEN = 4.0
"""A question word that one wording in this many has is as usual as any."""
NEVER = 0.02
"""How often a relation is asked for with a word that none of its wordings has."""
UNLIKELY = -8.0
"""The logarithm of the smallest probability of a kind of question."""
NEW = 8.0
"""What a word weighs that the network never saw."""
PRONOUNS = KIND.keys() - {"there"}
"""Words for somebody or something that was spoken of before."""
FEATURES = (
    "asking", "asked_for", "question_word", "relation", "numbers", "pronoun",
    "kind", "other_part", "settled", "said", "subject", "meaning", "meaning_asked",
)  # fmt: skip


class NamedPart(NamedTuple):
    """The subject or the object of a fact: what its words weigh, without small ones."""

    weights: Mapping[str, float]
    total: float
    meanings: Floats  # (words, dim)

    def share(self, words: frozenset[str]) -> float:
        """The share of it that these words name."""
        return sum(w for word, w in self.weights.items() if word in words) / self.total


@dataclass(frozen=True)
class WorldFact:
    """A fact of the world as it is needed to answer."""

    slot: Slot
    named: frozenset[str]
    """The words of its subject and object."""
    words: frozenset[str]
    """All its words."""
    relation: int
    """Its place among those that can be asked for; -1 where nobody knows how."""
    usual: Mapping[str, float]
    """The words that such a fact is asked for with, and how often."""
    parts: tuple[NamedPart, NamedPart]
    meanings: Floats
    """Of all its words."""
    kinds: tuple[int, int]
    """The places of the kinds of question for its subject and its object, or -1."""


@dataclass(frozen=True)
class WorldQuestion:
    """A question, read once for all facts that it is compared with."""

    asked: Inquiry
    words: frozenset[str]
    content: tuple[str, ...]
    meanings: Floats  # (content words, dim), zero for one without a vector
    weights: Floats
    """What each content word weighs; nothing where it has no vector."""
    kinds: Kinds | None
    asked_with: Mapping[str, NDArray[np.float64]]
    _by_kind: dict[tuple[str, ...], Floats] = field(default_factory=dict)

    def by_kind(self, rest: tuple[str, ...]) -> Floats | None:
        """log P of every kind; candidates often leave the same words."""
        if self.kinds is None:
            return None
        found = self._by_kind.get(rest)
        if found is None:
            found = self._by_kind[rest] = self.kinds(rest)
        return found


def meanings(words: Iterable[str]) -> Floats:
    """The vectors of the words that have one and are no small ones."""
    vectors = related_english()
    found = [vectors.of(word) for word in words if word not in FUNCTION_WORDS]
    known = [vector for vector in found if vector is not None]
    return np.array(known, np.float32) if known else np.zeros((0, vectors.dim), np.float32)


def part_of(words: Iterable[str], weigh: Mapping[str, float]) -> NamedPart:
    weights = {word: weigh.get(word, NEW) for word in words if word not in FUNCTION_WORDS}
    return NamedPart(weights, max(sum(weights.values()), 1e-6), meanings(weights))


def ask_of(
    asked: Inquiry,
    weigh: Mapping[str, float],
    kinds: Kinds | None,
    asked_with: Mapping[str, NDArray[np.float64]],
) -> WorldQuestion:
    vectors = related_english()
    content = tuple(word for word in asked.words if word not in FUNCTION_WORDS)
    found = [vectors.of(word) for word in content]
    nothing = np.zeros(vectors.dim, np.float32)
    means = np.array([nothing if v is None else v for v in found], np.float32)
    weights = [0.0 if v is None else weigh.get(w, NEW) for w, v in zip(content, found, strict=True)]
    return WorldQuestion(
        asked, frozenset(asked.words), content, means.reshape(-1, vectors.dim),
        np.array(weights, np.float32), kinds, asked_with,
    )  # fmt: skip


def world_features(about: WorldQuestion, known: WorldFact) -> dict[str, float]:
    """Whether this is how one asks for such a fact: nobody asks for a place with "when", of what
    everybody knows hardly anybody speaks as "he", and "2+2" asks for no fact about 2."""
    asked = about.asked
    rest = asking_words(word for word in asked.words if word not in known.named)
    asks = [word for word in rest if word.split()[0] in QUESTION_WORDS]
    telling = [word for word in rest if word in asks or word not in FUNCTION_WORDS]
    speak = [about.asked_with[word] for word in rest if word in about.asked_with]
    likely = sum(speak[1:], speak[0]) if speak else None
    content = about.content
    subject, object = (part.share(about.words) for part in known.parts)
    return {
        "numbers": sum(map(str.isdigit, content)) / max(1, len(content)),
        "pronoun": float(not PRONOUNS.isdisjoint(asked.said)),
        "relation": 0.0 if likely is None else float(likely[known.relation] - likely.max()),
        "asked_for": sum(word in known.usual for word in telling) / max(1, len(telling)),
        "asking": sum(word in known.usual for word in rest) / max(1, len(rest)),
        "question_word": min(
            (min(1.0, OFTEN * known.usual.get(word, 0.0)) for word in asks), default=1.0
        ),
        "said": min(subject, object),
        "subject": float(object > subject),
        **_kind(about.by_kind(tuple(rest)), known, subject, object),
        **_meaning(about, known, known.parts[0 if object > subject else 1]),
    }


def _kind(
    by_kind: Floats | None, known: WorldFact, subject: float, object: float
) -> dict[str, float]:
    """How probable it is that the part is asked for that the question does not name."""
    if by_kind is None:
        return {"kind": 0.0, "other_part": 0.0, "settled": 0.0}
    both = [max(float(by_kind[i]), UNLIKELY) if i >= 0 else UNLIKELY for i in known.kinds]
    asked_for = both[0] if object > subject else both[1] if subject > object else max(both)
    settled = float(by_kind.max())
    return {"kind": asked_for, "other_part": max(both) - settled, "settled": settled}


def _meaning(about: WorldQuestion, known: WorldFact, part: NamedPart) -> dict[str, float]:
    """How near the words that the fact lacks are to it, and to the part that is asked for."""
    left = [i for i, word in enumerate(about.content) if word not in known.words]
    weights = about.weights[left]
    total = float(weights.sum())
    if not total or not len(known.meanings):
        return {"meaning": 0.0 if left else 1.0, "meaning_asked": 0.5}
    words = about.meanings[left]
    near = float((words @ known.meanings.T).max(axis=1) @ weights) / total
    asked = float((words @ part.meanings.T).max(axis=1) @ weights) if len(part.meanings) else 0.0
    return {"meaning": near, "meaning_asked": asked / total}


def asked_with(asking: Asking) -> dict[str, NDArray[np.float64]]:
    """How much a word of a question speaks for each relation: log P(word | relation) above that
    of a relation which is never asked for with it."""
    found: dict[str, NDArray[np.float64]] = {}
    for place, words in enumerate(asking.values()):
        for word, share in words.items():
            gains = found.setdefault(word, np.zeros(len(asking) + 1))
            gains[place] = log1p(share / NEVER)
    return found


def asking_words(words: Iterable[str]) -> list[str]:
    """Words of a question; "how" is one with what follows it."""
    found: list[str] = []
    for word in words:
        if found and found[-1] == "how":
            found[-1] = f"how {word}"
        else:
            found.append(word)
    return found
