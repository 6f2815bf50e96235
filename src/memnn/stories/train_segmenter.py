"""The segmenter learns from supporting facts alone (§3.2, Appendix B); stories as it sees them.

Where a supporting fact begins and ends is known; where other statements of a stream do is not, and
is never looked at. A fact is a positive, its unfinished beginnings are negatives, and so is the
fact with one word of what comes next: the word that follows it, and one that facts begin with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memnn.errors import TrainingError
from memnn.kernels.rng import new_state
from memnn.kernels.segment import train_segments
from memnn.settings import COUNT, LARGE, POSITIVE, SEED, SHARE, BaseSettings, setting
from memnn.text.stream import Segmenter, Words, is_word, stream_words
from memnn.types import Statement, Story

TAIL = 3
RARE = 3
LONGEST_JOIN = 3
STEPS = 240_000
EPOCHS, MOST_EPOCHS = 10, 300


@dataclass(frozen=True)
class SegmenterSettings(BaseSettings):
    """Sizes and steps of the segmenter; chosen on validation streams (docs/log.md)."""

    dim: int = setting(100, "The size of the vector of a segment.", range=(1, 10_000))
    margin: float = setting(0.1, "γ of Appendix B.", range=POSITIVE)
    lr: float = setting(
        0.01, "The learning rate of the first epoch; it falls to 0.", range=POSITIVE
    )
    epochs: int | None = setting(
        None,
        "Passes over the segments.",
        range=COUNT,
        unset=f"as many as make {STEPS:,} steps, {EPOCHS} at least and {MOST_EPOCHS} at most",
    )
    init: float = setting(0.03, "Standard deviation of the initial embeddings.", range=POSITIVE)
    last_word: bool = setting(
        True, "Count the last word once more, and look at the next word before a segment ends."
    )
    """Without: the paper's bag, which fires at once; no fact with its next word is a negative."""
    threshold: float = setting(
        0.0,
        "A segment is what scores above; the paper says γ, which misses more.",
        range=(-LARGE, LARGE),
    )
    joining: bool = setting(
        True, "Leave out of what is told the words that join statements, such as “and then”."
    )
    worsened: float = setting(
        0.5,
        "The share of segments that are learnt from with some words unknown or left out.",
        range=SHARE,
    )
    omitted: float = setting(
        0.3, "The share of words that are left out of such a segment.", range=SHARE
    )
    common: float = setting(
        0.3,
        "A word that is in more than this share of the facts is less often made unknown.",
        range=POSITIVE,
    )
    seed: int = setting(0, "The same seed gives the same segmenter.", range=SEED)

    @classmethod
    def named(cls, name: str, seed: int = 0) -> SegmenterSettings:
        """The settings of a recipe's segmenter."""
        return cls.of_the_paper(seed) if name == "bag" else cls(seed=seed)

    @classmethod
    def of_the_paper(cls, seed: int = 0) -> SegmenterSettings:
        """Section 3.2 as it stands: a bag of words that is a segment once seg(c) > γ, written to
        memory as it came, and learnt from whole."""
        plain = cls(last_word=False, joining=False, worsened=0.0, seed=seed)
        return replace(plain, threshold=plain.margin)

    def epochs_for(self, segments: int) -> int:
        return self.epochs or max(EPOCHS, min(MOST_EPOCHS, -(-STEPS // max(1, segments))))


@dataclass(frozen=True)
class Fact:
    """A supporting fact as it occurs in the stream, and the word after it, if any."""

    words: Words
    next: Words = ()
    begins: bool = False
    """Whether it begins a sentence for sure: the story begins with it, or it follows a question."""


def known_facts(stories: Sequence[Story]) -> list[Fact]:
    """Every statement that supports an answer, with the first word of the line that follows it."""
    facts = []
    for story in stories:
        supports = {id for question in story.questions for id in question.supports}
        around = zip((None, *story.lines), story.lines, (*story.lines[1:], None), strict=False)
        for number, (before, line, after) in enumerate(around, start=1):
            id = number if line.id is None else line.id
            words = stream_words(line.text)
            if isinstance(line, Statement) and id in supports and words:
                following = stream_words(after.text)[:1] if after is not None else ()
                facts.append(Fact(words, following, not isinstance(before, Statement)))
    return facts


def joining_words(facts: Sequence[Fact]) -> frozenset[str]:
    """The words that join facts: up to three before a word that facts begin sentences with.

    Facts that begin a sentence are joined to nothing and so have none of them.
    """
    first = {fact.words[0] for fact in facts if fact.begins}
    bare = {word for fact in facts if fact.begins for word in fact.words}
    joining: set[str] = set()
    for fact in facts:
        for i, word in enumerate(fact.words[: LONGEST_JOIN + 1]):
            if word in first:
                joining.update(fact.words[:i])
                break
    return frozenset(word for word in joining - bare if is_word(word))


def unfinished(facts: Sequence[Fact]) -> list[list[int]]:
    """For each fact the lengths of its beginnings that are surely no fact.

    "Joe left the milk" begins "Joe left the milk there" and is a fact of its own, though perhaps
    it was never told with the same joining word, or never of Joe. So a beginning passes for a
    fact when a known fact ends with the same three words; and, while these were met in the middle
    of facts less than three times, when one ends with the same two.
    """
    enders: set[Words] = set()
    middles: Counter[Words] = Counter()
    for fact in facts:
        for tail in (TAIL - 1, TAIL):
            enders.add(fact.words[-tail:])
        middles.update(fact.words[:i][-TAIL:] for i in range(1, len(fact.words)))

    def may_be_fact(words: Words) -> bool:
        tail = words[-TAIL:]
        return tail in enders or (middles[tail] < RARE and tail[1 - TAIL :] in enders)

    return [
        [i for i in range(1, len(fact.words)) if not may_be_fact(fact.words[:i])] for fact in facts
    ]


@dataclass(frozen=True)
class Segments:
    """Labelled segments words[start:end]: beginnings share the words of their fact."""

    words: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    label: NDArray[np.int64]  # 1 fact, -1 no fact
    over: NDArray[np.int64]  # 1 if the last word is one too many

    def __len__(self) -> int:
        return len(self.label)


def encode(
    facts: Sequence[Fact], rows: dict[str, int], rng: np.random.Generator | None
) -> Segments:
    """Facts, their unfinished beginnings and, with a generator, facts that have run on.

    One word too many is the word that came next, and one drawn from the words that begin facts
    (and end none): with few facts, or where questions are about the last statement alone, the
    words that came next are not all that may.
    """
    words: list[int] = []
    segments: list[tuple[int, int, int, int]] = []
    known = {fact.words for fact in facts}
    last = {fact.words[-1:] for fact in facts}
    first = [w for w in dict.fromkeys(fact.words[:1] for fact in facts) if w not in last] or [()]
    for fact, lengths in zip(facts, unfinished(facts), strict=True):
        start, n = len(words), len(fact.words)
        words += [rows[word] for word in fact.words]
        segments += [(start, start + i, -1, 0) for i in lengths]
        segments.append((start, start + n, 1, 0))
        if rng is None:
            continue
        for more in (fact.next, first[rng.integers(len(first))]):
            if more and fact.words + more not in known:
                segments.append((len(words), len(words) + n + 1, -1, 1))
                words += [rows[word] for word in fact.words + more]
    columns = np.array(segments, np.int64).reshape(-1, 4).T.copy()
    return Segments(np.array(words, np.int64), *columns)


def train_segmenter(
    stories: Sequence[Story], settings: SegmenterSettings | None = None
) -> Segmenter:
    """The segmenter that minimises Appendix B on the stories; the same seed gives the same."""
    settings = settings or SegmenterSettings()
    facts = known_facts(stories)
    if not facts:
        raise TrainingError(
            "the segmenter has nothing to learn from: no question names a supporting statement"
        )
    vocabulary = dict.fromkeys(word for fact in facts for word in fact.words + fact.next)
    rows = {word: row for row, word in enumerate(vocabulary, start=1)}
    V, n = len(rows) + 1, settings.dim
    rng = np.random.default_rng(settings.seed)
    segments = encode(facts, rows, rng if settings.last_word else None)
    size = (2 * V if settings.last_word else V, n)
    U_S = rng.normal(0.0, settings.init, size).astype(np.float32)
    # A direction of length 1: U_S starts small, and only along W_seg does it learn.
    W_seg = rng.normal(0.0, n**-0.5, n).astype(np.float32)
    chance = _chances(facts, rows, settings.common)
    spare = np.empty(max(len(fact.words) for fact in facts) + 1, np.int64)
    v, state = np.empty(n, np.float32), new_state(settings.seed)
    epochs = settings.epochs_for(len(segments))
    for epoch in range(epochs):
        train_segments(
            U_S, W_seg, V, segments.words, segments.start, segments.end, segments.label,
            segments.over, rng.permutation(len(segments)), settings.margin,
            settings.lr * (1 - epoch / epochs), round(1000 * settings.worsened), chance,
            round(1000 * settings.omitted), state, spare, v,
        )  # fmt: skip
        if not (np.isfinite(U_S).all() and np.isfinite(W_seg).all()):
            raise TrainingError(
                f"training of the segmenter diverged in epoch {epoch + 1}; use a smaller lr"
            )
    joining = joining_words(facts) if settings.joining else frozenset()
    return Segmenter(tuple(vocabulary), U_S, W_seg, joining, settings.threshold)


def _chances(facts: Sequence[Fact], rows: dict[str, int], common: float) -> NDArray[np.int64]:
    """How easily each word becomes unknown, in 1000: marks never, words of most facts seldom."""
    chance = np.zeros(len(rows) + 1, np.int64)
    counts = Counter(word for fact in facts for word in set(fact.words))
    for word, count in counts.items():
        if is_word(word):
            chance[rows[word]] = round(1000 * min(1.0, common * len(facts) / count))
    return chance
