"""Words that always go together are one: "box of chocolates", "to the left of".

Learnt from training texts: a word that always follows the same word is joined to it, then one that
is always followed by the same. The rest of a network then sees who is meant, and not the words in
between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

JOINT = "+"
"""Between the words of a phrase: no word contains it."""
LEAST = 8
"""How often a word must have been seen to say "always"."""

Round = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Phrases:
    """Rounds of joining: in each, a word and the words before it that it is joined to."""

    rounds: tuple[Round, ...] = ()

    def join(self, words: Sequence[str]) -> list[str]:
        """The words with phrases joined."""
        joined = list(words)
        for round in self.rounds:
            joined = _join(joined, round)
        return joined

    def to_json(self) -> list[dict[str, list[str]]]:
        return [{word: sorted(first) for word, first in round.items()} for round in self.rounds]

    @classmethod
    def from_json(cls, data: Any) -> Phrases:
        """ValueError where something else was written."""
        if not isinstance(data, list):
            raise ValueError("phrases must be a list")
        rounds = []
        for round in data:
            if not isinstance(round, dict) or not all(
                isinstance(first, list) and all(isinstance(w, str) for w in first)
                for first in round.values()
            ):
                raise ValueError("phrases must be words with the words before them")
            rounds.append({word: frozenset(first) for word, first in round.items()})
        return cls(tuple(rounds))

    @classmethod
    def learn(cls, texts: Iterable[Sequence[str]]) -> Phrases:
        """The phrases of training texts."""
        now = [list(text) for text in texts]
        rounds: list[Round] = []
        while round := _next_round(now):
            rounds.append(round)
            now = [_join(text, round) for text in now]
        return cls(tuple(rounds))


def head(phrase: str) -> str:
    """The word that a phrase ends in: "kitchen" of "to the kitchen"."""
    return phrase.rpartition(JOINT)[2]


def _join(words: Sequence[str], round: Round) -> list[str]:
    joined: list[str] = []
    for before, word in zip((None, *words), words, strict=False):
        if before is not None and before in round.get(word, ()) and joined[-1].endswith(before):
            joined[-1] += JOINT + word
        else:
            joined.append(word)
    return joined


def _next_round(texts: Sequence[Sequence[str]]) -> Round:
    """Who is always preceded by the same word; where nobody is, who is always followed by it."""
    before: dict[str, set[str | None]] = {}
    after: dict[str, set[str | None]] = {}
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text)
        for first, second in zip((None, *text), (*text, None), strict=True):
            if second is not None:
                before.setdefault(second, set()).add(first)
            if first is not None:
                after.setdefault(first, set()).add(second)
    tied = _tied(before, counts)
    round = {word: frozenset({first}) for word, first in tied.items() if first not in tied}
    if round:
        return round
    tied = _tied(after, counts)
    firsts: dict[str, set[str]] = {}
    for first, word in tied.items():
        if word not in tied:
            firsts.setdefault(word, set()).add(first)
    return {word: frozenset(first) for word, first in firsts.items()}


def _tied(neighbours: Mapping[str, set[str | None]], counts: Counter[str]) -> dict[str, str]:
    """Words with one neighbour only, which is a word."""
    return {
        word: only
        for word, found in neighbours.items()
        if len(found) == 1 and (only := next(iter(found))) is not None and counts[word] >= LEAST
    }
